"""Jobs under a Slurm of this machine: the array of experiments, signalled before its limit, requeued, resumed on another number of ranks; an array of
jobs that share a campaign; and the measurements of the scaling study.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import CLEAN_ENVIRONMENT
from test_campaign import STUDY, study_in

from pardem.io.casefile import read_case
from pardem.io.views.compare import compare
from pardem.io.views.info import info

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parent.parent
SLURM = ROOT / "jobs" / "packaging" / "slurm_here"
SCRIPT = ROOT / "jobs" / "campaigns" / "crystallisation" / "run.slurm"
CAMPAIGN = ROOT / "jobs" / "campaigns" / "campaign.slurm"
SCALING = ROOT / "jobs" / "campaigns" / "scaling" / "run.slurm"
PIPED: dict[str, Any] = {"capture_output": True, "text": True, "stdin": subprocess.DEVNULL}
NO_SLURM = 3  # status of the script where Slurm is not installed and cannot be
TIME = 75.0  # seconds of the long job: Slurm's signal comes 20 to 50 s after the start of a job of one minute
PATIENCE = 600.0


@pytest.fixture(scope="module")
def slurm() -> Iterator[dict[str, str]]:
    """The environment in which sbatch and the others find a Slurm of one node with four places."""
    folder = Path(tempfile.mkdtemp(prefix="slurm-"))  # sockets in pytest's folder would have too long names
    started = subprocess.run([SLURM, "start", folder, "4"], env=CLEAN_ENVIRONMENT, timeout=PATIENCE, check=False, **PIPED)
    try:
        if started.returncode == NO_SLURM:
            pytest.skip(started.stderr.strip())
        assert started.returncode == 0, started.stderr
        programs = f"{Path(sys.executable).parent}:{CLEAN_ENVIRONMENT['PATH']}"
        yield CLEAN_ENVIRONMENT | {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": programs, "PYTHONPATH": str(ROOT)}
    finally:
        subprocess.run([SLURM, "stop", folder], env=CLEAN_ENVIRONMENT, check=False, timeout=PATIENCE)
        shutil.rmtree(folder, ignore_errors=True)


def called(environment: dict[str, str], *command: object) -> str:
    """What a command of Slurm prints."""
    done = subprocess.run([str(word) for word in command], env=environment, timeout=PATIENCE, check=False, **PIPED)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def job(environment: dict[str, str], number: str) -> dict[str, str]:
    """What Slurm says of a job, by name."""
    text = called(environment, "scontrol", "show", "job", "-o", number)
    return dict(word.split("=", 1) for word in text.split() if "=" in word)


def awaited(environment: dict[str, str], number: str, reached: Callable[[dict[str, str]], bool], log: Path) -> dict[str, str]:
    """Wait until a job has come so far."""
    end = time.monotonic() + PATIENCE
    while not reached(state := job(environment, number)):
        said = log.read_text() if log.exists() else ""
        assert state["JobState"] in ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING"), f"{state}\n{said}"
        assert time.monotonic() < end, f"{state}\n{said}"
        time.sleep(0.5)
    return state


def case_of(path: Path, restitution: float, taps: int) -> Path:
    """A few rods of the campaign in a short experiment."""
    path.write_text(
        f"base = '{ROOT}/jobs/smoke.toml'\n[[insert]]\nname = 'rods'\ncount = 80\n[contact]\nrestitution = {restitution}\n"
        f"[[stage]]\nname = 'settle'\nmax_time = 0.03\n[[stage]]\nname = 'vibrate'\ntaps = {taps}\n"
        "[output]\nframe_taps = 10\ncheckpoint_interval = 100.0\n"
    )
    return path


def test_srun_joins_the_ranks(slurm: dict[str, str]) -> None:
    """By PMIx, which Debian's Slurm and Open MPI share: `docs/hpc.md` says so."""
    assert "pmix" in called(slurm, "srun", "--mpi=list")
    line = "from mpi4py import MPI; c = MPI.COMM_WORLD; print(c.allreduce(1), 'of', c.size)"
    assert called(slurm, "srun", "-n", 2, "--mpi=pmix", sys.executable, "-c", line) == "2 of 2\n" * 2


