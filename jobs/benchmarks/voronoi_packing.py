"""Time to make a packing of rounded Voronoi cells: ``python jobs/benchmarks/voronoi_packing.py [COUNT]``.

In the plane and in space, periodic, with a void ratio of 0.3 and a radius of half the erosion; random sites, and after two steps of relaxation.
Kernels are compiled (or read from the cache) beforehand.
"""

from __future__ import annotations

import sys
from time import perf_counter

from pardem.shapes import Rounding, voronoi_packing


def main(count: int) -> None:
    """Print a row for each packing."""
    print(f"{'dimension':>9} {'regularity':>10} {'seconds':>8} {'grains':>8} {'vanished':>8} {'void ratio':>10} {'erosion/spacing':>15}")
    for dimension in (2, 3):
        box = (0.0,) * dimension, (1.0,) * dimension
        voronoi_packing(10, *box, Rounding(void_ratio=0.3), regularity=1)
        for regularity in (0, 2):
            start = perf_counter()
            packing = voronoi_packing(count, *box, Rounding(void_ratio=0.3, roundness=0.5), regularity=regularity)
            seconds = perf_counter() - start
            erosion = packing.erosion * count ** (1.0 / dimension)
            grains = f"{len(packing):8d} {len(packing.vanished):8d}"
            print(f"{dimension:9d} {regularity:10d} {seconds:8.2f} {grains} {packing.void_ratio():10.6f} {erosion:15.4f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
