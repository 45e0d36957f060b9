"""The JSON schema of case files, for editors that complete and check TOML (`pardem schema`), from the model of the case.

A schema sees tables one by one: what `checks` and the laws ask across keys it does not know. A file with a ``base`` may leave out everything else.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from .model import Case

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FILLED_IN = {"material", "density"}
"""Keys that the model requires, and that may be left out: a name or a material gives them."""
PLANAR = {"CylinderPlacement": {"lower", "upper"}}
"""The same in two dimensions, by tables."""
INSTEAD: dict[str, Schema] = {
    "size": {"type": "number", "exclusiveMinimum": 0},
    "motion": {"const": "fixed"},
    "without": {"type": "string"},
    "detection": {"enum": ["cells", "triangulation"]},
    "orientation": {"type": "number"},
    "angular_velocity": {"type": "number"},
}
"""What may stand in place of a table or a vector, by keys."""
PART = "PartOf"


def schema() -> Schema:
    """The schema of a whole case file."""
    made = Case.model_json_schema()
    tables: dict[str, Schema] = made.pop("$defs")
    tables["Case"] = made
    for name, table in tables.items():
        _as_in_files(table)
        if "required" in table:
            table["required"] = [key for key in table["required"] if key not in FILLED_IN | PLANAR.get(name, set())]
    tables["Case"]["properties"]["species"].pop("default", None)
    parts = {PART + name: _partly(table) for name, table in tables.items()}
    base = {"type": "string", "description": "case file beside this one that is read first; this file holds only what differs"}
    parts[PART + "Case"]["properties"]["base"] = base
    parts[PART + "Case"]["required"] = ["base"]
    return {
        "$schema": DIALECT, "title": "pardem case", "anyOf": [{"$ref": "#/$defs/Case"}, {"$ref": f"#/$defs/{PART}Case"}],
        "$defs": dict(sorted((tables | parts).items())),
    }  # fmt: skip


def keys() -> list[str]:
    """Dotted keys of all tables of a case that are not in lists."""
    made = Case.model_json_schema()
    tables: dict[str, Schema] = made.pop("$defs")

    def within(table: Schema, above: str) -> Iterator[str]:
        for key, value in table.get("properties", {}).items():
            inner = [value, *value.get("anyOf", ())]
            names = [entry["$ref"].rpartition("/")[2] for entry in inner if "$ref" in entry]
            if names:
                for name in names:
                    yield from within(tables[name], f"{above}{key}.")
            else:
                yield f"{above}{key}"

    return list(within(made, ""))


def _as_in_files(node: Any) -> None:
    """Rewrite a table in place: no null, which TOML has not; vectors of two numbers; short forms of tables."""
    if isinstance(node, list):
        for entry in node:
            _as_in_files(entry)
        return
    if not isinstance(node, dict):
        return
    for key, value in list(node.get("properties", {}).items()):
        value.pop("title", None)
        if key in INSTEAD:
            node["properties"][key] = _or(value, INSTEAD[key])
    if node.get("default", ...) is None:
        del node["default"]
    if isinstance(node.get("anyOf"), list):
        node["anyOf"] = [entry for entry in node["anyOf"] if entry.get("type") != "null"]
    if node.get("minItems") == 3 and len(node.get("prefixItems", ())) == 3:
        node["minItems"] = 2
    node.pop("discriminator", None)  # of OpenAPI, not of JSON schema
    for value in node.values():
        _as_in_files(value)


def _or(value: Schema, other: Schema) -> Schema:
    """A value or another one, described as the first."""
    said = {key: value[key] for key in ("description", "default") if key in value}
    rest = {key: entry for key, entry in value.items() if key not in said}
    return said | {"anyOf": [rest, dict(other)]}


def _partly(table: Schema) -> Schema:
    """The same table in a file with a base: nothing is required, and what kind of table it is may be left to the base."""
    part = copy.deepcopy(table)

    def change(node: Any) -> None:
        if isinstance(node, list):
            for entry in node:
                change(entry)
        elif isinstance(node, dict):
            if isinstance(node.get("required"), list):
                node["required"] = []
            if isinstance(node.get("oneOf"), list):
                node["anyOf"] = node.pop("oneOf")
            if isinstance(node.get("$ref"), str):
                node["$ref"] = node["$ref"].replace("#/$defs/", f"#/$defs/{PART}")
            node.pop("minItems", None) if node.get("type") == "array" and "prefixItems" not in node else None
            for value in node.values():
                change(value)

    change(part)
    return part
