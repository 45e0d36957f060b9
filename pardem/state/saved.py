"""What a run is continued from: the state of a simulation between two steps, as checkpoints keep it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np

from .population import ContactTable, Population

ObserverState = dict[str, dict[str, float] | None]
"""State of the observables from step to step: tables of numbers by key; None if there is nothing yet."""


@dataclass
class OutflowTotals:
    """Totals of what has left through open faces of the domain, on all ranks.

    Attributes:
        grains: number of grains.
        carried: energy of their contacts (quanta).
    """

    grains: int
    carried: int


@dataclass
class InflowTotals:
    """Totals of what has arrived in the course of a run, the same on every rank.

    Attributes:
        brought: energy that grains have arrived with (quanta).
        bases: first step of the stage from which each `[[pour]]` counts, -1: it has not begun.
        arrived: number of grains of each that have arrived.
    """

    brought: int
    bases: list[int]
    arrived: list[int]


@dataclass
class RunHeader:
    """The exact numbers of a state, the same on every rank.

    Attributes:
        step: number of the step.
        case_hash: hash of the case whose trajectory this is.
        stage: index of the stage.
        stage_base: step at which the stage began.
        quanta: quanta of force (N), torque (N m) and energy (J).
        totals: energy lost normally and tangentially, then the work of each wall (quanta, of any size).
        observer: state of the observables by key: the energies (J) at the first observed step, from which the energy budget counts.
        outflow: what has left, if faces of the domain are open.
        inflow: what has arrived, if grains are poured.
    """

    step: int
    case_hash: str
    stage: int = 0
    stage_base: int = 0
    quanta: tuple[float, ...] = ()
    totals: list[int] = field(default_factory=list)
    observer: ObserverState = field(default_factory=dict)
    outflow: OutflowTotals | None = None
    inflow: InflowTotals | None = None

    def table(self) -> dict[str, object]:
        """Return the header as a table that JSON can hold."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @classmethod
    def of_table(cls, table: Mapping[str, Any]) -> Self:
        """Make a header from a table: the inverse of ``table``.

        Args:
            table: the table. Entries that a state of another layout lacks are as at the start of a run.

        Returns:
            The header.
        """
        outflow, inflow = table.get("outflow"), table.get("inflow")
        return cls(
            step=int(table.get("step", -1)),
            case_hash=str(table.get("case_hash")),
            stage=int(table.get("stage", 0)),
            stage_base=int(table.get("stage_base", 0)),
            quanta=tuple(table.get("quanta", ())),
            totals=[int(value) for value in table.get("totals", ())],
            observer=dict(table.get("observer", {})),
            outflow=None if outflow is None else OutflowTotals(**outflow),
            inflow=None if inflow is None else InflowTotals(**inflow),
        )


@dataclass
class RunState:
    """The state of a run on one rank.

    Attributes:
        header: numbers that all ranks know.
        grains: grains of this rank, including those that have left the domain or are still to come.
        contacts: living contacts that this rank knows; over all ranks, each at least once.
        wall_motion: (W, MOTION) float64 motion of each wall, see ``walls.motion.driven``; the same on all ranks.
        left: (n,) int64 step after which each grain left the domain, -1: it is present, -2: it is still to come; None if all are present.
    """

    header: RunHeader
    grains: Population
    contacts: ContactTable
    wall_motion: np.ndarray
    left: np.ndarray | None = None
