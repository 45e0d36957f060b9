"""A small valid case as plain data, for tests of the case model, and its changes."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from pardem.case import Case
from pardem.errors import CaseError


def scene() -> dict[str, Any]:
    """A small valid case with two species, a wall and two stages."""
    return {
        "time": {"step": 1e-5},
        "domain": {"lower": [-1.0, -1.0, -1.0], "upper": [1.0, 1.0, 1.0]},
        "species": [
            {"name": "bead", "shape": "sphere", "radius": 1e-3, "density": 1000.0},
            {"name": "rod", "shape": "spherocylinder", "length": 4e-3, "radius": 1e-3, "density": 1000.0},
        ],
        "grain": [{"species": "bead", "position": [0.0, 0.0, 0.1]}],
        "insert": [{"species": "rod", "count": 5, "region": {"kind": "box", "lower": [0.0, 0.0, 0.0], "upper": [0.1, 0.1, 0.1]}}],
        "contact": {"restitution": 0.5, "contact_time": 1e-3, "friction": 0.3},
        "wall": [{"name": "base", "kind": "plane", "point": [0.0, 0.0, 0.0], "normal": [0.0, 0.0, 2.0]}],
        "stage": [
            {"name": "settle", "kind": "settle", "energy_per_grain": 1e-12, "max_time": 0.1},
            {"name": "shake", "kind": "vibrate", "wall": "base", "taps": 3, "frequency": 30.0, "gamma": 2.0},
        ],
    }


def changed(path: str, value: Any) -> dict[str, Any]:
    """The scene with one entry replaced, or removed where the value is None; list entries by number."""
    data = copy.deepcopy(scene())
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    at: Any = data
    for part in parents:
        at = at[part]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return data


def error(data: dict[str, Any]) -> str:
    """The sentence with which a case is refused."""
    with pytest.raises(CaseError) as caught:
        Case(**data)
    return str(caught.value)
