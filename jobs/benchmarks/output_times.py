"""Time of set-up, snapshots and checkpoints against the number of grains: a cloud of spheres that falls.

mpirun -n RANKS python jobs/benchmarks/output_times.py [GRAINS ...]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from mpi4py import MPI

from pardem import Case, Simulation, __version__
from pardem.io.results.static_part import DomainBox, StaticPart
from pardem.io.results.writer import ResultWriter
from pardem.run_state import full_state

TURNS = 5


def case_of(grains: int) -> Case:
    """Spheres of diameter 1 at a density of 0.25 in a closed box."""
    side = (grains * 0.5236 / 0.25) ** (1.0 / 3.0)
    upper = (side, side, side)
    return Case.model_validate(
        {
            "gravity": (0.0, 0.0, -10.0), "time": {"step": 1e-3}, "domain": {"lower": (-1.0, -1.0, -1.0), "upper": tuple(c + 1.0 for c in upper)},
            "species": [{"name": "ball", "shape": "sphere", "radius": 0.5, "density": 1.0}],
            "insert": [{"species": "ball", "count": grains, "region": {"kind": "box", "lower": (0.0, 0.0, 0.0), "upper": upper}}],
            "contact": {"law": "viscoelastic", "contact_time": 0.03, "restitution": 0.5, "friction": 0.3},
            "wall": [{"name": "box", "kind": "box", "lower": (0.0, 0.0, 0.0), "upper": upper}],
            "stage": [{"name": "fall", "kind": "run", "steps": 1000}],
        }
    )  # fmt: skip


def measure(comm: MPI.Comm, grains: int, folder: Path) -> list[float]:
    """Seconds of set-up, of a frame with its observables, of a checkpoint (medians)."""
    case = case_of(grains)
    comm.Barrier()
    begin = time.perf_counter()
    sim = Simulation(case, comm)
    own, domain = sim.engine.grains, case.domain
    assert domain is not None
    box = DomainBox(domain.lower, domain.upper, domain.periodic)
    static = StaticPart(case.to_toml(), case.hash(), sim.setup.catalogue._asdict(), own.gid, own.species, own.scale, box)
    writer = ResultWriter(comm, folder / f"{grains}.h5", static, pardem=__version__)
    seconds: list[list[float]] = [[time.perf_counter() - begin], [], []]
    for _ in range(TURNS):
        sim.step(1, observe=True)
        begin = time.perf_counter()
        g = sim.engine.grains
        writer.observables(sim.steps_done, sim.time, sim.observables())
        writer.frame(sim.steps_done, sim.time, g.gid, {"position": g.x[:, :3].copy(), "orientation": g.q, "velocity": g.v[:, :3].copy()})
        seconds[1].append(time.perf_counter() - begin)
        begin = time.perf_counter()
        writer.checkpoint(full_state(sim))
        seconds[2].append(time.perf_counter() - begin)
    writer.close()
    return [statistics.median(s) for s in seconds]


def main(counts: list[int]) -> None:
    """Print a line for each number of grains."""
    comm = MPI.COMM_WORLD
    with tempfile.TemporaryDirectory() as name:
        folder = Path(comm.bcast(name))
        measure(comm, 1000, folder)  # compiles
        for grains in counts:
            texts = (
                f"{what} {s:.3g} s, {1e6 * s / grains:.3g} us a grain"
                for what, s in zip(("set-up", "frame", "checkpoint"), measure(comm, grains, folder))
            )
            line = f"{grains} grains on {comm.size} rank(s): " + "; ".join(texts)
            if comm.rank == 0:
                print(line, flush=True)
        comm.Barrier()


if __name__ == "__main__":
    main([int(a) for a in sys.argv[1:]] or [10_000, 100_000, 1_000_000])
