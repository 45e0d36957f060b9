"""Time of one step of a case by part and rank, set-up left out.

mpirun -n 2 python jobs/benchmarks/step_times.py CASE.toml [STEPS BEFORE, STEPS TIMED]
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from mpi4py import MPI

from pardem import Simulation
from pardem.compiled import clock
from pardem.io.casefile import read_case


def main(path: str, before: int = 12_500, steps: int = 12_000) -> None:
    """Print a line a rank: microseconds a step."""
    comm = MPI.COMM_WORLD
    sim = Simulation(read_case(Path(path), []), comm)
    sim.step(before)
    counters = sim.engine.counters
    counters.ticks[:] = 0
    detection, loop, rebuilds = counters.detection_seconds, counters.loop_seconds, counters.rebuilds
    comm.Barrier()
    wall = time.perf_counter()
    for _ in range(steps // 200):
        sim.step(200)
    comm.Barrier()
    wall = time.perf_counter() - wall
    per_step = 1e6 / steps
    ticks = counters.ticks / counters.ticks[clock.TOTAL] * (counters.loop_seconds - loop) * per_step
    parts = {"contacts": clock.CONTACTS, "walls": clock.WALLS, "halo": clock.HALO, "motion and votes": clock.INTEGRATION}
    text = ", ".join(f"{name} {ticks[slot]:.0f}" for name, slot in parts.items())
    seen = (counters.detection_seconds - detection) * per_step
    line = f"rank {comm.rank} of {comm.size}: {wall * per_step:.0f} us a step: {text}, detection {seen:.0f}; {counters.rebuilds - rebuilds} rebuilds"
    for text in comm.gather(line) or []:
        print(text)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
