"""``pardem scaling``: what is counted for virtual ranks against real ones, the table of a study, and the limits of the replay."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scaling_page
from mpi4py import MPI

from pardem import cli
from pardem.bench.beds import settled, tiling_of
from pardem.decomposition.grids import ANY, Grid
from pardem.decomposition.nested_slabs import Nested
from pardem.detection.bounds import bounded_grains
from pardem.scaling.collect import table_of
from pardem.scaling.fitted_costs import fitted
from pardem.scaling.imagined import imagined
from pardem.scaling.machine import RANGES, Machine, drawn, typical
from pardem.scaling.measure import measured
from pardem.scaling.parts import PartTimes, time_parts
from pardem.scaling.replay import RankCosts, alone, efficiency, queued, replay
from pardem.scaling.run_figures import PARTS
from pardem.scaling.virtual_beds import VirtualBed, settled_bed, virtual_bed
from pardem.scaling.virtual_ranks import SLABS, VirtualRanks, cut, cut_by
from pardem.state.placing import place_grains
from pardem.state.population import Population

SCRIPT = Path(__file__).resolve().parent.parent / "jobs" / "campaigns" / "scaling" / "run.slurm"
COSTS = RankCosts(1e-7, 2.5e-8, 2.5e-8, 2e-8, 3e-6, 6e-4, 1.3e-6, 1.2e-6, 30, 600.0)
OWN = COSTS._replace(pair=0.0, ghost=0.0, step=0.0, rebuild=0.0, rebuild_ghost=0.0)


def random_bed(count: int = 4000, side: float = 16.0, period: float = 0.0) -> VirtualBed:
    """Spheres of unit diameter at random places of a cube."""
    x = np.random.default_rng(3).uniform(0.0, side, (count, 3))
    return VirtualBed(x, np.zeros(count, np.int32), np.full((1, 3), 0.5), np.full(1, 0.5), np.full(3, period), 72)


@pytest.mark.mpi
def test_virtual_ranks_count_what_real_ones_have() -> None:
    """At the start of a run, and with the cuts of one that has moved on: grains, ghosts, messages and bytes of each rank."""
    comm = MPI.COMM_WORLD
    _, engine = settled(comm, "spheres", 60)
    channel = engine.rebuilder.channel
    real = comm.allgather((engine.state.owned, engine.state.total - engine.state.owned, channel.messages, channel.bytes))
    virtual = cut(virtual_bed("spheres", 60, "tiled"), comm.size, engine.skin)
    assert real == list(zip(virtual.owned, virtual.ghosts, virtual.messages, virtual.sent * virtual.bytes_per_ghost, strict=True))

    figures = measured(engine, 20, 5)
    state, parts = engine.state, engine.rebuilder.partition
    here = Population.of(state.grains, state.owned)
    here.x = here.x.copy()
    here.x[:, :3] = state.grains.x0[: state.owned]  # where they were when ghosts were chosen
    extent = bounded_grains(state.owned, state.owned, place_grains(here, engine.scene)).extent[: state.owned]
    x, extent = (np.concatenate(comm.allgather(rows)) for rows in (here.x[:, :3], extent))
    bed = VirtualBed(x, np.arange(len(x), dtype=np.int32), extent, extent.max(axis=1), np.zeros(3), 72)
    assert isinstance(parts, Nested)
    cuts = Nested(imagined(comm.size), parts.grid)
    cuts.cuts = parts.cuts
    virtual = cut_by(cuts, bed, state.skin)
    assert figures["counts"]["owned"] == virtual.owned.tolist()
    assert figures["counts"]["ghosts"] == virtual.ghosts.tolist()
    assert figures["grid"] == list(virtual.grid)
    if figures["rebuilds"] == 0:
        assert figures["counts"]["messages"] == virtual.messages.tolist()
        assert figures["counts"]["bytes"] == (48 * virtual.sent).tolist()


@pytest.mark.parametrize("period", [0.0, 16.0])
@pytest.mark.parametrize(("ranks", "grid"), [(1, ANY), (12, ANY), (64, (4, 4, 4)), (40, SLABS)])
def test_ghosts_are_the_grains_within_reach(ranks: int, grid: Grid, period: float) -> None:
    """By brute force over all grains and all boxes, in all images."""
    bed, skin = random_bed(1500, period=period), 0.2
    found = cut(bed, ranks, skin, grid)
    parts = Nested(imagined(ranks), found.grid)
    parts.divide(bed.x, np.zeros(0), np.ones(len(bed.x)))
    owner = parts.owner(bed.x)
    assert found.owned.sum() == len(bed.x)
    for rank in range(ranks):
        own = bed.x[owner == rank]
        low, high = own.min(axis=0) - 1.0 - skin, own.max(axis=0) + 1.0 + skin
        near = np.logical_or.reduce([(bed.x + k * period >= low) & (bed.x + k * period <= high) for k in ((0,) if period == 0.0 else (-1, 0, 1))])
        ghosts = near.all(axis=1) & (owner != rank)
        assert found.ghosts[rank] == np.count_nonzero(ghosts)
        assert np.array_equal(np.sort(found.source[found.target == rank]), np.unique(owner[ghosts]))


def test_candidates_across_cuts() -> None:
    """Of all ranks together, twice the pairs of grains of different ranks."""
    bed, skin = random_bed(), 0.2
    found = cut(bed, 8, skin, sampled=8)
    parts = Nested(imagined(8), found.grid)
    parts.divide(bed.x, np.zeros(0), np.ones(len(bed.x)))
    owner, i, j = parts.owner(bed.x), *np.triu_indices(len(bed.x), 1)
    i, j = i[owner[i] != owner[j]], j[owner[i] != owner[j]]
    pairs = np.count_nonzero(((bed.x[i] - bed.x[j]) ** 2).sum(axis=1) <= 1.2**2)
    assert found.crossing * found.ghosts.sum() == pytest.approx(2 * pairs)


def test_a_cube_is_filled_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    small = tiling_of("spheres", 60)
    monkeypatch.setattr("pardem.scaling.virtual_beds.tiling_of", lambda *_: small)
    bed = virtual_bed("spheres", 30_000, "cubic")
    assert len(bed.x) == pytest.approx(30_000, rel=0.05)
    eighths = np.histogramdd(bed.x, bins=2)[0]
    assert eighths.max() < 1.1 * eighths.min()
    sides = np.ptp(bed.x, axis=0)
    assert sides.min() > 0.95 * sides.max()


def test_tiles_are_those_of_a_run() -> None:
    """Side by side on the floor, none upon another, and each grain once."""
    tiling = tiling_of("spheres", 60_000)
    assert (tiling.grains, tiling.columns, tiling.rows) == (10_000, 3, 2)
    assert len(np.unique(tiling.places(np.arange(tiling.tiles)), axis=0)) == 6
    assert tiling.places(np.arange(tiling.tiles)).max(axis=0) == pytest.approx([2 * tiling.width, tiling.width])


def test_one_rank_has_an_efficiency_of_one() -> None:
    one = cut(random_bed(), 1, 0.1)
    for machine in (Machine(), typical(), typical(limited=True), *drawn(3)):
        assert efficiency(one, COSTS, machine) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("progress", [0.0, 1.0])
def test_without_latency_and_with_endless_bandwidth_only_the_imbalance_is_left(progress: float) -> None:
    bed = random_bed()
    parts = Nested(imagined(27), (3, 3, 3))
    parts.divide(bed.x, np.zeros(0), np.where(bed.x[:, 0] < 4.0, 3.0, 1.0))  # with other work than the grains have
    ranks = cut_by(parts, bed, 0.1)
    assert ranks.imbalance > 1.2
    assert efficiency(ranks, OWN, Machine(progress=progress)) == pytest.approx(1.0 / ranks.imbalance, rel=1e-12)


def test_ranks_wait_less_for_disturbances_between_seldom_votes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranks without messages wait at votes alone: one that was disturbed for three steps is still in time for a vote that began four steps before."""
    none = np.zeros(0, np.int32)
    apart = VirtualRanks((64, 1, 1), np.full(64, 1000), none, none, np.zeros(0, np.int64), 48, 0.0)
    noisy = Machine(detours=0.03, detour=3e-4)
    times = {}
    for vote in (1, 4):
        monkeypatch.setattr("pardem.scaling.replay.VOTE", vote)
        times[vote] = np.mean([replay(apart, OWN, noisy, seed) for seed in range(20)])
    least = OWN.grain * 1000
    assert times[4] > least
    assert times[4] - least < 0.7 * (times[1] - least)


