"""What happens in a run, for programs that follow one: `run_case` tells it to a function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .simulation import Simulation

Kind = Literal["started", "compiled", "stage", "frame", "checkpoint", "finished", "stopped"]


@dataclass(frozen=True)
class RunEvent:
    """Something that has happened in a run. Every rank is told of it, in the same order on all of them.

    What ``details`` holds, by kind:

    * ``started``: nothing has been computed yet; ``out`` (Path), ``ranks``, ``resumed`` (bool)
    * ``compiled``: the kernels are ready, those of a run that is resumed with its first steps; ``seconds`` of the processor that compilation took on
      this rank
    * ``stage``: a stage begins; its ``name``, its ``number`` from 0, and ``remaining``, the largest number of steps to the end of the run
    * ``frame``: a frame has been written
    * ``checkpoint``: a checkpoint has been written; its ``path``
    * ``finished``: the result is complete; ``summary``
    * ``stopped``: the run has ended before its end; ``reason``, a sentence, and ``error``, None where it can be resumed as it is

    Attributes:
        kind: what has happened.
        step: number of steps done.
        time: simulated time (s).
        simulation: the simulation, whose grains, contacts and observables may be looked at; None for ``started``.
        details: what else there is to say.
    """

    kind: Kind
    step: int
    time: float
    simulation: Simulation | None
    details: Mapping[str, Any] = field(default_factory=dict)
