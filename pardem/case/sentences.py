"""Errors of the model as sentences: dotted key, value, what is allowed, and the nearest key for an unknown one."""

from __future__ import annotations

import difflib
import reprlib
import types
import typing
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

_ALLOWED = {
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "float_type": "must be a number",
    "int_type": "must be a whole number",
    "bool_type": "must be true or false",
    "string_type": "must be a text in quotes",
    "tuple_type": "must be a list in brackets",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
    "finite_number": "must be finite",
    "literal_error": "must be {expected}",
    "string_pattern_mismatch": "must match {pattern}",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "union_tag_invalid": "must be one of {expected_tags}",
}
DEEPEST = 16
"""Levels of tables and lists in each other that a case may have; its own keys need seven."""


def describe(error: ValidationError, model: type[BaseModel], data: Any) -> list[str]:
    """One sentence for each problem in the data given to a model."""
    out: list[str] = []
    items = error.errors(include_url=False)
    for item in items:
        if item["type"] == "too_short" and any(other["loc"][: len(item["loc"])] == item["loc"] for other in items if other is not item):
            continue  # the list counts its valid entries: those that are wrong have their own sentence
        path, annotation, field, at = _locate(item["loc"], model, data)
        sentence = _sentence(item, ".".join(path), annotation, field, at, model)
        if sentence not in out:
            out.append(sentence)
    return _without_union_noise(out)


def item_key(item: Any) -> str | None:
    """Name by which an entry of a list of tables is addressed: its ``name``, or ``a-b`` for a pair between a and b."""
    if not isinstance(item, dict):
        return None
    if isinstance(item.get("name"), str):
        return str(item["name"])
    between = item.get("between")
    if isinstance(between, list | tuple) and len(between) == 2 and all(isinstance(b, str) for b in between):
        return "-".join(between)
    return None


def nearest(word: str, words: list[str], cutoff: float = 0.6) -> str:
    """A clause that suggests the nearest of some words, or nothing."""
    found = difflib.get_close_matches(word[:100], words, 1, cutoff)
    return f"; did you mean '{found[0]}'?" if found else ""


