"""What happens beside the motion at certain steps of a simulation: files are written, functions of the user are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .simulation import Simulation

NEVER = 2**63 - 1  # beyond all steps


class Follower(Protocol):
    """Takes part in a simulation at steps that it names in advance, the same on every rank."""

    def next_after(self, step: int) -> int:
        """Name the next step at which it acts.

        Args:
            step: the present step.

        Returns:
            A later step; ``NEVER`` if there is none.
        """

    def observes(self, step: int) -> bool:
        """Tell whether it needs the contacts of a step.

        Args:
            step: a step.
        """

    def act(self, step: int) -> None:
        """Do what is due, if anything is. Called after every chunk of steps, at those that it has named among others. Collective.

        Args:
            step: the present step.
        """


class Repeated:
    """Calls a function again and again while a simulation goes on; see ``Simulation.every``.

    Args:
        sim: the simulation.
        steps: distance of two calls; they fall on whole multiples of it, counted from the start of the run.
        function: called with the simulation.
        observe: whether it needs the contacts of its steps.
    """

    def __init__(self, sim: Simulation, steps: int, function: Callable[[Simulation], object], observe: bool) -> None:
        if steps < 1:
            raise ValueError(f"a function cannot be called every {steps} steps: give at least 1")
        self._sim, self._steps, self._function, self._observe = sim, steps, function, observe
        self._stopped = False

    def stop(self) -> None:
        """Call the function no more."""
        self._stopped = True

    def next_after(self, step: int) -> int:
        """Name the next multiple of the distance.

        Args:
            step: the present step.
        """
        return NEVER if self._stopped else step + self._steps - step % self._steps

    def observes(self, step: int) -> bool:
        """Tell whether the function wants the contacts of a step.

        Args:
            step: a step.
        """
        return self._observe and not self._stopped and step % self._steps == 0

    def act(self, step: int) -> None:
        """Call the function if the step is a multiple of the distance.

        Args:
            step: the present step.
        """
        if not self._stopped and step % self._steps == 0:
            self._function(self._sim)
