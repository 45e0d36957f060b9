"""Peak memory of the ranks of a bed, which may share cores: a line of memory.csv, for docs/scaling.md.

    for n in 1 2 4 8 16; do mpirun -n $n python jobs/campaigns/scaling/memory.py spheres 100000; done
    for n in 1 2 4 8 16; do mpirun -n $n python jobs/campaigns/scaling/memory.py spheres $((n * 30000)); done

The bed is that of `pardem scaling run`, advanced by some steps. Then its lists are made anew, with old arrays beside new ones: that peak counts.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from mpi4py import MPI

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from table_rows import append_row

from pardem.bench.beds import settled
from pardem.decomposition.rehearsal import rehearse
from pardem.guard import made_by_first

TABLE = Path(__file__).resolve().with_name("memory.csv")
COLUMNS = ("scene", "grains", "ranks", "start", "peak", "largest share", "most ghosts", "all")
STEPS = 30


def memory(what: str) -> int:
    """Memory that this process has (VmRSS) or has had at most (VmHWM), in MB."""
    found = re.search(rf"{what}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return round(1024 * int(found[1]) / 1e6)


def main(scene: str, grains: int) -> None:
    """Add a line to the table."""
    comm = MPI.COMM_WORLD
    made_by_first(comm, rehearse)
    start = memory("VmHWM")
    _, engine = settled(comm, scene, grains)
    engine.advance(STEPS)
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    engine.wall_moved()
    engine.advance(1)
    found = comm.gather((start, memory("VmHWM"), engine.state.owned, engine.state.total - engine.state.owned))
    if found is None:
        return
    starts, peaks, owned, ghosts = zip(*found, strict=True)
    row = [scene, sum(owned), comm.size, max(starts), max(peaks), max(owned), max(ghosts), sum(peaks)]
    append_row(TABLE, COLUMNS, row)
    print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(float(sys.argv[2])))
