"""Polytopes against a plane: proven minima, derivatives, the lowest feature's centroid, scaling."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference_distance import BODIES, CUBE, POINT, PRISM, ROD, derivative, outside
from scipy.spatial.transform import Rotation

from pardem.contacts.nearest.features import HalfSpace
from pardem.contacts.nearest.polytope_active import Core
from pardem.contacts.nearest.polytope_plane import WORK_SIZE, nearest_plane, regularised_plane

seeds = st.integers(0, 2**32 - 1)


def plane(core, normal, h, eps2, warm=0):
    """f, X, active set; the status must be 0."""
    vert = np.vstack([np.full((1, 3), np.nan), core])
    f, x, warm, status = regularised_plane(HalfSpace(tuple(normal), h), Core(vert, 1, len(core)), eps2, warm, np.full(WORK_SIZE, np.nan))
    assert status == 0
    return f, np.array(x), warm


def lowest(core, normal, h):
    vert = np.vstack([np.full((1, 3), np.nan), core])
    d2, x, status = nearest_plane(HalfSpace(tuple(normal), h), Core(vert, 1, len(core)), np.full(WORK_SIZE, np.nan))
    assert status == 0
    return d2, np.array(x)


def random_case(seed):
    rng = np.random.default_rng(seed)
    core = BODIES[rng.integers(len(BODIES))]
    if rng.random() < 0.3:
        core = core * 10.0 ** rng.uniform(-5, 1, 3)
    normal = np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
    if rng.random() < 0.7:  # else level: faces and edges parallel to the plane
        normal = rng.normal(size=3)
        normal /= np.linalg.norm(normal)
    return core, normal, rng.uniform(-1.0, 2.0)


@settings(max_examples=600, deadline=None)
@given(seed=seeds, eps=st.sampled_from([0.0, 0.01, 0.03, 0.1]), scale=st.sampled_from([1.0, 1e-9, 1e6]))
def test_the_minimum_is_proven(seed, eps, scale):
    core, normal, h = random_case(seed)
    core, h, eps2 = scale * core, scale * h, eps * eps
    size2 = h * h + (core**2).sum(1).max()
    f, x, warm = plane(core, normal, h, eps2)
    assert outside(core, x) < 1e-14
    height = h + normal @ x
    assert f == pytest.approx(height**2 + eps2 * (x @ x), rel=0, abs=1e-15 * size2)
    gradient = np.asarray(2 * (height * normal + eps2 * x), np.longdouble)
    assert gradient @ x - (core @ gradient).min() < 2e-14 * size2
    other = plane(core, -normal, h, eps2)[2]  # the active set of another pose
    for start in (warm, other):
        g, y, _ = plane(core, normal, h, eps2, start)
        assert g == pytest.approx(f, rel=0, abs=2e-15 * size2)
        if eps2 > 0.0:
            assert np.abs(y - x).max() < 1e-12 / eps2 * np.sqrt(size2)


def test_closed_forms():
    up = np.array([0.0, 0.0, 1.0])
    f, x, _ = plane(POINT, up, 0.7, 0.01)
    assert f == 0.7**2
    assert (x == 0.0).all()
    for tilt in (0.0, 1e-3, 0.5):  # a rod: s = -h sin/(sin^2 + eps^2), within the rod
        rod = ROD @ Rotation.from_rotvec([0.0, np.pi / 2 - tilt, 0.0]).as_matrix().T
        u, sine = rod[1] / 0.5, rod[1, 2] / 0.5
        s = np.clip(-0.3 * sine / (sine**2 + 0.01), -0.5, 0.5)
        f, x, _ = plane(rod, up, 0.3, 0.01)
        assert x == pytest.approx(s * u, abs=1e-15)
        assert f == pytest.approx((0.3 + s * sine) ** 2 + 0.01 * s**2, rel=1e-14)
    f, x, _ = plane(CUBE, up, 0.5, 9e-4)  # lying flat
    assert x == pytest.approx([0.0, 0.0, -0.4], abs=1e-16)


@settings(max_examples=60, deadline=None)
@given(seed=seeds, eps=st.sampled_from([0.03, 0.1]))
def test_force_and_torque_are_the_gradient(seed, eps):
    """The derivative of d = sqrt(f) by h is height/d, by a turn of the body (X x n) height/d."""
    core, normal, _ = random_case(seed)
    core = core / (np.abs(core).max() or 1.0)
    h = 0.2 - (core @ normal).min()
    f, x, _ = plane(core, normal, h, eps**2)
    d = np.sqrt(f)
    slope = (h + normal @ x) / d

    def distance(core, h):
        return np.sqrt(plane(core, normal, h, eps**2)[0])

    found = derivative(lambda t: distance(core, h + t))
    assert found is None or found == pytest.approx(slope, rel=0, abs=1e-7)
    for k, e in enumerate(np.eye(3)):
        found = derivative(lambda t, e=e: distance(core @ Rotation.from_rotvec(t * e).as_matrix().T, h))
        assert found is None or found == pytest.approx(np.cross(x, normal)[k] * slope, rel=0, abs=1e-7)


def test_lowest_feature():
    """Corner, middle of an edge, centroid of a face; to a tilt of 1e-7."""
    rng = np.random.default_rng(1)
    for core in (CUBE, PRISM):
        for frame in Rotation.random(20, random_state=rng).as_matrix():
            turned = core @ frame.T
            normal = rng.normal(size=3)
            normal /= np.linalg.norm(normal)
            d2, x = lowest(turned, normal, 2.0)
            assert (x == turned[(turned @ normal).argmin()]).all()
            assert d2 == pytest.approx((2.0 + normal @ x) ** 2, rel=1e-15)
    for tilt in (0.0, 1e-16, 1e-9):
        for frame in Rotation.random(20, random_state=rng).as_matrix():
            turned = PRISM @ Rotation.from_rotvec(tilt * rng.normal(size=3)).as_matrix().T @ frame.T
            d2, x = lowest(turned, frame[:, 2], 0.4)
            assert frame.T @ x == pytest.approx([0.0, 0.0, -0.3], abs=1e-7)
            assert d2 == pytest.approx(0.01, rel=1e-7)
    edge = np.array([1.0, 0.0, 1.0]) / np.sqrt(2.0)
    _, x = lowest(CUBE, edge, 1.0)
    assert x == pytest.approx([-0.4, 0.0, -0.4], abs=1e-16)
    _, x = lowest(ROD, np.array([1.0, 0.0, 0.0]), 1.0)
    assert x == pytest.approx([0.0, 0.0, 0.0], abs=1e-16)
    _, x = lowest(ROD, np.array([0.0, 0.0, 1.0]), 1.0)
    assert (x == ROD[0]).all()
    _, x = lowest(POINT, edge, 1.0)
    assert (x == 0.0).all()


@settings(max_examples=100, deadline=None)
@given(seed=seeds, power=st.sampled_from([-20, 20]))
def test_power_of_two_scales_the_bits(seed, power):
    core, normal, h = random_case(seed)
    s = 2.0**power
    f, x, warm = plane(core, normal, h, 9e-4)
    g, y, other = plane(s * core, normal, s * h, 9e-4)
    assert g == s * s * f
    assert (y == s * x).all()
    assert warm == other
    d2, x = lowest(core, normal, h)
    e2, y = lowest(s * core, normal, s * h)
    assert e2 == s * s * d2
    assert (y == s * x).all()


def test_not_a_number_is_reported():
    assert regularised_plane(HalfSpace((0.0, 0.0, 1.0), np.nan), Core(CUBE, 0, 8), 9e-4, 0, np.full(WORK_SIZE, np.nan))[3] == 1
