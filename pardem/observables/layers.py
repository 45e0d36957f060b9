"""Density, mean angle and number of grains by layers."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..case.checks import MOST_LAYERS
from ..decomposition.exact import ExactSums
from ..state.population import Population
from ..walls.surfaces.surface import ALONG
from .observable import Instant, Observable, Quantity, Subject, Values
from .orientation import angles_to_plane, directions
from .profile import Profile, profile_along

WHOLE = 1e-9  # of a layer: a bed that ends this close to an edge does not begin the next layer


class _Stack(NamedTuple):
    """The layers at one step.

    Attributes:
        edges: (n + 1,) ascending coordinates between them (m); none: there are no layers.
        low: where the bed begins (m), -inf if that is not known.
        high: where it ends (m).
    """

    edges: np.ndarray
    low: float
    high: float


class LayerProfile(Observable):
    """Layers from the origin that the case gives, which moves with the base, up to the fill height (without a base, to the highest grain)."""

    quantities = (
        Quantity("count_layers", "1", shape=("layers",)),
        Quantity("mean_angle_layers", "degrees", shape=("layers",)),
        Quantity("density_layers", "1", shape=("layers",)),
    )

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject)
        options = subject.case.output.observables.layers
        assert options is not None
        self.options = options
        self.axis = "xyz".index(options.axis)
        self.sign = float(np.eye(3)[self.axis] @ subject.bed.up)
        self.stacked = subject.bed.base is not None and abs(self.sign) > ALONG

    @classmethod
    def wanted(cls, subject: Subject) -> bool:
        """Determine whether the case asks for layers.

        Args:
            subject: what is observed.

        Returns:
            Whether it does.
        """
        return subject.case.output.observables.layers is not None

    def values(self, found: dict[str, Any], now: Instant) -> Values:
        """Compute the values of each layer; they are not-a-number in empty layers.

        Args:
            found: the sums, by name.
            now: the step.

        Returns:
            ``count_layers``, the number of grains with their centre in each layer; ``mean_angle_layers`` (degrees) of those with a long axis; and, if
            base and cross-section are known and the layers are stacked along the normal of the base, ``density_layers``: the clipped volume of the
            grains divided by that of the layer, both between base and fill height.
        """
        subject, bed = self.subject, self.subject.bed
        profile = profile_along(now.grains, subject.catalogue, subject.samples, np.eye(3)[self.axis])
        edges, low, high = self._stack(profile, now.values.get("fill_height", math.nan))
        count = len(edges) - 1
        layer = np.searchsorted(edges, profile.height, side="right") - 1
        layer[layer >= count] = -1
        values = self._by_layer(now.grains, layer, count)
        if self.stacked and bed.section is not None:
            edges = np.clip(edges, low, high)
            volume = profile.between(subject.comm, edges)[1:-1] if count else np.empty(0)
            with np.errstate(invalid="ignore", divide="ignore"):
                values["density_layers"] = volume / (bed.section * np.diff(edges))
        return values

    def _stack(self, profile: Profile, fill: float) -> _Stack:
        """The layers over which grains are distributed; ``fill``: fill height (m). Collective."""
        bed, walls, options = self.subject.bed, self.subject.scene.walls, self.options
        shift, low, high = 0.0, -math.inf, profile.top(self.subject.comm)
        if bed.base is not None:
            shift = float(walls.pose[bed.base, self.axis])
        if self.stacked:
            base = bed.base_height(walls)
            reached = base if math.isnan(fill) else base + fill
            low, high = (base, reached) if self.sign > 0.0 else (-reached, -base)
        origin = options.origin + shift
        wanted = (high - origin) / options.thickness - WHOLE if math.isfinite(high) else 0.0
        count = math.ceil(min(max(0.0, wanted), MOST_LAYERS))  # of a base that is far beyond the domain: the first of them
        edges = origin + options.thickness * np.arange(count + 1)
        if count and self.stacked and wanted <= MOST_LAYERS:
            edges[-1] = high
        return _Stack(edges, low, high)

    def _by_layer(self, grains: Population, layer: np.ndarray, count: int) -> Values:
        """Numbers and mean angles of the grains in each layer; ``layer``: of each grain, -1: in none. Collective."""
        axes, sums = self.subject.axes, ExactSums(self.subject.comm)
        sums.add("count", np.bincount(layer[layer >= 0], minlength=count)[None, :count])
        elongated = axes.any()
        if elongated:
            long = axes[grains.species].any(axis=1)
            u = directions(grains.q[long], axes[grains.species[long]])
            sums.add_groups("angle", angles_to_plane(u, self.subject.bed.up), layer[long], count)
            sums.add("long", np.bincount(layer[long & (layer >= 0)], minlength=count)[None, :count])
        found = sums.reduce()
        values: Values = {"count_layers": found["count"]}
        if elongated:
            with np.errstate(invalid="ignore", divide="ignore"):
                values["mean_angle_layers"] = np.asarray(found["angle"]) / found["long"]
        return values
