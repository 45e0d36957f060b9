"""What a run was: its figures at the end."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Summary:
    """What the user wants to know at the end of a run, alike on all ranks.

    Attributes:
        finished: whether the stages are over.
        losses: what was found missing or damaged at the end and is not in the result, or None.
        steps: number of steps that were done.
        time: time at the end (s).
        grains: number of grains.
        ranks: number of ranks.
        left: number of grains that have left the domain, or None if no face is open.
        to_come: number of poured grains that have not arrived, or None if nothing is poured.
        wall_seconds: time that the run took.
        cpu_seconds: the same of all processors together.
        compile_seconds: processor time spent on compiling kernels (s), or None if all of them were in the cache.
        cundall: grains x steps over the processor time since the first step, without compilation.
        contacts_per_grain: contacts per grain at the end, walls included, or None if the run was stopped between two rows.
        coordination: contacts of a grain with other grains at the end, or None if the run was stopped between two rows.
        rebuilds: how often the lists were made anew.
        shares: shares of the wall time (1), by what it was spent on.
        energy: energies at the end (J), by name.
    """

    finished: bool
    losses: str | None
    steps: int
    time: float
    grains: int
    ranks: int
    left: int | None
    to_come: int | None
    wall_seconds: float
    cpu_seconds: float
    compile_seconds: float | None
    cundall: float
    contacts_per_grain: float | None
    coordination: float | None
    rebuilds: int
    shares: dict[str, float]
    energy: dict[str, float]
