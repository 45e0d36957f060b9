"""Cost of a grain-step against the number of vertices (paper 000, figure 11): dense beds of regular polygons that differ in nothing else.

``python jobs/benchmarks/vertices.py [grains]``; the exponent is that of a power law through all beds, and through the paper's (3 to 7 sides).
"""

from __future__ import annotations

import sys

import numpy as np
from mpi4py import MPI

from pardem.bench import measure
from pardem.bench.beds import settled
from pardem.bench.scenes import BEDS, polygons

SIDES = (3, 4, 5, 6, 7, 12, 24, 62)
TURNS = 5


def main(grains: int = 150) -> None:
    """Settle and time the beds, and print seconds of processor a grain-step, the median of some turns."""
    costs = {}
    for name in ("disks", *(f"{n}-gons" for n in SIDES)):
        if name not in BEDS:
            BEDS[name] = polygons(int(name.split("-")[0]))
        case, engine = settled(MPI.COMM_WORLD, name, grains)
        turns = [measure(engine, case, 3_000, 500) for _ in range(TURNS)]
        figures = sorted(turns, key=lambda turn: turn["cundall"])[TURNS // 2]
        costs[name] = 1.0 / figures["cundall"]
        shares = " ".join(f"{key.removeprefix('share_')} {figures[key]:.0%}" for key in ("share_contacts", "share_detection", "share_integration"))
        print(
            f"{name:<8} {1e9 * costs[name]:8.0f} ns  coordination {figures['coordination']:5.2f}  candidates {figures['candidates_per_grain']:6.1f}"
            f"  contacts {figures['contacts_per_grain']:5.2f}  skin {figures['skin']:.3f}  {shares}",
            flush=True,
        )
    for most in (7, SIDES[-1]):
        n = [k for k in SIDES if k <= most]
        slope = np.polyfit(np.log(n), np.log([costs[f"{k}-gons"] for k in n]), 1)[0]
        print(f"exponent over 3 to {most} sides: {slope:.2f}")
    print(f"disks over {SIDES[-1]}-gons, Cundall numbers: {costs[f'{SIDES[-1]}-gons'] / costs['disks']:.1f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
