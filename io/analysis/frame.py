"""One frame of a result: its fields as NumPy arrays by grain, each read when it is first asked for."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pardem.shapes import rotations

from .contacts import FrameContacts
from .lazy import LazyArrays

if TYPE_CHECKING:
    from .result import Result


class Frame(LazyArrays):
    """Grains at one time, a row for each, ordered by id.

    Fields of the file are attributes (``position``, ``velocity``, ...) and entries (``frame["position"]``); so is what follows from them. An array is
    read once and kept with the frame. All are in SI units (``Result.units``).

    Args:
        result: the result it belongs to.
        number: index of the frame, from 0.
        step: number of the time step.
        time: (s).

    Attributes:
        number: index of the frame in the result.
        step: number of the time step.
        time: (s).
    """

    def __init__(self, result: Result, number: int, step: int, time: float) -> None:
        super().__init__()
        self.result, self.number, self.step, self.time = result, number, step, time

    def __repr__(self) -> str:
        return f"<frame {self.number} of {self.result.path}: step {self.step}, t = {self.time:.6g} s, {len(self)} grains>"

    def __len__(self) -> int:
        """Number of grains, those that have left the domain included."""
        return self.result.grains

    def _read(self, name: str) -> np.ndarray:
        return self.result.read(name, self.number)

    def _names(self) -> Collection[str]:
        return self.result.fields

    @property
    def species(self) -> np.ndarray:
        """Names of the grains' species, (n,) str."""
        return self.result.species

    @property
    def scale(self) -> np.ndarray:
        """Size factors of the grains, (n,)."""
        return self.result.scale

    @property
    def radius(self) -> np.ndarray:
        """Sphero-radii of the grains (m), (n,); of spheres and disks their radius."""
        return self.result.radius

    @property
    def mass(self) -> np.ndarray:
        """Masses of the grains (kg), (n,)."""
        return self.result.mass

    @cached_property
    def unwrapped(self) -> np.ndarray:
        """Centres of mass without the wraps of a periodic domain (m), (n, 3)."""
        box = self.result.box
        return np.asarray(self["position"] + self["image"] * (box.upper - box.lower))

    @cached_property
    def axes(self) -> np.ndarray:
        """Principal axes of the grains in the world, (n, 3, 3): ``axes[k, i]`` is the unit vector of axis i; rods lie along the last."""
        return np.ascontiguousarray(rotations.matrices(self["orientation"]).transpose(0, 2, 1))

    @cached_property
    def present(self) -> np.ndarray:
        """Whether a grain is in the domain, (n,) bool; one that has left through an open face is shown where it was then."""
        left = self["outflow"] if "outflow" in self.result.fields else np.zeros(len(self), np.int32)
        return np.asarray(left == 0)

    @cached_property
    def contacts(self) -> FrameContacts:
        """The contacts of the grains with each other and with walls.

        Raises:
            FileError: frames of the result show no contacts.
        """
        return FrameContacts(self)

    @property
    def stage(self) -> str | None:
        """Name of the stage that the frame belongs to; None where the result does not tell."""
        return self.result.stage_at(self.step)

    @cached_property
    def contact_number(self) -> np.ndarray:
        """Number of contacts of each grain, those with walls included, (n,) int64.

        Raises:
            FileError: frames of the result show no contacts.
        """
        bodies = self.contacts["bodies"].ravel()
        return np.bincount(bodies[bodies >= 0], minlength=len(self))

    def walls(self, what: str) -> dict[str, np.ndarray]:
        """What the observables say of the walls at the frame's step.

        Args:
            what: ``displacement`` (m), ``turn`` (rad), ``force`` (N), ...: the part of the observable's name between ``wall_`` and the slash.

        Returns:
            (3,) or () float64 by the name of the wall, of the row at this step or the next one; nothing where it was not observed.
        """
        return self.result.walls_at(what, self.step)

    def columns(self) -> dict[str, np.ndarray]:
        """The grains column by column: time, id, species and every component of every field, (n,) each, those that have left included."""
        columns = {
            "time": np.full(len(self), self.time), "id": self.result.ids, "species": self.species, "radius": self.radius, "scale": self.scale,
            "mass": self.mass,
        }  # fmt: skip
        for field in self.result.fields:
            values = self[field]
            if values.ndim == 1:
                columns[field] = values
                continue
            names = ("w", "x", "y", "z")[4 - values.shape[1] :]
            columns |= {f"{field}_{name}": values[:, c] for c, name in enumerate(names)}
        return columns

    def table(self) -> Any:
        """The grains as a pandas DataFrame of ``columns``, without those that have left."""
        import pandas as pd

        return pd.DataFrame(self.columns())[self.present].reset_index(drop=True)

    def mesh(self, smoothness: int = 12) -> Any:
        """The rounded surfaces of the grains as one pyvista mesh; its points carry ``id`` and ``species`` (row of the species).

        Args:
            smoothness: points around a ball, at least 4.

        Raises:
            FileError: pyvista is not installed.
        """
        from .mesh import frame_mesh

        return frame_mesh(self, smoothness)
