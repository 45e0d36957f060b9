"""The reference of the case file, generated from the model: ``python -m pardem.case.reference > docs/case-file.md``."""

from __future__ import annotations

import json
import sys
import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from ..case_values import LARGEST, MOST, SMALLEST
from .annotations import element, models_in, tag_of
from .model import Case

INTRODUCTION = """# The case file

A case is one TOML file. All quantities are in SI units; the unit of each key stands in parentheses after its meaning, and (1) marks a pure number.
Unknown keys, wrong types and wrong signs are errors that name the key. Text is never converted to a number. A number must be 0 or have a magnitude
between {least} and {most}, and a count must not exceed 2^53. `pardem check CASE.toml` validates a case, and `pardem check --effective CASE.toml`
prints it with all defaults.

**Base file.** With `base = "other.toml"` (a path relative to the file) that file is read first, and this one is merged into it. Tables are merged key
by key. Lists of tables are merged by `name` (pairs by their two names), and new entries are appended. Everything else is replaced. A key also removes
those keys of the base file that it excludes: another unit of the same interval, `gamma` if it is `amplitude`, another form of a law's parameters. A
table with another `kind` or `shape` replaces that of the base file.

**Command line.** After that, `--set key=value` sets a dotted key. Entries of lists are addressed by name or by number from 0, pairs as `a-b`:
`--set contact.restitution=0.2 --set stage.vibrate.taps=30 --set contact.pair.rod-base.friction=0`. The value is TOML; a bare word is text.

**Two dimensions.** With `dimension = 2` vectors may be given as two numbers (z = 0), orientations as an angle about z, and angular velocities as a
single number. The domain, box walls and box regions take corners with two numbers and are one metre thick, so that quantities per volume become
quantities per area. The region `cylinder` is a disk, and needs neither axis nor ends. A value that leads out of the plane is an error that names its
key.

**Python.** `pardem.case.Case(...)` takes the same keys as arguments (tables as dictionaries) and provides them as attributes.

This page is generated from the model (`python -m pardem.case.reference > docs/case-file.md`).
"""

EXAMPLE = """## Example

```toml
time = { step = 2e-5 }
domain = { lower = [-5e-3, -5e-3, -1e-3], upper = [5e-3, 5e-3, 70e-3] }
contact = { restitution = 0.4, contact_time = 6e-4, friction = 0.2 }
output = { frame_interval = 0.1, observable_interval = 0.01 }
species = [{ name = "rod", shape = "spherocylinder", length = 2.092e-3, radius = 0.2615e-3, density = 1910.0 }]
stage = [
    { name = "settle", kind = "settle", energy_per_grain = 1e-12, max_time = 0.5 },
    { name = "vibrate", kind = "vibrate", wall = "base", taps = 30, frequency = 30.0, gamma = 2.0 },
]
wall = [
    { name = "tube", kind = "cylinder", radius = 4e-3 },
    { name = "base", kind = "plane", point = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0] },
]

[[insert]]
species = "rod"
count = 200
region = { kind = "cylinder", radius = 4e-3, lower = 0.0, upper = 20e-3 }
```
"""

LAWS = """### Laws and their parameters

| law | required | optional |
|---|---|---|
"""


def reference() -> str:
    """The whole page in Markdown."""
    parts = [INTRODUCTION.format(least=SMALLEST, most=LARGEST), EXAMPLE, "## Top level\n", _table(Case, skip_tables=True)]
    for name, field in Case.model_fields.items():
        parts += _section(name, field.annotation, field, "")
    return "\n".join(parts).rstrip() + "\n"


def _section(path: str, annotation: Any, field: FieldInfo, indent: str) -> list[str]:
    """The section of one key that holds a table or tables, and those below it."""
    of_list = element(annotation) if models_in(element(annotation)) else None
    models = models_in(of_list if of_list is not None else annotation)
    if not models:
        return []
    title = f"[[{path}]]" if of_list is not None else f"[{path}]"
    out = [f"{indent}## `{title}`\n", f"{_sentence(field.description)}{_note(field, of_list)}\n"]
    for model in models:
        if len(models) > 1:
            selector = "shape" if "shape" in model.model_fields else "kind"
            out.append(f'**`{selector} = "{tag_of(model)}"`**: {_sentence(_summary(model), lower=True)}\n')
        elif _summary(model) != _sentence(field.description):
            out.append(f"{_summary(model)}\n")
        if set(model.model_fields) - {"kind"}:
            out.append(_table(model))
        if path == "contact":
            out.append(_laws())
    seen: list[str] = []
    for model in models:
        for name, sub in model.model_fields.items():
            if name not in seen:
                seen.append(name)
                out += _section(f"{path}.{name}", sub.annotation, sub, "#")
    return out


