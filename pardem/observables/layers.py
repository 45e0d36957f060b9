"""Density, mean angle and number of grains by layers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from mpi4py import MPI

from ..shapes.catalogue import Catalogue
from ..state.arrays import Walls
from ..state.population import Population
from ..walls.surfaces.surface import ALONG
from .bed import Bed
from .exact import ExactSums
from .orientation import angles_to_plane, directions
from .profile import profile_along

if TYPE_CHECKING:
    from ..case.output import Layers

WHOLE = 1e-9  # of a layer: a bed that ends this close to an edge does not begin the next layer


def measure_layers(
    comm: MPI.Comm, options: Layers, grains: Population, catalogue: Catalogue, samples: np.ndarray, axes: np.ndarray, bed: Bed, walls: Walls,
    fill: float,
) -> dict[str, Any]:  # fmt: skip
    """Layers from the origin that the case gives, moved along with the base, up to the fill height (without base: to the highest grain). Collective.

    Args:
        samples: of polytopes (see ``sample_points``).
        axes: (ns, 3) long axes, zero of those without one.
        bed, walls: where the base is.
        fill: fill height (m).

    Returns:
        ``count_layers``, grains with their centre in each layer; ``mean_angle_layers`` (degrees) of those with a longest direction; and, where base
        and cross-section are known and the layers lie one on the other, ``density_layers``: clipped volume of the grains over that of the layer, both
        between base and fill height. Not-a-number where a layer is empty.
    """
    direction = np.eye(3)["xyz".index(options.axis)]
    profile = profile_along(grains, catalogue, samples, direction)
    sign = float(direction @ bed.up)
    stacked = bed.base is not None and abs(sign) > ALONG
    shift, low, high = 0.0, -math.inf, profile.top(comm)
    if bed.base is not None:
        shift = float(walls.pose[bed.base, "xyz".index(options.axis)])
    if stacked:
        base = bed.base_height(walls)
        reached = base if math.isnan(fill) else base + fill
        low, high = (base, reached) if sign > 0.0 else (-reached, -base)
    origin = options.origin + shift
    count = max(0, math.ceil((high - origin) / options.thickness - WHOLE)) if math.isfinite(high) else 0
    edges = origin + options.thickness * np.arange(count + 1)
    if count and stacked:
        edges[-1] = high
    values: dict[str, Any] = {}
    sums = ExactSums(comm)
    layer = np.searchsorted(edges, profile.height, side="right") - 1
    layer[layer >= count] = -1
    sums.add("count", np.bincount(layer[layer >= 0], minlength=count)[None, :count])
    elongated = axes.any()
    if elongated:
        long = axes[grains.species].any(axis=1)
        u = directions(grains.q[long], axes[grains.species[long]])
        sums.add_groups("angle", angles_to_plane(u, bed.up), layer[long], count)
        sums.add("long", np.bincount(layer[long & (layer >= 0)], minlength=count)[None, :count])
    found = sums.reduce()
    values["count_layers"] = found["count"]
    with np.errstate(invalid="ignore", divide="ignore"):
        if elongated:
            values["mean_angle_layers"] = np.asarray(found["angle"]) / found["long"]
        if stacked and bed.section is not None:
            edges = np.clip(edges, low, high)
            volume = profile.between(comm, edges)[1:-1] if count else np.empty(0)
            values["density_layers"] = volume / (bed.section * np.diff(edges))
    return values
