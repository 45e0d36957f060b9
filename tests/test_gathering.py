"""Grains gathered under the points of a triangulation: each under the nearest, within reach, and points wherever grains would be too far from one."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import ROD, SPHERE, case_of, engine_of

from pardem.detection.edge_pairs import SphereMesh
from pardem.detection.edge_walk import web_of
from pardem.detection.gathering import CLASS, FAR, SIDE, gathered, one_of_each_cell, points_among
from pardem.triangulation.triangulation import Triangulation

REACH = FAR * SIDE


@pytest.fixture(scope="module")
def bed():
    """Centres (B, 4), radii and arrays of spheres of two sizes and some rods."""
    box = {"kind": "box", "lower": (0, 0, 0), "upper": (4, 4, 4)}
    engine, _ = engine_of(case_of(
        [SPHERE, ROD], {"law": "elastic", "contact_time": 0.1}, 1e-3, seed=5, domain={"lower": (0, 0, 0), "upper": (4, 4, 4)},
        insert=[{"species": "ball", "count": 3, "size": 0.8, "region": box}, {"species": "rod", "count": 4, "size": 0.2, "region": box},
                {"species": "ball", "count": 2000, "size": 0.15, "region": box}],
    ))  # fmt: skip
    g, n = engine.state.grains, engine.grains.count
    xw = np.zeros((n, 4))
    xw[:, :3] = g.x[:n, :3]
    return xw, engine.rebuilder.radii(engine.grains), g


def web_among(point):
    """The edges between points, all of which are in a frame."""
    frame = 40.0 * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    mesh = Triangulation(np.concatenate([frame, point]), np.zeros(len(point) + 4))
    return web_of(SphereMesh(*mesh.rows, np.arange(-4, len(point), dtype=np.int32).clip(-1)), point)


def test_a_point_stands_for_each_cell(bed) -> None:
    xw, radius, g = bed
    grain = np.arange(len(xw), dtype=np.int32)
    lead = points_among(np.zeros(len(xw), bool), grain, xw, g, radius)
    rods = np.flatnonzero(np.diff(g.vert_start[: len(xw) + 1]) == 2)
    assert len(rods) == 4
    assert np.isin(rods, lead).all()
    lead = one_of_each_cell(np.arange(len(xw)), grain, xw, g, radius)
    assert np.isin(rods, lead).all()
    assert len(np.unique(lead)) == len(lead) < 0.4 * len(xw)
    away = np.linalg.norm(xw[:, None, :3] - xw[None, lead, :3], axis=2)
    assert (away.min(axis=1) <= np.sqrt(3) * SIDE * radius * (1 + 1e-12)).all()
    assert np.sqrt(3) < FAR
    assert CLASS > 1.0


def test_points_that_were_known_remain_the_only_ones(bed) -> None:
    xw, radius, g = bed
    known = np.zeros(len(xw), bool)
    known[[7, 700]] = True
    lead = points_among(known, np.arange(len(xw), dtype=np.int32), xw, g, radius)
    rods = np.flatnonzero(np.diff(g.vert_start[: len(xw) + 1]) == 2)
    assert set(lead) == {7, 700} | set(rods.tolist())


@pytest.mark.parametrize("points", [5, 60, 600])
def test_each_grain_is_under_the_nearest_point(bed, points: int) -> None:
    xw, radius, g = bed
    rng = np.random.default_rng(points)
    grain, shift = rng.permutation(len(xw)).astype(np.int32), np.array([0.2, -0.3, 0.1])
    xw = xw[grain]
    lead = rng.choice(len(xw), points, replace=False)
    point = xw[lead, :3] - shift + 0.05 * rng.normal(size=(points, 3))  # which lag behind
    groups, far = gathered(grain, xw, shift[None], lead, point, web_among(point), g, radius)
    here = {int(i): xw[b, :3] - shift for b, i in enumerate(grain)}
    away = np.linalg.norm(xw[:, None, :3] - shift - point, axis=2)
    assert sorted(groups.grain) == list(range(len(xw)))
    nearest = dict(zip(grain.tolist(), away.min(axis=1), strict=True))
    leads = {int(grain[b]): a for a, b in enumerate(lead)}
    for a in range(points):
        for place in range(groups.start[a], groups.start[a + 1]):
            i = int(groups.grain[place])
            distance = np.linalg.norm(here[i] - point[a])
            assert leads.get(i, a) == a
            assert i in leads or distance == pytest.approx(nearest[i], rel=1e-12)
            assert distance + radius[i] <= groups.reach[a]
            assert (groups.x[place], groups.y[place], groups.z[place], groups.radius[place]) == (*here[i], radius[i])
        assert groups.start[a + 1] > groups.start[a]
    lonely = {b for b in range(len(xw)) if b not in set(lead.tolist()) and away[b].min() > REACH * radius[grain[b]]}
    assert set(far.tolist()) == lonely
