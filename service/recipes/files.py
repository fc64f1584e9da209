"""Recipe files: YAML -> Recipe, with every fault named by line and column.

YAML is read as nodes, not as values, so that a fault can be placed and an unquoted 1.60 be seen for what it is.
Anchors, tags and deep nesting have no place in a recipe and are refused before anything is built.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError
from pydantic import Field as Checked

from service.errors import RecipeInvalid
from service.imaging.regions import WHOLE_IMAGE, Region, View
from service.recipes import template
from service.recipes.dates import date_template
from service.recipes.normalise import Case, Whitespace
from service.recipes.recipe import Field, OnBlank, OnError, Recipe
from service.recipes.regex import compile_regex

MAX_FILE_BYTES: Final = 256 * 1024
MAX_DEPTH: Final = 8
MAX_FIELDS: Final = 200
MAX_LINES: Final = 300
MAX_OVERLAP: Final = 0.5  # rectangles of neighbouring lines may touch, not hold the same print
ROUNDING: Final = 1e-6  # 0.7 + 0.3 may be more than 1
SUFFIXES: Final = (".yaml", ".yml")

RecipeName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}$")]
FieldName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
# No control characters: a print has none, and a line break is no space.
Text = Annotated[
    str, StringConstraints(min_length=1, max_length=template.MAX_POSITIONS, pattern=r"^[^\x00-\x1f\x7f]+$")
]

Path_ = tuple[str | int, ...]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _DateRule(_Model):
    format: Text


class _FieldFile(_Model):
    name: FieldName
    expect: Text | None = None
    pattern: Text | None = None
    regex: Text | None = None
    date: _DateRule | None = None
    prefix: Annotated[
        str, StringConstraints(max_length=template.MAX_POSITIONS, pattern=r"^[^\x00-\x1f\x7f]*$")
    ] = ""
    min_confidence: Annotated[float, Checked(ge=0, le=1)] = 0.6
    whitespace: Whitespace = "ignore"
    case: Case = "exact"
    optional: bool = False


Share = Annotated[float, Checked(ge=0, le=1)]
Rectangle = Annotated[list[Share], Checked(min_length=4, max_length=4)]
"""Left, top, width, height."""


class _ImageFile(_Model):
    roi: Rectangle | None = None
    lines: Annotated[list[Rectangle], Checked(min_length=1, max_length=MAX_LINES)] | None = None
    min_glyph_px: Annotated[float, Checked(ge=4, le=1000)] | None = None
    rotate: Literal["auto", 0, 90, 180, 270] = "auto"


class _RecipeFile(_Model):
    recipe: RecipeName
    description: str = ""
    on_error: OnError = "reject"
    on_blank: OnBlank = "review"
    image: _ImageFile | None = None
    fields: Annotated[list[_FieldFile], Checked(min_length=1, max_length=MAX_FIELDS)]


@dataclass(slots=True)
class _Issues:
    """Faults by place, and the nodes to place them by."""

    nodes: dict[Path_, yaml.Node] = field(default_factory=dict)
    found: list[tuple[int, int, str]] = field(default_factory=list)

    def add(self, path: Path_, message: str) -> None:
        while path and path not in self.nodes:
            path = path[:-1]
        self.add_at(self.nodes[path].start_mark, message)

    def add_at(self, mark: Any, message: str) -> None:
        self.found.append((mark.line + 1, mark.column + 1, message))

    def raise_any(self, source: str) -> None:
        if self.found:
            raise RecipeInvalid(
                source, [f"{line}:{column}: {text}" for line, column, text in sorted(self.found)]
            )


def load_recipe(path: Path) -> tuple[Recipe, str]:
    """Read one file; the recipe and its text.

    Raises:
        RecipeInvalid: it cannot be read, or holds faults (all of them are listed).
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise RecipeInvalid(str(path), [f"1:1: cannot be read: {error.strerror}"]) from None
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise RecipeInvalid(str(path), ["1:1: is not UTF-8 text"]) from None
    return parse_recipe(text, str(path)), text


