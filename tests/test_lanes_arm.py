"""Lanes on processors of ARM, by the code that is made for them: pairs of numbers in registers, and nothing fused that would round otherwise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

FUSED = ("fmla", "fmls", "fmadd", "fmsub", "fnmadd", "fnmsub")
OF_NUMBA = ("NRT_", "numba_", "memset", "memcpy", "memmove", "Py", "_Py")
"""Beginnings of the names of functions that arrays and the entry from Python call."""


def test_lanes_become_vectors_of_the_same_operations() -> None:
    tests = Path(__file__).resolve().parent
    setting = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": "", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, str(tests / "arm_code.py")], env=os.environ | setting, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    for name, code in found.items():
        counted = code["instructions"]
        assert not [i for i in counted if i.startswith(FUSED)], name
        assert not [f for f in code["calls"] if not f.startswith(OF_NUMBA) and "test_lanes" not in f], name
    for name in ("viscoelastic", "hertz", "walton"):
        together = found[f"_respond_together, {name}"]["instructions"]
        for operation in ("fadd", "fsub", "fmul", "fdiv", "fsqrt"):
            assert together[f"{operation}.2d"] > 0
            assert operation not in together  # of single numbers
    contacts = found["_contacts_of_spheres"]["instructions"]
    for operation in ("fadd", "fsub", "fmul", "fdiv", "fsqrt", "add"):
        assert contacts[f"{operation}.2d"] > 0
    assert found["_to_whole"]["instructions"]["fadd.2d"] > 0
    assert found["_move"]["instructions"]["add.2d"] > 0
