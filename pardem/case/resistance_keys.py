"""Keys of the resistance to rolling and twisting, in general and for pairs of materials."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ..case_values import Model, NonNegative

Choice = Literal["none", "constant", "spring"]

DAMPING = 0.3  # default of the two dampings: Ai et al. (2011)


class ResistanceKeys(Model):
    """Parameters of the resistance to rolling and twisting; those not given here are taken from the `[contact]` table."""

    rolling_friction: NonNegative | None = Field(
        default=None,
        description="coefficient of rolling friction: largest rolling torque divided by normal force and effective radius (1); needs "
        "`resistance`; default: 0",
    )
    twisting_friction: NonNegative | None = Field(
        default=None,
        description="coefficient of twisting friction: largest torque about the normal divided by normal force and effective radius (1); needs "
        "`resistance`; default: 0",
    )
    rolling_damping: NonNegative | None = Field(
        default=None, description="damping ratio of the rolling spring (1); for resistance `spring`; default: 0.3"
    )
    twisting_damping: NonNegative | None = Field(
        default=None, description="damping ratio of the twisting spring (1); for resistance `spring`; default: 0.3"
    )
    resistance_stiffness: Literal["jiang", "iwashita"] | None = Field(
        default=None,
        description="stiffness of the springs of resistance `spring`; `jiang`: 2.25 times the normal stiffness, the square of the coefficient and "
        "the square of the effective radius; `iwashita`: the tangential stiffness times the square of the effective radius; default: "
        "`jiang`",
    )
