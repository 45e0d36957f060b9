"""The cache of kernels: after a warm-up, runs of every kind that it covers compile nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from mpi4py import MPI

from pardem import cli
from pardem.case import Case
from pardem.contacts.dispatch import RULES
from pardem.laws.elastic import Elastic
from pardem.laws.hertz import Hertz
from pardem.laws.resistance.resistance_model import NoResistance, Resistance
from pardem.laws.viscoelastic import Viscoelastic
from pardem.laws.walton import Walton
from pardem.setup import warmup
from pardem.setup.preparation import build_scene
from pardem.setup.warmup import usual_cases
from pardem.simulation import Simulation

# differs from the usual case in all that must be a branch at run time: rule, scheme, walls, sizes, axes, energy budget, observables, checkpoints
RUN = """
time = { step = 1e-5, integrator = "euler" }
domain = { lower = [-0.02, -0.02, -0.01], upper = [0.02, 0.02, 0.05] }
contact = { law = "elastic", interaction = "minima", contact_time = 1e-3 }
output = { frame_steps = 20, observable_steps = 10, checkpoint_steps = 20, observables = { energy_budget = false } }
species = [{ name = "a", shape = "sphere", radius = 1e-3, density = 1e3 }, { name = "b", shape = "sphere", radius = 1.5e-3, density = 2e3 }]
insert = [
    { species = "a", count = 6, region = { kind = "cylinder", radius = 5e-3, lower = 0.0, upper = 10e-3 } },
    { species = "b", count = 3, region = { kind = "cylinder", radius = 5e-3, lower = 0.0, upper = 10e-3 } },
]
stage = [
    { name = "settle", kind = "settle", energy_per_grain = 1e-12, max_time = 5e-4 },
    { name = "shake", kind = "vibrate", wall = "base", taps = 1, frequency = 1000.0, gamma = 2.0 },
]
[[wall]]
name = "tube"
kind = "cylinder"
radius = 6e-3
[[wall]]
name = "base"
kind = "disc"
center = [0.0, 0.0, 0.0]
normal = [0.0, 0.0, 1.0]
radius = 6e-3
"""
# a run and another one that goes on from it; tells at its end what they have compiled
COUNTED = """
import sys
from pardem.compiled import nested
compiled, compile_extra = [], nested.Compiler.compile_extra
def counted(self, function):
    compiled.append(function.__qualname__)
    return compile_extra(self, function)
nested.Compiler.compile_extra = counted
from pardem.cli import main
run = ["run", "case.toml", "-o", "a.h5"]
status = main(run)
before = len(compiled)
status = status or main([*run, "--resume", "--set", "stage.shake.taps=2"])
print("compiled:", compiled[:before], compiled[before:])
sys.exit(status)
"""


def test_the_usual_cases_are_the_kernels_there_are() -> None:
    kernels = []
    for case in usual_cases():
        scene = build_scene(case, {"grain": 1.0}, {"grain": 0.8}).scene
        kernels.append((type(scene.interaction), type(scene.law), type(scene.settings.resistance)))
    types = [(law, NoResistance) for law in (Viscoelastic, Walton, Hertz, Elastic)]
    types += [(Viscoelastic, resistance) for resistance in get_args(Resistance) if resistance is not NoResistance]
    assert len(kernels) == len(set(kernels))
    assert set(kernels) == {(rule.interaction, *others) for rule in RULES for others in types}


@pytest.mark.slow
@pytest.mark.parametrize("case", usual_cases(), ids=lambda case: case.title)
def test_every_law_goes_with_every_narrow_phase(case: Case) -> None:
    """Other tests compile the kernels that their physics needs, and conservative ones share those of the viscoelastic law."""
    simulation = Simulation(case, MPI.COMM_SELF)
    while simulation.proceed:
        simulation.step(1, observe=True)
    assert np.isfinite(simulation.engine.grains.x).all()
    assert np.isfinite(simulation.observables()["energy/total"])


def test_a_warm_cache_leaves_nothing_to_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the cache that all tests share, where other tests have compiled most of what the warm-up asks for."""
    chosen = [case for case in usual_cases() if case.title == "warm-up: spheres, elastic"]
    assert len(chosen) == 1
    monkeypatch.setattr(warmup, "usual_cases", lambda: chosen)
    assert cli.main(["warmup"]) == 0
    (tmp_path / "case.toml").write_text(RUN)
    done = subprocess.run([sys.executable, "-c", COUNTED], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "compiled: [] []"
