"""One frame of a result: its fields as NumPy arrays by grain, each read when it is first asked for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from .contact_arrays import FrameContacts
from .grain_arrays import CONSTANT, GrainArrays

if TYPE_CHECKING:
    from .constants import Box
    from .result import Result


class Frame(GrainArrays):
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

    Further attributes are those of ``GrainArrays``.
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
        return np.asarray(getattr(self.result, name)) if name in CONSTANT else self.result.read(name, self.number)

    def _names(self) -> Collection[str]:
        return self.result.fields

    @property
    def box(self) -> Box:
        """The domain."""
        return self.result.box

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return self.result.dimension

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

    def coarse_grained(
        self, width: float, cells: int | Sequence[int] | None = None, *, lower: Sequence[float] | np.ndarray | None = None,
        upper: Sequence[float] | np.ndarray | None = None, kernel: str = "lucy", since: Frame | None = None,
    ) -> Any:  # fmt: skip
        """Continuum fields on a regular grid, from grains and contacts spread by a smoothing kernel.

        The sum over the cells of density times ``cell_volume`` is the mass of the grains, and that of the momentum their momentum, to rounding, if
        the grid covers all kernels, as it does by default. What each field means: docs/theory/observables.md, coarse-grained fields.

        Args:
            width: standard deviation of the kernel along each axis (m), about the diameter of a grain or more.
            cells: numbers of cells along the axes, or one number for all; default: as many as make the cells as large as the width.
            lower: lower corner of the grid (m), (d,) in d dimensions; default: that of the domain along periodic axes, as far as kernels reach along
                others. What lies outside the grid is left out.
            upper: upper corner (m), (d,).
            kernel: ``lucy``, which ends at 3.24 times the width, or ``gaussian``, which is cut off at 4 times the width.
            since: earlier frame, for displacement, strain and rotation since then.

        Returns:
            ``xarray.Dataset`` over the centres of the cells, with units: ``density``, ``solid_fraction``; with velocities in the frame ``momentum``,
            ``velocity``, ``kinetic_stress``; with points and forces of contacts ``contact_stress`` and ``wall_force_density``; with ``since``
            ``displacement``, ``strain``, ``rotation``, and with orientations ``grain_rotation``.

        Raises:
            ValueError: an argument is of no use.
            KeyError: an earlier frame is given, but a periodic domain and no field ``image``.
        """
        from .coarse_grained import coarse_grained

        return coarse_grained(self, width, cells, lower, upper, kernel, since)

    def mesh(self, smoothness: int = 12) -> Any:
        """The rounded surfaces of the grains as one pyvista mesh; its points carry ``id`` and ``species`` (row of the species).

        Args:
            smoothness: points around a ball, at least 4.

        Raises:
            FileError: pyvista is not installed.
        """
        from .mesh import frame_mesh

        return frame_mesh(self, smoothness)