def test_a_message_costs_what_the_model_says() -> None:
    """Two ranks without grains, on two nodes: overhead, the card, latency, overhead; a long one is delayed until its receiver waits for it."""
    pair = VirtualRanks((2, 1, 1), np.zeros(2, np.int64), np.array([0, 1], np.int32), np.array([1, 0], np.int32), np.full(2, 100), 72, 0.0)
    free = RankCosts(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1, 0.0)
    machine = Machine(node=1, latency=2e-6, overhead=1e-6, gap=1e-9, byte=1e-9)
    rebuild = 148 * 100 * 1e-9 + 2e-6
    assert replay(pair, free, machine) == pytest.approx(1e-6 + 7.2e-6 + 2e-6 + 1e-6 + rebuild)
    assert replay(pair, free, machine._replace(gap=1e-5)) == pytest.approx(1e-6 + 1e-5 + 2e-6 + 1e-6 + rebuild)
    assert replay(pair, free, machine._replace(eager=1000.0)) == pytest.approx(1e-6 + 7.2e-6 + 6e-6 + 1e-6 + rebuild)
    assert replay(pair, free, machine._replace(node=2, local_latency=5e-6)) == pytest.approx(1e-6 + 5e-6 + 1e-6 + 2 * 14.8e-6 + 2e-6)


