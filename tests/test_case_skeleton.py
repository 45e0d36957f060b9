"""Species with skeletons and meshes in a case."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from case_scene import changed, scene
from skeletons import ell

from pardem.case import Case
from pardem.errors import CaseError, FileError, ShapeError
from pardem.io.casefile import read_case

L, L_FACES = ell(2.0, 2.0, 1.0, 1.0, 1.0)


def case(**keys: Any) -> Case:
    return Case(**changed("species.1", {"name": "rod", "density": 1000.0, "radius": 0.1, **keys}))


@pytest.mark.parametrize(
    ("keys", "vertices", "solid"),
    [
        ({"shape": "polyline", "vertices": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]}, 3, False),
        ({"shape": "yermis", "edge": 1.0}, 4, False),
        ({"shape": "yermis", "edge": 1.0, "segments": 5, "bend": 1.0, "torsion": -1.0}, 6, False),
        ({"shape": "skeleton", "vertices": L, "faces": L_FACES, "solid": True}, 12, True),
        ({"shape": "skeleton", "vertices": L.tolist(), "faces": L_FACES, "edges": [[0, 6]]}, 12, False),
        ({"shape": "skeleton", "vertices": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [3.0, 1.0, 0.0]], "edges": [[0, 1]], "points": [2]}, 3, False),
    ],
)
def test_shapes_and_effective_case(keys: dict[str, Any], vertices: int, solid: bool, tmp_path: Path) -> None:
    this = case(**keys)
    shape = this.species[1].make_shape()
    assert this.species[1].core_vertices == len(shape.vertices) == vertices
    assert (shape.solid, shape.convex) == (solid, False)
    (tmp_path / "case.toml").write_text(this.to_toml())
    assert read_case(tmp_path / "case.toml").to_toml() == this.to_toml()


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"shape": "yermis", "edge": 1.0, "segments": 1}, "species.rod.segments = 1 must be at least 2"),
        ({"shape": "yermis", "edge": 1.0, "bend": 4.0}, "species.rod.bend = 4.0 must be less than"),
        ({"shape": "skeleton", "vertices": L, "faces": [[0, 1, 2.5]]}, "must be a whole number"),
        ({"shape": "skeleton", "vertices": L, "faces": [[0, 1, -2]]}, "must be at least 0"),
        ({"shape": "mesh"}, "species.rod.file is missing"),
        ({"shape": "mesh", "file": "x.stl", "faces": 3}, "species.rod.faces = 3 must be at least 4"),
    ],
)
def test_wrong_keys(keys: dict[str, Any], sentence: str) -> None:
    with pytest.raises(CaseError) as caught:
        case(**keys)
    assert sentence in str(caught.value)


def test_wrong_skeleton_names_the_species() -> None:
    with pytest.raises(ShapeError, match=r"^species\.rod: Shape\.skeleton is not closed: the edge between vertices"):
        case(shape="skeleton", vertices=L, faces=L_FACES[1:], solid=True).species[1].make_shape()


def test_mesh_is_found_beside_the_case_and_enters_the_hash(tmp_path: Path) -> None:
    trimesh.creation.box((1.0, 1.0, 1.0)).export(tmp_path / "grain.stl")
    species = {"name": "rod", "density": 1000.0, "radius": 0.1, "shape": "mesh", "file": "grain.stl"}
    (tmp_path / "case.toml").write_text(Case(**{**scene(), "species": [scene()["species"][0], species]}).to_toml())
    first = read_case(tmp_path / "case.toml")
    assert first.species[1].core_vertices == 8
    np.testing.assert_allclose(np.ptp(first.species[1].make_shape().vertices, axis=0), 0.8, rtol=1e-6)
    before = first.hash()
    assert read_case(tmp_path / "case.toml").hash() == before
    trimesh.creation.box((1.0, 1.0, 2.0)).export(tmp_path / "grain.stl")
    again = read_case(tmp_path / "case.toml")
    assert again.hash() != before
    np.testing.assert_allclose(np.ptp(again.species[1].make_shape().vertices, axis=0), [0.8, 0.8, 1.8], rtol=1e-6)


def test_mesh_files_that_cannot_be_read_name_the_key(tmp_path: Path) -> None:
    this = case(shape="mesh", file="grain.stl").located(tmp_path)
    with pytest.raises(FileError, match=r"^species\.rod\.file = 'grain\.stl': .*does not exist"):
        this.species[1].make_shape()
    with pytest.raises(CaseError, match=r"^species\.rod\.file = 'grain\.stl' cannot be read"):
        this.hash()
    (tmp_path / "grain.stl").write_text("no mesh")
    with pytest.raises(FileError, match=r"^species\.rod\.file = 'grain\.stl'"):
        this.species[1].make_shape()
