"""What went wrong in a step, said in one sentence that names the grain, the same on every rank."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from mpi4py import MPI

from ..errors import BlowUpError
from . import arrays as st

ERROR_FAST = 8  # beside the codes in ``arrays``: found when lists are made, by no kernel

_WHAT = {
    st.ERROR_RANGE: "the contact force between {} and {} is out of range or not a number; the time step is too long or the law too stiff",
    st.ERROR_OVERLAP: "{} and {} overlap by more than a sphero-radius; use a stiffer law, a shorter time step, or a softer start",
    st.ERROR_NAN: "the position or velocity of {} is not a finite number; the time step is too long or the forces are unphysical",
    st.ERROR_SOLVER: "the distance between {} and {} could not be found; their shapes are degenerate or their cores overlap",
    st.ERROR_LEFT: "{} left the domain through a face that is neither periodic nor open; put a wall there, enlarge [domain], or name the face "
    "in domain.outflow",
    st.ERROR_CROWDED: "more forces act on {} than can be summed; its shape has too many features, or the other grains are too small beside it",
    st.ERROR_SERVO: "{} moved by more than the smallest sphero-radius in one step; give it more mass or damping, less load, or shorten time.step",
    ERROR_FAST: "{} is so fast that it crosses the whole domain in one step; the time step is too long or the forces are unphysical",
}
_PLACED = "{} and {} overlap by more than a sphero-radius where the case places them; move one of them"


class Fault(NamedTuple):
    """What went wrong in a step.

    Attributes:
        code: one of the codes of faults in ``arrays``, or ``ERROR_FAST``.
        a: global id of the first body, or -1 - wall.
        b: values of the second body.
        step: step in which it was found.
    """

    code: int
    a: int
    b: int
    step: int


def _name(body: int, walls: list[str]) -> str:
    return f"wall '{walls[-1 - body]}'" if body < 0 else f"grain {body}"


def diagnose(comm: MPI.Comm, control: np.ndarray, scene: Any) -> None:
    """Raise the first fault of all ranks, by step and then by rank, on all of them. Collective.

    Args:
        comm: communicator.
        control: (CONTROL,) int64 of this rank.
        scene: constants of the run.

    Raises:
        BlowUpError: always.
    """
    mine = Fault(*(int(control[k]) for k in (st.FAULT, st.FAULT_A, st.FAULT_B, st.FAULT_STEP)))
    fault = min((Fault(*found) for found in comm.allgather(tuple(mine)) if found[0]), key=lambda found: found.step, default=mine)
    code, a, b, step = fault
    said = _PLACED if code == st.ERROR_OVERLAP and step == 0 else _WHAT.get(code, "an unknown fault")
    what = said.format(_name(a, scene.wall_names), _name(b, scene.wall_names))
    raise BlowUpError(f"At step {step} (t = {step * scene.settings.dt:.6g} s) {what}.", fault)
