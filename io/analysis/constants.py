"""What does not change in a run, as its result shows it: grains and their species, the case, the domain."""

from __future__ import annotations

import tomllib
from typing import Any, NamedTuple

import h5py
import numpy as np

from pardem.case import Case

from ..layout import CATALOGUE, FRAMES, LayoutError, text
from ..reading import PARAMETERS
from .kept import KeptFile


class Box(NamedTuple):
    """The domain.

    Attributes:
        lower: lower corner (m), (3,).
        upper: upper corner (m), (3,).
        periodic: whether it is periodic along each axis, (3,) bool.
    """

    lower: np.ndarray
    upper: np.ndarray
    periodic: np.ndarray


class Constants(KeptFile):
    """Properties that all frames of a result share; see ``Result``."""

    @property
    def grains(self) -> int:
        """Number of grains."""
        return len(self.ids)

    @property
    def ids(self) -> np.ndarray:
        """Ids of the grains, (n,) int64: 0, 1, ..., as in the rows of all fields."""
        return self._per_grain("id")

    @property
    def scale(self) -> np.ndarray:
        """Size factors of the grains, (n,)."""
        return self._per_grain("scale")

    @property
    def mass(self) -> np.ndarray:
        """Masses of the grains (kg; per length of the missing axis in two dimensions), (n,)."""
        return self._per_grain("mass")

    @property
    def radius(self) -> np.ndarray:
        """Sphero-radii of the grains (m), (n,); of spheres and disks their radius."""
        return np.asarray(self.catalogue["radius"][self.species_rows] * self.scale)

    @property
    def species_rows(self) -> np.ndarray:
        """Rows of the grains' species in ``species_names`` and ``catalogue``, (n,) int32."""

        def access(file: h5py.File) -> np.ndarray:
            rows, count = np.asarray(file[f"{FRAMES}/species"][()]), len(file[f"{CATALOGUE}/radius"])
            if len(rows) and not (rows.min() >= 0 and rows.max() < count):
                raise LayoutError(f"{FRAMES}/species names species that it does not have")
            return rows

        return self._unchanging("species", access)

    @property
    def species_names(self) -> tuple[str, ...]:
        """Names of the species, those of bodies among the walls included."""
        return tuple(species["name"] for species in self.case_tables["species"])

    @property
    def species(self) -> np.ndarray:
        """Names of the grains' species, (n,) str."""
        return np.array(self.species_names)[self.species_rows]

    @property
    def catalogue(self) -> dict[str, np.ndarray]:
        """Arrays of the species' shapes in their principal frames (see ``pardem.shapes.catalogue``)."""
        return self._unchanging("catalogue", lambda file: {name: array[()] for name, array in file[f"{PARAMETERS}/catalogue"].items()})

    @property
    def case(self) -> Case:
        """The effective case, defaults included; relative paths in it refer to the result's folder."""
        tables = self.case_tables
        return self._unchanging("case", lambda file: Case(**tables).located(self.path.parent))

    @property
    def case_tables(self) -> dict[str, Any]:
        """The tables of the effective case as TOML gives them, unchecked: of a result that another version of pardem wrote, too."""
        return self._unchanging("case_tables", case_tables_of)

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(self.case_tables.get("dimension", 3))

    @property
    def up(self) -> np.ndarray:
        """Unit vector against gravity, (3,); without gravity along z, in two dimensions along y."""
        against = -np.array([*self.case_tables.get("gravity", ()), 0.0, 0.0, 0.0][:3], dtype=float)
        size = np.linalg.norm(against)
        return np.asarray(against / size if size > 0.0 else np.eye(3)[self.dimension - 1])

    @property
    def box(self) -> Box:
        """The domain."""

        def access(file: h5py.File) -> Box:
            attributes = file[f"{FRAMES}/box"].attrs
            periodic = np.array([text(kind) == "periodic" for kind in attributes["boundary"]])
            return Box(np.array(attributes["lower"], float), np.array(attributes["upper"], float), periodic)

        return self._unchanging("box", access)

    def _per_grain(self, name: str) -> np.ndarray:
        return self._unchanging(name, lambda file: file[f"{FRAMES}/{name}"][()])


def case_tables_of(file: h5py.File) -> dict[str, Any]:
    """Tables of the case that a result was made from.

    Args:
        file: the open result.

    Returns:
        The tables as TOML gives them.

    Raises:
        LayoutError: the text is no case.
    """
    try:
        case = tomllib.loads(text(file[f"{PARAMETERS}/case"]))
    except (tomllib.TOMLDecodeError, RecursionError):
        raise LayoutError(f"{PARAMETERS}/case is no TOML") from None
    if not isinstance(case.get("species"), list):
        raise LayoutError(f"{PARAMETERS}/case is no case")
    return case
