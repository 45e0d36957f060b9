"""``pardem bench``: particle steps per CPU second of settled scenes, and where the time goes."""

from __future__ import annotations

import json
import resource
import time
from pathlib import Path
from typing import Any

from mpi4py import MPI

from ..case import Case
from ..compiled import clock
from ..decomposition.exact import exact_totals
from ..engine import Engine
from ..state import arrays as st
from .beds import from_state, settled
from .scenes import bed_of


def main(
    scene: str, *, grains: int | None, steps: int | None, as_json: bool, comm: MPI.Comm, state: Path | None = None, warmup: int | None = None
) -> int:
    """Measure the speed of a scene and print the figures on rank 0. Collective.

    Args:
        scene: name of the scene.
        grains: number of grains; None for the usual number of the scene.
        steps: number of steps to time; None for the default.
        as_json: whether to print JSON.
        comm: communicator.
        state: file (``.npz``) of settled spheres to start from. By default the scene is settled first, and the result is stored in the cache.
        warmup: number of steps before the clock starts.

    Returns:
        Exit status.
    """
    case, engine = from_state(comm, state) if state is not None else settled(comm, scene, grains or bed_of(scene).grains)
    figures = measure(engine, case, steps or 2_000, 500 if warmup is None else warmup)
    figures = {"scene": scene} | figures
    if comm.rank == 0:
        if as_json:
            print(json.dumps(figures))
        else:
            width = max(len(k) for k in figures)
            for key, value in figures.items():
                print(f"  {key:<{width}}  {value:.4g}" if isinstance(value, float) else f"  {key:<{width}}  {value}")
    return 0


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
    cpu = _user_seconds() - cpu
    wall = time.perf_counter() - begin
    engine.settle_faults()
    n = int(comm.allreduce(engine.grains.count))
    contacts, wall_contacts = exact_totals(comm, engine.tally)[st.CONTACTS : st.WALL_CONTACTS + 1]
    cpu_total = float(comm.allreduce(cpu))
    ticks = counters.ticks / max(1, counters.ticks[clock.TOTAL])
    loop = (counters.loop_seconds - before[2]) / wall
    detection = (counters.detection_seconds - before[1]) / wall
    known = ticks[clock.CONTACTS] + ticks[clock.WALLS] + ticks[clock.INTEGRATION] + ticks[clock.HALO]
    candidates = int(comm.allreduce(counters.candidates))
    return {
        "grains": n, "ranks": comm.size, "steps": steps, "wall_seconds": wall, "cpu_seconds": cpu_total, "cundall": n * steps / cpu_total,
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
