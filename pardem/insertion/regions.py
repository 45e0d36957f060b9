"""Where grains are put, and the box they live in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..errors import InsertionError

Vector = tuple[float, float, float]


class RegionArrays(NamedTuple):
    """A region as kernels see it: a box, or, if ``axis`` >= 0, the inside of a cylinder along that axis.

    Attributes:
        lower: (3,) lower corner of the region (m).
        upper: (3,) upper corner of the region (m).
        free: (3,) bool, whether grains may protrude along an axis (periodic faces).
        axis: axis of the cylinder, 0, 1 or 2; -1 for a box.
        centre: (3,) point on the axis of the cylinder (m).
        radius: radius of the cylinder (m).
        planar: whether the region is part of the plane z = 0, in which grains turn about z only.
    """

    lower: np.ndarray
    upper: np.ndarray
    free: np.ndarray
    axis: int
    centre: np.ndarray
    radius: float
    planar: bool


@dataclass(frozen=True)
class BoxDomain:
    """The box of the simulation.

    Attributes:
        lower: lower corner (m).
        upper: upper corner (m).
        periodic: periodic flags of x, y and z. An axis that is not periodic does not bound the search for neighbours.
    """

    lower: Vector
    upper: Vector
    periodic: tuple[bool, bool, bool] = (False, False, False)

    @property
    def period(self) -> np.ndarray:
        """(3,) period (m), 0 where open."""
        return np.where(self.periodic, np.subtract(self.upper, self.lower), 0.0)


@dataclass(frozen=True)
class BoxRegion:
    """A box along the axes that contains the grains entirely, except along ``free`` axes, where they may protrude.

    Attributes:
        lower: lower corner (m).
        upper: upper corner (m).
        free: flags of x, y and z; pass the periodic flags of the domain to fill all of it (see `periodic_region`).
        planar: whether the region is only the rectangle in the plane z = 0, for grains in 2D; the z coordinates of the corners are ignored.
    """

    lower: Vector
    upper: Vector
    free: tuple[bool, bool, bool] = (False, False, False)
    planar: bool = False

    @property
    def volume(self) -> float:
        """Volume of the region (m^3); in the plane its area (m^2)."""
        return float(np.prod(np.subtract(self.upper, self.lower)[: 2 if self.planar else 3]))

    def arrays(self) -> RegionArrays:
        """The region for the kernels.

        Raises:
            InsertionError: no volume.
        """
        return _arrays(self.lower, self.upper, self.free, -1, np.zeros(3), 0.0, self.planar)

    def tall_enough(self, grain_volume: float, solid_fraction: float = 0.1, axis: str = "z") -> BoxRegion:
        """Stretch the region upwards until grains of a given volume fill no more than a given fraction of it.

        Args:
            grain_volume: total volume of the grains (m^3).
            solid_fraction: the fraction.
            axis: axis along which the region is stretched.

        Returns:
            The region, unchanged if it is tall enough.
        """
        a, top = "xyz".index(axis), list(self.upper)
        top[a] = self.lower[a] + (self.upper[a] - self.lower[a]) * max(1.0, grain_volume / (solid_fraction * self.volume))
        return replace(self, upper=(top[0], top[1], top[2]))


@dataclass(frozen=True)
class CylinderRegion:
    """The inside of a cylinder, which contains the grains entirely.

    Attributes:
        radius: radius of the cylinder (m).
        lower: coordinate along the axis at which the region begins (m).
        upper: coordinate along the axis at which the region ends (m).
        axis: ``x``, ``y`` or ``z``.
        center: a point on the axis (m).
        planar: whether the region is only the disk in the plane z = 0, for grains in 2D; the axis is then z, and its limits are ignored.
    """

    radius: float
    lower: float
    upper: float
    axis: str = "z"
    center: Vector = (0.0, 0.0, 0.0)
    planar: bool = False

    @property
    def volume(self) -> float:
        """Volume of the region (m^3); in the plane its area (m^2)."""
        return float(np.pi * self.radius**2 * (1.0 if self.planar else self.upper - self.lower))

    def arrays(self) -> RegionArrays:
        """The region for the kernels.

        Raises:
            InsertionError: no volume.
        """
        a = "xyz".index(self.axis)
        low, high = np.array(self.center, float) - self.radius, np.array(self.center, float) + self.radius
        low[a], high[a] = self.lower, self.upper
        return _arrays(low, high, (False, False, False), a, np.array(self.center, float), float(self.radius), self.planar)

    def tall_enough(self, grain_volume: float, solid_fraction: float = 0.1) -> CylinderRegion:
        """Stretch the region upwards until grains of a given volume fill no more than a given fraction of it.

        Args:
            grain_volume: total volume of the grains (m^3).
            solid_fraction: the fraction.

        Returns:
            The region, unchanged if it is tall enough.
        """
        return replace(self, upper=self.lower + (self.upper - self.lower) * max(1.0, grain_volume / (solid_fraction * self.volume)))


Region = BoxRegion | CylinderRegion


def periodic_region(domain: BoxDomain, planar: bool = False) -> BoxRegion:
    """Make the region of the whole domain, or of its part in the plane z = 0. Grains may protrude through its periodic faces only.

    Args:
        domain: box with periodic axes.
        planar: whether the simulation is two-dimensional.

    Returns:
        The region.
    """
    return BoxRegion(domain.lower, domain.upper, domain.periodic, planar)


def _arrays(
    lower: np.ndarray | Vector, upper: np.ndarray | Vector, free: tuple[bool, bool, bool], axis: int, centre: np.ndarray, radius: float, planar: bool
) -> RegionArrays:
    low, high, sticking = np.array(lower, float), np.array(upper, float), np.array(free, bool)
    if planar:
        low[2], high[2], sticking[2] = 0.0, 0.0, True
    for c, name in enumerate("xy" if planar else "xyz"):
        if not (low[c] < high[c] and np.isfinite(high[c] - low[c])):
            raise InsertionError(
                f"The region for insertion goes from {low[c]:g} to {high[c]:g} m along {name}; give finite bounds with lower < upper."
            )
    return RegionArrays(low, high, sticking, axis, centre, radius, planar)
