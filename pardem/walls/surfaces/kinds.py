"""Kinds of walls: a half-space, a disc (both sides), the inside of a cylinder, a body of any shape, a disc with a hole. A box is six half-spaces."""

from __future__ import annotations

from ...compiled.jit import njit  # noqa: F401  (constants below are part of compiled code)

PLANE, DISC, CYLINDER, BODY, PIERCED = 0, 1, 2, 3, 4
SHAPE = 8  # floats per wall: point (3), unit normal or axis (3), radius, radius of the hole
POSE = 22  # floats per wall: what ``motion.place_walls`` fills in
ABSENT, THERE, APPEARING = 0, 1, 2  # of a wall in a stage; one that has just appeared is there after its first step