def too_deep(value: Any) -> bool:
    """Whether tables and lists lie in each other over more than `DEEPEST` levels."""
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [part for one in level if isinstance(one, dict | list | tuple) for part in (one.values() if isinstance(one, dict) else one)]
        if not level:
            return False
    return True


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """The model classes that an annotation allows, looked for inside unions and Annotated, not inside containers."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) is Annotated:
        return models_in(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return [model for part in get_args(annotation) for model in models_in(part)]
    return []


def element(annotation: Any) -> Any:
    """Annotation of a list's entries; None where it is no list."""
    if get_origin(annotation) is Annotated:
        return element(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return next((found for part in get_args(annotation) if (found := element(part)) is not None), None)
    return get_args(annotation)[0] if get_origin(annotation) is tuple else None


def all_keys(model: type[BaseModel], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Every (key, table it belongs to) below a model."""
    for name, field in model.model_fields.items():
        yield name, prefix
        for sub in models_in(field.annotation) or models_in(element(field.annotation)):
            yield from all_keys(sub, f"{prefix}.{name}".lstrip("."))


def tag_of(model: type[BaseModel]) -> str | None:
    """The value of the key (`kind` or `shape`) that selects this class in a union."""
    for name in ("kind", "shape"):
        field = model.model_fields.get(name)
        if field is not None and get_origin(field.annotation) is Literal:
            return str(get_args(field.annotation)[0])
    return None


def _locate(loc: tuple[int | str, ...], model: type[BaseModel], data: Any) -> tuple[list[str], Any, FieldInfo | None, Any]:
    """Follow an error's location: (dotted path with names for list entries, annotation reached, field, value's parent)."""
    path: list[str] = []
    annotation: Any = model
    field: FieldInfo | None = None
    parent: Any = None
    for part in loc:
        models = models_in(annotation)
        if len(models) > 1 and any(tag_of(m) == part for m in models):
            annotation = next(m for m in models if tag_of(m) == part)
        elif len(models) == 1 and isinstance(part, str):
            parent = (models[0], data)
            field = models[0].model_fields.get(part)
            annotation = field.annotation if field is not None else None
            data = data.get(part) if isinstance(data, dict) else getattr(data, part, None)
            path.append(part)
        elif isinstance(part, int):
            annotation = element(annotation) or annotation
            data = data[part] if isinstance(data, list | tuple) and part < len(data) else None
            path.append(item_key(data) or str(part))
        elif isinstance(data, dict) and part in data:
            data = data[part]
            path.append(part)
    return path, annotation, field, parent


def _sentence(item: Any, key: str, annotation: Any, field: FieldInfo | None, parent: Any, model: type[BaseModel]) -> str:
    kind, context = item["type"], item.get("ctx", {})
    name = str(item["loc"][-1]) if item["loc"] else ""
    meaning = f" ({field.description.split(';')[0]})" if field is not None and field.description else ""
    if kind == "extra_forbidden":
        known = list(parent[0].model_fields)
        other = next((table for other, table in all_keys(model) if other == name and table), None)
        clue = nearest(name, known, 0.8) or (f"; this key belongs to [{other}]" if other else nearest(name, known))
        clue = clue or f"; allowed are {', '.join(known)}"
        return f"unknown key {key}{clue}"
    if kind == "missing":
        return f"{key} is missing{meaning}"
    if kind == "union_tag_not_found":
        tag = str(context.get("discriminator", "")).strip("'")
        return f"{key}.{tag} is missing: one of {', '.join(repr(tag_of(m)) for m in models_in(annotation))}"
    if kind == "value_error":
        return f"{key} {context['error']}".strip()
    if kind == "union_tag_invalid":
        tag = str(context.get("discriminator", "")).strip("'")
        value = item["input"].get(tag) if isinstance(item["input"], dict) else context.get("tag")
        clue = nearest(value, [tag_of(m) or "" for m in models_in(annotation)]) if isinstance(value, str) else ""
        return f"{key}.{tag} = {shown(value)} must be one of {context['expected_tags']}{clue}"
    allowed = _ALLOWED.get(kind, item["msg"][:1].lower() + item["msg"][1:]).format(**context)
    clue = nearest(item["input"], _choices(annotation)) if kind == "literal_error" and isinstance(item["input"], str) else ""
    return f"{key} = {shown(item['input'])} {allowed}{clue}{meaning}"


def _choices(annotation: Any) -> list[str]:
    if get_origin(annotation) is Literal:
        return [str(choice) for choice in get_args(annotation)]
    return [choice for part in typing.get_args(annotation) for choice in _choices(part)]


def shown(value: Any) -> str:
    """A value of any kind and size for a sentence: at most 60 characters."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > 200:  # Python writes no more than 4300 digits
        return f"a whole number of about {int(0.30103 * value.bit_length()) + 1} digits"
    if isinstance(value, list | tuple | dict):
        text = _SHORT.repr(value)
    else:
        text = repr(value if not isinstance(value, str) else value[:60])
    return text if len(text) <= 60 else text[:57] + "..."


class _Short(reprlib.Repr):
    """Writes values shortly, so that nothing is too deep, long or large to be shown."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxdict = 20
        self.maxstring = self.maxother = 60

    def repr_int(self, x: int, level: int) -> str:
        return shown(x) if x.bit_length() > 200 else repr(x)


_SHORT = _Short()


def _without_union_noise(found: list[str]) -> list[str]:
    """Merge the sentences that a value gets from each branch of a union (`skin` is neither 'auto' nor a number) into one."""
    merged: dict[str, list[str]] = {}
    for sentence in found:
        head, separator, tail = sentence.partition(" must ")
        merged.setdefault(head, []).append(tail if separator else "")
    out = []
    for head, tails in merged.items():
        tails = [tail for tail in tails if tail]
        if not tails:
            out.append(head)
            continue
        bare = [tail.split(" (", 1)[0].split(";", 1)[0] if i + 1 < len(tails) else tail for i, tail in enumerate(tails)]
        out.append(f"{head} must {' or '.join(bare)}")
    return out


def unknown(key: str, name: str, known: list[str], what: str) -> str:
    """The sentence for a name that refers to nothing.

    Args:
        key: dotted key that holds the name.
        name: the name.
        known: names that exist.
        what: what they are names of.
    """
    return f"{key} = '{name}' is not a {what} of this case ({', '.join(known) or 'there is none'}){nearest(name, known)}"
