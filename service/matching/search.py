"""Finds the place of every print on the label, for all fields together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from service.matching.alignment import Alignment, Step, closest, straight
from service.matching.assignment import Candidate, assign
from service.matching.exact import exact_places, glued_prefix, rest_of_word
from service.matching.joined import joined_places
from service.matching.label import Label
from service.matching.prints import Form, forms_of
from service.matching.text import WRONG, Text, words_of
from service.recipes.confusables import confusables
from service.recipes.normalise import Case, Whitespace
from service.recipes.recipe import Field
from service.recipes.template import Position

# How much of a print may be wrong, as a share of its length, before it counts as missing instead; one wrong character of
# two or more is always a wrong print. What resembles an optional print less than by two thirds may be another text.
MAX_COST_SHARE: Final = 0.5
PREFIX_COST_SHARE: Final = 0.34
OPTIONAL_COST_SHARE: Final = 0.34
MAX_PLACES: Final = 400  # of one print that are considered, as many as a recipe may ask for
MAX_NEAR_PLACES: Final = 6

# What a place is worth. As many prints as possible stand exactly, none is given up for one that resembles its own; among
# exact ones fixed text counts before patterns and longer before shorter, so that no pattern takes another's print.
COUNT_GAIN: Final = 100_000_000_000
FIXED_GAIN: Final = 1_000_000
EXACT_GAIN: Final = 10_000
NEAR_GAIN: Final = 100
PLACE_GAIN: Final = 99

Preference = Callable[[int, int], int]
"""What a place from one index of the label to another is worth for where it stands: 0 to `PLACE_GAIN`."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a print was found.

    `is_joined` says that it runs into the next print without a space, `beside` is text right beside it that may belong
    to it (`Text.number_beside`, `Text.text_touching`), `doubtful` says that an optional print was found in something that
    resembles it only loosely.
    """

    form: Form
    alignment: Alignment
    is_joined: bool = False
    beside: str = ""
    doubtful: bool = False

    @property
    def first(self) -> int:
        return self.alignment.indices[0]

    @property
    def last(self) -> int:
        return self.alignment.indices[-1]


@dataclass(frozen=True, slots=True)
class FoundField:
    """`copies` holds the places of its lines for each time that a field is there, `spare` the exact places beyond that."""

    copies: list[list[Place | None]]
    spare: list[Place]


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found of the fields, by name."""

    fields: dict[str, FoundField]
    label: Label

    def unclaimed(self) -> list[str]:
        """The words of the label that belong to no field."""
        found = [place for field in self.fields.values() for copy in field.copies for place in copy]
        found += [
            place for field in self.fields.values() for place in field.spare
        ]  # meant to be there as well
        claimed = {index for place in found if place for index in place.alignment.indices}
        return [
            word for start, end, word in words_of(self.label.text) if claimed.isdisjoint(range(start, end))
        ]


class _Kind:
    """A print that is looked for: one line of a field. Fields of equal prints share it, for they share its places."""

    def __init__(
        self, number: int, field: Field, forms: Sequence[Form], text: Text, preference: Preference | None
    ) -> None:
        self.number, self.forms, self.text = number, forms, text
        self._field = field
        self._preference = preference
        self.places: list[Place] = []
        self.candidates: list[Candidate] = []
        self.is_exact = False
        self.has_all = False
        """Whether the places where it nearly fits are all among its candidates."""

    def add_exact(self) -> None:
        for form in self.forms:
            worth = COUNT_GAIN + FIXED_GAIN * form.fixed + EXACT_GAIN * max(1, len(form.template))
            for at in exact_places(form, self.text):
                self._add(form, at, worth - self._is_invalid(at))
                if len(self.places) >= MAX_PLACES:
                    break
        self.is_exact = bool(self.places)

    def _is_invalid(self, at: Alignment) -> bool:
        """Whether what stands there is no date or number of the kind that is wanted: another place may hold it."""
        if self._field.date is None and self._field.check_digit is None:
            return False
        start = self.text.at(at.indices[0])
        printed = self.text.plain[start : start + len(at.indices)]
        return self._field.value_fault(self._field.value(printed)) is not None

    def add_joined(self, form: Form, start: int) -> None:
        """A place in a chain of prints; it holds as long as its neighbours in the chain have theirs."""
        worth = COUNT_GAIN + FIXED_GAIN * form.fixed + EXACT_GAIN * len(form.template) - 1
        self._add(form, straight(form.template, self.text, start), worth, is_joined=True)

    def drop(self, place: int) -> None:
        del self.places[place]
        del self.candidates[place]

    def add_near(self, form: Form, places: Iterable[Alignment]) -> None:
        for at in places:
            self._add(form, at, max(1, NEAR_GAIN * (WRONG * len(form.template) - at.cost)))

    def spare(self) -> list[Place]:
        """Exact places that no print has claimed, in reading order; of several on each other the first."""
        spare: list[Place] = []
        if len(self.places) == 1:  # which a print has claimed
            return spare
        reach = -1
        for place in sorted(self.places, key=lambda one: one.first):
            start, end = self.text.at(place.first), self.text.at(place.last) + 1
            exact = place.alignment.cost == 0 and not place.is_joined
            if exact and start > reach and self.text.is_free(start, end):
                spare.append(place)
                reach = end - 1
        return spare

    def forget_near(self) -> None:
        kept = [at for at, place in enumerate(self.places) if place.alignment.cost == 0]
        self.places = [self.places[at] for at in kept]
        self.candidates = [self.candidates[at] for at in kept]

    def _add(self, form: Form, at: Alignment, gain: int, *, is_joined: bool = False) -> None:
        place = Place(form, at, is_joined)
        if self._preference is not None:
            gain += self._preference(place.first, place.last)
        self.places.append(place)
        self.candidates.append(Candidate(place.first, place.last, gain))