def load_folder(folder: Path) -> list[tuple[Recipe, str]]:
    """All recipes of a folder (`*.yaml`, `*.yml`) by file name.

    Raises:
        RecipeInvalid: any file holds a fault, or two files hold the same recipe.
    """
    loaded: list[tuple[Recipe, str]] = []
    seen: dict[str, Path] = {}
    for path in sorted(path for path in folder.glob("*") if path.suffix in SUFFIXES):
        recipe, text = load_recipe(path)
        if recipe.name in seen:
            raise RecipeInvalid(str(path), [f"1:1: recipe {recipe.name} is also in {seen[recipe.name]}"])
        seen[recipe.name] = path
        loaded.append((recipe, text))
    return loaded


def parse_recipe(text: str, source: str) -> Recipe:
    """Parse and check a recipe.

    Raises:
        RecipeInvalid: every fault as `line:column: what`; `source` goes before each.
    """
    if len(text.encode()) > MAX_FILE_BYTES:
        raise RecipeInvalid(source, [f"1:1: is larger than {MAX_FILE_BYTES} bytes"])
    issues = _Issues()
    root = _compose(text, source, issues)
    issues.raise_any(source)
    value = _value(root, (), issues)
    issues.raise_any(source)
    try:
        checked = _RecipeFile.model_validate(value)
    except ValidationError as error:
        for fault in error.errors():
            issues.add(fault["loc"], _explain(fault["type"], fault["loc"], fault["msg"], issues))
        issues.raise_any(source)
        raise
    _check_meaning(checked, issues)
    issues.raise_any(source)
    return Recipe(
        name=checked.recipe,
        description=checked.description,
        on_error=checked.on_error,
        on_blank=checked.on_blank,
        image=_view(checked.image) if checked.image else WHOLE_IMAGE,
        fields=tuple(_field(one) for one in checked.fields),
    )


def _compose(text: str, source: str, issues: _Issues) -> yaml.Node:
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if getattr(event, "anchor", None):  # aliases carry their anchor too
                issues.add_at(event.start_mark, "anchors and aliases are not allowed in a recipe")
            if tag := getattr(event, "tag", None):
                issues.add_at(event.start_mark, f"the tag {tag} is not allowed in a recipe")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                issues.add_at(event.start_mark, f"nested more than {MAX_DEPTH} deep")
                issues.raise_any(source)
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{mark.line + 1}:{mark.column + 1}" if mark else "1:1"
        raise RecipeInvalid(source, [f"{where}: is not YAML: {error.problem or error.context}"]) from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise RecipeInvalid(source, [f"1:1: is not YAML: {error}"]) from None
    if not isinstance(root, yaml.MappingNode):
        raise RecipeInvalid(source, ["1:1: must be a mapping with the keys recipe and fields"])
    return root


def _value(node: yaml.Node, path: Path_, issues: _Issues) -> Any:
    issues.nodes[path] = node
    if isinstance(node, yaml.SequenceNode):
        return [_value(child, (*path, index), issues) for index, child in enumerate(node.value)]
    if isinstance(node, yaml.MappingNode):
        value: dict[str, Any] = {}
        for key, child in node.value:
            if not isinstance(key, yaml.ScalarNode):
                issues.add_at(key.start_mark, "a key must be a plain word")
                continue
            if key.value in value:
                issues.add_at(key.start_mark, f"{key.value} stands here a second time")
            value[key.value] = _value(child, (*path, key.value), issues)
        return value
    if any("\ud800" <= char <= "\udfff" for char in node.value):
        issues.add(path, "holds half of a character (a surrogate)")
        return None
    try:
        return yaml.SafeLoader("").construct_object(node)
    except (yaml.YAMLError, ValueError) as error:
        issues.add(path, f"cannot be read as a value: {error}")
        return None


def _explain(kind: str, path: tuple[str | int, ...], message: str, issues: _Issues) -> str:
    name = _shown(path)
    node = issues.nodes.get(path)
    if kind == "string_type" and isinstance(node, yaml.ScalarNode) and node.style is None and node.value:
        value = yaml.SafeLoader("").construct_object(node)
        return f'{name}: unquoted {node.value} means {value} in YAML, not this text; write "{node.value}"'
    if kind == "extra_forbidden":
        return f"{name}: there is no such key"
    if kind == "missing":
        return f"{name}: is missing"
    return f"{name}: {message[0].lower()}{message[1:]}"


