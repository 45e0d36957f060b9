"""Given grains are read by rows: the same by any number of rows and ranks, no rank holds all of them, and errors are those of one rank."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI

from pardem.case import Case
from pardem.case.grains_file import GrainsFile
from pardem.errors import FileError, InsertionError, PardemError
from pardem.insertion import BoxDomain, PlacedGrains, require_clear
from pardem.io.state.ordered_rows import IdLookup
from pardem.setup import clear_over_ranks, given_grains, initial_grains
from pardem.setup.preparation import build_scene
from pardem.state.population import Population

COMM = MPI.COMM_WORLD
SPECIES = [{"name": name, "shape": "sphere", "radius": radius, "density": 2e3} for name, radius in (("ball", 1e-3), ("bead", 5e-4))]
KINDS = {"orientation": (4,), "velocity": (3,), "angular_velocity": (3,), "scale": ()}


def case(folder: Path, periodic: bool = False, **more: Any) -> Case:
    """A case of given grains in a box, longest along y."""
    return Case(**{
        "time": {"step": 2e-5}, "domain": {"lower": [0.0, 0.0, 0.0], "upper": [0.05, 0.1, 0.05], "periodic": [False, periodic, False]},
        "species": SPECIES, "grains_file": "grains.npz", "contact": {"restitution": 0.5, "contact_time": 1e-3},
        "stage": [{"name": "run", "kind": "run", "steps": 1}],
    } | more).located(folder)  # fmt: skip


def lattice() -> np.ndarray:
    """Centres 2.5 mm apart, in no order."""
    places = np.stack(np.meshgrid(np.arange(12), np.arange(30), np.arange(4), indexing="ij"), -1).reshape(-1, 3)
    return np.random.default_rng(1).permutation(2.5e-3 * places + 2e-3)


def arrays(count: int) -> dict[str, np.ndarray]:
    """All arrays that a file may hold."""
    rng = np.random.default_rng(2)
    values = {name: rng.uniform(0.5, 1.0, (count, *shape)) for name, shape in KINDS.items()}
    return {"species": rng.choice(["ball", "bead"], count), "position": lattice()[:count], **values}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One folder for all ranks."""
    return Path(COMM.bcast(str(tmp_path)))


def save(folder: Path, **found: np.ndarray) -> None:
    """Write the file, on the first rank."""
    if COMM.rank == 0:
        np.savez(folder / "grains.npz", **found)
    COMM.Barrier()


def own(made: Case) -> Population:
    """The share of this rank."""
    return initial_grains.own_initial_grains(COMM, made, build_scene(made, *initial_grains.size_range(made)).catalogue)


@pytest.mark.parametrize("write", [np.savez, np.savez_compressed])
def test_files_of_any_layout_are_read_alike_by_any_number_of_rows(tmp_path: Path, write: Any) -> None:
    plain = arrays(100)
    for name, changed in {
        "by rows": plain, "by columns": {name: np.asfortranarray(values) for name, values in plain.items()},
        "other bytes": {name: values.astype(values.dtype.newbyteorder()) for name, values in plain.items()},
    }.items():  # fmt: skip
        write(tmp_path / "grains.npz", **changed, notes=np.arange(3))
        for rows in (7, 100, 1000):
            parts = list(GrainsFile(case(tmp_path)).blocks(rows))
            assert [first for first, _ in parts] == list(range(0, 100, rows))
            for key, values in plain.items():
                assert np.array_equal(np.concatenate([part[key] for _, part in parts]), values), (name, key)
    some = given_grains.given_grains(case(tmp_path), every=7)
    assert np.array_equal(some["position"], plain["position"][::7])
    assert np.array_equal(some["species"], (plain["species"][::7] == "bead"))


def test_what_is_wrong_behind_the_first_rows_is_told_with_its_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given_grains.file_blocks, "__defaults__", (8,))
    found = arrays(50)
    for name, value, said in (("velocity", np.nan, "velocity of grain 40 = "), ("scale", -1.0, "Grain 40 has size factor -1.0")):
        wrong = found | {name: found[name].copy()}
        wrong[name][40] = value
        np.savez(tmp_path / "grains.npz", **wrong)
        with pytest.raises(PardemError, match=said):
            initial_grains.size_range(case(tmp_path))
    np.savez(tmp_path / "grains.npz", **found)
    content = bytearray((tmp_path / "grains.npz").read_bytes())
    content[content.index(found["velocity"].tobytes()) + 999] ^= 1
    (tmp_path / "grains.npz").write_bytes(content)
    with pytest.raises(FileError, match="or is damaged"):
        initial_grains.size_range(case(tmp_path))


