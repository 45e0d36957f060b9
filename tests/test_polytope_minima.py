"""Nearest points of polytopes: reference distances, proven minima, and the barycentre rule between parallel features."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from reference_distance import ARRANGEMENTS, CUBE, POINT, PRISM, ROD, TETRAHEDRON, Pair, make_pair, optimality_gap, outside, shared_centroid
from reference_points import barycentre
from scipy.spatial.transform import Rotation

from pardem.contacts.nearest.minima import WORK_SIZE, nearest_polytopes
from pardem.contacts.nearest.polytope_faces import MAX_TIES
from pardem.contacts.nearest.polytope_pair import TwoCores

seeds = st.integers(0, 2**32 - 1)


def call(pair, warm=(0, 0)):
    vert = np.vstack([np.full((1, 3), np.nan), pair.a, pair.b])
    return nearest_polytopes(tuple(pair.w), TwoCores(vert, 1, len(pair.a), 1 + len(pair.a), len(pair.b)), warm, np.full(WORK_SIZE, np.nan))


def solve(pair, warm=(0, 0)):
    """d2, X, Y, active sets; the status must be 0."""
    out = call(pair, warm)
    assert out[4] == 0
    return out[0], np.array(out[1]), np.array(out[2]), out[3]


def points(*rows):
    return np.array(rows, dtype=float)


@pytest.mark.parametrize(
    ("a", "b", "squared"),
    [
        (points((1, 2, 3)), points((2, -1, 0), (5, 1, 7)), 301 / 31),
        (points((0, 0, 0), (1, 2, 3)), points((3, 1, -1), (0, 4, 2)), 50 / 13),
        (points((1, 1, 2)), points((0, 0, 0), (4, 0, 1), (0, 3, -1)), 625 / 169),
        (points((0, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 1)), points((1, 2, 2), (3, 2, 1), (2, 4, 3), (1, 3, 4)), 169 / 49),
    ],
)
def test_reference_distances(a, b, squared):
    for first, second in ((a, b), (b, a)):
        ca, cb = first.mean(0), second.mean(0)
        d2, x, y, _ = solve(Pair(ca - cb, first - ca, second - cb))
        assert d2 == pytest.approx(squared, rel=1e-14)
        r = ca + x - cb - y
        assert r @ r == pytest.approx(squared, rel=1e-14)


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@settings(max_examples=150, deadline=None)
@given(seed=seeds, scale=st.sampled_from([1.0, 1e-9, 1e6]))
def test_the_minimum_is_proven(arrangement, seed, scale):
    """The barycentre included: it is as near as any other point, to the tilt up to which features count as parallel.

    That is 1e-7, or what rounding leaves of the normal between points that nearly touch.
    """
    pair = make_pair(arrangement, seed).scaled(scale)
    d2, x, y, warm = solve(pair)
    size = np.sqrt(pair.size2)
    r = pair.w + x - y
    assert r @ r == pytest.approx(d2, rel=0, abs=2e-14 * pair.size2)
    tilt = 1e-7 + (1e-14 * size / np.sqrt(d2) if d2 > 1e-20 * pair.size2 else 0.0)
    assert outside(pair.a, x) < 2.0 * tilt
    assert outside(pair.b, y) < 2.0 * tilt
    excess = min(d2, optimality_gap(pair, x, y, 0.0, 0.0))  # no distance is below 0
    assert excess < 2e-14 * pair.size2 + 4.0 * tilt * np.sqrt(d2) * size
    assert solve(pair, warm)[0] == pytest.approx(d2, rel=0, abs=2e-14 * pair.size2)
    assert solve(pair.exchanged())[0] == pytest.approx(d2, rel=0, abs=2e-14 * pair.size2)


@pytest.mark.parametrize("arrangement", ["lattice", "shared face"])
@settings(max_examples=100, deadline=None)
@given(seed=seeds)
def test_warm_and_exchanged_solves_give_the_same_barycentre(arrangement, seed):
    pair = make_pair(arrangement, seed)
    d2, x, y, _ = solve(pair)
    assume(d2 > 1e-4)
    turned = Rotation.random(random_state=seed % 2**31).as_matrix()
    warm = solve(Pair(pair.w, pair.a @ turned.T, pair.b))[3]
    _, p, q, _ = solve(pair, warm)
    assert p == pytest.approx(x, abs=1e-12)
    assert q == pytest.approx(y, abs=1e-12)
    _, q, p, _ = solve(pair.exchanged())
    assert p == pytest.approx(x, abs=1e-12)
    assert q == pytest.approx(y, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(seed=seeds, tilt=st.sampled_from([0.0, 1e-15, 1e-10]))
def test_faces_share_a_polygon(seed, tilt):
    """A cube above a hexagonal prism, turned about the vertical and slid: centroid of the polygon seen from above, by Qhull."""
    rng = np.random.default_rng(seed)
    frame = Rotation.random(random_state=rng).as_matrix()
    a = CUBE @ Rotation.from_rotvec([0.0, 0.0, rng.uniform(0.0, np.pi)]).as_matrix().T
    a = a @ Rotation.from_rotvec(tilt * rng.normal(size=3)).as_matrix().T
    w = np.array([*rng.uniform(-0.7, 0.7, 2), 0.4 + 0.3 + 0.15])
    expected = shared_centroid((w + a[a[:, 2] < 0])[:, :2], PRISM[6:, :2])
    pair = Pair(frame @ w, a @ frame.T, PRISM @ frame.T)
    d2, x, y, _ = solve(pair)
    if expected is None:
        return
    assert d2 == pytest.approx(0.15**2, rel=0, abs=1e-15 + 2 * tilt)
    assert (frame.T @ y)[:2] == pytest.approx(expected, abs=1e-7)
    assert (frame.T @ (x + pair.w))[:2] == pytest.approx(expected, abs=1e-7)


def test_equal_cubes_face_to_face():
    """Shared rectangles, a shared edge (its middle), a shared corner."""
    for sx, sy in itertools.product((0.0, 0.1, -0.5, 0.8), repeat=2):
        _, x, y, _ = solve(Pair(np.array([sx, sy, 1.0]), CUBE, CUBE))
        assert x == pytest.approx([-sx / 2, -sy / 2, -0.4], abs=1e-15)
        assert y == pytest.approx([sx / 2, sy / 2, 0.4], abs=1e-15)


def test_shared_edge_survives_rounding():
    """Faces that share only an edge: rotated, the edge may be lost in rounding, but not its points."""
    for seed in range(50):
        frame = Rotation.random(random_state=seed).as_matrix()
        d2, x, _, _ = solve(Pair(frame @ np.array([0.8, 0.0, 1.0]), CUBE @ frame.T, CUBE @ frame.T))
        assert d2 == pytest.approx(0.04, rel=1e-13)
        assert frame.T @ x == pytest.approx([-0.4, 0.0, -0.4], abs=1e-14)


def test_edge_on_face_and_edge_on_edge():
    level = ROD @ Rotation.from_rotvec([0.0, np.pi / 2, 0.0]).as_matrix().T  # along x, half-length 0.5
    _, x, y, _ = solve(Pair(np.array([0.3, 0.1, 0.6]), level, CUBE))  # covers x from -0.2 to 0.4 of the face
    assert y == pytest.approx([0.1, 0.1, 0.4], abs=1e-15)
    assert x == pytest.approx([-0.2, 0.0, 0.0], abs=1e-15)
    _, x, y, _ = solve(Pair(np.array([0.6, 0.0, 0.3]), level, level))  # they face each other from 0.1 to 0.5
    assert y == pytest.approx([0.3, 0.0, 0.0], abs=1e-15)
    _, x, y, _ = solve(Pair(np.array([1.2, 0.0, 0.3]), level, level))  # beyond each other
    assert y == pytest.approx([0.5, 0.0, 0.0], abs=1e-15)
    _, x, y, _ = solve(Pair(np.array([0.0, 0.0, 0.84 + 0.2]), TETRAHEDRON, TETRAHEDRON))  # crossed edges
    assert np.concatenate([x, y]) == pytest.approx([0.0, 0.0, -0.42, 0.0, 0.0, 0.42], abs=1e-15)


@pytest.mark.parametrize("short", [0.1, 0.01, 1e-3, 1e-5])
def test_a_short_stretch_of_long_features_has_its_middle(short):
    """An edge askew over the narrow side of a plate, and cubes of which a corner covers a short stretch of an edge: as thin as rounding."""
    plate = CUBE * np.array([0.5 * short, 1.0, 1.0]) / 0.4
    level = 3.0 * ROD @ Rotation.from_euler("xz", [90.0, -65.0], degrees=True).as_matrix().T
    pairs = [Pair(np.array([0.1 * short, 0.3, 1.2]), level, plate), Pair(np.array([0.8, 0.8 - short, 1.0]), CUBE, CUBE)]
    for pair, length in zip(pairs, (short / np.cos(np.radians(25.0)), short), strict=True):
        _, *exact = barycentre(pair)
        for frame in Rotation.random(200, random_state=3).as_matrix():
            _, x, y, _ = solve(Pair(frame @ pair.w, pair.a @ frame.T, pair.b @ frame.T))
            assert np.abs(frame.T @ x - exact[0]).max() < 1e-5 * length + 1e-13
            assert np.abs(frame.T @ y - exact[1]).max() < 1e-5 * length + 1e-13


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.9e-7])
def test_nearly_parallel_rods_count_as_parallel(angle):
    turned = ROD @ Rotation.from_rotvec([angle, 0.0, 0.0]).as_matrix().T
    d2, x, y, _ = solve(Pair(np.array([0.3, 0.0, 0.4]), ROD, turned))
    assert x[2] == pytest.approx(-0.2, abs=1e-6)
    assert y[2] == pytest.approx(0.2, abs=1e-6)
    assert d2 == pytest.approx(0.09, rel=1e-6)


def test_crossing_rods_do_not():
    turned = ROD @ Rotation.from_rotvec([2e-7, 0.0, 0.0]).as_matrix().T
    _, x, _, _ = solve(Pair(np.array([0.3, 0.0, 0.1]), ROD, turned))
    assert x[2] == pytest.approx(-0.1, abs=1e-6)  # where they cross: B's centre


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@settings(max_examples=50, deadline=None)
@given(seed=seeds, power=st.sampled_from([-40, -20, 20]))
def test_power_of_two_scales_the_bits(arrangement, seed, power):
    pair = make_pair(arrangement, seed)
    s = 2.0**power
    d2, x, y, warm = solve(pair)
    g, p, q, other = solve(pair.scaled(s))
    assert g == s * s * d2
    assert (p == s * x).all()
    assert (q == s * y).all()
    assert warm == other


def disc(n):
    t = 2 * np.pi * np.arange(n) / n
    return np.array([[0.5 * np.cos(u), 0.5 * np.sin(u), z] for z in (-0.3, 0.3) for u in t])


def test_large_faces():
    n = MAX_TIES
    w = np.array([0.6, 0.0, 0.9])
    d2, _, y, _ = solve(Pair(w, disc(n), disc(n - 1)))
    assert d2 == pytest.approx(0.09, rel=1e-12)
    assert y == pytest.approx([*shared_centroid((w + disc(n)[:n])[:, :2], disc(n - 1)[: n - 1, :2]), 0.3], abs=1e-7)
    assert call(Pair(w, disc(n + 1), disc(n)))[4] == 2


def test_point_cores_and_numbers_that_are_none():
    assert solve(Pair(np.array([1.0, 2.0, 2.0]), POINT, POINT))[0] == 9.0
    assert call(Pair(np.array([np.nan, 0.0, 0.0]), CUBE, CUBE))[4] == 1
