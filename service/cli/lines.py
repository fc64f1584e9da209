"""Read lines as JSON: what `printproof ocr --json` prints and `printproof recipe check` takes."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, FiniteFloat, StringConstraints, ValidationError, model_validator

from service.errors import ValueInvalid
from service.matching.evidence import NOTHING_ELSE, Evidence
from service.matching.placement import Size
from service.ocr.text import CharScore, TextLine
from service.recipes.recipe import Recipe

Score = Annotated[float, Field(ge=0, le=1)]
Corner = tuple[FiniteFloat, FiniteFloat]
MAX_FILE_BYTES: Final = 256 * 1024 * 1024


class CharIn(BaseModel):
    char: Annotated[str, StringConstraints(min_length=1)]
    score: Score
    alternatives: list[tuple[str, Score]] = []
    place: Score | None = None


class LineIn(BaseModel):
    """`chars` may be left out, as in stored results: each character then has the score of its line."""

    text: Annotated[str, StringConstraints(min_length=1)]
    score: Score = 1.0
    box: tuple[Corner, Corner, Corner, Corner]
    chars: list[CharIn] | None = None

    @model_validator(mode="after")
    def _chars_are_the_text(self) -> LineIn:
        if self.chars and "".join(one.char for one in self.chars) != self.text:
            raise ValueError("chars and text differ")
        return self

    def line(self) -> TextLine:
        chars = self.chars or [CharIn(char=char, score=self.score) for char in self.text]
        scores = tuple(CharScore(one.char, one.score, tuple(one.alternatives), one.place) for one in chars)
        return TextLine(self.text, self.score, self.box, scores)


class ReadingIn(BaseModel):
    """One image: an object that `printproof ocr --json` printed, or a result of the service."""

    file: str | None = None
    id: str | None = None
    width: Annotated[int, Field(ge=1)] | None = None
    height: Annotated[int, Field(ge=1)] | None = None
    received_at: dt.datetime | None = None
    lines: list[LineIn]

    @property
    def size(self) -> tuple[int, int] | None:
        """Width and height of the image, if both are known."""
        return None if self.width is None or self.height is None else (self.width, self.height)

    def evidence(self, recipe: Recipe) -> Evidence:
        """What is known of the image.

        Raises:
            ValueInvalid: the recipe asks for more.
        """
        if self.size is None:
            if any(field.near and field.near.box for field in recipe.fields):
                raise ValueInvalid("the recipe says where prints stand: the reading needs width and height")
            return NOTHING_ELSE
        return Evidence(Size(*self.size, recipe.image.width_mm))


def load_readings(path: Path) -> list[ReadingIn]:
    """The readings of a file: one JSON object, or one on each line.

    Raises:
        ValueInvalid: it cannot be read, or holds something else; the message names the place.
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise ValueInvalid(f"{path}: cannot be read: {error.strerror}") from None
    if len(raw) > MAX_FILE_BYTES:
        raise ValueInvalid(f"{path}: is larger than {MAX_FILE_BYTES} bytes")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueInvalid(f"{path}: is not UTF-8 text") from None
    readings = []
    for number, document in enumerate(_documents(path, text), 1):
        try:
            readings.append(ReadingIn.model_validate(document))
        except ValidationError as error:
            fault = error.errors()[0]
            where = ".".join(map(str, fault["loc"])) or "object"
            raise ValueInvalid(f"{path}: {number}: {where}: {fault['msg']}") from None
    if not readings:
        raise ValueInvalid(f"{path}: holds no reading")
    return readings


def _documents(path: Path, text: str) -> list[Any]:
    """One object, one on each line, or a page of results."""
    try:
        document = json.loads(text)
        if isinstance(document, dict) and "items" in document:
            return list(document["items"])
    except ValueError:
        return _json_lines(path, text)
    except RecursionError:
        raise ValueInvalid(f"{path}: is nested too deep") from None
    return [document]


def _json_lines(path: Path, text: str) -> list[Any]:
    documents = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                documents.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise ValueInvalid(f"{path}: line {number} is not JSON: {error}") from None
    return documents


def describe_line(line: TextLine) -> dict[str, Any]:
    """A line with the evidence of each character, for JSON."""
    return {
        "text": line.text,
        "score": round(line.score, 4),
        "box": [list(point) for point in line.box],
        "chars": [
            {
                "char": char.char,
                "score": round(char.score, 4),
                "alternatives": [[other, round(score, 4)] for other, score in char.alternatives],
                "place": None if char.place is None else round(char.place, 4),
            }
            for char in line.chars
        ],
    }
