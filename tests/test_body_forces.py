"""Force and torque of grains on bodies as walls, and what the bodies feel of them, against the sum over all pairs of features, at three scales.

The pairs are those of ``test_pair_forces``, with the second grain as a wall. Bodies are met feature by feature whatever the interaction, and have
infinite mass. The least of the distances of a sum is also that of least squares over all products of vertices.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest
from reference_distance import Array, Pair
from reference_features import nearest_points
from reference_points import least_norm
from scales import SCALES
from scenes import ELASTIC, booked, case_of, engine_of
from test_pair_forces import APART, CORES, RULES, TOLERANCE, PlacedPair, apart, centred, placed, species_of, standing

from pardem.engine import Engine

COUNT = 40
INTERACTIONS = RULES | {"superposition": ELASTIC | {"interaction": "superposition"}}


class Placed(NamedTuple):
    """Where a grain and a body are: their centres of mass, and the origin of the axes in which the shape of the body is given (m)."""

    grain: Array
    body: Array
    origin: Array


def places(pairs: list[PlacedPair], scale: float) -> list[Placed]:
    """Sites of a lattice for the bodies, the grains beside them."""
    side = math.ceil(len(pairs) ** (1.0 / 3.0))
    sites = APART * scale * np.stack(np.unravel_index(np.arange(len(pairs)), (side,) * 3), axis=1)
    return [
        Placed(site + apart(p, scale), site, site + p.turns[1].apply(centred(p.names[1], scale)[0] - scale * CORES[p.names[1]][0]))
        for p, site in zip(pairs, sites, strict=True)
    ]


def scene(pairs: list[PlacedPair], at: list[Placed], contact: dict[str, Any], scale: float) -> Engine:
    """All pairs in one scene; the number of a wall is the id of its grain."""
    grains, walls = [], []
    for n, (p, place) in enumerate(zip(pairs, at, strict=True)):
        first, second = ({"species": name, "orientation": tuple(t.as_quat(scalar_first=True).tolist())} for name, t in zip(*p[:2], strict=True))
        grains.append(first | {"position": tuple(place.grain.tolist())})
        walls.append(second | {"name": f"body_{n}", "kind": "body", "position": tuple(place.origin.tolist())})
    size = 2.0 * APART * scale * len(pairs) ** (1.0 / 3.0)
    box = {"lower": (-size,) * 3, "upper": (size,) * 3}
    species = [species_of(name, scale) for name in CORES if any(name in p.names for p in pairs)]
    engine, _ = engine_of(case_of(species, contact, 1e-4, grain=grains, wall=walls, domain=box), overlaps=True)
    engine.evaluate()
    return engine


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("arrangement", ["random", "level", "askew", "tip to tip"])
@pytest.mark.parametrize("rule", INTERACTIONS)
def test_forces_and_torques_of_grains_on_bodies(rule: str, arrangement: str, scale: float) -> None:
    """Each pair of features pushes with k (r_A + r_B - d) (x - y)/d, k = m_A pi^2/t_c^2, at x on the grain; the wall feels the opposite."""
    names = [name for name in CORES if name != "wedge" or arrangement != "tip to tip"]  # its corners are no tips seen from its centre
    pairs = [placed(arrangement, names, seed) for seed in range(COUNT)]
    at = places(pairs, scale)
    engine = scene(pairs, at, INTERACTIONS[rule], scale)
    g, s, count = engine.grains, engine.scene.settings, 0
    for k, row in enumerate(np.argsort(g.gid)):
        p, (centre, middle, _) = pairs[k], at[k]
        first, second = standing(p, scale, 0, centre - middle), standing(p, scale, 1, np.zeros(3))
        stiffness = float(g.v[row, 3]) * (math.pi / ELASTIC["contact_time"]) ** 2
        reach = g.x[row, 3] + species_of(p.names[1], scale)["radius"]
        near = [(x, y, float(np.linalg.norm(x - y))) for x, y in nearest_points(first, second)]
        near = [found for found in near if found[2] < reach]
        pushes = [stiffness * (reach - d) / d * (x - y) for x, y, d in near]
        f, _, _ = least_norm(Pair(centre - middle, first.points - (centre - middle), second.points), 0.0, 0.0)
        assert min(d for _, _, d in near) == pytest.approx(math.sqrt(f), rel=1e-9)
        count += len(near)
        size, lever = sum(float(np.linalg.norm(push)) for push in pushes), 3.0 * scale
        force, arms = np.sum(pushes, axis=0), [x + middle for x, _, _ in near]
        about = [np.sum([np.cross(arm - o, push) for arm, push in zip(arms, pushes, strict=True)], axis=0) for o in (centre, middle)]
        assert np.abs(g.ft[row, :3] * s.force - force).max() < TOLERANCE * size
        assert np.abs(g.ft[row, 4:7] * s.torque - about[0]).max() < TOLERANCE * size * lever
        felt = np.array([booked(limbs) for limbs in engine.scene.walls.reaction[k]], dtype=float)
        assert np.abs(felt[:3] * s.force + force).max() < TOLERANCE * size
        assert np.abs(felt[3:6] * s.torque + about[1]).max() < TOLERANCE * size * lever
    assert len(engine.contacts().key) == count