def find(
    fields: Sequence[Field],
    label: Label,
    own_confusables: tuple[str, ...],
    preferences: Mapping[str, Preference] | None = None,
) -> Findings:
    """The places of all prints, assigned together: exactly fitting ones first, what is left by how close it comes."""
    texts: dict[tuple[Whitespace, Case], Text] = {}
    kinds: dict[object, _Kind] = {}
    wanted: list[tuple[Field, _Kind]] = []
    for field in fields:
        rules = (field.whitespace, field.case)
        if rules not in texts:
            texts[rules] = Text(label.text, *rules, confusables(own_confusables, field.case), label.touching)
        preference = (preferences or {}).get(field.name)
        rule = (
            field.expect,
            field.pattern,
            field.regex,
            field.date,
            field.any_of,
            field.prefix,
            field.check_digit,
        )
        for number, forms in list(enumerate(forms_of(field))) * field.repeat[0]:
            same = (rule, number, rules, preference)
            if same not in kinds:
                kinds[same] = _Kind(len(kinds), field, forms, texts[rules], preference)
            wanted.append((field, kinds[same]))
    for kind in kinds.values():
        kind.add_exact()
    found = _assigned([kind for _, kind in wanted])
    taken = [index for place in found if place for index in place.alignment.indices]
    for text in texts.values():
        text.take(taken)
    _place_rest(wanted, found, list(texts.values()))
    by_field: dict[str, FoundField] = {}
    at = 0
    for field in fields:
        count = len(forms_of(field))
        copies = []
        for _ in range(field.repeat[0]):
            copies.append([_judged(*wanted[one], found[one]) for one in range(at, at + count)])
            at += count
        kind = wanted[at - 1][1]
        spare = kind.spare() if count == 1 else []
        # Copies that may be there are judged like those that must.
        more = spare[: (field.repeat[1] or 0) - field.repeat[0]] if field.repeat[1] else []
        for place in more:
            for text in texts.values():
                text.take(place.alignment.indices)
            copies.append([_judged(field, kind, place)])
        by_field[field.name] = FoundField(copies, spare[len(more) :])
    return Findings(by_field, label)


def _assigned(wanted: Sequence[_Kind]) -> list[Place | None]:
    """Places that no two prints share.

    Only the best place where a print nearly fits is looked for at first; where prints compete, all of them are.
    """
    kinds = list(dict.fromkeys(wanted))
    lost = [kind for kind in kinds if not kind.is_exact]
    _add_joined(kinds, lost)
    _add_near(lost, 1)
    while True:
        given, disputed = assign([kind.candidates for kind in wanted], [kind.number for kind in wanted])
        losers = [wanted[one] for one in sorted(disputed) if given[one] is None or not wanted[one].is_exact]
        more = [kind for kind in dict.fromkeys(losers) if not kind.has_all]
        for kind in more:
            kind.has_all = True
            kind.forget_near()
        _add_near(more, MAX_NEAR_PLACES)
        if more:
            continue
        found = [None if at is None else kind.places[at] for kind, at in zip(wanted, given, strict=True)]
        broken = next(
            (
                one
                for one, place in enumerate(found)
                if place and _is_broken(wanted[one], place, wanted, found)
            ),
            None,
        )
        if broken is None:
            return found
        wanted[broken].drop(given[broken] or 0)


def _add_joined(kinds: Sequence[_Kind], lost: Sequence[_Kind]) -> None:
    for text in dict.fromkeys(kind.text for kind in lost if kind.text.ignores_space):
        asked = [(kind, form) for kind in kinds if kind.text is text for form in kind.forms]
        for which, start in joined_places([form for _, form in asked], text):
            kind, form = asked[which]
            if not kind.is_exact:
                kind.add_joined(form, start)


