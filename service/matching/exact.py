"""The places where a print stands exactly as it should."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from service.matching.alignment import Alignment, straight
from service.matching.prints import Form
from service.matching.text import Text
from service.recipes.normalise import ROW_BREAK
from service.recipes.regex import Expression
from service.recipes.template import literal

MAX_WORDS: Final = 16  # of a print whose length an expression leaves open; a space that counts is one too


def exact_places(form: Form, text: Text) -> Iterator[Alignment]:
    """Every place where the whole print stands by itself, in reading order; of an expression, the likeliest first."""
    if form.expression is not None:
        yield from _matches(form, form.expression, text)
        return
    length = len(form.template)
    for start in _starts(form, text):
        if text.boundaries[start + length]:
            yield straight(form.template, text, start)


def _starts(form: Form, text: Text) -> Iterator[int]:
    """Where a template stands and a print may begin; it may go on behind it."""
    if form.needle is None:
        yield from (at.start() for at in form.finder.finditer(text.plain) if text.boundaries[at.start()])
        return
    at = text.plain.find(form.needle)
    while at >= 0:
        if text.boundaries[at]:
            yield at
        at = text.plain.find(form.needle, at + 1)


def _matches(form: Form, expression: Expression, text: Text) -> Iterator[Alignment]:
    """Where an expression matches, behind its prefix if it has one.

    Inside one word rather than over several, then the longest, then the first. Where there is none, one where a single
    look-alike, exchanged, would make it match.
    """
    plain, prefix = text.plain, form.template
    begins = [start + len(prefix) for start in _starts(form, text)] if prefix else None
    words = _spans(begins, text)
    spans = [words[at] for at in expression.fitting([plain[start:end] for start, end in words])]
    if not spans:
        longer = list(_long_spans(begins, text, expression.found_in(plain)))
        spans = [longer[at] for at in expression.fitting([plain[start:end] for start, end in longer])]
    spans = [(start, end) for start, end in spans if plain[start:end].strip()]
    for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        yield straight(prefix + literal(plain[start:end]), text, start - len(prefix))
    if not spans:
        exchanged = [
            (start, plain[start:at] + other + plain[at + 1 : end])
            for start, end in words
            for at in range(start, end)
            for other in text.confusables.exchanges(plain[at], only_ascii=expression.is_ascii)
        ]
        for at in expression.fitting([meant for _, meant in exchanged])[:1]:
            start, meant = exchanged[at]
            yield straight(prefix + literal(meant), text, start - len(prefix))


def _spans(begins: list[int] | None, text: Text) -> list[tuple[int, int]]:
    """The words of the label; with `begins`, those behind a prefix."""
    edges = text.edges
    if begins is None:
        return [(start, end) for start, end in pairwise(edges) if text.plain[start] != ROW_BREAK]
    behind = [(begin, bisect_right(edges, begin)) for begin in begins]
    return [
        (begin, edges[after])
        for begin, after in behind
        if after < len(edges) and text.plain[begin] != ROW_BREAK
    ]


def _long_spans(begins: list[int] | None, text: Text, matches: list[int]) -> Iterator[tuple[int, int]]:
    """Stretches of several words, in rows that hold a match at all."""
    row_end = 0
    for match in matches:
        if match < row_end:
            continue
        row_start = text.plain.rfind(ROW_BREAK, 0, match) + 1
        row_end = text.plain.find(ROW_BREAK, match) % (len(text.plain) + 1)
        edges = [edge for edge in text.edges if row_start <= edge <= row_end]
        for start in edges if begins is None else begins:
            if row_start <= start < row_end:
                behind = bisect_right(edges, start)
                yield from ((start, end) for end in edges[behind + 1 : behind + MAX_WORDS])


def rest_of_word(text: Text, start: int) -> int:
    """Where the word that begins at a place ends, or what of it is still free."""
    end = start
    while end < len(text.plain) and text.is_free(end, end + 1) and (end == start or not text.boundaries[end]):
        end += 1
    return end


def glued_prefix(form: Form, text: Text) -> Alignment | None:
    """A prefix that runs on into digits its expression does not accept: `SN12345` where six are wanted."""
    length = len(form.prefix)
    if form.expression is None:
        return None
    for start in _starts(form, text):
        end = rest_of_word(text, start)
        if end > start + length and any(char.isdigit() for char in text.plain[start + length : end]):
            return straight(form.prefix, text, start)
    return None
