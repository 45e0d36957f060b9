"""Materials: constants of single bodies, from which laws make those of a pair, and the density of species."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from pydantic import Field

from ..case_values import Positive
from .law_keys import MaterialKeys


class Material(MaterialKeys):
    """Constants of one material of species or walls; laws that do not need them ignore them."""

    density: Positive | None = Field(default=None, description="mass density of species that give none themselves (kg/m^3; in 2D kg/m^2)")

    def constants(self, keys: Collection[str]) -> dict[str, float]:
        """Collect the constants that have a value.

        Args:
            keys: names of constants.

        Returns:
            The values by name.
        """
        return {key: value for key in keys if (value := getattr(self, key)) is not None}


def kinds_of_materials(keys: Collection[str], materials: Sequence[Material]) -> dict[str, int]:
    """Tell materials apart by what the law takes from them.

    Args:
        keys: the keys that the law takes from materials.
        materials: tables of the materials.

    Returns:
        For each name the number, from 1, of the first table with the same values.
    """
    first: dict[tuple[float | None, ...], int] = {}
    kinds: dict[str, int] = {}
    for k, material in enumerate(materials, 1):
        kinds.setdefault(material.name, first.setdefault(tuple(getattr(material, key) for key in keys), k))
    return kinds


def constants_of_bodies(
    keys: Collection[str], bodies: tuple[Material | None, Material | None], given: set[str], by_pair: set[str], where: str
) -> tuple[dict[str, float], dict[str, float]]:
    """What two bodies have for themselves of the keys that a law takes from materials; nothing where the pair gives it for both.

    Args:
        keys: the keys that the law takes from materials.
        bodies: tables of the two materials, each None where there is none.
        given: keys that the pair has from its own table or from `[contact]`.
        by_pair: parameters from the table of the pair.
        where: place of the pair, for messages.

    Raises:
        ValueError: a constant is missing for one of the bodies, or the pair gives only some of them.
    """
    first, second = ({} if body is None else body.constants(keys) for body in bodies)
    if not first and not second:
        return {}, {}
    owner = next(body.name for body, own in zip(bodies, (first, second), strict=True) if body is not None and own)
    over = [key for key in keys if key in by_pair]
    missing = [key for key in keys if key not in by_pair]
    if over and missing:
        raise ValueError(
            f"{where}.{over[0]} is for both bodies, but material '{owner}' has constants of its own: give {' and '.join(missing)} for the pair "
            f"too, or leave {' and '.join(over)} out"
        )
    if over:
        return {}, {}
    for body, own in zip(bodies, (first, second), strict=True):
        lacking = [key for key in keys if key not in own and key not in given]
        if lacking and body is not None:
            need = " and ".join(keys)
            raise ValueError(f"material.{body.name}.{lacking[0]} is missing: the law needs {need} of both bodies; give it there or in [contact]")
        if lacking:
            raise ValueError(
                f"contact.{lacking[0]} is missing: material '{owner}' meets one without a [[material]] table; give it that table, or "
                f"{' and '.join(lacking)} in [contact]"
            )
    return first, second


def with_densities(data: dict[str, Any]) -> dict[str, Any]:
    """Fill in the density of the material in species and packings that give none.

    Args:
        data: keys of a case.

    Returns:
        The keys with densities.
    """
    tables = data.get("material")
    density = {m["name"]: m["density"] for m in (tables if isinstance(tables, list | tuple) else ()) if _names_density(m)}
    if not density:
        return data

    def filled(entry: Any) -> Any:
        name = entry.get("material", entry.get("name")) if isinstance(entry, dict) else None
        if isinstance(name, str) and name in density and entry.get("density") is None:
            return entry | {"density": density[name]}
        return entry

    lists = {key: data[key] for key in ("species", "voronoi") if isinstance(data.get(key), list | tuple)}
    return data | {key: [filled(entry) for entry in entries] for key, entries in lists.items()}


def _names_density(table: Any) -> bool:
    return isinstance(table, dict) and isinstance(table.get("name"), str) and table.get("density") is not None