def test_ranks_of_a_node_share_its_card() -> None:
    """Messages of four ranks to another node leave, and arrive, one after the other."""
    source, target = np.arange(4, dtype=np.int32), np.arange(4, 8, dtype=np.int32)
    ranks = VirtualRanks((8, 1, 1), np.zeros(8, np.int64), source, target, np.full(4, 1000), 72, 0.0)
    free = RankCosts(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1, 0.0)
    rebuild = 148e3 * 1e-9 * 4
    assert replay(ranks, free, Machine(node=4, byte=1e-9)) == pytest.approx(4 * 72e-6 + rebuild)
    assert replay(ranks, free, Machine(node=4, byte=1e-9, latency=3e-6)) == pytest.approx(4 * 72e-6 + 3e-6 + rebuild)


def test_queues_against_one_message_after_the_other() -> None:
    rng = np.random.default_rng(11)
    card, ready, service = rng.integers(0, 7, 300), rng.uniform(-1e-5, 5e-5, 300), rng.uniform(0.0, 2e-6, 300)
    free, expected = np.full(7, -np.inf), np.empty(300)
    for k in np.argsort(ready):
        free[card[k]] = expected[k] = max(free[card[k]], ready[k]) + service[k]
    assert queued(card, ready, service) == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_the_memory_limits_only_ranks_whose_arrays_exceed_the_cache() -> None:
    ranks = cut(random_bed(), 8, 0.1, (2, 2, 2))
    machine = Machine(node=8, memory=1e9)
    size = COSTS.bytes * float((ranks.owned + ranks.ghosts).max())
    assert replay(ranks, OWN, machine._replace(cache=size)) == replay(ranks, OWN, Machine())
    starved = replay(ranks, OWN._replace(rebuild_grain=0.0), machine._replace(cache=1.0))
    assert starved == pytest.approx(8 * size / 1e9, rel=1e-6)


def test_typical_machines_lie_within_the_range() -> None:
    machines = drawn(8)
    for name, (favourable, middle, adverse) in RANGES.items():
        values = [getattr(machine, name) for machine in machines]
        low, high = sorted((favourable, adverse))
        assert low <= min(values) < middle < max(values) <= high


def measured_run(grains: int, ranks: int, seconds: float, scene: str = "spheres") -> dict[str, Any]:
    """Figures as ``pardem scaling run`` writes them."""
    counts = {name: [1.0] * ranks for name in ("owned", "ghosts", "messages", "bytes", "memory")}
    parts = {name: [seconds / len(PARTS)] * ranks for name in PARTS}
    return {
        "kind": "measured", "version": "0", "scene": scene, "asked": grains, "grains": grains, "ranks": ranks, "nodes": 1, "grid": [ranks, 1, 1],
        "steps": 100, "rebuilds": 4, "skin": 0.1, "seconds": seconds, "counts": counts, "parts": parts, "frame": {"seconds": 0.1, "bytes": 1e3},
    }  # fmt: skip


