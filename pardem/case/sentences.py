"""Errors of the model as sentences: the dotted key, its value, what is allowed, and a suggestion if the key or value resembles a valid one."""

from __future__ import annotations

import re
import reprlib
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from ..suggestions import nearest
from .annotations import choices_of, element, entry_types, models_in, tables_of_keys, tag_of

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
"""Largest number of levels of nested tables and lists in a case; its own keys need seven."""
MOST = 20
"""Largest number of problems that are told at once."""
_WORDS = ("no", "one", "two", "three", "four", "five", "six")
_UNIT = r"[A-Za-z]{1,3}(?:\^\d)?(?:[ /][A-Za-z]{1,3}(?:\^\d)?)*"
_NOUNS = {float: "numbers", int: "whole numbers", bool: "values (true or false)", str: "texts"}


def describe(error: ValidationError, model: type[BaseModel], data: Any) -> list[str]:
    """Describe validation errors in sentences.

    Args:
        error: the errors.
        model: class of the model.
        data: the data from which it was to be made.

    Returns:
        One sentence for each problem, of many the first ones and how many more there are.
    """
    out: dict[str, None] = {}  # in order, each once
    items = error.errors(include_url=False)
    for item in items:
        if item["type"] == "too_short" and any(other["loc"][: len(item["loc"])] == item["loc"] for other in items if other is not item):
            continue  # a list counts its valid entries only: wrong ones have sentences of their own
        sentence = _wrong_length(item, model, data)
        if sentence is None:
            path, annotation, field, at = _locate(item["loc"], model, data)
            sentence = _sentence(item, ".".join(path), annotation, field, at, model)
        out[sentence] = None
    return first_of(_without_union_noise(list(out)))


def first_of(problems: list[str]) -> list[str]:
    """Shorten a list of problems: one mistake of a script may be in every entry of a long case.

    Args:
        problems: a sentence for each.

    Returns:
        All of them, each once, or the first `MOST` and a line with the number of the others.
    """
    problems = list(dict.fromkeys(problems))
    more = len(problems) - MOST
    return problems if more <= 0 else [*problems[:MOST], f"and {more} more problem{'s' if more > 1 else ''}"]


def item_key(item: Any) -> str | None:
    """Return the name by which an entry of a list of tables is addressed.

    Args:
        item: the entry.

    Returns:
        Its ``name``, or ``a-b`` for a pair between a and b; None if it has neither.
    """
    if not isinstance(item, dict):
        return None
    if isinstance(item.get("name"), str):
        return str(item["name"])
    between = item.get("between")
    if isinstance(between, list | tuple) and len(between) == 2 and all(isinstance(b, str) for b in between):
        return "-".join(between)
    return None


def too_deep(value: Any) -> bool:
    """Determine whether tables and lists are nested over more than `DEEPEST` levels.

    Args:
        value: the outermost of them.

    Returns:
        Whether they are.
    """
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [part for one in level if isinstance(one, dict | list | tuple) for part in (one.values() if isinstance(one, dict) else one)]
        if not level:
            return False
    return True


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
            field = _field(models[0], part)
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


def _field(model: type[BaseModel], key: str) -> FieldInfo | None:
    """The field that a key of a table stands for."""
    return next((field for name, field in model.model_fields.items() if (field.alias or name) == key), None)


