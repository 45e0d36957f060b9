"""What all motions of walls have in common: their tables in a case, and what the kernels ask of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ...case_values import Model, NonNegative
from ...compiled.jit import inlined
from .rows import DIRECTION, SIZE

if TYPE_CHECKING:
    from ...case.tables import CaseTables

Start = NonNegative | str
START = "time (s) or name of the stage at which the motion begins"

Compiled = Callable[..., Any]


@inlined
def none(motion, k):
    """The ``top_speed`` of a wall that never leaves the reach of its lists: zero.

    Args:
        motion: (W, MOTION) rows of walls.
        k: the wall.
    """
    return 0.0


@inlined
def none_after(motion, k, steps, dt):
    """The ``along`` or ``turned`` of a wall that does not move in that way: zero.

    Args:
        motion: (W, MOTION) rows of walls.
        k: the wall.
        steps: number of steps since the motion began.
        dt: time step (s).
    """
    return 0.0


class Mover(NamedTuple):
    """How a kind of motion moves a wall.

    Attributes:
        along: compiled, ``along(motion, k, steps, dt)``: how far the wall has come along its direction (m) in so many steps of ``dt`` (s) since the
            motion began.
        turned: compiled, ``turned(motion, k, steps, dt)``: by which angle it has turned about its axis since then (rad).
        top_speed: compiled, ``top_speed(motion, k)``: bound on the speed (m/s) at which points of the wall move so that lists go stale.
        sweep: numpy, ``sweep(row)``: how far the wall may ever be from where it is (m), which its lists allow for.
        goes: numpy, ``goes(row)``: whether it may move beyond that.
        turns: whether it turns.
    """

    along: Compiled = none_after
    turned: Compiled = none_after
    top_speed: Compiled = none
    sweep: Callable[[np.ndarray], float] = lambda row: 0.0
    goes: Callable[[np.ndarray], bool] = lambda row: False
    turns: bool = False


class MotionTable(Model):
    """A motion of a case."""

    mover: ClassVar[Mover] = Mover()
    """Which of ``registry.MOVERS`` it is."""

    @property
    def inertia(self) -> float:
        """Mass of the wall (kg); infinite where its motion is prescribed."""
        return math.inf

    @property
    def pushed(self) -> bool:
        """Whether forces push the wall."""
        return False

    @property
    def turns(self) -> bool:
        """Whether the wall turns."""
        return self.mover.turns

    def fill(self, row: np.ndarray, gravity: tuple[float, float, float], rows: dict[str, list[int]]) -> None:
        """Write what the kernels need of the motion.

        Args:
            row: (MOTION,) of the wall, where the rest is zero.
            gravity: gravity of the case (m/s^2).
            rows: rows of the walls, by name.
        """

    def speed(self, row: np.ndarray) -> float:
        """Speed that the wall may have (m/s), once its row is complete.

        Args:
            row: (MOTION,) of the wall.
        """
        return float(row[SIZE])

    def objections(self, key: str, case: CaseTables) -> Iterator[str]:
        """What in the rest of the case contradicts the motion, a sentence each.

        Args:
            key: place of the motion in the case.
            case: the tables of the case.
        """
        return iter(())


def unit(vector: Any) -> np.ndarray:
    """A vector at length one.

    Args:
        vector: vector of any length > 0.
    """
    v = np.array(vector, dtype=float)
    return v / np.sqrt(v @ v)


def put_direction(row: np.ndarray, direction: Any) -> None:
    """Write a direction to the row of a motion, at length one.

    Args:
        row: (MOTION,) of the wall.
        direction: direction of any length > 0.
    """
    row[DIRECTION : DIRECTION + 3] = unit(direction)
