"""All laws: one name here for each file of this folder that describes a law in a `LawKind` called ``KIND``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .kind import Kernel, LawKind

NAMES = ("viscoelastic", "walton", "walton_tangential", "hertz", "elastic", "lennard_jones", "user")

KINDS: dict[str, LawKind] = {name: import_module(f".{name}", __package__).KIND for name in NAMES}
_OF_TABLE = {kind.table: kind for kind in KINDS.values()}


def kind_of(tables: Any) -> LawKind:
    """The law that some tables belong to.

    Args:
        tables: tables of the law.
    """
    return _OF_TABLE[type(tables)]


def kernels(name: str) -> dict[type, Kernel]:
    """The kernels of one name, by the type of the tables, of the laws that have one.

    Args:
        name: attribute of `LawKind`.
    """
    return {kind.table: own for kind in KINDS.values() if (own := getattr(kind, name)) is not None}