def test_an_array_of_jobs_goes_on_across_its_limit(
    slurm: dict[str, str], tmp_path: Path, run_mpi: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """The campaign's own script with small cases: 3 ends in time, 6 does not. It goes on from the queue, and when submitted again on fewer ranks."""
    cases, result = tmp_path / "jobs" / "campaigns" / "crystallisation", tmp_path / "results" / "an_6.h5"
    cases.mkdir(parents=True)
    six = case_of(cases / "an_6.toml", 0.4, _taps_of_seconds(TIME, cases / "trial.toml", run_mpi))
    case_of(cases / "an_3.toml", 0.1, 2)
    environment, log = slurm | {"PARDEM_RESULTS": str(result.parent), "PARDEM_SRUN_OPTIONS": "--mpi=pmix"}, tmp_path / "an_6.log"
    short = ["--mem-per-cpu=0", "--time=1", "--signal=USR1@10", f"--chdir={tmp_path}", f"--output={tmp_path}/an_%a.log"]

    def submitted(tasks: str, ranks: int) -> str:
        return called(environment, "sbatch", "--parsable", f"--array={tasks}", f"--ntasks={ranks}", *short, SCRIPT).strip()

    array = submitted("3,6", 2)
    awaited(slurm, f"{array}_6", lambda state: state["JobState"] == "PENDING" and state["Restarts"] == "1", log)
    awaited(slurm, f"{array}_6", lambda state: state["JobState"] == "RUNNING" and "resumed at step" in log.read_text(), log)
    assert log.read_text().count("an_6: stopped at a checkpoint; back into the queue") == 1
    assert "Exited with exit code 75" in log.read_text()
    called(slurm, "scancel", f"{array}_6")
    awaited(slurm, f"{array}_6", lambda state: state["JobState"] == "CANCELLED", log)
    assert awaited(slurm, f"{array}_3", lambda state: state["JobState"] == "COMPLETED", tmp_path / "an_3.log")["Restarts"] == "0"
    assert info(result.with_name("an_3.h5"))["finished"]

    again = submitted("6", 1)
    ended = awaited(slurm, f"{again}_6", lambda state: state["JobState"] == "COMPLETED", log)
    done = info(result)
    assert done["finished"]
    assert done["state"]["step"] == read_case(six).max_steps()
    assert [start["ranks"] for start in done["provenance"]] == [2, 2, 1] + [1] * int(ended["Restarts"])

    whole = tmp_path / "whole.h5"
    run_mpi(1, "-m", "pardem", "run", six, "-o", whole)
    assert compare(result, whole) is None


def test_an_array_of_jobs_shares_a_campaign(
    slurm: dict[str, str], tmp_path: Path, run_mpi: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """Two jobs; one is signalled amid its run, and goes back into the queue, while the other goes on."""
    rare = 'set = { "output.checkpoint_steps" = 200000, "output.frame_steps" = 200000, "stage.fall.steps" = 1000000 }\n'
    study, alone = (study_in(tmp_path / name, rare + STUDY) for name in ("shared", "alone"))
    environment, log = slurm | {"PARDEM_SRUN_OPTIONS": "--mpi=pmix"}, tmp_path / "campaign_1.log"
    run_mpi(2, "-m", "pardem", "campaign", "run", alone)  # compiles the kernels, too
    options = ["--array=1-2", "--ntasks=1", "--mem-per-cpu=0", f"--chdir={tmp_path}", f"--output={tmp_path}/campaign_%a.log"]
    array = called(environment, "sbatch", "--parsable", *options, CAMPAIGN, study).strip()
    one, two = f"{array}_1", f"{array}_2"
    awaited(slurm, one, lambda state: len(list(tmp_path.glob("shared/study.runs/*/result.h5.parts"))) == 2, log)
    called(slurm, "scancel", "--signal=USR1", one)
    awaited(slurm, one, lambda state: state["JobState"] == "PENDING" and state["Restarts"] == "1", log)
    assert "task 1: stopped at checkpoints; back into the queue" in log.read_text()
    assert awaited(slurm, two, lambda state: state["JobState"] == "COMPLETED", tmp_path / "campaign_2.log")["ExitCode"] == "0:0"
    assert awaited(slurm, one, lambda state: state["JobState"] == "COMPLETED", log)["Restarts"] == "1"
    assert study.with_suffix(".csv").read_bytes() == alone.with_suffix(".csv").read_bytes()
    resumed = [path for path in tmp_path.glob("shared/study.runs/*/run.log") if "resumed at step" in path.read_text()]
    assert len(resumed) == 1


def test_a_scaling_study_is_measured(slurm: dict[str, str], tmp_path: Path) -> None:
    """Beds that one rank has settled, on one to four ranks, each under an `srun` of its own; the table with both efficiencies, and the figures."""
    small = {"SCENES": "rods", "STRONG": "2000", "WEAK": "1000", "RANKS": "1 2 4 8", "STEPS": "50", "SRUN_OPTIONS": "--mpi=pmix"}
    environment = slurm | {f"PARDEM_{name}": value for name, value in small.items()} | {"PARDEM_RESULTS": str(tmp_path)}
    log, folder = tmp_path / "job.log", tmp_path / "scaling"
    options = ["--ntasks=4", "--ntasks-per-node=4", "--mem-per-cpu=0", f"--chdir={tmp_path}", f"--output={log}"]
    number = called(environment, "sbatch", "--parsable", *options, SCALING).strip()
    ended = awaited(slurm, number, lambda state: state["JobState"] == "COMPLETED", log)
    assert ended["ExitCode"] == "0:0"
    called(environment, "pardem", "scaling", "collect", "--folder", folder)
    table = pd.read_csv(folder / "scaling.csv").set_index(["asked", "ranks"])
    assert list(table.index) == [(1000, 1), (2000, 1), (2000, 2), (2000, 4), (4000, 4)]
    assert (table["seconds"] > 0.0).all()
    assert table["strong"].notna().tolist() == [False, True, True, True, False]
    assert table["weak"].notna().tolist() == [True, False, True, False, True]
    assert (table["ghosts"] > 0.0).tolist() == [ranks > 1 for _, ranks in table.index]
    drawn = called(environment, "pardem", "scaling", "plot", "--folder", folder).split()
    assert [Path(path).name for path in drawn] == ["rods.efficiency.png", "rods.parts.png"]
    assert all(Path(path).stat().st_size > 2000 for path in drawn)


def _taps_of_seconds(seconds: float, case: Path, run_mpi: Callable[..., subprocess.CompletedProcess[str]]) -> int:
    """How many taps take so long on two ranks of this machine."""
    times = []
    for taps in (1, 1, 11):  # the first one may compile
        begin = time.monotonic()
        run_mpi(2, "-m", "pardem", "run", case_of(case, 0.4, taps), "-o", case.with_suffix(".h5"), "--force")
        times.append(time.monotonic() - begin)
    return int(10.0 * seconds / (times[2] - times[1]))
