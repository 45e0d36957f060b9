"""How the volume of grains is distributed over a height."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from mpi4py import MPI

from ..compiled.jit import kernel
from ..compiled.vectors import dot, row
from ..decomposition.exact import ExactSums, carry, deposit
from ..shapes.catalogue import Catalogue
from ..shapes.rotations import into_body
from ..state.population import Population
from .slices import rod_below

SAMPLES = 512  # points that stand for the volume of a polytope
SAMPLED = 3  # kind from which on they do; of grains in two dimensions they always do
BINS = 32  # of one round of the search for a quantile
ROUNDS = 3  # of which the last ends with a linear interpolation


@kernel
def _below(profile: Profile, i: int, z: float) -> float:
    """Volume of grain ``i`` below the height ``z`` over its centre (m^3)."""
    if profile.kind[i] <= 2:
        return rod_below(z, profile.cosine[i], profile.length[i], profile.radius[i])
    count, up = 0, row(profile.direction, i)
    for p in profile.samples[profile.species[i]]:
        count += dot(p, up) < z
    return profile.volume[i] * (count / SAMPLES)


@kernel
def deposit_slices(limbs: np.ndarray, edges: np.ndarray, profile: Profile) -> None:
    """Add the volume of each grain to the slices between heights.

    Args:
        limbs: (m + 1, WIDTH) int64 accumulators: row k is of what lies below edge k, the last row of what lies above all.
        edges: (m,) ascending heights (m).
        profile: the grains.
    """
    height, reach = profile.height, profile.reach
    for i in range(height.shape[0]):
        low, high = height[i] - reach[i], height[i] + reach[i]
        k, end = 0, edges.shape[0]
        while k < end:  # the first edge above the lowest point
            middle = (k + end) // 2
            if edges[middle] > low:
                end = middle
            else:
                k = middle + 1
        before = 0.0
        while k < edges.shape[0] and edges[k] < high:
            below = _below(profile, i, edges[k] - height[i])
            deposit(limbs[k], below - before)
            before = below
            k += 1
        deposit(limbs[k], profile.volume[i] - before)
    carry(limbs)


class Profile(NamedTuple):
    """The volume of this rank's grains along a direction.

    Attributes:
        height: (n,) of the centres (m).
        reach: (n,) half the extents along the direction (m).
        volume: (n,) (m^3).
        kind: (n,) number of core vertices; ``SAMPLED`` or more: points stand for the volume.
        cosine: (n,) between axis and direction, of rods.
        length: (n,) of the axis (m), of spheres and rods.
        radius: (n,) (m), of spheres and rods.
        direction: (n, 3) the direction in the body frame times the size factor.
        species: (n,) rows of the catalogue.
        samples: (ns, SAMPLES, 3) points of polytopes (m), see ``sample_points``.
    """

    height: np.ndarray
    reach: np.ndarray
    volume: np.ndarray
    kind: np.ndarray
    cosine: np.ndarray
    length: np.ndarray
    radius: np.ndarray
    direction: np.ndarray
    species: np.ndarray
    samples: np.ndarray

    def between(self, comm: MPI.Comm, edges: np.ndarray) -> np.ndarray:
        """Compute the volumes between heights, with the same bits on every rank. Collective.

        Args:
            comm: communicator.
            edges: (m,) ascending heights (m).

        Returns:
            (m + 1,) volumes below the first height, between each two, and above the last (m^3).
        """
        sums = ExactSums(comm)
        limbs = sums.accumulators("volume", len(edges) + 1)
        deposit_slices(limbs, edges, self)
        return np.asarray(sums.reduce()["volume"])

    def top(self, comm: MPI.Comm) -> float:
        """Determine a height that no grain exceeds. Collective.

        Args:
            comm: communicator.

        Returns:
            The height (m); minus infinity if there are no grains.
        """
        return float(comm.allreduce(float((self.height + self.reach).max(initial=-math.inf)), MPI.MAX))

    def quantile(self, comm: MPI.Comm, floor: float, share: float) -> tuple[float, float]:
        """Determine the height below which a given share of the volume above ``floor`` lies. Collective.

        The bin that contains it is divided into ``BINS`` again, ``ROUNDS`` - 1 times. The volumes at the edges are exact; within the last bin the
        height is interpolated.

        Args:
            comm: communicator.
            floor: height from which the volume is counted (m).
            share: share of the volume, 0 to 1.

        Returns:
            The height (m) and the volume above the floor (m^3); not-a-number and 0 if no grain reaches above the floor.
        """
        low, high = floor, self.top(comm)
        if not (low < high < math.inf):
            return math.nan, 0.0
        above = target = 0.0
        for k in range(ROUNDS):
            edges = np.linspace(low, high, BINS + 1)
            volumes = self.between(comm, edges)
            if k == 0:
                above = float(np.cumsum(volumes[1:])[-1])
                target = float(volumes[0]) + share * above
            below = np.cumsum(volumes)
            if not above > 0.0:
                return math.nan, 0.0
            bin_ = min(max(int(np.searchsorted(below, target)), 1), BINS)
            low, high = float(edges[bin_ - 1]), float(edges[bin_])
        part = (target - below[bin_ - 1]) / volumes[bin_] if volumes[bin_] > 0.0 else 0.0
        return low + min(max(float(part), 0.0), 1.0) * (high - low), above


def profile_along(grains: Population, catalogue: Catalogue, samples: np.ndarray, up: np.ndarray) -> Profile:
    """Determine the profile of grains along a unit vector.

    Args:
        grains: grains of this rank.
        catalogue: shape catalogue.
        samples: sample points of the species, see ``sample_points``.
        up: (3,) unit vector.

    Returns:
        The profile.
    """
    x, q, s = grains.x, grains.q, grains.scale
    ux, uy, uz = (float(c) for c in up)
    kind = np.where(catalogue.dimension == 2, SAMPLED, catalogue.kind)[grains.species]
    body = into_body(q, up)
    core, radius = catalogue.core_radius[grains.species] * s, catalogue.radius[grains.species] * s
    cosine = np.minimum(np.abs(body[:, 2]), 1.0)
    return Profile(
        height=ux * x[:, 0] + uy * x[:, 1] + uz * x[:, 2],
        reach=np.where(kind == 2, core * cosine, core) + radius,
        volume=catalogue.volumes(grains.species, s),
        kind=kind,
        cosine=cosine,
        length=2.0 * core,
        radius=radius,
        direction=body * s[:, None],
        species=np.ascontiguousarray(grains.species),
        samples=samples,
    )


def sample_points(comm: MPI.Comm, catalogue: Catalogue) -> np.ndarray:
    """Distribute points evenly over each polytope, and in 2D over each grain. Collective.

    The points are the additive recurrence of the generalised golden ratio (Roberts, 2018; after Kronecker) in a box. Those inside the grain are
    adjusted to its centre of mass and its moments of inertia.

    Args:
        comm: communicator.
        catalogue: shape catalogue.

    Returns:
        (ns, SAMPLES, 3) points in the principal frames (m); zero for spheres and rods.
    """
    samples = np.zeros((len(catalogue.kind), SAMPLES, 3))
    sampled = (catalogue.kind >= SAMPLED) | (catalogue.dimension == 2)
    if comm.rank == 0 and sampled.any():
        from ..shapes.mass.monte_carlo import inside  # late: it loads scipy
        from ..shapes.mass.polytope_mass import RoundedSkeleton

        for k in np.flatnonzero(sampled):
            vertices = catalogue.vertices[catalogue.vertex_start[k] : catalogue.vertex_start[k + 1]]
            if catalogue.dimension[k] == 2:
                samples[k, :, :2] = _planar_points(catalogue, int(k), vertices[:, :2])
                continue
            edges = catalogue.edges[catalogue.edge_start[k] : catalogue.edge_start[k + 1]]
            starts = catalogue.face_vertex_start[catalogue.face_start[k] : catalogue.face_start[k + 1] + 1]
            faces = tuple(tuple(int(v) for v in catalogue.face_vertices[a:b]) for a, b in pairwise(starts))
            radius = catalogue.radius[k]
            low, size = vertices.min(axis=0) - radius, np.ptp(vertices, axis=0) + 2.0 * radius
            wanted = int(1.5 * SAMPLES * np.prod(size) / catalogue.volume[k]) + 1
            ratio = 1.2207440846057596  # root of x^4 = x + 1
            recurrence = (0.5 + np.arange(1, wanted + 1)[:, None] / ratio ** np.arange(1, 4)) % 1.0
            points = low + size * recurrence
            points = points[inside(points, RoundedSkeleton(vertices, edges, faces, float(radius), True))][:SAMPLES]
            # centre of mass and moments along the principal axes are known exactly
            points -= points.mean(axis=0)
            exact = (0.5 * catalogue.inertia[k].sum() - catalogue.inertia[k]) / catalogue.mass[k]
            samples[k] = points * np.sqrt(exact / (points * points).mean(axis=0))
    comm.Bcast(samples)
    return samples


def _planar_points(catalogue: Catalogue, k: int, core: np.ndarray) -> np.ndarray:
    """The same for a species in two dimensions, (SAMPLES, 2) m."""
    from ..shapes.mass.planar_monte_carlo import inside

    radius = float(catalogue.radius[k])
    low, size = core.min(axis=0) - radius, np.ptp(core, axis=0) + 2.0 * radius
    wanted = int(1.5 * SAMPLES * np.prod(size) / catalogue.volume[k]) + 1
    ratio = 1.324717957244746  # root of x^3 = x + 1
    points = low + size * ((0.5 + np.arange(1, wanted + 1)[:, None] / ratio ** np.arange(1, 3)) % 1.0)
    rows = catalogue.piece_vertex_start[catalogue.piece_start[k] : catalogue.piece_start[k + 1] + 1] - catalogue.vertex_start[k]
    hit = np.zeros(len(points), dtype=bool)
    for a, b in pairwise(rows):
        # a convex piece is a polygon unless it is a segment or a point; a grain of one piece may be anything
        outlined = b - a > 2 if len(rows) > 2 else catalogue.face_start[k + 1] > catalogue.face_start[k]
        single = b - a == 1 or catalogue.edge_start[k + 1] == catalogue.edge_start[k]
        hit |= inside(points, core[a:b], bool(outlined), radius, bool(single))
    points = points[hit][:SAMPLES]
    points -= points.mean(axis=0)
    spread: np.ndarray = points * np.sqrt(catalogue.inertia[k, 2] / catalogue.mass[k] / (points * points).sum(axis=1).mean())
    return spread
