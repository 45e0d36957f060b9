"""What the campaign on the energy of long runs says of runs whose errors are known."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "jobs" / "campaigns" / "energy" / "drift.py"


@pytest.fixture(scope="module")
def drift() -> Any:
    spec = importlib.util.spec_from_file_location("drift", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(drift: Any, size: float, slope: float) -> list[dict[str, Any]]:
    """Random walks of some ten thousand seeds' worth of steps, and a drift."""
    made = []
    for per_contact, steps in drift.PARTS:
        kicks = np.random.default_rng(per_contact + steps).normal(scale=size * (50 / per_contact) ** 1.5, size=(400, drift.ROWS))
        walks = np.cumsum(kicks - kicks.mean(axis=0), axis=1) + slope * np.arange(1, drift.ROWS + 1)
        made += [{"seed": k, "steps": steps, "per_contact": per_contact, "errors": list(walk)} for k, walk in enumerate(walks)]
    return made


def test_a_random_walk_is_told_from_a_drift(drift: Any) -> None:
    walk, gone = drift.text(rows(drift, 1e-5, 0.0)), drift.text(rows(drift, 1e-5, 1e-4))
    assert "within every interval" in walk
    assert "within not every interval" in gone
    assert "lies within every interval of the measured one" in walk
    assert "Neighbouring changes are not correlated" in walk
    linked = [float(line.split("|")[-2].split("(")[0]) for line in walk.splitlines() if "t_c/" in line]
    assert linked == pytest.approx([0.0] * 3, abs=0.02)
    assert "makes the spread 2." in walk


def test_the_case_is_one_that_pardem_takes(drift: Any) -> None:
    case = drift.gas(1, 100)
    assert case.time.step == pytest.approx(drift.CONTACT_TIME / 100)