def _is_broken(kind: _Kind, place: Place, wanted: Sequence[_Kind], found: Sequence[Place | None]) -> bool:
    """Whether a print ends inside a word where no other print goes on."""
    if not place.is_joined:
        return False
    text = kind.text
    others = [one for one, other in zip(found, wanted, strict=True) if one is not None and other.text is text]
    start, end = text.at(place.first), text.at(place.last) + 1
    return not (
        (text.boundaries[start] or any(text.at(one.last) + 1 == start for one in others))
        and (text.boundaries[end] or any(text.at(one.first) == end for one in others))
    )


def _add_near(kinds: Sequence[_Kind], count: int) -> None:
    for text in dict.fromkeys(kind.text for kind in kinds):
        asked = [(kind, form) for kind in kinds if kind.text is text for form in kind.forms]
        asked = [(kind, form) for kind, form in asked if form.expression is None]
        found = closest(
            [form.template for _, form in asked], text, [_max_cost(form) for _, form in asked], count
        )
        for (kind, form), places in zip(asked, found, strict=True):
            kind.add_near(form, places)


def _max_cost(form: Form) -> int:
    length = len(form.template)
    return int(max(WRONG if length > 1 else 0, MAX_COST_SHARE * WRONG * length))


def _place_rest(
    wanted: Sequence[tuple[Field, _Kind]], found: list[Place | None], texts: Sequence[Text]
) -> None:
    """What has lost its places to others may still stand between them, or its prefix without its value."""
    left = _remaining([(index, *wanted[index]) for index, place in enumerate(found) if place is None])
    while left:
        index = min(left, key=lambda one: left[one].alignment.cost / max(1, len(left[one].form.template)))
        place = found[index] = left.pop(index)
        for text in texts:
            text.take(place.alignment.indices)
        # A place that shares no character with the one just taken stays the best there is.
        taken = set(place.alignment.indices)
        lost = [one for one in left if not taken.isdisjoint(left[one].alignment.indices)]
        for other in lost:
            del left[other]
        left |= _remaining([(other, *wanted[other]) for other in lost])


def _remaining(wanted: Sequence[tuple[int, Field, _Kind]]) -> dict[int, Place]:
    """The best places in what no print has claimed, by the number that each print comes with."""
    found: dict[int, Place] = {}
    for text in dict.fromkeys(kind.text for _, _, kind in wanted):
        here = [
            (index, field, form) for index, field, kind in wanted if kind.text is text for form in kind.forms
        ]
        whole = [(index, form) for index, _, form in here if form.expression is None]
        places = closest(
            [form.template for _, form in whole], text, [_max_cost(form) for _, form in whole], 1
        )
        for (index, form), at in zip(whole, places, strict=True):
            if at and index not in found:
                found[index] = Place(form, at[0])
        begun = [(index, field, form) for index, field, form in here if form.prefix and index not in found]
        costs = [int(PREFIX_COST_SHARE * WRONG * len(form.prefix)) for _, _, form in begun]
        places = closest([form.prefix for _, _, form in begun], text, costs, 1)
        for (index, field, form), at in zip(begun, places, strict=True):
            prefix = at[0] if at else glued_prefix(form, text)
            if prefix is not None and index not in found:
                found[index] = Place(form, _with_next_word(prefix, field.rule, text))
    return found


def _with_next_word(prefix: Alignment, rule: str, text: Text) -> Alignment:
    """A prefix that is not followed by what belongs there, with the word that stands there instead."""
    behind = text.at(prefix.indices[-1]) + 1
    whole = prefix.steps[-1][0] is None  # the rest of a word is there already
    end = behind if whole else rest_of_word(text, behind)
    instead: list[Step] = [(None, index) for index in text.indices[behind:end].tolist()]
    nothing: list[Step] = [(Position(rule, frozenset()), None)]
    return Alignment.of(prefix.cost + WRONG, [*prefix.steps, *(instead or nothing)])


def _judged(field: Field, kind: _Kind, place: Place | None) -> Place | None:
    """The place with what makes it doubtful; asked for when all characters have been claimed."""
    if place is None:
        return None
    at, form = place.alignment, place.form
    beside = ""
    if at.cost == 0:
        ends = kind.text.at(place.first), kind.text.at(place.last)
        beside = kind.text.text_touching(*ends)
        if field.whitespace == "ignore":
            beside = beside or kind.text.number_beside(*ends)
        if place.is_joined and not kind.text.number_joined(ends[0], ends[1] + 1):
            place = replace(place, is_joined=False)  # where it ends is plain to see
    prefix = at.steps[: len(form.prefix)]
    has_prefix = bool(prefix) and all(
        position is not None and index is not None for position, index in prefix
    )
    loose = at.cost > OPTIONAL_COST_SHARE * WRONG * len(form.template)
    doubtful = field.optional and loose and not has_prefix
    return replace(place, beside=beside, doubtful=doubtful) if beside or doubtful else place
