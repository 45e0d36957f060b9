"""Linked cells against brute force, and history that survives rebuilds."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import ROD, SPHERE, case_of, engine_of, fingerprint

from pardem.compiled.vectors import nearest_image
from pardem.detection.bounds import bounded_grains, may_touch
from pardem.detection.linked_cells import find_pairs


@pytest.mark.parametrize("periodic", [(False, False, False), (True, True, False), (True, True, True)])
@pytest.mark.parametrize(("rods", "small", "factor"), [(60, 0, 1.0), (40, 200, 0.2), (30, 300, 0.08)])
def test_cells_find_every_pair_of_brute_force(rods: int, small: int, factor: float, periodic: tuple[bool, bool, bool]) -> None:
    box = {"kind": "box", "lower": (-1, 0, 2), "upper": (4.5, 5.5, 8)}
    case = case_of(
        [ROD], {"law": "elastic", "contact_time": 0.1}, 1e-3, seed=11,
        domain={"lower": (-1, 0, 2), "upper": (4.5, 5.5, 8), "periodic": periodic},
        insert=[{"species": "rod", "count": rods, "region": {"kind": "periodic"} if all(periodic) else box}]
        + ([{"species": "rod", "count": small, "size": factor, "region": box}] if small else []),
    )  # fmt: skip
    engine, setup = engine_of(case)
    g, n = engine.state.grains, engine.grains.count
    settings = setup.scene.settings
    grains = bounded_grains(n, n, g)
    seen: list[int] = []
    for skin in (0.02, 0.3):
        pairs = np.empty((200_000, 2), np.int32)
        found = find_pairs(grains, settings, skin, pairs)
        cells = {tuple(sorted((int(g.gid[i]), int(g.gid[j])))) for i, j in pairs[:found]}
        assert len(cells) == found
        brute = set()
        for i in range(n):
            for j in range(i + 1, n):
                d = nearest_image(tuple(g.x[j, :3] - g.x[i, :3]), settings)
                if may_touch(g, i, j, d, g.x[i, 3] + g.x[j, 3] + skin):
                    brute.add(tuple(sorted((int(g.gid[i]), int(g.gid[j])))))
        assert cells == brute
        seen.append(len(brute))
    assert seen[1] > max(20, seen[0])


@pytest.mark.parametrize("skin", [1e-4, 1e-3, 1e-2])
def test_grains_that_start_from_rest_outrun_no_given_skin(skin: float) -> None:
    """At first nothing moves: how long lists hold must be judged by how fast grains may fall by then."""
    base = {"name": "base", "kind": "plane", "point": (0, 0, 0), "normal": (0, 0, 1)}
    grains = [{"species": "ball", "position": (0, 0, 0.6)}, {"species": "ball", "position": (0.2, 0, 2.0)}]
    case = case_of([SPHERE], {"restitution": 0.4, "contact_time": 0.05, "friction": 0.3}, 2e-3, gravity=(0, 0, -9.81), grain=grains, wall=[base])
    given, _ = engine_of(case, skin=skin)
    chosen, _ = engine_of(case)
    for engine in (given, chosen):
        engine.advance(400)
    assert fingerprint(given) == fingerprint(chosen)
