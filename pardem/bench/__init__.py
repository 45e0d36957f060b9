"""``pardem bench``: particle steps per CPU second of settled scenes, where the time goes, and how this compares with another version."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mpi4py import MPI

from ..case import Case
from ..compiled import clock
from ..compiled.lanes.types import WIDTH
from ..decomposition.exact import exact_totals
from ..engine import Engine
from ..state import arrays as st
from .beds import from_state, settled
from .comparison import print_comparison, read_figures
from .scenes import bed_of


class Options(NamedTuple):
    """How scenes are measured.

    Attributes:
        grains: number of grains; None for the usual number of each scene.
        steps: number of steps to time.
        warmup: number of steps before the clock starts.
        turns: how often each scene is measured.
        state: file (``.npz``) of settled spheres to start from. By default a scene is settled first, and the result is stored in the cache.
        as_json: whether to print JSON, one object a line.
        compare: what ``--json`` printed for another version, to be compared with.
    """

    grains: int | None = None
    steps: int = 2_000
    warmup: int = 500
    turns: int = 1
    state: Path | None = None
    as_json: bool = False
    compare: Path | None = None


def main(scenes: Sequence[str], options: Options, comm: MPI.Comm) -> int:
    """Measure the speed of scenes and print the figures on rank 0. Collective.

    Args:
        scenes: their names.
        options: how to measure, and what to print.
        comm: communicator.

    Returns:
        Exit status.

    Raises:
        CaseError: there is no such scene.
        FileError: a file cannot be read, or none of its figures are of these scenes.
    """
    beds = [bed_of(scene) for scene in scenes]  # names that do not exist are told before anything is settled
    earlier = read_figures(options.compare, scenes) if options.compare is not None else None
    now: dict[str, list[float]] = {}
    for scene, bed in zip(scenes, beds, strict=True):
        for _ in range(options.turns):
            if options.state is not None:
                case, engine = from_state(comm, options.state)
            else:
                case, engine = settled(comm, scene, options.grains or bed.grains)
            figures = {"scene": scene} | measure(engine, case, options.steps, options.warmup)
            now.setdefault(scene, []).append(figures["cundall"])
            if comm.rank == 0 and (options.as_json or earlier is None):
                _print(figures, options.as_json)
    if comm.rank == 0 and earlier is not None and options.compare is not None:
        print_comparison(now, earlier, options.compare.name, sys.stderr if options.as_json else sys.stdout)
    return 0


def _print(figures: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print(json.dumps(figures), flush=True)
        return
    width = max(len(k) for k in figures)
    for key, value in figures.items():
        print(f"  {key:<{width}}  {value:.4g}" if isinstance(value, float) else f"  {key:<{width}}  {value}", flush=True)


def measure(engine: Engine, case: Case, steps: int, warmup: int) -> dict[str, Any]:
    """Measure some steps of an engine. Collective.

    Args:
        engine: engine of this rank.
        case: case of the engine.
        steps: number of steps to measure.
        warmup: number of steps before them.

    Returns:
        The figures by name.
    """
    comm = engine.comm
    engine.advance(max(warmup, 1))
    counters = engine.counters
    counters.ticks[:] = 0
    before = (counters.rebuilds, counters.detection_seconds, counters.loop_seconds, counters.halo_bytes, counters.halo_messages)
    engine.tally[st.STORED :] = 0
    comm.Barrier()
    begin, cpu = time.perf_counter(), _user_seconds()
    engine.advance(steps, observe=True)
    wall = time.perf_counter() - begin
    cpu = _user_seconds() - cpu or wall  # a few steps may be too short for the clock of the system
    n = int(comm.allreduce(engine.grains.count))
    contacts, wall_contacts = exact_totals(comm, engine.tally)[st.CONTACTS : st.WALL_CONTACTS + 1]
    cpu_total = float(comm.allreduce(cpu))
    ticks = counters.ticks / max(1, counters.ticks[clock.TOTAL])
    loop = (counters.loop_seconds - before[2]) / wall
    detection = (counters.detection_seconds - before[1]) / wall
    known = ticks[clock.CONTACTS] + ticks[clock.WALLS] + ticks[clock.INTEGRATION] + ticks[clock.HALO]
    candidates = int(comm.allreduce(counters.candidates))
    return {
        "grains": n, "ranks": comm.size, "lanes": WIDTH, "steps": steps,
        "wall_seconds": wall, "cpu_seconds": cpu_total, "cundall": n * steps / cpu_total,
        "contacts_per_grain": (contacts + wall_contacts) / n, "coordination": 2.0 * contacts / n, "candidates_per_grain": candidates / n,
        "rebuilds": counters.rebuilds - before[0], "skin": engine.skin,
        "share_contacts": float(ticks[clock.CONTACTS] + ticks[clock.WALLS]) * loop, "share_detection": detection,
        "share_halo": float(ticks[clock.HALO]) * loop, "share_integration": float(ticks[clock.INTEGRATION]) * loop,
        "share_loop": max(0.0, 1.0 - detection - float(known) * loop),
        "halo_bytes_per_step": int(comm.allreduce(counters.halo_bytes - before[3])) / steps,
        "halo_messages_per_step": int(comm.allreduce(counters.halo_messages - before[4])) / steps,
        "memory_bytes": int(comm.allreduce(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)) * 1024,
    }  # fmt: skip


def _user_seconds() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime
