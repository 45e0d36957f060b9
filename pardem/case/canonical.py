"""Canonical forms of a case: its hash and its TOML text."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from ..errors import CaseError
from .stages import END_KEYS
from .tables import CaseTables


def file_digest(directory: Path, name: str, key: str) -> str:
    """SHA-256 of a file's contents; CaseError naming the key where it cannot be read."""
    try:
        return hashlib.sha256((directory / name).read_bytes()).hexdigest()
    except OSError as error:
        raise CaseError(f"{key} = '{name}' cannot be read: {error.strerror} ({directory / name})") from None


def case_hash(case: CaseTables) -> str:
    """SHA-256 over sorted JSON of the keys that determine the trajectory (see `Case.hash`)."""
    content = case.model_dump(mode="json", exclude_none=True, exclude={"title", "output", "detection", "parallel"})
    content["energy_budget"] = case.output.observables.energy_budget  # it decides what a contact keeps
    content["stage"][-1] = {key: value for key, value in content["stage"][-1].items() if key not in END_KEYS}
    for species, table in zip(case.species, content["species"], strict=True):
        if species.shape == "mesh":
            table["file"] = file_digest(case.directory, species.file, f"species.{species.name}.file")
    if case.grains_file is not None:
        content["grains_file"] = file_digest(case.directory, case.grains_file, "grains_file")
    if case.contact.user_law is not None:
        path, function = case.contact.user_law.rsplit(":", 1)
        content["contact"]["user_law"] = [file_digest(case.directory, path, "contact.user_law"), function]
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float | int):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }" if value else "{}"
    return "[" + ", ".join(map(_value, value)) + "]"


def _key(key: str) -> str:
    return key if key.replace("-", "").replace("_", "").isalnum() and key.isascii() else json.dumps(key)


def _is_tables(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def to_toml(table: dict[str, Any], prefix: str = "") -> str:
    """TOML text of nested dicts, lists and scalars: values first, then tables, then arrays of tables."""
    lines = [f"{_key(k)} = {_value(v)}" for k, v in table.items() if not (isinstance(v, dict) and not prefix.count("[[")) and not _is_tables(v)]
    for key, value in table.items():
        name = f"{prefix.removeprefix('[[')}.{_key(key)}".lstrip(".")
        if isinstance(value, dict) and not prefix.count("[["):
            lines += ["", f"[{name}]", to_toml(value, name)]
        elif _is_tables(value):
            for item in value:
                lines += ["", f"[[{name}]]", to_toml(item, "[[" + name)]
    return "\n".join(lines).strip("\n") + ("\n" if not prefix else "")