def predicted_run(grains: int, ranks: int, typically: float) -> dict[str, Any]:
    """Figures as ``pardem scaling predict`` writes them."""
    counts = {name: [1.0, 2.0] for name in ("owned", "ghosts", "messages", "bytes")}
    kind = {"kind": "predicted", "scene": "spheres", "form": "tiled", "asked": grains, "ranks": ranks, "slabs": False, "counts": counts}
    return kind | {"efficiency": {"typical": typically, "low": typically - 0.1, "high": typically + 0.1}}


def test_collect_and_plot(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Medians of repeated runs; strong and weak efficiencies; predictions beside them, also where nothing was measured."""
    runs = [measured_run(1000, 1, 1.0), measured_run(1000, 2, 9.0), measured_run(1000, 2, 0.625), measured_run(1000, 2, 0.5)]
    runs += [measured_run(2000, 2, 1.25), measured_run(500, 1, 0.25, "rods"), predicted_run(1000, 2, 0.7), predicted_run(1000, 64, 0.3)]
    for k, run in enumerate(runs):
        (tmp_path / f"{k}.json").write_text(json.dumps(run))
    assert cli.main(["scaling", "collect", "--folder", str(tmp_path)]) == 0
    assert "0.8" in capsys.readouterr().out
    import pandas as pd

    table = pd.read_csv(tmp_path / "scaling.csv").set_index(["scene", "form", "asked", "ranks"])
    assert table.loc[("spheres", "tiled", 1000, 2), "strong"] == pytest.approx(0.8)
    assert table.loc[("spheres", "tiled", 2000, 2), "weak"] == pytest.approx(0.8)
    assert np.isnan(table.loc[("rods", "tiled", 500, 1), "strong"])
    assert table.loc[("spheres", "tiled", 1000, 2), "predicted_typical"] == 0.7
    assert table.loc[("spheres", "tiled", 1000, 64), "predicted_typical"] == 0.3
    assert np.isnan(table.loc[("spheres", "tiled", 1000, 64), "seconds"])
    assert cli.main(["scaling", "plot", "--folder", str(tmp_path)]) == 0
    drawn_files = capsys.readouterr().out.split()
    assert len(drawn_files) == 4
    assert all(2000 < Path(path).stat().st_size < 300_000 for path in drawn_files)


def test_a_study_without_measurements() -> None:
    table = table_of([predicted_run(1000, 64, 0.3)])
    assert table["predicted_typical"].tolist() == [0.3]


@pytest.mark.parametrize(("text", "words"), [(None, "has no figures"), ("{", "does not hold"), ('{"kind": "other"}', "does not hold figures")])
def test_folders_that_cannot_be_collected(tmp_path: Path, refused: Any, text: str | None, words: str) -> None:
    if text is not None:
        (tmp_path / "one.json").write_text(text)
    assert words in refused("scaling", "collect", "--folder", str(tmp_path))


def test_run_measures_every_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["scaling", "run", "spheres", "--grains", "60", "--steps", "20", "--warmup", "5", "--folder", str(tmp_path)]) == 0
    figures = json.loads(Path(capsys.readouterr().out.split()[-1]).read_text())
    assert figures["counts"]["owned"] == [60]
    assert figures["counts"]["ghosts"] == figures["counts"]["messages"] == [0]
    assert sum(figures["parts"][name][0] for name in PARTS) == pytest.approx(figures["seconds"], rel=0.2)
    assert figures["parts"]["contacts"][0] > 0.0
    assert not list(tmp_path.glob(".frame-*"))


def test_parts_have_the_lists_of_ranks() -> None:
    """Candidates that production lists hold: within a part, and across cuts as they are counted for virtual ranks."""
    settled_spheres, skin = settled_bed("spheres", 60), 0.05
    whole, *halves = [*time_parts(settled_spheres, 1, [0], skin, 1), *time_parts(settled_spheres, 2, [0, 1], skin, 1)]
    virtual = cut(virtual_bed("spheres", 60, "tiled"), 2, skin, sampled=2)
    assert [part.owned for part in halves] == virtual.owned.tolist()
    assert [part.ghosts for part in halves] == virtual.ghosts.tolist()
    assert sum(part.crossing for part in halves) == pytest.approx(virtual.crossing * virtual.ghosts.sum())
    assert whole.pairs == halves[0].pairs + halves[1].pairs + halves[0].crossing
    assert all(part.step > 0.0 and part.rebuild > 0.0 and part.bytes > 200 * part.owned and 0.0 < part.motion < 1.0 for part in halves)


def test_costs_are_found_again() -> None:
    """Also where other programs have lengthened some of the times."""
    rng = np.random.default_rng(5)
    parts = []
    for owned in (10_000, 5_000, 2_500, 1_250, 600, 300) * 4:
        ghosts = int(rng.uniform(4.0, 9.0) * owned ** (2 / 3))
        crossing, late = int(rng.uniform(1.2, 1.8) * ghosts), 1.4 if rng.random() < 0.2 else 1.0
        step = 7e-8 * owned + 2e-8 * 0.5 * crossing + 1e-6
        parts.append(PartTimes(owned, ghosts, 3 * owned, crossing, late * step, late * (5e-4 + 9e-7 * (owned + ghosts)), 600 * (owned + ghosts), 0.1))
    costs = fitted(parts)
    assert costs.grain == pytest.approx(7e-8, rel=0.03)
    assert costs.pair == pytest.approx(2e-8, rel=0.2)
    assert costs.rebuild_ghost == pytest.approx(9e-7, rel=0.03)
    assert costs.bytes == 600.0
    assert costs.motion == pytest.approx(0.1 * costs.grain)


def test_predict_writes_what_collect_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "costs-spheres.json").write_text(json.dumps({"kind": "costs", "skin": 0.05, "costs": COSTS._asdict()}))
    assert cli.main(["scaling", "predict", "spheres", "--grains", "60", "--ranks", "1", "4", "--folder", str(tmp_path)]) == 0
    one, four = [json.loads(Path(path).read_text()) for path in capsys.readouterr().out.split()]
    assert one["efficiency"] == {"typical": pytest.approx(1.0), "low": pytest.approx(1.0), "high": pytest.approx(1.0)}
    assert four["efficiency"]["low"] < four["efficiency"]["typical"] < 1.0
    ideal = alone(60, OWN) / 4 / four["seconds"]
    assert ideal + sum(share for cause, share in four["losses"].items() if cause != "memory") == pytest.approx(1.0)
    assert cli.main(["scaling", "collect", "--folder", str(tmp_path)]) == 0
    assert "predicted_typical" in capsys.readouterr().out


def test_the_job_measures_both_series(tmp_path: Path) -> None:
    """With a launcher that only writes down what it is to start: as many ranks as there are at most, no rank with more grains than it can hold."""
    launcher = tmp_path / "mpirun"
    launcher.write_text(f'#!/bin/bash\necho "$*" >> {tmp_path}/started\n')
    launcher.chmod(0o755)
    names = {"SCENES": "spheres", "STRONG": "1e5 1e8", "WEAK": "1e4", "RANKS": "1 64 512", "STEPS": "50"}
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", "SLURM_NTASKS": "256"} | {f"PARDEM_{name}": value for name, value in names.items()}
    subprocess.run([SCRIPT], env=environment, cwd=tmp_path, check=True, capture_output=True)
    first, *started = (tmp_path / "started").read_text().splitlines()
    assert first.startswith("-n 1 pardem scaling run spheres --steps 10 ")
    runs = [(1, 100_000), (1, 10_000), (64, 100_000), (64, 100_000_000), (64, 640_000)]
    assert started == [f"-n {ranks} pardem scaling run spheres --grains {grains} --steps 50 --folder results/scaling" for ranks, grains in runs]
    for line in (first, *started):
        cli.command_line().parse_args(line.split()[3:])


def test_measured_memory_is_within_what_a_rank_may_take() -> None:
    with (scaling_page.HERE / "memory.csv").open(newline="") as file:
        runs = list(csv.DictReader(file))
    assert all(float(run["peak"]) < scaling_page.BASE + scaling_page.PER_GRAIN * float(run["largest share"]) for run in runs)
    large = {run["ranks"]: float(run["all"]) for run in runs if run["grains"] == "1000000"}
    assert large.keys() == {"1", "16"}
    assert large["1"] < 900.0  # MB
    assert large["16"] < 8000.0


def test_the_page_is_that_of_the_results() -> None:
    assert scaling_page.PAGE.read_text() == scaling_page.page(scaling_page.predictions()), "run: python jobs/campaigns/scaling/scaling_page.py"
