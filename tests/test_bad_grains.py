"""Grains that cannot be, from a file or in their motion: one sentence that names the file, the grain and the remedy, on any number of ranks."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
from mpi4py import MPI
from run_scene import SHORT, settings

from pardem.errors import FileError
from pardem.io.casefile import read_case
from pardem.run import run_case
from pardem.setup.given_grains import given_grains

TWO = "grain=[{{species='rod', position=[-1e-3, 0, 20e-3], {}}}, {{species='rod', position=[1e-3, 0, 20e-3]}}]"
GRAINS = {"species": np.array(["rod", "rod"]), "position": np.array([[0.0, 0.0, 10e-3], [0.0, 2e-3, 10e-3]])}


def test_an_orientation_of_any_length_is_normalised(folder: Path) -> None:
    found = []
    for size in (1e-200, 1.0, 1e200):
        np.savez("grains.npz", **GRAINS, orientation=size * np.array([[1.0, 0.0, 0.0, 1.0], [1.0, 2.0, 3.0, 4.0]]))
        case = read_case("case.toml", ["insert=[]", "grains_file='grains.npz'"])
        found.append(given_grains(case)["orientation"])
    assert np.allclose(found[0], found[1], rtol=1e-15, atol=0.0)
    assert np.allclose(found[2], found[1], rtol=1e-15, atol=0.0)


FAST = {"angular_velocity": np.array([[0.0, 0.0, 1e300], [0.0, 0.0, 0.0]])}
TOO_FAST = "make it so fast that it crosses the whole domain in one step: reduce them, or time.step"


@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.parametrize(
    ("arrays", "expected"),
    [
        ({"position": np.array([[0, 0, 10e-3], [0, 0, 10.1e-3]])}, "1 pairs of grains overlap at the start: 0 (rod) and 1 (rod) by 0.0005 m; move"),
        (
            {"position": np.array([[0, 0, 10e-3], [0, 0, 1.0]])},
            "1 grains lie outside the domain ([-0.005, -0.005, -0.002] to [0.005, 0.005, 0.03] m)",
        ),
        ({"position": np.array([[0, 0, 10e-3], [0, np.nan, 0]])}, "grains_file = 'grains.npz': position of grain 1 = [0.0, nan, 0.0] must be finite"),
        ({"position": np.zeros((2, 2))}, "grains_file = 'grains.npz': array 'position' must be of shape (2, 3), not (2, 2)"),
        ({"scale": np.array([1.0, -1.0])}, "Grain 1 has size factor -1.0"),
        ({"species": np.array(["rod", "rood"])}, "grains_file = 'grains.npz' names species 'rood'; the case has rod"),
        (
            {"velocity": np.array(["a", "b"])},
            "grains_file = 'grains.npz': velocity must be an array of numbers, a row for each grain, not <U1 of shape (2,)",
        ),
        (
            {"position": np.float64(1.0)},
            "grains_file = 'grains.npz': position must be an array of numbers, a row for each grain, not float64 of shape ()",
        ),
        ({"species": np.zeros((2, 2), int)}, "grains_file = 'grains.npz': array 'species' must be of shape (2,), not (2, 2)"),
        ({"species": np.array(["rod", None])}, "grains_file = 'grains.npz': grains.npz is not an .npz file of plain arrays"),
        (
            FAST,
            "grains_file = 'grains.npz': velocity = [0.0, 0.0, 0.0] m/s and angular_velocity = [0.0, 0.0, 1e+300] rad/s of grain 0 " + TOO_FAST,
        ),
        (
            {"velocity": np.array([[0.0, 0.0, 0.0], [0.0, 600.0, 0.0]])},
            "grains_file = 'grains.npz': velocity = [0.0, 600.0, 0.0] m/s and angular_velocity = [0.0, 0.0, 0.0] rad/s of grain 1 " + TOO_FAST,
        ),
        ({name: values[:0] for name, values in GRAINS.items()}, "the case has no grains: give"),
    ],
)
def test_grains_that_cannot_be(folder: Path, refused: Callable[..., str], command: str, arrays: dict[str, np.ndarray], expected: str) -> None:
    np.savez("grains.npz", **(GRAINS | arrays))
    said = refused(command, "case.toml", *SHORT, *settings(insert="[]", grains_file="'grains.npz'"))
    assert said.removeprefix("case.toml: ").startswith(expected)


@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.parametrize(
    ("grain", "expected"),
    [
        (TWO.format("velocity=[600, 0, 0]"), "grain.0: velocity = [600.0, 0.0, 0.0] m/s and angular_velocity = [0.0, 0.0, 0.0] rad/s " + TOO_FAST),
        (TWO.format("name='top', angular_velocity=[0, 9e5, 0]"), "grain.top: velocity = [0.0, 0.0, 0.0] m/s and angular_velocity = [0.0, 900000.0"),
    ],
)  # fmt: skip
def test_a_grain_that_is_too_fast(folder: Path, refused: Callable[..., str], command: str, grain: str, expected: str) -> None:
    """A cloud 1 cm wide in steps of 2e-5 s: what moves by 500 m/s leaves it in one of them, what moves by 400 does not."""
    np.savez("grains.npz", species=GRAINS["species"][:1], position=GRAINS["position"][:1] - [0.0, 0.0, 5e-3], velocity=np.array([[0.0, 0.0, 400.0]]))
    change = [*SHORT, *settings(insert="[]", grains_file="'grains.npz'"), "--set", grain]
    assert refused(command, "case.toml", *change).removeprefix("case.toml: ").startswith(expected)


def test_a_file_of_grains_that_cannot_be_read(folder: Path, refused: Callable[..., str]) -> None:
    np.savez("whole.npz", **GRAINS)
    np.save("array.npy", GRAINS["position"])
    Path("cut.npz").write_bytes(Path("whole.npz").read_bytes()[:300])
    Path("text.npz").write_text("species position")
    np.savez("lacking.npz", position=GRAINS["position"])
    for name, expected in {
        "none.npz": "does not exist; give an .npz file beside the case file", "array.npy": "is not an .npz file", "cut.npz": "or is damaged",
        "text.npz": "is not an .npz file", "lacking.npz": "has no array 'species'",
    }.items():  # fmt: skip
        for command in ("run", "check"):
            said = refused(command, "case.toml", *SHORT, *settings(grains_file=f"'{name}'"))
            assert f"grains_file = '{name}'" in said
            assert expected in said


@pytest.mark.parametrize(
    ("grains", "expected", "begins"),
    [
        pytest.param("grains_file='fast.npz'", TOO_FAST, False, id="too fast"),
        pytest.param(TWO.format("velocity=[40, 0, 0]"), "grain 0 and ", True, id="runaway overlap"),
    ],
)
def test_an_unphysical_motion_ends_two_ranks_within_seconds(folder: Path, start_mpi: Callable, grains: str, expected: str, begins: bool) -> None:
    np.savez("fast.npz", **GRAINS, **FAST)
    change = [*SHORT, *settings(insert="[]", stage="[{name='go', kind='run', steps=100000000}]"), "--set", grains]
    with open("err", "w") as err:
        process = start_mpi(2, "-m", "pardem", "run", "case.toml", *change, stderr=err)
        end = time.monotonic() + 100.0
        while "stage 'go' begins" not in Path("err").read_text() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        assert process.wait(20.0) == 1
    said = Path("err").read_text()
    assert said.count("pardem: error: ") == 1
    assert "Traceback" not in said
    assert "Warning" not in said
    assert expected in said
    assert ("stage 'go' begins" in said) == begins == Path("case.h5").exists()  # before the first step there is nothing to keep
    if begins:
        kept = "just before the run stopped" in said  # what led to it can be looked at
        assert ("No checkpoint has been written yet." in said) == (not kept)
        with h5py.File(Path("case.h5")) as file:
            assert len(file["particles/grains/position/value"]) == 1 + kept


def test_a_run_that_cannot_begin_leaves_the_signals_as_they_were(folder: Path) -> None:
    np.savez("fast.npz", **GRAINS, **FAST)
    case, before = read_case("case.toml", ["insert=[]", "grains_file='fast.npz'"]), signal.getsignal(signal.SIGUSR1)
    with pytest.raises(FileError, match=TOO_FAST):
        run_case(case, out="case.h5", comm=MPI.COMM_SELF)
    assert signal.getsignal(signal.SIGUSR1) is before
