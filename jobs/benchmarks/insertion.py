"""Processor time and memory of random insertion, by all ranks together or by the first one alone.

mpirun -n RANKS python jobs/benchmarks/insertion.py SCENE GRAINS [first | lowered]

The grains are those of the scene of that name of `pardem bench`, before they settle. Ranks that wait for the first one sleep; those that wait for
messages of each other may keep a core busy, which counts as theirs. Grains that are also lowered are left to the first rank in any case.
"""

from __future__ import annotations

import resource
import sys
import time

from mpi4py import MPI

from pardem.bench.scenes import scene_case
from pardem.setup import shared_insertion
from pardem.setup.initial_grains import own_initial_grains, size_range
from pardem.setup.preparation import build_scene

FEW = 3000  # grains with which kernels are loaded


def peak() -> int:
    """Largest memory that this process has had (bytes)."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main(scene: str, grains: int, how: str) -> None:
    """Print a line for each rank."""
    comm = MPI.COMM_WORLD
    shared_insertion.FEWEST = 1 if how == "together" else grains + 1
    for count in (FEW, grains):
        case = scene_case(scene, count)
        case = case.model_copy(update={"insert": tuple(insert.model_copy(update={"lowered": how == "lowered"}) for insert in case.insert)})
        catalogue = build_scene(case, *size_range(case)).catalogue
        before, cpu, wall = peak(), time.process_time(), time.perf_counter()
        own = own_initial_grains(comm, case, catalogue).count
        cpu, wall, more = time.process_time() - cpu, time.perf_counter() - wall, peak() - before
    words = f"{own} of {grains} {scene}: {cpu:.2f} s of the core, {wall:.2f} s of wall time, {more / grains:.0f} bytes for each grain of all"
    for line in comm.gather(f"rank {comm.rank} of {comm.size}, {how}: {words}") or ():
        print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(float(sys.argv[2])), sys.argv[3] if len(sys.argv) > 3 else "together")
