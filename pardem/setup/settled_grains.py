"""The grains that a case takes over from another run."""

from __future__ import annotations

import numpy as np
from mpi4py import MPI

from ..case import Case
from ..errors import CaseError
from ..shapes.catalogue import Catalogue
from ..state.origin_state import SettledGrains
from .given_checks import too_fast


def settled_grains(comm: MPI.Comm, case: Case, catalogue: Catalogue) -> SettledGrains:
    """The grains that a case takes over from another run, those of this rank; none where it starts from itself. Collective.

    Args:
        comm: communicator.
        case: validated case.
        catalogue: shape catalogue of the case.

    Raises:
        CaseError: the state of that run is not at hand, or a grain lies outside the domain or would cross it in a step; on every rank.
    """
    if case.origin is None:
        return SettledGrains.made(0)
    state = case.origin.state
    if state is None:
        raise CaseError(f"start.from = '{case.start.source if case.start else ''}': only a run that goes on from its own checkpoint does without it")
    settled, spin = state.settled, state.grains.w[:, :3]
    if case.domain is not None:
        x = settled.position
        open_faces = np.array([[f"{side}-{axis}" in (case.domain.outflow or ()) for axis in "xyz"] for side in ("lower", "upper")])
        outside = (((x < case.domain.lower) & ~open_faces[0]) | ((x > case.domain.upper) & ~open_faces[1])).any(axis=1)
        what = f"lie outside [domain] ({list(case.domain.lower)} to {list(case.domain.upper)} m)"
        _refuse(comm, outside, x, what, "enlarge it, or leave them out by start.without_region")
    fast = too_fast(case, catalogue, settled.species, settled.scale, settled.velocity, spin)
    _refuse(comm, fast, settled.position, "are so fast that they cross the whole domain in one step", "reduce time.step, or enlarge the domain")
    return settled


def _refuse(comm: MPI.Comm, bad: np.ndarray, position: np.ndarray, what: str, remedy: str) -> None:
    """Raise the same error on all ranks if any of their grains is bad. Collective."""
    count = int(comm.allreduce(int(np.count_nonzero(bad))))
    if count:
        mine = position[int(np.argmax(bad))].tolist() if bad.any() else None
        first = next(place for place in comm.allgather(mine) if place is not None)
        raise CaseError(f"start.from: {count} grains {what}, the first at {first}: {remedy}")
