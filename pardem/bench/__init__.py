"""``pardem bench``: particle-steps per CPU second of settled scenes, and where the time goes."""

from __future__ import annotations

import json
import os
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

from .. import clock
from .. import state as st
from .._jit import source_hash
from ..case import Case
from ..engine import Engine
from ..errors import FileError
from ..observables.exact import exact_totals
from ..population import ContactTable, Population
from ..scene import build_scene
from ..start import initial_grains, size_range
from .scenes import DEFAULT_GRAINS, scene_case, state_case

SETTLE_STEPS = {"spheres": 60_000, "rods": 60_000, "tetrahedra": 80_000, "cubes": 80_000}


def main(
    scene: str, *, grains: int | None, steps: int | None, as_json: bool, comm: MPI.Comm, state: Path | None = None, warmup: int | None = None
) -> int:
    """Measure a scene and print the figures on rank 0. Collective.

    Args:
        scene: name of the scene. grains: their number. steps: to time. as_json: print JSON.
        state: settled spheres to start from (``.npz``); None: settle the scene (kept in the cache for the next time).
        warmup: steps before the clock starts.
    """
    case, engine = _from_state(comm, state) if state is not None else _settled(comm, scene, grains or DEFAULT_GRAINS.get(scene, 1_000))
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
    """Figures of some steps of an engine. Collective."""
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


def _engine(comm: MPI.Comm, case: Case, grains: Population | None, contacts: ContactTable | None, axis: int) -> Engine:
    largest, smallest = size_range(case)
    setup = build_scene(case, largest, smallest)
    everything = initial_grains(case, setup.catalogue, overlaps=True) if grains is None else grains
    mine = np.arange(everything.count) % comm.size == comm.rank
    skin = case.detection.skin
    return Engine(comm, setup.scene, everything.take(mine), contacts, axis=axis, skin=None if skin == "auto" else float(skin))


def _from_state(comm: MPI.Comm, path: Path) -> tuple[Case, Engine]:
    case: Case = comm.bcast(state_case(path) if comm.rank == 0 else None)
    return case, _engine(comm, case, None, None, 0)


def _settled(comm: MPI.Comm, scene: str, grains: int) -> tuple[Case, Engine]:
    """The scene after settling; kept in the cache directory, by the hash of the sources."""
    case = scene_case(scene, grains)
    folder = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "pardem" / "bench"
    path = folder / f"{scene}-{grains}-{case.hash()[:8]}-{source_hash()[:8]}.npz"
    data = comm.bcast(dict(np.load(path)) if comm.rank == 0 and path.is_file() else None)
    if data is not None:
        contacts = ContactTable(data.pop("key"), data.pop("hist"), data.pop("warm"))
        return case, _engine(comm, case, Population(**data), contacts, 0)
    engine = _engine(comm, case, None, None, 0)
    engine.advance(SETTLE_STEPS[scene] if grains <= 20_000 else SETTLE_STEPS[scene] // 2)
    engine.settle_faults()
    populations = comm.gather(engine.grains.take(np.arange(engine.grains.count)))
    tables = comm.gather(engine.owned_contacts())
    if comm.rank == 0:
        assert populations is not None
        assert tables is not None
        table = ContactTable.joined(tables)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            np.savez(path, **vars(Population.joined(populations)), key=table.key, hist=table.hist, warm=table.warm)
        except OSError as error:
            raise FileError(f"{path}: the settled scene cannot be kept ({error}); make room or set XDG_CACHE_HOME") from None
    return case, engine
