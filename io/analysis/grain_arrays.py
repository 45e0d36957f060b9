"""Grains as NumPy arrays by name: what the frames of a result and a simulation in motion have in common."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pardem.shapes import rotations

from .lazy import LazyArrays

if TYPE_CHECKING:
    from .constants import Box

TENSOR = "stress"  # the field whose nine numbers are a matrix
AXES = "xyz"
CONSTANT = ("ids", "species", "species_rows", "scale", "radius", "mass")  # what is the same at all times


class GrainArrays(LazyArrays):
    """Grains at one time, a row for each.

    Fields are attributes (``position``, ``velocity``, ...) and entries (``grains["position"]``); so is what does not change in a run (``CONSTANT``).
    ``"stress" in grains`` tells whether there is a field. An array is kept once it has been used. All are in SI units.

    Attributes:
        step: number of the time step.
        time: (s).
        ids: ids of the grains, (n,) int64.
        species: names of their species, (n,) str.
        species_rows: rows of their species among those of the case, (n,) int32.
        scale: size factors, (n,).
        radius: sphero-radii (m), (n,); of spheres and disks their radius.
        mass: masses (kg; per length of the missing axis in two dimensions), (n,).
    """

    _always = CONSTANT
    step: int
    time: float
    ids: np.ndarray
    species: np.ndarray
    species_rows: np.ndarray
    scale: np.ndarray
    radius: np.ndarray
    mass: np.ndarray

    @property
    def box(self) -> Box:
        """The domain."""
        raise NotImplementedError

    @property
    def dimension(self) -> int:
        """2 or 3."""
        raise NotImplementedError

    def __len__(self) -> int:
        """Number of grains."""
        return len(self.ids)

    @cached_property
    def unwrapped(self) -> np.ndarray:
        """Centres of mass without the wraps of a periodic domain (m), (n, 3)."""
        box = self.box
        return np.asarray(self["position"] + self["image"] * (box.upper - box.lower))

    @cached_property
    def axes(self) -> np.ndarray:
        """Principal axes of the grains in the world, (n, 3, 3): ``axes[k, i]`` is the unit vector of axis i; rods lie along the last."""
        return np.ascontiguousarray(rotations.matrices(self["orientation"]).transpose(0, 2, 1))

    @cached_property
    def pressure(self) -> np.ndarray:
        """Mean of the normal stresses in each grain (Pa), (n,), positive in compression.

        Raises:
            KeyError: there is no field ``stress``.
        """
        d = self.dimension
        return np.asarray(np.trace(self[TENSOR][:, :d, :d], axis1=1, axis2=2) / d)

    @cached_property
    def present(self) -> np.ndarray:
        """Whether a grain is in the domain, (n,) bool; one that has left through an open face is shown where it was then, and one that is still to
        come in the middle of the region into which it will be poured.
        """
        away = [self[name] for name in ("outflow", "inflow") if name in self._names()]
        return np.asarray(np.sum(away, axis=0) == 0) if away else np.ones(len(self), bool)

    def columns(self) -> dict[str, np.ndarray]:
        """The grains column by column: time, id, species and every component of every field, (n,) each, those that are not there included."""
        columns = {
            "time": np.full(len(self), self.time), "id": self.ids, "species": self.species, "radius": self.radius, "scale": self.scale,
            "mass": self.mass,
        }  # fmt: skip
        for field in self._names():
            values = self[field]
            if values.ndim == 1:
                columns[field] = values
            elif values.ndim == 3:
                columns |= {f"{field}_{AXES[a]}{AXES[b]}": values[:, a, b] for a in range(3) for b in range(3)}
            else:
                names = ("w", "x", "y", "z")[4 - values.shape[1] :]
                columns |= {f"{field}_{name}": values[:, c] for c, name in enumerate(names)}
        return columns

    def table(self) -> Any:
        """The grains as a pandas DataFrame of ``columns``, without those that have left or are still to come."""
        import pandas as pd

        return pd.DataFrame(self.columns())[self.present].reset_index(drop=True)
