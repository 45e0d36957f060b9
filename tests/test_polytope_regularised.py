"""The regularised distance of polytopes: proven minima, derivatives, symmetry, scaling, warm starts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from reference_distance import (
    ARRANGEMENTS,
    CUBE,
    POINT,
    ROD,
    TETRAHEDRON,
    TRIANGLE,
    Pair,
    derivative,
    make_pair,
    optimality_gap,
    outside,
    slsqp_distance,
    value,
)
from scipy.spatial.transform import Rotation

from pardem.compiled.jit import kernel
from pardem.contacts.nearest.polytope_pair import TwoCores, minimum_where_it_was
from pardem.contacts.nearest.regularised import WORK_SIZE, regularised_polytopes

EPS = [0.0, 0.01, 0.03, 0.1]
seeds = st.integers(0, 2**32 - 1)


def solve(pair, ea, eb, warm=(0, 0)):
    """f, X, Y, active sets; the status must be 0."""
    vert = np.vstack([np.full((1, 3), np.nan), pair.a, pair.b])  # a row before, so that offsets matter
    f, x, y, sets, status = regularised_polytopes(
        tuple(pair.w), TwoCores(vert, 1, len(pair.a), 1 + len(pair.a), len(pair.b)), (ea, eb), warm, np.full(WORK_SIZE, np.nan)
    )
    assert status == 0
    return f, np.array(x), np.array(y), sets


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@settings(max_examples=150, deadline=None)
@given(seed=seeds, ea=st.sampled_from(EPS), eb=st.sampled_from(EPS), scale=st.sampled_from([1.0, 1e-9, 1e6]))
def test_the_minimum_is_proven(arrangement, seed, ea, eb, scale):
    pair = make_pair(arrangement, seed).scaled(scale)
    f, x, y, warm = solve(pair, ea**2, eb**2)
    assert outside(pair.a, x) < 1e-14
    assert outside(pair.b, y) < 1e-14
    assert min(f, optimality_gap(pair, x, y, ea**2, eb**2)) < 2e-14 * pair.size2  # f is never below 0
    assert f == pytest.approx(value(pair, x, y, ea**2, eb**2), rel=0, abs=2e-15 * pair.size2)
    again, _, _, _ = solve(pair, ea**2, eb**2, warm)
    assert again == pytest.approx(f, rel=0, abs=2e-15 * pair.size2)


@pytest.mark.parametrize("arrangement", ["random", "lattice", "parallel", "shared face", "overlapping"])
@settings(max_examples=50, deadline=None)
@given(seed=seeds, eps=st.sampled_from(EPS))
def test_agrees_with_quadratic_programming(arrangement, seed, eps):
    pair = make_pair(arrangement, seed)
    f, *_ = solve(pair, eps**2, eps**2)
    other = slsqp_distance(pair, eps**2, eps**2)
    assert -1e-14 * pair.size2 < other - f < 1e-6 * pair.size2  # never above the other solver's, which stops early on parallel features


@pytest.mark.parametrize("arrangement", ["random", "lattice", "parallel", "shared face", "unequal"])
@settings(max_examples=100, deadline=None)
@given(seed=seeds, turn=st.sampled_from([1e-6, 1e-2, 1.0]))
def test_warm_and_exchanged_solves_agree(arrangement, seed, turn):
    """Warm starts come from the same pair in another pose."""
    pair = make_pair(arrangement, seed)
    rng = np.random.default_rng(seed)
    size, bound = np.sqrt(pair.size2), 1e-12 / 9e-4
    f, x, y, _ = solve(pair, 9e-4, 9e-4)
    turned = Rotation.from_rotvec(turn * rng.normal(size=3)).as_matrix()
    _, _, _, warm = solve(Pair(pair.w + turn * rng.normal(size=3), pair.a @ turned.T, pair.b), 9e-4, 9e-4)
    for g, p, q, _ in (solve(pair, 9e-4, 9e-4, warm), (lambda g, q, p, s: (g, p, q, s))(*solve(pair.exchanged(), 9e-4, 9e-4))):
        assert g == pytest.approx(f, rel=0, abs=2e-15 * pair.size2)
        assert np.abs(np.concatenate([p - x, q - y])).max() < bound * size


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@settings(max_examples=50, deadline=None)
@given(seed=seeds, power=st.sampled_from([-40, -20, 20]))
def test_power_of_two_scales_the_bits(arrangement, seed, power):
    pair = make_pair(arrangement, seed)
    s = 2.0**power
    f, x, y, warm = solve(pair, 9e-4, 1e-2)
    for start in ((0, 0), warm):
        f, x, y, kept = solve(pair, 9e-4, 1e-2, start)
        g, p, q, other = solve(pair.scaled(s), 9e-4, 1e-2, start)
        assert g == s * s * f
        assert (p == s * x).all()
        assert (q == s * y).all()
        assert kept == other


def distance(pair, eps2):
    return np.sqrt(solve(pair, eps2, eps2)[0])


def rotation(axis, angle):
    return Rotation.from_rotvec(angle * axis).as_matrix().T


@pytest.mark.parametrize("arrangement", ["random", "parallel", "shared face"])
@settings(max_examples=60, deadline=None)
@given(seed=seeds, eps=st.sampled_from([0.03, 0.1]))
def test_force_and_torque_are_the_gradient(arrangement, seed, eps):
    """Against finite differences of d: F_A ~ -(x - y)/d, tau_A ~ X x F_A, tau_B ~ -Y x F_A, to 1e-7."""
    pair = make_pair(arrangement, seed)
    f, x, y, _ = solve(pair, eps**2, eps**2)
    d = np.sqrt(f)
    assume(d > 0.05)  # else the cores touch
    along = (pair.w + x - y) / d
    checked = 0
    for k, e in enumerate(np.eye(3)):
        moves = [
            (along[k], lambda t, e=e: pair._replace(w=pair.w + t * e)),
            (np.cross(x, along)[k], lambda t, e=e: pair._replace(a=pair.a @ rotation(e, t))),
            (-np.cross(y, along)[k], lambda t, e=e: pair._replace(b=pair.b @ rotation(e, t))),
        ]
        for expected, move in moves:
            found = derivative(lambda t, move=move: distance(move(t), eps**2))
            if found is not None:
                assert found == pytest.approx(expected, rel=0, abs=1e-7)
                checked += 1
    assert checked >= 3


def test_two_points_and_a_point_on_a_rod():
    assert solve(Pair(np.array([1.0, 2.0, 3.0]), POINT, POINT), 0.01, 0.01)[0] == 14.0
    # W = (1, 0, 0.3): Y = (0, 0, t) minimises 1 + (0.3 - t)^2 + eps^2 t^2
    f, _, y, _ = solve(Pair(np.array([1.0, 0.0, 0.3]), POINT, ROD), 0.01, 0.01)
    assert y == pytest.approx([0.0, 0.0, 0.3 / 1.01])
    assert f == pytest.approx(1.0 + 0.09 * 0.01 / 1.01, rel=1e-15)


def test_parallel_faces_and_edges_have_one_smooth_contact():
    """Level cubes: the contact lies in the middle of the faces, and moves off it in proportion to the tilt.

    With gap D and tilt t, f = (D + t u)^2 + (u - v)^2 + eps^2 (u^2 + v^2) + const has its minimum at u = -D t/(2 eps^2) = v for small t and eps.
    """
    eps2, gap = 9e-4, 0.19
    f, x, _, _ = solve(Pair(np.array([0.0, 0.0, 0.8 + gap]), CUBE, CUBE), eps2, eps2)
    assert x == pytest.approx([0.0, 0.0, -0.4], abs=1e-14)
    assert f == pytest.approx(gap**2 + 2 * eps2 * 0.16, rel=1e-14)
    for tilt in (1e-8, 1e-6, 1e-5, 1e-4):
        turned = CUBE @ Rotation.from_rotvec([0.0, tilt, 0.0]).as_matrix().T
        _, x, _, _ = solve(Pair(np.array([0.0, 0.0, 0.8 + gap]), turned, CUBE), eps2, eps2)
        assert x[0] == pytest.approx(tilt * gap / (2 * eps2), rel=2e-2)


def test_tetrahedra_edge_on_edge_overlapping_deeply_do_not_cycle():
    for depth in (0.0, 1e-12, 1e-3, 0.2, 0.5):
        pair = Pair(np.array([0.0, 0.0, 0.84 - depth]), TETRAHEDRON, TETRAHEDRON)
        for ea, eb in ((0.0, 0.0), (9e-4, 9e-4), (0.0, 9e-4), (9e-4, 0.0)):
            _, x, y, _ = solve(pair, ea, eb)
            assert optimality_gap(pair, x, y, ea, eb) < 1e-14


def test_same_body_on_itself():
    for core in (CUBE, TETRAHEDRON, TRIANGLE, ROD, POINT):
        for ea, eb in ((0.0, 0.0), (9e-4, 9e-4), (0.0, 9e-4)):
            f, *_ = solve(Pair(np.zeros(3), core, core), ea, eb)
            assert f == pytest.approx(0.0, abs=1e-15)


def test_warm_start_whose_features_have_become_parallel():
    """Crossed edges that turn parallel with both eps zero leave a singular system: the solver starts anew."""
    crossed = ROD @ Rotation.from_rotvec([0.0, 1.0, 0.0]).as_matrix().T
    w = np.array([0.3, 0.5, 0.0])
    _, _, _, warm = solve(Pair(w, crossed, ROD), 0.0, 0.0)
    f, *_ = solve(Pair(w, ROD, ROD), 0.0, 0.0, warm)
    assert f == pytest.approx(0.34, rel=1e-15)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_not_a_number_is_reported(bad):
    vert = np.vstack([CUBE, CUBE])
    out = regularised_polytopes((bad, 0.0, 0.0), TwoCores(vert, 0, 8, 8, 8), (9e-4, 9e-4), (0, 0), np.full(WORK_SIZE, np.nan))
    assert out[4] == 1


def test_active_sets_hold_the_largest_vertex_numbers():
    """Numbers of up to 16 bits survive in every slot: a polygon of 65000 corners, where the last are the nearest."""
    n = 65000
    t = 2 * np.pi * np.arange(n) / n
    disc = np.column_stack([np.cos(t), np.sin(t), np.zeros(n)])
    w = -np.array([3.0, -1e-4, 0.1])
    pair = Pair(w, POINT, disc @ Rotation.from_rotvec([0.0, 0.0, np.pi]).as_matrix().T)
    f, x, y, warm = solve(pair, 0.0, 9e-4)
    assert optimality_gap(pair, x, y, 0.0, 9e-4) < 2e-14 * pair.size2
    again, *_ = solve(pair, 0.0, 9e-4, warm)
    assert again == pytest.approx(f, rel=1e-15)


@kernel(cache=False)
def _first_round(w, cores, eps2, sets):
    best, ended = minimum_where_it_was(w, cores, eps2, sets)
    return best.f, best.x, best.y, ended


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@settings(max_examples=50, deadline=None)
@given(seed=seeds, eps=st.sampled_from(EPS[1:]))
def test_the_first_round_ends_where_the_search_does_or_not_at_all(arrangement, seed, eps):
    pair = make_pair(arrangement, seed)
    vert = np.vstack([pair.a, pair.b])
    f, x, y, sets = solve(pair, eps**2, eps**2)
    cores = TwoCores(vert, 0, len(pair.a), len(pair.a), len(pair.b))
    again, x_again, y_again, ended = _first_round(tuple(pair.w), cores, (eps**2, eps**2), sets)
    four = any(pack >> 48 for pack in sets)
    assert not (ended and four)  # left to the whole search
    assert ended or four or arrangement != "random"
    if ended:
        assert again == pytest.approx(f, rel=0, abs=2e-15 * pair.size2)
        np.testing.assert_allclose(np.array([x_again, y_again]), [x, y], rtol=0, atol=1e-6 * np.sqrt(pair.size2))
