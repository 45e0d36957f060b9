"""Counts of virtual ranks against those of real ones, which may share cores: a line for docs/scaling.md.

    mpirun -n 8 python jobs/campaigns/scaling/real_counts.py spheres 10000

The bed is that of `pardem scaling run`, as it is cut at the start of a run.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from table_rows import append_row

from pardem.bench.beds import settled
from pardem.scaling.virtual_beds import virtual_bed
from pardem.scaling.virtual_ranks import cut

TABLE = Path(__file__).resolve().with_name("real_counts.csv")
COLUMNS = ("scene", "grains", "ranks", "grid", "ghosts, real", "ghosts, virtual", "messages, real", "messages, virtual", "equal on every rank")


def main(scene: str, grains: int) -> None:
    """Add a line to the table."""
    comm = MPI.COMM_WORLD
    _, engine = settled(comm, scene, grains)
    channel = engine.rebuilder.channel
    real = np.array(comm.allgather((engine.state.owned, engine.state.total - engine.state.owned, channel.messages, channel.bytes)))
    if comm.rank > 0:
        return
    ranks = cut(virtual_bed(scene, grains, "tiled"), comm.size, engine.skin)
    virtual = np.stack([ranks.owned, ranks.ghosts, ranks.messages, ranks.sent * ranks.bytes_per_ghost], axis=1)
    means = [f"{rows[:, column].mean():.6g}" for column in (1, 2) for rows in (real, virtual)]
    row = [scene, real[:, 0].sum(), comm.size, " x ".join(map(str, ranks.grid)), *means, "yes" if np.array_equal(real, virtual) else "no"]
    append_row(TABLE, COLUMNS, row)
    print(row)


if __name__ == "__main__":
    main(sys.argv[1], int(float(sys.argv[2])))
