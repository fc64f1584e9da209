"""GS1 element strings against what they should say, and against the print beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from biip import ParseError
from biip.gs1_messages import GS1Message

from service.recipes.codes import DATES
from service.recipes.dates import GS1, read_date
from service.recipes.normalise import fold_text

if TYPE_CHECKING:
    import datetime as dt

    from service.imaging.evidence import Code
    from service.matching.field import FieldResult
    from service.recipes.codes import Element
    from service.recipes.confusables import Confusables
    from service.recipes.recipe import Field


@dataclass(slots=True)
class Comparison:
    """What a code says beside what it should say: certain faults, and look-alikes that prove nothing."""

    expected: str
    read: str
    faults: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)


def compare_elements(
    elements: Sequence[Element],
    code: Code,
    fields: Mapping[str, Field],
    printed: Mapping[str, FieldResult],
    alike: Confusables,
) -> Comparison:
    """Every element that the recipe names must be there and right, and no other."""
    try:
        message = GS1Message.parse(code.text) if code.is_gs1 else None
    except ParseError:
        message = None
    if message is None:
        return Comparison("".join(one.shown for one in elements), code.text, ["it is no GS1 code"])
    said = [(element.ai.ai, element.value) for element in message.element_strings]
    holds = dict(said)
    found = Comparison("", "".join(f"({ai}){value}" for ai, value in said))
    found.faults += [
        f"({ai}) stands there twice, as {value!r} and {holds[ai]!r}"
        for ai, value in said
        if holds[ai] != value
    ]
    for element in elements:
        print_ = fields[element.field].printed_value(printed[element.field].read) if element.field else ""
        found.expected += f"({element.ai}){print_}" if element.field else element.shown
        if element.ai not in holds:
            found.faults.append(f"({element.ai}) is not in the code")
        elif element.field is not None:
            _compare_print(element.ai, holds[element.ai], print_, fields[element.field], alike, found)
        elif element.text is not None and holds[element.ai] != element.text:
            found.faults.append(f"({element.ai}) says {holds[element.ai]!r}, expected {element.text!r}")
    named = {element.ai for element in elements}
    found.faults += [
        f"({ai}) says {value!r}, which the recipe does not name"
        for ai, value in holds.items()
        if ai not in named
    ]
    return found


def _compare_print(
    ai: str, holds: str, print_: str, printed: Field, alike: Confusables, found: Comparison
) -> None:
    """An element of the code against the print of a field."""
    differ = f"({ai}) says {holds!r}, printed as {printed.name} is {print_!r}"
    code_text, print_text = fold_text(holds, printed.case), fold_text(print_, printed.case)
    if not print_:
        found.faults.append(f"({ai}) says {holds!r}, but {printed.name} was not read")
    elif ai in DATES and printed.date is not None:
        if _date(holds, printed.date.today) != _printed_date(printed, print_):
            found.faults.append(differ)
    elif printed.expect is None and (fault := printed.rule_fault(holds)):
        found.faults.append(f"({ai}) {fault}, as {printed.name} must")
    elif code_text != print_text:
        pairs = zip(code_text, print_text, strict=False)
        same_length = len(code_text) == len(print_text)
        if same_length and all(one == other or other in alike.alike(one) for one, other in pairs):
            found.doubts.append(f"{differ}: they differ in characters that look alike")
        else:
            found.faults.append(differ)


def _date(value: str, today: dt.date) -> dt.date | None:
    try:
        return read_date(value, GS1, today)
    except ValueError:
        return None


def _printed_date(printed: Field, value: str) -> dt.date | str:
    """The printed date; if there is none, something that equals no date."""
    try:
        return printed.date.read(value) if printed.date is not None else value
    except ValueError:
        return value
