"""Prints that the reader has run together: `LOT12EXP05/26` where LOT 12 and EXP 05/26 stand side by side.

Each of them ends inside a word, so none stands by itself. But where several wanted prints, one after the other, make up
a whole word, that word is them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from service.matching.prints import Form
from service.matching.text import Text

# Where prints fit nearly everywhere, as patterns of digits do in long numbers, a chain of them proves nothing.
MAX_PLACES: Final = 300


def joined_places(forms: Sequence[Form], text: Text) -> list[tuple[int, int]]:
    """The form (its index) and the begin of each print that is part of a chain of prints from one boundary to another.

    Prints that stand by themselves are left out; an expression has no length by which a chain could go on.
    """
    places = (
        (start, start + len(form.template), which)
        for which, form in enumerate(forms)
        if form.expression is None and form.template
        for start in _starts(form, text)
    )
    found = list(islice(places, MAX_PLACES + 1))
    if len(found) > MAX_PLACES:
        return []
    open_: set[int] = set()  # where a chain that began at a boundary has come to
    for start, end, _ in sorted(found):
        if text.boundaries[start] or start in open_:
            open_.add(end)
    closing: set[int] = set()  # from where a chain leads to a boundary
    for start, end, _ in sorted(found, reverse=True):
        if text.boundaries[end] or end in closing:
            closing.add(start)
    return [
        (which, start)
        for start, end, which in found
        if not (text.boundaries[start] and text.boundaries[end])
        and (text.boundaries[start] or start in open_)
        and (text.boundaries[end] or end in closing)
    ]


def _starts(form: Form, text: Text) -> Iterator[int]:
    if form.needle is None:
        yield from (at.start() for at in form.finder.finditer(text.plain))
        return
    at = text.plain.find(form.needle)
    while at >= 0:
        yield at
        at = text.plain.find(form.needle, at + 1)
