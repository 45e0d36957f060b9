"""A short version of the collider of paper 003 (jobs/campaigns/papers/collider.py): what an elastic collision of non-convex grains conserves."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

EPS = 2.0**-52


@pytest.fixture(scope="module")
def script() -> ModuleType:
    path = Path(__file__).resolve().parent.parent / "jobs" / "campaigns" / "papers" / "collider.py"
    spec = importlib.util.spec_from_file_location("collider", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["collider"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("species", "rotation"),
    [
        ("tetra", "splitting"),
        ("yermis", "fincham"),
        pytest.param("rice", "splitting", marks=pytest.mark.slow),
        pytest.param("rice", "fincham", marks=pytest.mark.slow),
        pytest.param("tetra", "fincham", marks=pytest.mark.slow),
        pytest.param("yermis", "splitting", marks=pytest.mark.slow),
    ],
)
def test_conservation(script: ModuleType, species: str, rotation: str) -> None:
    """Energy errs by the square of the step, momenta by the rounding of velocities and positions alone."""
    steps, duration = (4e-4, 2.5e-5), 0.8

    def errors_at(step: float) -> Any:
        case = script.collider(species, step, duration, rotation, grains=3)
        undamped = case.contact.model_copy(update={"law": "viscoelastic"})  # the same with a stiffness alone, and the kernel of other tests
        return script.collide(case.model_copy(update={"contact": undamped}), interval=0.002)

    coarse, fine = map(errors_at, steps)
    assert coarse.contacts > 5
    assert coarse.worst < 2e-3
    assert fine.worst < coarse.worst / 150.0
    for step, errors in zip(steps, (coarse, fine), strict=True):
        assert errors.momentum < EPS * (duration / step) ** 0.5
        assert errors.angular < EPS * duration / step
