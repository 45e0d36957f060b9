"""What makes a law: the description that every law's file ends with, and from which everything else about laws is assembled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

Numbers = Any
"""A number, or an array of them."""
Kernel = Callable[..., Any]


@dataclass(frozen=True)
class Key:
    """A key of the case file.

    Attributes:
        meaning: description with the unit, for the reference and for error messages.
        above: bound that the value must exceed, or None for no such bound.
        least: the value must be at least this.
        most: the value must be at most this.
        many: whether the value is a list of numbers.
        pattern: regular expression that the value, a text, matches; None if the value is a number.
        example: how an error message shows what is missing.
    """

    meaning: str
    above: float | None = 0.0
    least: float | None = None
    most: float | None = None
    many: bool = False
    pattern: str | None = None
    example: str = ""


def _as_given(values: dict[str, Any], where: str) -> None:
    """Leave the values of a pair as they are."""


@dataclass(frozen=True)
class Form:
    """One way to give the parameters of a law.

    Attributes:
        name: name by which the law's own functions tell its forms apart.
        needed: keys that must be given.
        optional: keys that may be given.
        complete: puts defaults into the values of a pair of materials, in place; ValueError with a sentence that begins with the place it is given
            (``contact`` or ``contact.pair.a-b``) where values contradict each other.
    """

    name: str
    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()
    complete: Callable[[dict[str, Any], str], None] = _as_given

    def knows(self, keys: set[str]) -> bool:
        """Whether all keys belong to this form."""
        return keys <= {*self.needed, *self.optional}


class Values(Protocol):
    """The parameters of one pair of materials, or of several that differ in what the materials have for themselves, with every default filled in."""

    @property
    def form(self) -> str:
        """Name of the form in which they were given."""

    def number(self, key: str) -> float:
        """The value of a key; 0 where it has none."""

    def of_bodies(self, key: str) -> tuple[Numbers, Numbers]:
        """The values of a key that each of the two materials may have for itself (`LawKind.of_material`); arrays for several pairs."""


@dataclass(frozen=True)
class LawInput:
    """What a law needs to fill its tables, which have a row and a column for each group of materials.

    Attributes:
        grid: (m, m) float64 from a function of the values of pairs; errors name a pair.
        lists: (m, m, k) float64 from a key whose value is a list of numbers, padded with zeros.
        dimension: dimension of space, 2 or 3.
        rocking: (m, m) float64, 1 where the rocking damper is on.
        torsion: (m, m) float64, 1 where torsional friction is on.
        on_wall: (m, m) bool, whether one of the two belongs to walls.
        extra_radius: (m,) float64, by how much the radii of grains are larger in contacts (m).
        general: values of `LawKind.general`.
        directory: folder that relative paths refer to.
    """

    grid: Callable[[Callable[[Values], Numbers]], np.ndarray]
    lists: Callable[[str], np.ndarray]
    dimension: int
    rocking: np.ndarray
    torsion: np.ndarray
    on_wall: np.ndarray
    extra_radius: np.ndarray
    general: Mapping[str, Any]
    directory: Path


class LawTables(Protocol):
    """The tables of any law: a named tuple, (m, m) float64 each."""

    @property
    def friction(self) -> np.ndarray:
        """Coulomb coefficient (1)."""

    @property
    def rocking(self) -> np.ndarray:
        """1 where the rocking damper is on."""

    @property
    def torsion(self) -> np.ndarray:
        """1 where torsional friction is on."""


def _no_damping(law: Any, a: np.ndarray, b: np.ndarray, mass: np.ndarray) -> np.ndarray:
    return np.zeros(np.broadcast_shapes(a.shape, mass.shape))


def _independent_of_size(law: Any, a: int, b: int, dimension: int) -> int:
    return 0


@dataclass(frozen=True)
class LawKind:
    """A law.

    Attributes:
        name: name in the case file; also that of the law's module.
        table: class of its tables, a NamedTuple that has ``friction``, ``rocking`` and ``torsion``.
        keys: keys of the case file, for all pairs or for one.
        forms: ways to give the parameters.
        fill: the tables from a case.
        durations: duration of a collision (s), and what it would be if its fastest part were the whole, of given values, effective mass (kg) and
            radius (m) and number of contacts at once; None where it is not known.
        spring_force: (law, a, b, mass, radius, overlap) -> normal force at a small overlap without motion (N), of arrays.
        coefficients: kernel (law, a, b) -> the six numbers of a pair of materials that the other kernels need.
        normal_force: kernel (law, numbers, overlap, rate, mass, radius, memory) -> ``NormalForce``; see ``elastic.normal_force``.
        mean_stiffness: kernel (law, numbers, normal, memory) -> mean tangential stiffness in the step (N/m), or None if it is constant.
        tangential: kernel (law, numbers, normal, pull) -> ``Tangential``, or None for the damped linear spring (``tangential.damped_spring``).
        carried: name of a tangential vector that contacts remember besides the spring's force: it has three columns of the history and is taken along
            with the tangent plane as the spring is, or None.
        reach: (values, whether one of the two is a wall) -> gap (m) up to which surfaces act on each other, or None if only where they touch.
        touching_overlap: kernel (numbers) -> overlap (m) of surfaces that just touch, where the law has a range.
        power: (law, a, b, dimension) -> power of the grains' size with which the force grows, at the same overlap in radii; default: 0.
        damping: (law, a, b, mass) -> twice the damping ratio of a collision, of arrays.
        bound: (law, a, b) -> largest normal force (N), where it does not follow from ``spring_force`` and ``damping``.
        one_by_one: whether the kernels serve single contacts only; else they are written with ``compiled.choices`` alone, for several in lanes too.
        dissipative: whether contacts that are more than a point have couples (``couples``).
        of_material: keys that `[[material]]` may give for each of the two bodies, and their meaning there.
        general: keys of `[contact]` alone, all of them needed with this law and not allowed with others.
        usual: parameters of a case for which kernels are compiled ahead (`pardem warmup`), or None if they are not.
    """

    name: str
    table: type
    keys: Mapping[str, Key]
    forms: tuple[Form, ...]
    fill: Callable[[LawInput], LawTables]
    durations: Callable[[Values, Numbers, Numbers, Numbers], tuple[Numbers, Numbers] | None]
    spring_force: Callable[..., np.ndarray]
    coefficients: Kernel
    normal_force: Kernel
    mean_stiffness: Kernel | None = None
    tangential: Kernel | None = None
    carried: str | None = None
    reach: Callable[[Values, bool], float] | None = None
    touching_overlap: Kernel | None = None
    power: Callable[[Any, int, int, int], int] = _independent_of_size
    damping: Callable[[Any, np.ndarray, np.ndarray, np.ndarray], np.ndarray] = _no_damping
    bound: Callable[[Any, np.ndarray, np.ndarray], np.ndarray] | None = None
    one_by_one: bool = False
    dissipative: bool = True
    of_material: Mapping[str, str] = field(default_factory=dict)
    general: Mapping[str, Key] = field(default_factory=dict)
    usual: Mapping[str, Any] | None = None
