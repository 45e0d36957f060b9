"""The motions of walls: their tables stand with their kernels."""

from __future__ import annotations

from ..walls.motion.fixed import FixedMotion, Halt
from ..walls.motion.registry import AnyMotion, LaterMotion, Motion
from ..walls.motion.sinusoidal import Drive, SinusoidalMotion

__all__ = ["AnyMotion", "Drive", "FixedMotion", "Halt", "LaterMotion", "Motion", "SinusoidalMotion"]
