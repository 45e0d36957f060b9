"""What is poured in the course of a case: its ids, its sizes, when and where it arrives."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from ..case import Case
from ..case.placement import Pour
from ..insertion import random_scales
from ..shapes.catalogue import Catalogue
from ..spouts import Plan, Spout
from ..state.population import Population
from .insert_regions import domain_of, region_of
from .starting_grains import StartingGrains, population_of

RARELY = 1e15  # steps between two grains, at most


def plan_of(case: Case, catalogue: Catalogue, first: int) -> Plan | None:
    """Plan the arrivals of a case. Ids follow the order in which grains are due, stage by stage.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        first: first id of the poured grains: the number of all others.

    Returns:
        The plan, the same on all ranks; None if nothing is poured.
    """
    if not case.pour:
        return None
    stages, names = [stage.name for stage in case.stage], [s.name for s in case.species]
    begin = [pour.start or stages[0] for pour in case.pour]
    intervals = [_interval(pour, case.time.step) for pour in case.pour]
    which = np.concatenate([np.full(pour.count, k) for k, pour in enumerate(case.pour)])
    due = np.concatenate([np.arange(pour.count) * interval for pour, interval in zip(case.pour, intervals, strict=True)])
    stage = np.array([stages.index(name) for name in begin])[which]
    ids = np.empty(len(which), np.int64)
    ids[np.lexsort([which, due, stage])] = first + np.arange(len(which))
    spouts = []
    for k, pour in enumerate(case.pour):
        mine, (low, high) = ids[which == k], pour.sizes
        scale = np.full(pour.count, low) if pour.size.kind == "constant" else random_scales(case.seed, first, len(ids), low, high)[mine - first]
        spouts.append(Spout(region_of(case, pour), names.index(pour.species), mine, scale, np.array(pour.velocity), intervals[k], begin[k]))
    return Plan(spouts, catalogue, names, domain_of(case), case.seed)


def _interval(pour: Pour, dt: float) -> float:
    """Number of steps between two grains, a whole number if it is one but for rounding."""
    interval = 1.0 / max(pour.rate * dt, 1.0 / RARELY)
    whole = float(round(interval))
    return whole if abs(interval - whole) <= 1e-9 * interval else interval


def grains_to_come(comm: MPI.Comm, case: Case, plan: Plan) -> Population:
    """Make the grains that are still to come at the start, an equal share on each rank.

    Args:
        comm: communicator.
        case: validated case.
        plan: when and where they arrive.

    Returns:
        Those of this rank, at rest in the middle of their regions.
    """
    parts = [_share(spout, comm) for spout in plan.spouts]
    return population_of(case, plan.catalogue, StartingGrains.joined(parts))


def _share(spout: Spout, comm: MPI.Comm) -> StartingGrains:
    count, box = len(spout.ids), spout.region.arrays()
    rows = slice(comm.rank * count // comm.size, (comm.rank + 1) * count // comm.size)
    ids = spout.ids[rows]
    middle, upright = np.tile(0.5 * (box.lower + box.upper), (len(ids), 1)), np.tile([1.0, 0.0, 0.0, 0.0], (len(ids), 1))
    species = np.full(len(ids), spout.species, np.int32)
    return StartingGrains.made(len(ids), {"gid": ids, "species": species, "scale": spout.scale[rows], "position": middle, "orientation": upright})
