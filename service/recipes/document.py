"""YAML as nodes, not as values, so that a fault can be placed and an unquoted 1.60 be seen for what it is.

Anchors, tags and deep nesting have no place in a recipe and are refused before anything is built.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from service.errors import RecipeInvalid

MAX_DEPTH: Final = 8

Path_ = tuple[str | int, ...]
"""Keys and indices that lead to a node."""


@dataclass(slots=True)
class Issues:
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


def compose(text: str, source: str, issues: Issues) -> Any:
    """The values of a document; `issues` gets its nodes.

    Raises:
        RecipeInvalid: it is no YAML, or holds what has no place in a recipe.
    """
    root = _root(text, source, issues)
    issues.raise_any(source)
    value = _value(root, (), issues)
    issues.raise_any(source)
    return value


def _root(text: str, source: str, issues: Issues) -> yaml.Node:
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


def _value(node: yaml.Node, path: Path_, issues: Issues) -> Any:
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


def explain(kind: str, path: tuple[str | int, ...], message: str, issues: Issues) -> str:
    """A fault that pydantic found, in words for people who write YAML."""
    name = shown(path)
    node = issues.nodes.get(path)
    if kind == "string_type" and isinstance(node, yaml.ScalarNode) and node.style is None and node.value:
        value = yaml.SafeLoader("").construct_object(node)
        return f'{name}: unquoted {node.value} means {value} in YAML, not this text; write "{node.value}"'
    if kind == "extra_forbidden":
        return f"{name}: there is no such key"
    if kind == "missing":
        return f"{name}: is missing"
    return f"{name}: {message[0].lower()}{message[1:]}"


def shown(path: tuple[str | int, ...]) -> str:
    return re.sub(r"\.\[", "[", ".".join(f"[{part}]" if isinstance(part, int) else part for part in path))