def _shown(path: tuple[str | int, ...]) -> str:
    return re.sub(r"\.\[", "[", ".".join(f"[{part}]" if isinstance(part, int) else part for part in path))


def _check_meaning(recipe: _RecipeFile, issues: _Issues) -> None:
    for key, message in _image_faults(recipe.image or _ImageFile()):
        issues.add(key, f"{_shown(key)}: {message}")
    seen: set[str] = set()
    for index, one in enumerate(recipe.fields):
        path: Path_ = ("fields", index)
        if one.name in seen:
            issues.add((*path, "name"), f"fields[{index}].name: {one.name} stands here a second time")
        seen.add(one.name)
        rules = [rule for rule in ("pattern", "regex", "date") if getattr(one, rule) is not None]
        if one.expect is None and not rules:
            issues.add(
                path, f"fields[{index}]: {one.name} states no print: give expect, pattern, regex or date"
            )
        if len(rules) > 1:
            issues.add(path, f"fields[{index}]: {one.name} has {' and '.join(rules)}; one of them is enough")
        for key, message in _rule_faults(one):
            issues.add((*path, *key), f"{_shown((*path, *key))}: {message}")


def _image_faults(image: _ImageFile) -> Iterator[tuple[Path_, str]]:
    rectangles: list[tuple[Path_, list[float]]] = [(("image", "roi"), image.roi)] if image.roi else []
    rectangles += [(("image", "lines", index), one) for index, one in enumerate(image.lines or [])]
    for path, (left, top, width, height) in rectangles:
        if not width or not height:
            yield path, "has no extent; give [left, top, width, height] as shares of the image"
        elif max(left + width, top + height) > 1 + ROUNDING:
            yield path, "reaches beyond the image; give [left, top, width, height] as shares of it"
    for first, second in combinations(range(len(image.lines or [])), 2):
        if _overlap((image.lines or [])[first], (image.lines or [])[second]) > MAX_OVERLAP:
            yield ("image", "lines", second), f"lies on lines[{first}]: one print would be read twice"
    for key in ("roi", "min_glyph_px"):
        if image.lines and getattr(image, key) is not None:
            yield ("image", key), "has no use beside lines: text is not looked for"


def _overlap(one: list[float], other: list[float]) -> float:
    """Share of the smaller rectangle that lies on the other."""
    sides = []
    for axis in (0, 1):
        begin, end = (
            max(one[axis], other[axis]),
            min(one[axis] + one[axis + 2], other[axis] + other[axis + 2]),
        )
        sides.append(max(0.0, end - begin))
    return sides[0] * sides[1] / (min(one[2] * one[3], other[2] * other[3]) or 1)


def _rule_faults(one: _FieldFile) -> Iterator[tuple[Path_, str]]:
    """Faults of single rules, and expected text that can never satisfy the rule beside it."""
    format_ = one.date.format if one.date else None
    checks: list[tuple[Path_, Callable[[], object]]] = []
    if one.pattern is not None:
        checks.append((("pattern",), partial(template.pattern, one.pattern)))
    if one.regex is not None:
        checks.append((("regex",), partial(compile_regex, one.regex, one.whitespace, one.case)))
    if format_ is not None:
        checks.append((("date", "format"), partial(date_template, format_)))
    if one.expect is not None:
        checks.append((("expect",), partial(_check_expect, one.expect)))
    faults = [(key, fault) for key, check in checks if (fault := _fault_of(check))]
    yield from faults
    if not faults and one.expect is not None and not template.placeholders(one.expect):
        field = _field(one)
        if fault := field.rule_fault(template.fill(one.expect, {})):
            yield ("expect",), f"can never satisfy the rule beside it: {fault}"


def _check_expect(text: str) -> None:
    if not text.strip():
        raise ValueError("is blank")
    template.placeholders(text)


def _fault_of(check: Callable[[], object]) -> str | None:
    try:
        check()
    except ValueError as error:
        return str(error)
    return None


def _field(one: _FieldFile) -> Field:
    return Field(**one.model_dump(exclude={"date"}), date=one.date.format if one.date else None)


def _view(image: _ImageFile) -> View:
    return View(
        Region(*image.roi) if image.roi else None,
        tuple(Region(*one) for one in image.lines or ()),
        image.min_glyph_px,
        None if image.rotate == "auto" else image.rotate,
    )
