"""Force chains and arches (jobs/campaigns/papers/chains): the arch is the lowest chain between two walls, and pictures show what they tell."""

from __future__ import annotations

import itertools
from pathlib import Path

import arches
import chains_report
import force_chains
import numpy as np
import pytest
from arches import Ends, lowest_arch
from mpi4py import MPI

import pardem
from pardem.io.casefile import read_case

PAPERS = Path(arches.__file__).resolve().parent.parent


def all_chains(pairs: np.ndarray, n: int, ends: Ends) -> list[tuple[int, ...]]:
    """Every chain of up to n different grains from a grain at the left wall to one at the right wall."""
    joined = {frozenset(pair) for pair in pairs.tolist()}
    found = []
    for count in range(1, n + 1):
        for chain in itertools.permutations(range(n), count):
            linked = all(frozenset(step) in joined for step in itertools.pairwise(chain))
            if linked and chain[0] in ends.left and chain[-1] in ends.right:
                found.append(chain)
    return found


@pytest.mark.parametrize("seed", range(30))
def test_the_arch_is_the_lowest_and_then_the_shortest_of_all_chains(seed: int) -> None:
    random = np.random.default_rng(seed)
    n = 6
    pairs = np.array([pair for pair in itertools.combinations(range(n), 2) if random.random() < 0.4], np.int64).reshape(-1, 2)
    lengths, heights = random.uniform(1.0, 2.0, len(pairs)), random.integers(0, 4, n).astype(float)
    ends = Ends(random.choice(n, 2, replace=False), random.choice(n, 2, replace=False))
    outlet = 0.5 if seed % 3 == 0 else -1.0
    length = {frozenset(pair): float(d) for pair, d in zip(pairs.tolist(), lengths, strict=True)}

    def rank(chain: tuple[int, ...]) -> tuple[float, float]:
        return max(heights[list(chain)]), sum(length[frozenset(step)] for step in itertools.pairwise(chain))

    chains = [chain for chain in all_chains(pairs, n, ends) if min(heights[list(chain)]) >= outlet]
    arch = tuple(lowest_arch(pairs, lengths, heights, ends, outlet).tolist())
    if not chains:
        assert arch == ()
    else:
        assert arch in chains
        assert rank(arch) == pytest.approx(min(map(rank, chains)))


@pytest.fixture(scope="module")
def jam(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty disks over an outlet a little wider than one of them, with dampers."""
    settings = ["insert.0.count=40", "insert.0.region.upper=[33.0, 70.0]", "stage.fill.time=7.0", "stage.flow.time=3.0"]
    settings += ["contact.normal_damping=8000.0", "contact.tangential_damping=2000.0", "output.contacts=true", "output.frame_interval=1.0"]
    settings += ["wall.left.position=[-1.7, 0.0]", "wall.right.position=[1.7, 0.0]"]
    out = tmp_path_factory.mktemp("jam") / "jam.h5"
    pardem.run_case(read_case(PAPERS / "plane_hopper" / "disks.toml", settings), out=out, comm=MPI.COMM_SELF)
    return out


def test_the_arch_of_a_jam_spans_the_outlet(jam: Path) -> None:
    with pardem.open(jam) as result:
        frame = result[-1]
        pairs = force_chains.pairs_of(frame)
        arch = force_chains.arch_of(frame, pairs, "left", "right")
        assert len(arch) >= 2
        assert (frame["position"][arch, 1] > 0.0).all()
        assert (np.linalg.norm(np.diff(frame["position"][arch, :2], axis=0), axis=1) <= 2.0 * frame.radius[0]).all()
        for grain, wall in ((arch[0], "left"), (arch[-1], "right")):
            assert [grain, -1 - result.walls.index(wall)] in pairs.bodies.tolist()
        assert result[-2]["position"][arch] == pytest.approx(frame["position"][arch], abs=0.05)  # it holds


def test_pairs_bear_what_contacts_bear(jam: Path) -> None:
    with pardem.open(jam) as result:
        frame = result[-1]
        pairs = force_chains.pairs_of(frame)
        assert len(np.unique(pairs.bodies, axis=0)) == len(pairs.bodies)
        assert pairs.force.sum() == pytest.approx(np.maximum(frame.contacts.normal_force, 0.0).sum())
        grains = pairs.bodies[:, 1] >= 0
        reach = np.linalg.norm(pairs.branch, axis=1)
        assert (reach[grains] <= 2.0 * frame.radius[0]).all()
        assert reach[~grains] == pytest.approx(frame.radius[0], rel=1e-2)
        told = force_chains.tally(pairs, np.arange(3))
        assert 0.0 < told.strong < 0.7
        assert told.carried > told.strong


def test_a_picture_shows_the_arch(jam: Path, tmp_path: Path) -> None:
    from matplotlib.colors import to_rgb
    from matplotlib.image import imread

    told = [force_chains.picture([jam], tmp_path / f"{k}.png", walls)[0] for k, walls in enumerate([None, ("left", "right")])]
    assert told[0].arch == 0
    assert told[1].arch >= 2
    shades = [(np.abs(imread(tmp_path / f"{k}.png")[..., :3] - to_rgb(force_chains.ARCH)).max(axis=-1) < 0.02).sum() for k in range(2)]
    assert shades[0] == 0
    assert shades[1] > 500
    assert all((tmp_path / f"{k}.png").stat().st_size < 300_000 for k in range(2))


def test_the_page_says_what_has_been_run() -> None:
    row = {"picture": "jam", "pairs": "600", "strong": "0.3", "carried": "0.8", "arch": "12"}
    text = chains_report.text([row], 10.0)
    assert "has 12 cows | found |" in text
    assert "600 pairs of bodies push each other; 30% of them are above the mean force and carry 80%" in text
    assert "Not run yet: dense disks" in text
    assert chains_report.of_fields([]) == "Not run yet: fields of dense disks."
    assert "| not run yet |" in chains_report.text([], 10.0)
