"""All motions of walls there are: a new one is a file beside this one, its table in `AnyMotion` and its mover at the end of ``MOVERS``.

A motion has the code of its place in ``MOVERS`` (the first column of its row, which checkpoints hold: the order must stay). The compiled functions
below take such a code first and then what the mover's own function of that name takes (`motion_table.Mover`).
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from ...compiled.switch import switch
from .fixed import REST, FixedMotion, Halt
from .motion_table import Mover
from .rotation import TURN, RotationMotion
from .servo import PUSH, ServoMotion
from .sinusoidal import SWING, SinusoidalMotion
from .velocity import GLIDE, VelocityMotion

MOVERS: tuple[Mover, ...] = (REST, SWING, GLIDE, TURN, PUSH)
"""The motions, in the order of their codes."""

TURNING: tuple[bool, ...] = tuple(mover.turns for mover in MOVERS)
"""Whether a wall turns, by the code of its motion."""

RESTING: tuple[bool, ...] = tuple(mover is REST for mover in MOVERS)
"""Whether a wall is at rest, by the code of its motion."""


def _motion_from_text(value: Any) -> Any:
    """A motion given as the name of its kind alone, as a table."""
    return {"kind": value} if isinstance(value, str) else value


AnyMotion = Annotated[FixedMotion | SinusoidalMotion | VelocityMotion | RotationMotion | ServoMotion, Field(discriminator="kind")]
Motion = Annotated[AnyMotion, BeforeValidator(_motion_from_text)]
LaterMotion = Annotated[Halt | SinusoidalMotion | VelocityMotion | RotationMotion | ServoMotion, Field(discriminator="kind")]

along = switch(tuple(mover.along for mover in MOVERS))
turned = switch(tuple(mover.turned for mover in MOVERS))
top_speed_of = switch(tuple(mover.top_speed for mover in MOVERS))
