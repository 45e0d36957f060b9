"""Vertices that contacts cannot ask for until the next rebuild need no place."""

from __future__ import annotations

import numpy as np
import pytest
from beds import of_scene
from mpi4py import MPI

import pardem.rebuild
from pardem.detection import needed_vertices
from pardem.setup.scene import Scene
from pardem.state.arrays import Contacts, Grains


@pytest.mark.parametrize("name", ["features of all shapes", "features on bodies", "features in a tube", "outlines in the plane"])
def test_contacts_ask_for_no_other_vertices(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bed moves the same way to the bit where the vertices that are not listed are no numbers."""
    expected = of_scene(name, MPI.COMM_SELF)[0]
    list_vertices, shares = needed_vertices.with_needed_vertices, []

    def without_the_rest(g: Grains, pairs: Contacts, wall_pairs: Contacts, scene: Scene) -> Grains:
        listed = list_vertices(g, pairs, wall_pairs, scene)
        rest = np.ones(g.vert_start[-1], bool)
        rest[np.repeat(g.vert_start[:-1], np.diff(listed.needed.start)) + listed.needed.number] = False
        g.vert[: len(rest)][rest] = np.nan
        shares.append(rest.mean())
        return listed

    monkeypatch.setattr(needed_vertices, "MANY", 0)
    monkeypatch.setattr(needed_vertices, "WORTH", 2.0)
    monkeypatch.setattr(pardem.rebuild, "with_needed_vertices", without_the_rest)
    assert of_scene(name, MPI.COMM_SELF)[0] == expected
    assert max(shares) > 0.1