def _sentence(item: Any, key: str, annotation: Any, field: FieldInfo | None, parent: Any, model: type[BaseModel]) -> str:
    kind, context = item["type"], item.get("ctx", {})
    name = str(item["loc"][-1]) if item["loc"] else ""
    meaning = _meaning(field)
    if kind == "extra_forbidden":
        known = [field.alias or name for name, field in parent[0].model_fields.items()]
        own = [part for part in item["loc"][:-1] if isinstance(part, str)]  # the table, and after it its kind if there are several
        others = tables_of_keys(model).get(name, [])
        if {".".join(own), ".".join(own[:-1])} & set(others):
            clue = ""  # known to this table when it is of another kind
        else:
            clue = nearest(name, known, 0.8) or (f"; this key belongs to [{others[0]}]" if others else nearest(name, known))
        clue = clue or f"; allowed are {', '.join(known)}"
        return f"unknown key {key}{clue}"
    if kind == "missing":
        return f"{key} is missing{meaning}"
    if kind == "union_tag_not_found":
        tag = str(context.get("discriminator", "")).strip("'")
        return f"{key}.{tag} is missing: give one of {', '.join(repr(tag_of(m)) for m in models_in(annotation))}"
    if kind == "value_error":
        return f"{key} {context['error']}".strip()
    if kind == "union_tag_invalid":
        tag = str(context.get("discriminator", "")).strip("'")
        value = item["input"].get(tag) if isinstance(item["input"], dict) else context.get("tag")
        clue = nearest(value, [tag_of(m) or "" for m in models_in(annotation)]) if isinstance(value, str) else ""
        return f"{key}.{tag} = {shown(value)} must be one of {context['expected_tags']}{clue}"
    allowed = _ALLOWED.get(kind, item["msg"][:1].lower() + item["msg"][1:]).format(**context)
    choices = choices_of(annotation) if kind == "literal_error" and isinstance(item["input"], str) else []
    clue = nearest(item["input"], choices) if len(choices) > 1 else ""
    return f"{key} = {shown(item['input'])} {allowed}{clue}{meaning}"


def _meaning(field: FieldInfo | None) -> str:
    """The first clause of a field's description in parentheses, with the unit at its end in words."""
    if field is None or not field.description:
        return ""
    clause = re.split(r";(?![^(]*\))", field.description)[0]
    clause = re.sub(r" \(1\)$", "", clause)
    clause = re.sub(rf" \(({_UNIT}); in 2D ({_UNIT})\)$", r", in \1 or, in 2D, \2", clause)
    return f" ({re.sub(rf' [(]({_UNIT})[)]$', lambda unit: f', in {unit[1]}', clause)})"


def _wrong_length(item: Any, model: type[BaseModel], data: Any) -> str | None:
    """The sentence for a list that must have a fixed number of entries and has another one; None for other errors."""
    loc = item["loc"]
    if item["type"] == "missing" and loc and isinstance(loc[-1], int):
        loc = loc[:-1]
    elif item["type"] != "too_long":
        return None
    path, annotation, _, _ = _locate(loc, model, data)
    kinds = entry_types(annotation)
    if not kinds:
        return None
    noun = _NOUNS.get(kinds[0], "entries")
    planar = isinstance(data, dict) and data.get("dimension") == 2 and len(kinds) == 3 and kinds[0] is float
    return f"{'.'.join(path)} takes {_WORDS[len(kinds)]} {noun}{', or two in two dimensions' if planar else ''}, not {shown(item['input'])}"


def shown(value: Any) -> str:
    """Format a value of any type and size for a sentence.

    Args:
        value: the value.

    Returns:
        A text of at most 60 characters.
    """
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
    """Abbreviates values that are too deep, long or large to be shown."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxlist = self.maxtuple = self.maxdict = 20
        self.maxstring = self.maxother = 60

    def repr_int(self, x: int, level: int) -> str:
        """Format a whole number, a very large one by its number of digits; `reprlib.Repr` calls this."""
        return shown(x) if x.bit_length() > 200 else repr(x)


_SHORT = _Short()


def _without_union_noise(found: list[str]) -> list[str]:
    """Merge the sentences that a value gets from each branch of a union (`skin` is neither 'auto' nor a number) into one.

    Where a list is meant, what is wrong in it is enough: that it is not the text of the other branch goes without saying.
    """
    merged: dict[str, list[str]] = {}
    for sentence in found:
        head, separator, tail = sentence.partition(" must ")
        merged.setdefault(head, []).append(tail if separator else "")
    out = []
    for head, tails in merged.items():
        tails = [tail for tail in tails if tail]
        key, _, value = head.partition(" = ")
        if value.startswith("[") and any(other.startswith((f"{key}.", f"{key} takes ")) for other in merged):
            continue
        if not tails:
            out.append(head)
            continue
        bare = [tail.split(" (", 1)[0].split(";", 1)[0] if i + 1 < len(tails) else tail for i, tail in enumerate(tails)]
        if all(tail.startswith("be ") for tail in bare):
            bare = ["be " + bare[0][3:], *(tail[3:] for tail in bare[1:])]
        out.append(f"{head} must {' or '.join(filter(None, [', '.join(bare[:-1]), bare[-1]]))}")
    return out
