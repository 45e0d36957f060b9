"""Walls at rest."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from .motion_table import MotionTable, Mover

REST = Mover()


class FixedMotion(MotionTable):
    """The wall is at rest."""

    kind: Literal["fixed"] = Field(description="kind of motion")

    mover: ClassVar = REST


class Halt(MotionTable):
    """The wall stops at the place to which the previous motion has taken it."""

    kind: Literal["fixed"] = Field(description="kind of motion")
    start: str = Field(description="name of the stage at which the wall stops")

    mover: ClassVar = REST
