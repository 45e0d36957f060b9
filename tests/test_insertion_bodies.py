"""Random insertion keeps clear of bodies among the walls: solid ones, open shells, containers, in periodic images."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scenes import ELASTIC, ROD, SPHERE, case_of, engine_of

from pardem.errors import InsertionError
from pardem.setup.initial_grains import initial_grains

BALL = SPHERE | {"radius": 0.1}
CORNERS = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]
BLOCK = {"name": "block", "shape": "polyhedron", "radius": 0.05, "density": 1.0, "vertices": CORNERS}
GAP = 0.15  # sum of the radii


def placed(walls: list[dict[str, Any]], region: float, species: list[dict[str, Any]] | None = None, **more: Any) -> np.ndarray:
    """Centres of 150 balls in a cube of some half-width about the origin."""
    insert = {"species": "ball", "count": 150, "region": {"kind": "box", "lower": (-region,) * 3, "upper": (region,) * 3}}
    case = case_of([BALL, *(species or [BLOCK])], ELASTIC, 1e-4, wall=walls, insert=[insert], seed=2, **more)
    engine, _ = engine_of(case)
    engine.evaluate()
    assert not len(engine.contacts().key)
    return np.asarray(engine.grains.x[:, :3])


def outside(x: np.ndarray) -> np.ndarray:
    """Distance of points from the block's core."""
    return np.asarray(np.linalg.norm(np.maximum(np.abs(x) - 1.0, 0.0), axis=1))


def test_grains_stay_out_of_a_block_that_is_not_in_the_middle() -> None:
    centre = np.array([0.9, 0.0, 0.3])
    x = placed([{"name": "wall", "kind": "body", "species": "block", "position": tuple(centre), "scale": 0.8}], 2.0)
    assert (0.8 * outside((x - centre) / 0.8)).min() >= 0.1 + 0.8 * 0.05


def test_a_block_about_the_middle_holds_the_grains() -> None:
    x = placed([{"name": "wall", "kind": "body", "species": "block", "position": (0.2, 0.0, 0.0)}], 0.95)
    assert (1.0 - np.abs(x - [0.2, 0.0, 0.0])).min() >= GAP


def test_an_open_shell_is_met_from_both_sides() -> None:
    sheet = {"name": "sheet", "shape": "skeleton", "radius": 0.05, "density": 1.0, "faces": [[0, 1, 2, 3]],
             "vertices": [(-1.5, -1.5, 0.3), (1.5, -1.5, 0.3), (1.5, 1.5, 0.3), (-1.5, 1.5, 0.3)]}  # fmt: skip
    x = placed([{"name": "wall", "kind": "body", "species": "sheet"}], 1.2, [sheet])
    assert np.abs(x[:, 2] - 0.3).min() >= GAP
    assert (x[:, 2] > 0.3).any()
    assert (x[:, 2] < 0.3).any()


def test_images_of_a_block_count() -> None:
    domain = {"lower": (-2, -2, -2), "upper": (2, 2, 2), "periodic": (True, False, False)}
    x = placed([{"name": "wall", "kind": "body", "species": "block", "position": (2.0, 0.9, 0.9), "scale": 0.7}], 2.0, domain=domain)
    for shift in (-4.0, 0.0):
        assert (0.7 * outside((x - [2.0 + shift, 0.9, 0.9]) / 0.7)).min() >= 0.1 + 0.7 * 0.05


def test_a_polygon_in_the_plane_holds_rice_or_keeps_it_out() -> None:
    disk = {"name": "disk", "shape": "disk", "radius": 0.1, "density": 1.0}
    frame = {"name": "frame", "shape": "polygon", "radius": 0.05, "density": 1.0, "vertices": [(-1, -1), (1, -1), (1, 1), (-1, 1)]}
    for region, holds in (((-0.95, -0.95, 0.95, 0.95), True), ((-0.5, -3.0, 3.0, 3.0), False)):
        case = case_of(
            [disk, frame], ELASTIC, 1e-4, dimension=2, gravity=(0.0, 0.0), wall=[{"name": "wall", "kind": "body", "species": "frame"}],
            domain={"lower": (-5, -5), "upper": (5, 5)},
            insert=[{"species": "disk", "count": 40, "region": {"kind": "box", "lower": region[:2], "upper": region[2:]}}],
        )  # fmt: skip
        engine, _ = engine_of(case)
        inside = (np.abs(engine.grains.x[:, :2]) < 1.0).all(axis=1)
        assert inside.all() if holds else not inside.any()


def test_walls_of_later_stages_do_not_count() -> None:
    wall = {"name": "wall", "kind": "body", "species": "block", "position": (0.9, 0, 0), "stages": ["later"]}
    stage = [{"name": name, "kind": "run", "steps": 1} for name in ("go", "later")]
    insert = {"species": "ball", "count": 150, "region": {"kind": "box", "lower": (-2.0,) * 3, "upper": (2.0,) * 3}}
    case = case_of([BALL, BLOCK], ELASTIC, 1e-4, wall=[wall], insert=[insert], seed=2, stage=stage)
    engine, setup = engine_of(case)
    assert (outside(initial_grains(case, setup.catalogue).x[:, :3] - [0.9, 0, 0]) < GAP).any()
    assert engine.grains.count == 150


def test_a_region_between_blocks_is_full() -> None:
    """The blocks' rounding leaves no room between their cores."""
    walls = [{"name": f"wall_{k}", "kind": "body", "species": "block", "position": (x, 0, 0), "scale": 9.5} for k, x in enumerate((-8.9, 10.7))]
    rods = {"species": "rod", "count": 1, "region": {"kind": "box", "lower": (0.0, -0.9, -0.9), "upper": (1.8, 0.9, 0.9)}}
    with pytest.raises(InsertionError, match="no free position"):
        engine_of(case_of([ROD | {"length": 0.2, "radius": 0.1}, BLOCK], ELASTIC, 1e-4, wall=walls, insert=[rods]))