def test_memory_is_that_of_some_rows(tmp_path: Path) -> None:
    count = 400_000
    np.savez(tmp_path / "grains.npz", species=np.zeros(count, np.int8), position=np.random.default_rng(0).uniform(0.0, 0.05, (count, 3)))
    made = case(tmp_path)
    tracemalloc.start()
    seen = sum(len(table["scale"]) for table in given_grains.file_blocks(made, 10_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seen == count
    assert peak < 10_000 * 500 + 2_000_000


@pytest.mark.mpi
def test_the_shares_of_the_ranks_are_all_grains(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(given_grains.given_blocks, "__defaults__", (37,))  # blocks and shares do not align
    save(folder, **arrays(500))
    grain = [{"species": "ball", "position": [0.045, 0.05, 0.045], "velocity": [1.0, 2.0, 3.0], "angular_velocity": [0.0, 3.0, 0.0]}]
    made = case(folder, grain=grain)
    mine, whole = own(made), initial_grains.initial_grains(made, build_scene(made, *initial_grains.size_range(made)).catalogue)
    together = Population.joined(COMM.allgather(mine))
    assert whole.count == 501
    for name in Population.columns:
        assert np.array_equal(getattr(together, name), getattr(whole, name)), name
    assert mine.count <= -(-501 // COMM.size)


@pytest.mark.mpi
@pytest.mark.parametrize("periodic", [False, True])
def test_overlaps_across_ranks_are_those_of_one_rank(periodic: bool) -> None:
    """Pairs anywhere, among them some in which one grain lies on the other side of a periodic face; those of settled grains do not count."""
    rng = np.random.default_rng(3)
    x = rng.uniform(0.0, 1.0, (3000, 3)) * [0.05, 0.1, 0.05]
    sizes = {"ball": 1.0, "bead": 1.0}
    catalogue = build_scene(case(Path(), grains_file=None, grain=[{"species": "ball", "position": [0.0, 0.0, 0.0]}]), sizes, sizes).catalogue
    everything = PlacedGrains(rng.integers(0, 2, 3000), rng.uniform(0.5, 1.0, 3000), x, np.tile([1.0, 0.0, 0.0, 0.0], (3000, 1)))
    domain = BoxDomain((0.0, 0.0, 0.0), (0.05, 0.1, 0.05), (False, periodic, False))
    ids = np.array_split(np.arange(3000), COMM.size)[COMM.rank]
    mine = PlacedGrains(*(column[ids] for column in everything))

    def said(where: BoxDomain, settled: int) -> tuple[str, str]:
        with pytest.raises(InsertionError) as alone:
            require_clear(catalogue, everything, domain=where, names=["ball", "bead"], settled=settled)
        with pytest.raises(InsertionError) as shared:
            clear_over_ranks.require_clear_together(COMM, catalogue, ids, mine, domain=where, names=["ball", "bead"], settled=settled)
        return str(alone.value), str(shared.value)

    for settled in (0, 1500):
        alone, shared = said(domain, settled)
        assert "pairs of grains overlap" in alone
        assert alone == shared
    narrow = BoxDomain((0.0, 0.0, 0.0), (0.04, 0.1, 0.05), (False, periodic, False))
    alone, shared = said(narrow, 7)
    assert "lie outside the domain" in alone
    assert alone == shared


@pytest.mark.mpi
def test_a_file_that_fails_amid_its_rows_ends_all_ranks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(folder, **arrays(300))
    made = case(folder)
    scene = build_scene(made, *initial_grains.size_range(made))

    def broken(case: Case) -> Iterator[Any]:
        rows = given_grains.file_blocks(case, 20)
        yield next(rows)
        raise FileError("gone")

    monkeypatch.setattr(initial_grains, "given_blocks", broken)
    with pytest.raises(FileError, match="gone"):
        initial_grains.own_initial_grains(COMM, made, scene.catalogue)


@pytest.mark.mpi
def test_rows_are_looked_up_by_id() -> None:
    count = 101
    rng = np.random.default_rng(COMM.rank)
    ids = rng.integers(0, count, 50 * (COMM.rank % 3))  # some ranks ask for nothing
    lookup = IdLookup(COMM, ids, count)
    starts = np.arange(COMM.size + 1) * count // COMM.size
    block = np.arange(starts[COMM.rank], starts[COMM.rank + 1])
    assert np.array_equal(lookup(10 * block), 10 * ids)
    assert np.array_equal(lookup(np.column_stack([block, -block])), np.column_stack([ids, -ids]))
