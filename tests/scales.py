"""Lengths at which references are compared: a rule that is right in metres may hide a tolerance in metres."""

from __future__ import annotations

from typing import Any

SCALES = (1.0, 1e-3, 1e3)
LENGTHS = ("radius", "length", "side", "edge", "hole")


def scaled(table: dict[str, Any], scale: float) -> dict[str, Any]:
    """A species or a wall at the origin, larger by a factor."""
    return {key: scale * value if key in LENGTHS else value for key, value in table.items()}


def domain(scale: float) -> dict[str, tuple[float, ...]]:
    """The domain of ``scenes.case_of``, larger by a factor."""
    return {"lower": (-50.0 * scale,) * 3, "upper": (50.0 * scale,) * 3}
