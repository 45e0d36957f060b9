"""How a run is carried out, apart from its case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .reports import Log


@dataclass(frozen=True)
class RunOptions:
    """Options of a run, those of `pardem run`; none of them changes the trajectory.

    Attributes:
        resume: whether to resume from the newest valid checkpoint, or to start from the beginning if there is none.
        accept_loss: with ``resume``, whether to go on although parts of the output are missing or were changed.
        force: whether to overwrite an existing result.
        walltime: wall time after which to write a checkpoint and stop (s); None for no limit.
        log: file for everything that the run tells, on rank 0.
        quiet: whether to print nothing; the log gets all the same.
    """

    resume: bool = False
    accept_loss: bool = False
    force: bool = False
    walltime: float | None = None
    log: Log | None = None
    quiet: bool = False