def _note(field: FieldInfo, of_list: Any) -> str:
    if of_list is not None:
        return " At least one." if field.is_required() else ""
    return " Required." if field.is_required() else ""


def _summary(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").strip().split("\n\n")[0].split())


def _sentence(text: str | None, lower: bool = False) -> str:
    text = (text or "").rstrip(".")
    return (text[:1].lower() if lower else text[:1].upper()) + text[1:] + "."


def _table(model: type[BaseModel], skip_tables: bool = False) -> str:
    rows = ["| key | type | default | meaning |", "|---|---|---|---|"]
    for name, field in model.model_fields.items():
        if skip_tables and (models_in(field.annotation) or models_in(element(field.annotation))):
            continue
        if name in ("kind", "shape") and tag_of(model):
            continue
        rows.append(f"| `{field.alias or name}` | {_type(field.annotation, field.metadata)} | {_default(field)} | {field.description} |")
    return "\n".join(rows) + "\n"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required" if field.description and "default:" not in field.description else "see meaning"
    if field.default is PydanticUndefined or field.default is None:
        return ""
    value = field.default
    if isinstance(value, BaseModel):
        tag = tag_of(type(value))
        return f'`"{tag}"`' if tag == "fixed" else "`1.0`" if tag == "constant" else "its defaults"
    if isinstance(value, str | tuple | bool):
        return f"`{json.dumps(value)}`"
    return f"`{value!r}`"


def _bounds(metadata: list[Any]) -> str:
    """Bounds and lengths among a field's constraints, in words."""
    signs = {"gt": "> ", "ge": ">= ", "lt": "< ", "le": "<= ", "min_length": "at least ", "max_length": "at most "}
    found: dict[str, Any] = {}
    for item in metadata:
        for constraint in getattr(item, "metadata", [item]):
            found |= {key: value for key in signs if (value := getattr(constraint, key, None)) is not None}
    low, high = found.get("min_length"), found.get("max_length")
    if low is not None and low == high:
        return f" ({low})"
    # limits of storage say nothing to a reader
    text = " and ".join(f"{sign}{found[key]:g}" for key, sign in signs.items() if key in found and found[key] not in (MOST, 2**63))
    return f" ({text})" if text else ""


def _type(annotation: Any, metadata: list[Any]) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(arguments[0], [*arguments[1:], *metadata])
    if models_in(annotation):
        return "table"
    if origin is Literal:
        return ", ".join(f"`{json.dumps(choice)}`" for choice in arguments)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(_type(part, metadata) for part in arguments if part is not type(None)))
    if origin is dict:
        return f"table of {_type(arguments[1], [])}"
    if origin is tuple:
        if models_in(arguments[0]):
            return "list of tables"
        if arguments[-1] is not Ellipsis:
            return f"{len(arguments)} {_plural(_type(arguments[0], []))}"
        number = _bounds(metadata).strip(" ()").replace(" and at most ", " to ")
        number = number.removeprefix("at least ") + (" or more" if " to " not in number and number.startswith("at least ") else "")
        return f"list of {number}{' ' if number else ''}{_entries(_type(arguments[0], []))}"
    names = {float: "number", int: "whole number", str: "text", bool: "true/false"}
    return names[annotation] + _bounds(metadata)


def _entries(kind: str) -> str:
    """What the entries of a list are called."""
    if kind.startswith("`"):
        return kind
    if kind == "3 numbers":
        return "points (3 numbers each)"
    return f"pairs of {kind[2:]}" if kind.startswith("2 ") else _plural(kind)


def _plural(kind: str) -> str:
    noun, bracket, bounds = kind.partition(" (")
    if noun.startswith("list of"):
        return kind.replace("list", "lists", 1)
    return (noun if noun == "true/false" or noun.endswith("s") else noun + "s") + bracket + bounds


def _laws() -> str:
    from ..laws.registry import KINDS

    rows = []
    for law, kind in KINDS.items():
        for form in kind.forms:
            needed = ", ".join(f"`{key}`" for key in (*kind.general, *form.needed))
            rows.append(f"| `{law}` | {needed} | {', '.join(f'`{key}`' for key in form.optional)} |")
    common = "All laws accept `friction`, `clamped`, `rocking_damping` and `torsional_friction`; all except `lennard_jones` accept the keys of "
    common += "`resistance`."
    return LAWS + "\n".join(rows) + f"\n\n{common}\n"


if __name__ == "__main__":
    sys.stdout.write(reference())
