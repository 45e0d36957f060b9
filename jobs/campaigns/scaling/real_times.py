"""Time of a step as the model of virtual ranks gives it, against that of real ranks on a core each: a line for docs/scaling.md.

    mpirun -n 2 python jobs/campaigns/scaling/real_times.py spheres 10000

The bed is one settled bed of `pardem bench`. Parts of it are timed by each rank on its core, all at once, since cores share caches and memory;
their costs are fitted, the costs of messages between these ranks measured, and the steps of the virtual ranks replayed; then all ranks advance the
bed. All of it takes turns, since the speed of a shared machine, and the distance of its cores, change by more within minutes than the model may
err. The least time of several short runs counts. Walls and rebuilds are left out.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from statistics import median

from mpi4py import MPI

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from local_messages import messages_here
from table_rows import append_row

from pardem.bench.beds import settled
from pardem.compiled import clock
from pardem.engine import Engine
from pardem.scaling.fitted_costs import fitted
from pardem.scaling.machine import Machine
from pardem.scaling.parts import time_parts
from pardem.scaling.replay import replay
from pardem.scaling.virtual_beds import settled_bed, virtual_bed
from pardem.scaling.virtual_ranks import cut

TABLE = Path(__file__).resolve().with_name("real_times.csv")
COLUMNS = ("scene", "grains", "ranks", "predicted (us)", "measured (us)", "measured over predicted", "least", "most", "turns")
CUTS = (1, 2, 4, 8)
CHOSEN = 2  # parts of each cut
REPEATED = 20  # how often each part is timed in a turn
TURNS = 9
RUNS, STEPS = 40, 25  # that are measured in a turn, and the steps of each


def predicted(comm: MPI.Comm, scene: str, grains: int, skin: float, machine: Machine) -> float:
    """Time of a step by the model (us). Collective."""
    bed, parts = settled_bed(scene, grains), []
    for count in CUTS:
        comm.Barrier()
        parts += time_parts(bed, count, [(comm.rank + k) % count for k in range(min(count, CHOSEN))], skin, REPEATED)
    timed = [part for of_rank in comm.allgather(parts) for part in of_rank]
    costs = fitted(timed)._replace(rebuild=0.0, rebuild_grain=0.0, rebuild_ghost=0.0)
    return 1e6 * replay(cut(virtual_bed(scene, grains, "tiled"), comm.size, skin, sampled=comm.size), costs, machine)


def measured(engine: Engine) -> float:
    """Least time of a step of several short runs (us). Collective."""
    comm, ticks = engine.comm, engine.counters.ticks
    times = []
    for _ in range(RUNS):
        ticks[:] = 0
        comm.Barrier()
        begin = time.perf_counter()
        engine.advance(STEPS)
        seconds = time.perf_counter() - begin
        without_walls = seconds * (1.0 - float(ticks[clock.WALLS]) / float(ticks[clock.TOTAL]))
        times.append(comm.allreduce(without_walls, MPI.MAX) / STEPS)
    return 1e6 * min(times)


def main(scene: str, grains: int) -> None:
    """Add a line to the table."""
    comm = MPI.COMM_WORLD
    _, engine = settled(comm, scene, grains)
    engine.advance(STEPS)
    models, times = [], []
    for _ in range(TURNS):
        models.append(predicted(comm, scene, grains, engine.skin, messages_here(comm)))
        times.append(measured(engine))
    if comm.rank > 0:
        return
    ratios = [real / model for real, model in zip(times, models, strict=True)]
    found = f"{median(models):.0f}", f"{median(times):.0f}", *(f"{value:.3f}" for value in (median(ratios), min(ratios), max(ratios)))
    append_row(TABLE, COLUMNS, [scene, grains, comm.size, *found, TURNS])
    print(scene, grains, comm.size, *found)


if __name__ == "__main__":
    main(sys.argv[1], int(float(sys.argv[2])))
