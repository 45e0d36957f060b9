"""Canonical forms of a case: its hash and its TOML text."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import tomli_w

from ..errors import CaseError
from ..laws.given import was_given
from .stages import END_KEYS
from .tables import CaseTables


def file_digest(directory: Path, name: str, key: str) -> str:
    """Compute the SHA-256 hash of the contents of a file.

    Args:
        directory: folder to which a relative path refers.
        name: path of the file.
        key: dotted key that holds it, for messages.

    Returns:
        The hash.

    Raises:
        CaseError: the file cannot be read.
    """
    try:
        with (directory / name).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise CaseError(f"{key} = '{name}' cannot be read: {error.strerror} ({directory / name})") from None


def case_hash(case: CaseTables) -> str:
    """Compute the SHA-256 hash of sorted JSON of the keys that determine the trajectory (see `Case.hash`).

    Args:
        case: validated case.

    Returns:
        64 hexadecimal digits.
    """
    content = case.model_dump(mode="json", exclude_none=True, exclude={"title", "output", "detection", "parallel"})
    content["energy_budget"] = case.output.observables.energy_budget  # it decides what a contact keeps
    for insert in content["insert"]:
        if not insert["lowered"]:
            del insert["lowered"]  # cases from before there was this key keep their hashes
    if not content["pour"]:
        del content["pour"]
    content["stage"][-1] = {key: value for key, value in content["stage"][-1].items() if key not in END_KEYS}
    for species, table in zip(case.species, content["species"], strict=True):
        if species.shape == "mesh":
            table["file"] = file_digest(case.directory, species.file, f"species.{species.name}.file")
    if case.start is not None:
        if case.start.digest is None:
            raise CaseError(f"start.from = '{case.start.source}' has not been read: pardem.with_origin(case) reads it")
        del content["start"]["from"]  # wherever it lies
    if case.grains_file is not None:
        content["grains_file"] = file_digest(case.directory, case.grains_file, "grains_file")
    if case.contact.user_law is not None and not was_given(case.contact.user_law):  # such a name holds the hash of the function
        path, function = case.contact.user_law.rsplit(":", 1)
        content["contact"]["user_law"] = [file_digest(case.directory, path, "contact.user_law"), function]
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def to_toml(table: dict[str, Any]) -> str:
    """Write nested dicts, lists and scalars as TOML text.

    Values of None are not allowed. An integral float keeps its point, so that reading the text gives equal values of the same types.

    Args:
        table: the top-level table.

    Returns:
        The text; the keys of a table keep their order.
    """
    return tomli_w.dumps(table)
