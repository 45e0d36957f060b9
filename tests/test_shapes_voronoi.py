"""Rounded Voronoi cells: no overlaps, exact volumes, vanished cells, periodic and boxed, the void ratio asked for, files, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import Voronoi
from voronoi_checks import beyond_cells, box, mass_deviations, slab_gaps

from pardem.errors import FileError, ShapeError
from pardem.shapes import Packing, Rounding, voronoi_packing
from pardem.shapes.voronoi.cells import voronoi_cells
from pardem.shapes.voronoi.packing import random_sites

DIMENSIONS = pytest.mark.parametrize("d", [2, 3])


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    d=st.sampled_from([2, 3]),
    count=st.integers(1, 30),
    periodic=st.lists(st.booleans(), min_size=3, max_size=3),
    share=st.floats(0.01, 0.6),
    lattice=st.booleans(),
)
def test_cores_keep_twice_the_erosion_from_each_other(seed, d, count, periodic, share, lattice):
    lower, upper = box(d)
    sites = random_sites(count, lower, upper, seed)
    if lattice:  # many planes through one vertex
        sites = np.unique(np.round(sites * 8.0) / 8.0, axis=0)
        sites = sites[((sites >= lower) & (sites < upper)).all(axis=1)]
        if len(sites) == 0:
            return
    erosion = share * 0.5 * (np.prod(np.subtract(upper, lower)) / len(sites)) ** (1.0 / d)
    packing = voronoi_packing(sites, lower, upper, Rounding(erosion=erosion), periodic=periodic[:d])
    if len(packing):
        assert slab_gaps(packing).min() >= erosion - 1e-13
    assert len(packing) + len(packing.vanished) == len(sites)
    assert (packing.volume > 0.0).all()
    for k in range(len(packing)):
        shape = packing.shape(k)
        assert len(shape.vertices) - len(shape.edges) + len(shape.faces) == (2 if d == 3 else 1)


@DIMENSIONS
@pytest.mark.parametrize("periodic", [True, False])
def test_cells_fill_the_box(d, periodic):
    cells = voronoi_cells(random_sites(200, *box(d), seed=4), *box(d), periodic)
    assert cells.measure(0.0).volume.sum() == pytest.approx(cells.volume, rel=1e-13)


@DIMENSIONS
def test_neighbours_are_those_of_qhull(d):
    lower, upper = box(d)
    sites = random_sites(80, lower, upper, seed=4)
    cells = voronoi_cells(sites, lower, upper)
    turns = np.stack(np.meshgrid(*[(0, 1, -1)] * d, indexing="ij"), axis=-1).reshape(-1, d)
    ridges = Voronoi((sites + turns[:, None] * np.subtract(upper, lower)).reshape(-1, d)).ridge_points
    ridges = np.concatenate([ridges, ridges[:, ::-1]])
    expected = sorted((a, b % len(sites)) for a, b in ridges.tolist() if a < len(sites))
    cell = np.repeat(np.arange(len(sites)), np.diff(cells.plane_start))
    assert sorted(zip(cell.tolist(), cells.neighbour.tolist())) == expected


@DIMENSIONS
def test_volume_and_centre_are_those_of_the_shapes(d):
    packing = voronoi_packing(40, *box(d), Rounding(erosion=0.03, radius=0.02), periodic=(True, False, True)[:d], seed=9)
    solid = float(packing.volume.sum())
    assert packing.void_ratio() == pytest.approx((np.prod(packing.upper - packing.lower) - solid) / solid, rel=1e-12)
    shapes = packing.shapes()
    assert {s.dimension for s in shapes} == {d}
    if d == 3:
        volume, centre = mass_deviations()
        assert volume < 1e-12
        assert centre < 1e-14
    else:
        shapely = pytest.importorskip("shapely")
        for k in range(len(packing)):
            disk = shapely.Polygon(packing.core(k)).buffer(packing.radius, quad_segs=2000)
            assert disk.area == pytest.approx(packing.volume[k], rel=1e-6)
            assert disk.length == pytest.approx(packing.surface[k], rel=1e-6)
            np.testing.assert_allclose(np.ravel(disk.centroid.coords) - packing.centres[k], 0.0, atol=1e-7)


@DIMENSIONS
@pytest.mark.parametrize("form", [{"roundness": 1.0}, {"roundness": 0.2}, {"radius": 0.005}])
def test_void_ratio_asked_for(d, form):
    packing = voronoi_packing(300, *box(d), Rounding(void_ratio=0.25, **form), seed=2)
    assert packing.void_ratio() == pytest.approx(0.25, rel=1e-9)
    assert packing.radius == pytest.approx(form.get("radius", form.get("roundness", 0.0) * packing.erosion))


@DIMENSIONS
def test_opening_stays_inside_its_cell_and_touches_its_sides(d):
    beyond, grains = beyond_cells(d)
    assert beyond <= 1e-14
    assert grains > 20


@DIMENSIONS
def test_more_regular_cells_and_rounder_grains(d):
    random, relaxed = (voronoi_packing(200, *box(d), Rounding(void_ratio=0.2), regularity=steps) for steps in (0, 5))
    assert np.std(relaxed.volume) < 0.5 * np.std(random.volume)
    angular, rounder = (voronoi_packing(200, *box(d), Rounding(void_ratio=0.2, roundness=r)) for r in (0.1, 1.0))
    assert angular.sphericity().mean() < rounder.sphericity().mean() < 1.0


def test_vanished_cells_are_named():
    sites = np.array([[0.1, 0.5], [0.15, 0.5], [0.7, 0.5]])
    packing = voronoi_packing(sites, (0.0, 0.0), (1.0, 1.0), Rounding(erosion=0.1), periodic=False)
    assert packing.vanished.tolist() == [0]
    assert packing.site.tolist() == [1, 2]
    none = voronoi_packing(sites, (0.0, 0.0), (1.0, 1.0), Rounding(erosion=0.6))
    assert len(none) == 0
    assert none.void_ratio() == np.inf


def test_one_cell_and_cubes():
    one = voronoi_packing(np.array([[0.2, 0.3, 0.4]]), (0.0,) * 3, (1.0, 2.0, 3.0), Rounding(erosion=0.25, radius=0.1))
    assert one.volume[0] == pytest.approx(one.shapes()[0].mass_properties().volume)
    np.testing.assert_allclose(np.ptp(one.vertices, axis=0), [0.5, 1.5, 2.5])
    grid = np.stack(np.meshgrid(*[(np.arange(4) + 0.5) / 4] * 3), axis=-1).reshape(-1, 3)
    cubes = voronoi_packing(grid, (0.0,) * 3, (1.0,) * 3, Rounding(erosion=0.05))
    assert set(np.diff(cubes.vertex_start)) == {8}
    assert set(np.diff(cubes.face_start)) == {6}
    np.testing.assert_allclose(cubes.volume, cubes.volume[0], rtol=1e-13)


def test_lengths_scale_by_powers_of_two():
    packing = voronoi_packing(50, (0.0,) * 3, (1.0,) * 3, Rounding(erosion=0.05), seed=1)
    small = voronoi_packing(packing.sites * 2.0**-20, (0.0,) * 3, (2.0**-20,) * 3, Rounding(erosion=0.05 * 2.0**-20))
    assert np.array_equal(small.vertices, packing.vertices * 2.0**-20)


def test_file(tmp_path):
    packing = voronoi_packing(20, (0.0,) * 3, (1.0,) * 3, Rounding(erosion=0.05))
    packing.save(tmp_path / "p.npz")
    again = Packing.load(tmp_path / "p.npz")
    for name, value in vars(packing).items():
        assert np.array_equal(value, getattr(again, name)), name
    np.savez(tmp_path / "other.npz", x=1)
    with pytest.raises(FileError, match=r"other\.npz holds no packing"):
        Packing.load(tmp_path / "other.npz")
    with pytest.raises(FileError, match=r"none\.npz could not be read"):
        Packing.load(tmp_path / "none.npz")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({}, "exactly one of erosion"),
        ({"erosion": 0.1, "void_ratio": 0.2}, "exactly one of erosion"),
        ({"erosion": 0.1, "radius": 0.05, "roundness": 0.5}, "at most one of radius"),
        ({"erosion": 0.01, "radius": 0.05}, "radius = 0.05 m is larger than erosion"),
        ({"erosion": -1.0}, "erosion = -1.0 must be a positive"),
        ({"erosion": 0.1, "roundness": 1.5}, "above 1 grains would overlap"),
        ({"void_ratio": 0.01, "radius": 0.05}, "cannot be reached with radius"),
        ({"void_ratio": 1e9}, "cells vanish"),
        ({"erosion": 0.1, "regularity": -1}, "regularity = -1 must be"),
        ({"erosion": 0.1, "seed": -1}, "seed = -1 must be"),
        ({"erosion": 0.1, "sites": 0}, "count = 0 must be"),
        ({"erosion": 0.1, "sites": np.array([[0.5, 0.5], [2.0, 0.5]])}, "Site 1 = .* lies outside of the box"),
        ({"erosion": 0.1, "sites": np.array([[0.5, 0.0], [0.5, 1.0]])}, "given 2 times"),
        ({"erosion": 0.1, "sites": np.array([0.5, 0.5])}, "sites must be an array"),
        ({"erosion": 0.1, "upper": (0.0, 1.0)}, "must be corners of a box"),
        ({"erosion": 0.1, "periodic": (True, True, True)}, "periodic = .* must be"),
    ],
)
def test_bad_values_are_named(keys, message):
    arguments = {"sites": 5, "lower": (0.0, 0.0), "upper": (1.0, 1.0)} | keys
    rounding = Rounding(**{name: arguments.pop(name) for name in Rounding._fields if name in arguments})
    with pytest.raises(ShapeError, match=message):
        voronoi_packing(rounding=rounding, **arguments)
