"""Random damage anywhere in the parts of a run: no row that remains is wrong, and none is lost unnoticed."""

from __future__ import annotations

from pathlib import Path

import h5py
import io_scene as scene
import numpy as np
import pytest
from damage import anywhere
from mpi4py import MPI

from pardem import cli
from pardem.io.results.paths import parts_of
from pardem.io.views.info import info

SELF = MPI.COMM_SELF


def rows(path: Path) -> dict[tuple[str, int], bytes]:
    """Every row of every frame and of the observables, and what does not change."""
    with h5py.File(path) as file:
        grains = file["particles/grains"]
        found = {(name, -1): grains[name][()].tobytes() for name in ("id", "species", "scale", "mass")}
        for name, clock in [("velocity", "velocity"), ("position", "position"), ("image", "image"), ("orientation", "orientation")]:
            if name in grains:
                found |= {(name, int(s)): grains[name]["value"][k].tobytes() for k, s in enumerate(grains[clock]["step"][()])}
        for name in ("contacts", "energy/kinetic"):
            if f"observables/{name}" in file:
                rows = file[f"observables/{name}"]
                found |= {(name, int(s)): rows["value"][k].tobytes() for k, s in enumerate(rows["step"][()])}
        found["final", -1] = file["pardem/final/grains/ft"][()].tobytes()
    return found


@pytest.mark.parametrize("seed", range(12))
def test_random_bytes_anywhere_change_no_row_and_lose_none_unnoticed(out: Path, stopped_run: Path, seed: int) -> None:
    whole = stopped_run.parent / "whole.h5"
    if not whole.exists():
        scene.run(SELF, whole, 100)
    random = np.random.default_rng(seed)
    parts = sorted(parts_of(out).glob("*.h5"))
    anywhere(parts[random.integers(len(parts))], random)
    assert cli.main(["verify", str(out)]) in (0, 1)
    done = scene.run(SELF, out, 100, resume=True, accept_loss=True)
    expected, found = rows(whole), rows(out)
    assert {key for key in found if found[key] != expected[key]} == set()
    if found.keys() != expected.keys():
        assert any("lost" in text for text in done.notices)
        assert info(out)["losses"]
