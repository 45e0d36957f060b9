"""One run of a scaling study: a settled bed advanced by some steps, with the time of each rank by part, its ghosts, messages and bytes, as JSON."""

from __future__ import annotations

import json
import os
import resource
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

from ..bench.beds import settled
from ..bench.scenes import bed_of
from ..campaign.run_rows import write_whole
from ..compiled import clock
from ..decomposition.halo import finish_halo, start_halo
from ..decomposition.nested_slabs import Nested
from ..engine import Engine
from ..guard import made_once
from ..io.results.file_form import FileForm
from ..io.results.static_part import DomainBox, StaticPart
from ..io.results.writer import ResultWriter
from ..state.counters import Counters
from ..version import VERSION
from .run_figures import MEASURED, PARTS, made_folder

COPIES = 20  # how often the halo is copied to time that alone


def run(comm: MPI.Comm, scene: str, grains: int | None, steps: int, warmup: int, folder: Path) -> Path:
    """Measure a scene on the ranks there are, and write the figures to a file of their own. Collective.

    Args:
        comm: communicator.
        scene: name of a scene of `pardem bench`.
        grains: number of grains; None for the usual number of the scene.
        steps: number of steps to measure.
        warmup: number of steps before them.
        folder: folder of the study, made if it is not there.

    Returns:
        The file.

    Raises:
        CaseError: there is no such scene.
        FileError: the folder or the file cannot be written.
    """
    asked = grains or bed_of(scene).grains
    made_once(comm, lambda: made_folder(folder))
    _, engine = settled(comm, scene, asked)
    figures = {"kind": MEASURED, "version": VERSION, "scene": scene, "asked": asked} | measured(engine, steps, warmup)
    figures["frame"] = _frame(engine, folder)
    name = time.strftime("%Y%m%d-%H%M%S")
    path = folder / f"{scene}-{asked}-{comm.size}-{comm.bcast(f'{name}-{os.getpid()}')}.json"
    made_once(comm, lambda: write_whole(path, json.dumps(figures)))
    return path


def measured(engine: Engine, steps: int, warmup: int) -> dict[str, Any]:
    """Measure some steps of an engine. Collective.

    Args:
        engine: engine of this rank.
        steps: number of steps to measure.
        warmup: number of steps before them, at least one.

    Returns:
        The figures by name, on every rank; lists have a number for each rank.
    """
    comm, counters = engine.comm, engine.counters
    engine.advance(max(warmup, 1))
    counters.ticks[:] = 0
    before = Counters(**{**vars(counters), "ticks": counters.ticks.copy()})
    comm.Barrier()
    begin = time.perf_counter()
    engine.advance(steps)
    own = time.perf_counter() - begin
    comm.Barrier()
    wall = time.perf_counter() - begin
    parts = _parts(engine, before, own, wall)
    partition, state = engine.rebuilder.partition, engine.state
    counts = {
        "owned": state.owned, "ghosts": state.total - state.owned,
        "messages": (counters.halo_messages - before.halo_messages) / steps, "bytes": (counters.halo_bytes - before.halo_bytes) / steps,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }  # fmt: skip
    gathered = comm.allgather((counts, {name: seconds / steps for name, seconds in parts.items()}, MPI.Get_processor_name()))
    return {
        "grains": sum(row["owned"] for row, _, _ in gathered), "ranks": comm.size, "nodes": len({node for _, _, node in gathered}),
        "grid": list(partition.grid) if isinstance(partition, Nested) else None, "steps": steps, "rebuilds": counters.rebuilds - before.rebuilds,
        "skin": engine.skin, "seconds": max(comm.allgather(wall)) / steps,
        "counts": {name: [row[name] for row, _, _ in gathered] for name in counts},
        "parts": {name: [row[name] for _, row, _ in gathered] for name in PARTS},
    }  # fmt: skip


def _parts(engine: Engine, before: Counters, own: float, wall: float) -> dict[str, float]:
    """Seconds of this rank by what they were spent on. Collective.

    The clock of a step does not tell copying from waiting, nor the wait for a vote from the motion. The copying is therefore timed alone, and the
    motion is taken to cost on every rank what it costs where it is fastest, a grain.
    """
    comm, counters, owned = engine.comm, engine.counters, engine.state.owned
    loop = counters.loop_seconds - before.loop_seconds
    ticks = counters.ticks / max(1, counters.ticks[clock.TOTAL]) * loop
    copying = min(float(ticks[clock.HALO]), _copying(engine) * (counters.steps - before.steps))
    least = float(comm.allreduce(ticks[clock.INTEGRATION] / owned if owned else np.inf, MPI.MIN))
    motion = min(float(ticks[clock.INTEGRATION]), least * owned)
    rebuild = counters.detection_seconds - before.detection_seconds
    parts = {"contacts": float(ticks[clock.CONTACTS]), "walls": float(ticks[clock.WALLS]), "motion": motion, "copying": copying, "rebuild": rebuild}
    parts["wait"] = float(ticks[clock.HALO]) - copying + float(ticks[clock.INTEGRATION]) - motion + wall - own
    return parts | {"rest": max(0.0, wall - sum(parts.values()))}


def _copying(engine: Engine) -> float:
    """Seconds that this rank takes to pack the halo of a step and to put one in place, without any message."""
    state, g, shapes = engine.state, engine.state.grains, engine.scene.shapes
    g = g._replace(x=g.x.copy(), v=g.v.copy(), w=g.w.copy(), am=g.am.copy(), q=g.q.copy())  # what is received is out of date after a rebuild
    halo = state.halo._replace(requests=state.halo.requests[:0])
    nothing = halo._replace(send_index=halo.send_index[:0], receive=halo.receive[:0])  # what the calls alone take
    times: dict[bool, list[float]] = {True: [], False: []}
    for turn in range(2 * COPIES + 2):
        full = bool(turn % 2)
        begin = time.perf_counter()
        start_halo(halo if full else nothing, g, shapes)
        finish_halo(halo if full else nothing, g, state.owned, shapes)
        times[full].append(time.perf_counter() - begin)
    return max(0.0, float(np.median(times[True][1:]) - np.median(times[False][1:])))


def _frame(engine: Engine, folder: Path) -> dict[str, float]:
    """Write one frame beside the results, and take it away. Collective."""
    comm, grains = engine.comm, engine.grains
    place = Path(made_once(comm, lambda: tempfile.mkdtemp(dir=folder, prefix=".frame-")))
    try:
        catalogue = {"mass": np.ones(1), "radius": np.ones(1), "dimension": np.full(1, 3)}
        static = StaticPart("", "", catalogue, grains.gid, grains.species, grains.scale, DomainBox(np.zeros(3), np.ones(3), [False] * 3))
        writer = ResultWriter(comm, place / "out.h5", static, FileForm(), pardem=VERSION)
        fields = {"position": grains.x[:, :3], "image": grains.image, "orientation": grains.q}
        fields |= {"velocity": grains.v[:, :3], "angular_velocity": grains.w[:, :3]}
        writer.frame(0, 0.0, grains.gid, fields)  # the first one also makes the file
        comm.Barrier()
        begin = time.perf_counter()
        writer.frame(1, 1.0, grains.gid, fields)
        seconds = float(comm.allreduce(time.perf_counter() - begin, MPI.MAX))
        writer.close()
    finally:
        comm.Barrier()
        if comm.rank == 0:
            shutil.rmtree(place, ignore_errors=True)
    return {"seconds": seconds, "bytes": float(sum(field.nbytes // max(1, len(field)) for field in fields.values()) * comm.allreduce(grains.count))}

