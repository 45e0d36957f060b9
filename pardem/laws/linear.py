"""What the laws with linear springs have in common: keys, forms, and figures of a mass on a spring."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from . import parameters as p
from .kind import Key, Numbers, Values

RESTITUTION = Key("normal coefficient of restitution (1)", most=1.0)
CONTACT_TIME = Key("duration of a collision (s); with law `user`, it only serves to check the time step")
TANGENTIAL_RESTITUTION = Key("tangential coefficient of restitution (1); default: the normal coefficient", most=1.0)
NORMAL_STIFFNESS = Key("stiffness of the normal spring (N/m)")
NORMAL_DAMPING = Key("damping coefficient of the normal dashpot (N s/m); default: 0", above=None, least=0.0)
TANGENTIAL_STIFFNESS = Key(
    "stiffness of the tangential spring (N/m); required with friction if stiffnesses are given directly", above=None, least=0.0
)
TANGENTIAL_DAMPING = Key("damping coefficient of the tangential dashpot (N s/m); default: 0", above=None, least=0.0)
LOADING_STIFFNESS = Key("laws `walton` and `walton_tangential`: normal stiffness k1 during loading (N/m)")
UNLOADING_STIFFNESS = Key(
    "laws `walton` and `walton_tangential`: normal stiffness k2 >= k1 during unloading and reloading (N/m); the restitution is sqrt(k1/k2)"
)

BY_RESTITUTION = {"restitution": RESTITUTION, "contact_time": CONTACT_TIME, "tangential_restitution": TANGENTIAL_RESTITUTION}
TANGENTIAL = {"tangential_stiffness": TANGENTIAL_STIFFNESS, "tangential_damping": TANGENTIAL_DAMPING}


def complete_restitution(values: dict[str, Any], where: str) -> None:
    """Fill in the defaults of the forms with coefficients of restitution.

    Args:
        values: values of a pair of materials, changed in place.
        where: their place in the case, for error messages.
    """
    values["restitution"] = 1.0 if values["restitution"] is None else values["restitution"]
    if values["tangential_restitution"] is None:
        values["tangential_restitution"] = values["restitution"]


def complete_raw(values: dict[str, Any], where: str) -> None:
    """Fill in the defaults of the forms with stiffnesses.

    Args:
        values: values of a pair of materials, changed in place.
        where: their place in the case, for error messages.
    """
    if values["friction"] and values["tangential_stiffness"] is None:
        raise ValueError(f"{where}.tangential_stiffness is missing: friction = {values['friction']!r} needs a tangential spring (N/m)")
    values |= {key: values[key] or 0.0 for key in ("normal_damping", *TANGENTIAL)}


def require_stiffer(values: dict[str, Any], where: str, unloading: str, loading: str) -> None:
    """Raise ValueError unless the spring is at least as stiff while unloading as while loading.

    Args:
        values: values of a pair of materials.
        where: their place in the case, for error messages.
        unloading: key of the stiffness while unloading.
        loading: key of the stiffness while loading.
    """
    if values[unloading] < values[loading]:
        raise ValueError(f"{where}.{unloading} = {values[unloading]!r} must be at least {loading}")


def tangential(c: Values, dimension: int) -> tuple[float, float]:
    """Tangential stiffness and damping of a linear contact: from the tangential restitution per effective mass (1/s^2, 1/s), else as given (N/m, N
    s/m).

    Args:
        c: parameters of a pair of materials.
        dimension: dimension of space, 2 or 3.
    """
    if c.form == "raw":
        return c.number("tangential_stiffness"), c.number("tangential_damping")
    k, d = p.viscoelastic(c.number("tangential_restitution"), c.number("contact_time"))
    return p.tangential_mass(dimension) * k, p.tangential_mass(dimension) * d


def per_mass(c: Values) -> float:
    """Whether stiffnesses are per effective mass, 1 or 0.

    Args:
        c: parameters of a pair of materials.
    """
    return float(c.form == "restitution")


def spring_contact_time(mass: Numbers, stiffness: float, multiplicity: Numbers = 1) -> Numbers:
    """Half a period of a mass on springs: pi sqrt(m/(n k)) (thesis eq 2.18 without damping, the shortest case).

    Args:
        mass: effective mass (kg).
        stiffness: stiffness of one contact (N/m).
        multiplicity: contacts that can act at once between the two bodies.
    """
    return math.pi * np.sqrt(mass / (multiplicity * stiffness))


def nominal_duration(c: Values, multiplicity: Numbers) -> Numbers:
    """The contact time asked for (s), shortened by contacts that act at once.

    Args:
        c: parameters of a pair of materials.
        multiplicity: number of contacts that can act at once between the two bodies.
    """
    return 1.0 / np.sqrt(multiplicity) * c.number("contact_time")


def durations(c: Values, mass: Numbers, radius: Numbers, multiplicity: Numbers) -> tuple[Numbers, Numbers]:
    """Duration of a collision on one spring, and of its fastest part, which is the same (s).

    Args:
        c: parameters of a pair of materials.
        mass: effective mass (kg).
        radius: effective radius (m).
        multiplicity: number of contacts that can act at once between the two bodies.
    """
    raw = c.form == "raw"
    seconds = spring_contact_time(mass, c.number("normal_stiffness"), multiplicity) if raw else nominal_duration(c, multiplicity)
    return seconds, seconds


def force(stiffness: np.ndarray, law: Any, a: np.ndarray, b: np.ndarray, mass: np.ndarray, overlap: np.ndarray) -> np.ndarray:
    """Force of a linear spring without motion (N).

    Args:
        stiffness: table of the stiffnesses.
        law: tables of the law.
        a: rows of the first materials.
        b: rows of the second materials.
        mass: effective masses (kg).
        overlap: (m).
    """
    return np.asarray(stiffness[a, b] * np.where(law.mass_scaled[a, b] != 0.0, mass, 1.0) * overlap)


def power(law: Any, a: int, b: int, dimension: int) -> int:
    """The power of the size of the grains with which the force at a given overlap in radii grows.

    Args:
        law: tables of the law.
        a: row of the first material.
        b: row of the second material.
        dimension: dimension of space, 2 or 3.
    """
    return 1 + dimension if law.mass_scaled[a, b] != 0.0 else 1
