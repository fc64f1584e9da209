"""Barcodes against what they should say, and against the print beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from biip import ParseError
from biip.gs1_messages import GS1Message

from service.matching.field import FieldResult, Judged, not_found
from service.matching.outcome import Outcome
from service.recipes.codes import ANY, DATES
from service.recipes.confusables import Confusables, confusables
from service.recipes.dates import GS1, read_date

if TYPE_CHECKING:
    import datetime as dt

    from service.imaging.evidence import Code
    from service.recipes.codes import Barcode
    from service.recipes.recipe import Field, Recipe


@dataclass(frozen=True, slots=True)
class _Said:
    """What one code comes to: the higher `rank`, the worse."""

    rank: int
    outcome: Outcome
    expected: str
    read: str
    faults: tuple[str, ...] = ()


def judge_code(
    field: Field, codes: Sequence[Code] | None, recipe: Recipe, printed: Mapping[str, FieldResult]
) -> Judged:
    """The result of a field with a barcode; `printed` holds those of the fields that are text."""
    assert field.barcode is not None  # noqa: S101 (for the type checker; who calls has asked)
    missing = replace(not_found(field), chars=(), expected=field.rule)
    if codes is None:
        return replace(missing, outcome=Outcome.UNJUDGED), "no image to look for the code in"
    seen = [code for code in codes if code.symbology == field.barcode.symbology]
    readable = [code for code in seen if code.text]
    if not readable:
        if field.optional and not seen:
            return replace(missing, outcome=Outcome.ABSENT), ""
        what = (
            "is damaged: it is seen, but cannot be decoded" if seen else "is not in view, or cannot be read"
        )
        return replace(missing, outcome=Outcome.CODE_UNREADABLE), f"a {field.barcode.symbology} code {what}"
    fields = {one.name: one for one in recipe.fields}
    alike = confusables(recipe.confusables)
    said = [(_said(field, code, fields, printed, alike), code) for code in readable]
    best, code = min(said, key=lambda one: one[0].rank)
    result = FieldResult(field.name, best.outcome, best.expected, best.read, None, code.box, ())
    return result, "; ".join(best.faults)


def _said(
    field: Field,
    code: Code,
    fields: Mapping[str, Field],
    printed: Mapping[str, FieldResult],
    alike: Confusables,
) -> _Said:
    if field.barcode is not None and field.barcode.gs1:
        return _gs1(field.barcode, code, fields, printed, alike)
    if fault := field.text_fault(code.text):
        return _Said(1, Outcome.CODE_MISMATCH, field.rule, code.text, (fault,))
    return _Said(0, Outcome.MATCH, field.rule, code.text)


def _gs1(
    barcode: Barcode,
    code: Code,
    fields: Mapping[str, Field],
    printed: Mapping[str, FieldResult],
    alike: Confusables,
) -> _Said:
    try:
        message = GS1Message.parse(code.text)
    except ParseError:
        message = None
    if message is None or not code.is_gs1:
        return _Said(
            1000, Outcome.CODE_MISMATCH, _shown(dict(barcode.gs1)), code.text, ("it is no GS1 code",)
        )
    holds = {element.ai.ai: element.value for element in message.element_strings}
    wanted: dict[str, str] = {}
    faults: list[str] = []
    doubts: list[str] = []
    for ai, rule in barcode.gs1:
        wanted[ai] = rule
        if ai not in holds:
            faults.append(f"({ai}) is not in the code")
        elif rule.startswith("@"):
            name = rule[1:]
            wanted[ai] = fields[name].value(printed[name].read)
            _compare_print(ai, holds[ai], wanted[ai], fields[name], faults, doubts, alike)
        elif rule != ANY and holds[ai] != rule:
            faults.append(f"({ai}) says {holds[ai]!r}, expected {rule!r}")
    faults += [
        f"({ai}) says {value!r}, which the recipe does not name"
        for ai, value in holds.items()
        if ai not in wanted
    ]
    outcome = Outcome.CODE_MISMATCH if faults else Outcome.CONFUSED if doubts else Outcome.MATCH
    rank = 10 * len(faults) + len(doubts)
    return _Said(rank, outcome, _shown(wanted), _shown(holds), (*faults, *doubts))


def _compare_print(
    ai: str,
    holds: str,
    print_: str,
    field: Field,
    faults: list[str],
    doubts: list[str],
    alike: Confusables,
) -> None:
    """An element of the code against the print of a field."""
    differ = f"({ai}) says {holds!r}, printed as {field.name} is {print_!r}"
    if not print_:
        faults.append(f"({ai}) says {holds!r}, but {field.name} was not read")
    elif ai in DATES and field.date is not None:
        today = field.date.today
        if _date(holds, today) != _printed_date(field, print_):
            faults.append(differ)
    elif holds != print_:
        pairs = zip(holds, print_, strict=False)
        same_length = len(holds) == len(print_)
        if same_length and all(one == other or other in alike.alike(one) for one, other in pairs):
            doubts.append(f"{differ}: they differ in characters that look alike")
        else:
            faults.append(differ)


def _date(value: str, today: dt.date) -> dt.date | None:
    try:
        return read_date(value, GS1, today)
    except ValueError:
        return None


def _printed_date(field: Field, value: str) -> dt.date | str:
    """The printed date; if there is none, something that equals no date."""
    try:
        return field.date.read(value) if field.date is not None else value
    except ValueError:
        return value


def _shown(elements: Mapping[str, str]) -> str:
    """As people read it under a code."""
    return "".join(f"({ai}){value}" for ai, value in elements.items())
