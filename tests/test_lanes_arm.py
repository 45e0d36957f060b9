"""Lanes on processors of ARM, by the code that is made for them: pairs of numbers in registers, and nothing fused that would round otherwise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FUSED = ("fmla", "fmls", "fmadd", "fmsub", "fnmadd", "fnmsub")
OPERATIONS = ("fadd", "fsub", "fmul", "fdiv", "fsqrt")
OF_NUMBA = ("NRT_", "numba_", "memset", "memcpy", "memmove", "Py", "_Py")
"""Beginnings of the names of functions that arrays and the entry from Python call."""


def code_for_arm(*words: str) -> dict[str, Any]:
    """What ``arm_code.py`` prints; no function holds fused instructions or calls any but those of Numba, of pardem and of tests."""
    tests = Path(__file__).resolve().parent
    setting = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": "", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(tests / "arm_code.py"), *words]
    run = subprocess.run(command, env=os.environ | setting, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    for name, code in found.items():
        assert not [i for i in code["instructions"] if i.startswith(FUSED)], name
        assert not [f for f in code["calls"] if not f.startswith((*OF_NUMBA, "_ZN6pardem")) and "test_lanes" not in f], name
    return found


def test_lanes_become_vectors_of_the_same_operations() -> None:
    found = code_for_arm()
    for name in ("viscoelastic", "hertz", "walton"):
        together = found[f"_respond_together, {name}"]["instructions"]
        for operation in OPERATIONS:
            assert together[f"{operation}.2d"] > 0
            assert operation not in together  # of single numbers
    assert found["_to_whole"]["instructions"]["fadd.2d"] > 0
    assert found["_move"]["instructions"]["add.2d"] > 0


@pytest.mark.slow
def test_the_loop_over_contacts_computes_with_vectors() -> None:
    """Of spheres; what goes through columns is in it as well, as single numbers."""
    counted = code_for_arm("contacts")["contacts"]["instructions"]
    for operation in OPERATIONS:
        assert counted[f"{operation}.2d"] > counted.get(operation, 0)
