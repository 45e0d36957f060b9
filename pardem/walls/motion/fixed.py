"""Walls at rest."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from .table import MotionTable, Mover

REST = Mover()


class FixedMotion(MotionTable):
    """At rest."""

    kind: Literal["fixed"] = Field(description="kind of motion")

    mover: ClassVar = REST


class Halt(MotionTable):
    """At rest, where the motion before has led."""

    kind: Literal["fixed"] = Field(description="kind of motion")
    start: str = Field(description="name of the stage at which the wall stops")

    mover: ClassVar = REST
