"""What to tell the user of a grid that is too fine for its grains: it works, but ranks are wasted."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from .grids import idle_notice
from .nested_slabs import Nested


def fineness_notice(partition: Nested, radius: np.ndarray) -> str:
    """One sentence if there are more ranks than grains, or boxes thinner than a grain. Collective.

    Args:
        partition: nested cuts that have been placed.
        radius: (n,) bounding radii of the owned grains (m).

    Returns:
        The sentence, the same on every rank; empty where there is nothing to say.
    """
    comm = partition.comm
    if comm.size == 1:
        return ""
    grains = int(comm.allreduce(len(radius)))
    diameter = 2.0 * float(comm.allreduce(float(radius.max(initial=0.0)), MPI.MAX))
    if idle := idle_notice(comm.size, grains):
        return idle
    if partition.thinnest < diameter:
        px, py, pz = partition.grid
        return (
            f"the grid of {px} x {py} x {pz} ranks has boxes {partition.thinnest:.2g} m thin, and the largest grain measures {diameter:.2g} m: ranks "
            "see grains beyond their neighbours, which costs time but does no harm; fewer ranks may be as fast"
        )
    return ""
