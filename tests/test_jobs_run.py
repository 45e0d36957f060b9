"""What people launch, for real: the Slurm script of the campaign under stand-ins for srun and scontrol, and the quick try killed half-way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import CLEAN_ENVIRONMENT
from mpi4py import MPI
from run_scene import PATIENCE

from pardem import cli
from pardem.io.casefile import read_case
from pardem.io.results.paths import parts_of
from pardem.io.state.checkpoint import newest_valid_checkpoint, step_of
from pardem.io.views.compare import compare
from pardem.io.views.info import info

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = "jobs/campaigns/crystallisation/run.slurm"
ONE_TAP = "stage=[{name = 'vibrate', kind = 'vibrate', wall = 'base', taps = 1, frequency = 90.0, gamma = 2.0}]"


@pytest.fixture
def slurm(tmp_path: Path) -> dict[str, str]:
    """An environment in which srun launches two ranks and leaves its process id, and scontrol keeps its arguments."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name, line in {
        "srun": f'echo $$ > {tmp_path}/srun.pid; exec mpirun -n 2 "$@"',
        "scontrol": f'echo "$@" >> {tmp_path}/scontrol.log',
        "pardem": f'exec {sys.executable} -m pardem "$@"',
    }.items():
        (tools / name).write_text(f"#!/bin/sh\n{line}\n")
        (tools / name).chmod(0o755)
    return CLEAN_ENVIRONMENT | {
        "PATH": f"{tools}:{CLEAN_ENVIRONMENT['PATH']}", "SLURM_ARRAY_TASK_ID": "6", "SLURM_ARRAY_JOB_ID": "77",
        "PARDEM_RESULTS": str(tmp_path / "results"), "PARDEM_SET": ONE_TAP,
    }  # fmt: skip


def said(log: Path, words: str, process: subprocess.Popen[bytes]) -> None:
    """Wait for words in a log."""
    end = time.monotonic() + PATIENCE
    while words not in log.read_text():
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_slurm_script_requeues_and_goes_on(tmp_path: Path, slurm: dict[str, str]) -> None:
    log, out = tmp_path / "log", tmp_path / "results" / "an_6.h5"
    with open(log, "w") as stream:
        first = subprocess.Popen(["bash", SCRIPT], cwd=ROOT, env=slurm, stdout=stream, stderr=stream, stdin=subprocess.DEVNULL)
        said(log, "stage 'vibrate' begins", first)
        os.kill(int((tmp_path / "srun.pid").read_text()), signal.SIGUSR1)  # as Slurm does it: to the step, not to the script
        assert first.wait(PATIENCE) == 0, log.read_text()
    assert "an_6: stopped at a checkpoint; back into the queue" in log.read_text()
    assert (tmp_path / "scontrol.log").read_text() == "requeue 77_6\n"
    assert not info(out)["finished"]
    again = subprocess.run(["bash", SCRIPT], cwd=ROOT, env=slurm, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert again.returncode == 0, again.stderr
    assert "resumed at step" in again.stderr
    assert (tmp_path / "scontrol.log").read_text() == "requeue 77_6\n"  # not again
    assert info(out)["finished"]
    assert info(out)["state"]["step"] == read_case(ROOT / SCRIPT.replace("run.slurm", "an_6.toml"), [ONE_TAP]).max_steps()


def test_the_slurm_script_stops_requeuing_without_progress(slurm: dict[str, str], tmp_path: Path) -> None:
    """A launcher that ends with 75 at checkpoints told in advance: two runs in a row that come no further end the requeuing."""
    parts = tmp_path / "results" / "an_6.h5.parts"
    (tmp_path / "bin" / "srun").write_text(f"#!/bin/sh\nmkdir -p {parts}; rm -f {parts}/*; touch {parts}/checkpoint-$NEXT.h5; exit 75\n")

    def launch(step: int) -> subprocess.CompletedProcess[str]:
        env = slurm | {"NEXT": f"{step:012d}"}
        return subprocess.run(["bash", SCRIPT], cwd=ROOT, env=env, capture_output=True, text=True, timeout=300, check=False)

    for step in (100, 200, 200, 300, 300):
        assert launch(step).returncode == 0
    last = launch(300)
    assert last.returncode == 1
    assert "two runs in a row came no further than the checkpoint they began at (checkpoint-000000000300), so it is not requeued" in last.stdout
    assert (tmp_path / "scontrol.log").read_text() == "requeue 77_6\n" * 5
    assert launch(300).returncode == 0  # submitted again by hand it has two tries once more


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([(100, 75), (200, 75), (200, 75), (300, 75), (300, 75), (300, 75), (400, 0)], [True] * 5 + [False] * 2),
        ([(None, 75), (None, 75), (None, 75)], [True, True, False]),
        ([(None, 75), (None, 75), (100, 75), (100, 75), (100, 75)], [True] * 4 + [False]),
    ],
    ids=["checkpoints", "no checkpoint", "none at first"],
)
def test_the_script_of_the_guide_stops_requeuing_without_progress(
    slurm: dict[str, str], tmp_path: Path, runs: list[tuple[int | None, int]], expected: list[bool]
) -> None:
    """The one that users copy from docs/hpc.md."""
    page = (ROOT / "docs" / "hpc.md").read_text()
    script = "#!/bin/bash\n" + page.partition("#!/bin/bash\n")[2].partition("```")[0].replace("source $HOME/pardem/.venv/bin/activate\n", "")
    parts, env = tmp_path / "case.h5.parts", slurm | {"SCRATCH": str(tmp_path), "SLURM_JOB_ID": "78"}
    left = f'rm -rf {parts}; [ "$NEXT" = none ] || {{ mkdir {parts}; touch {parts}/checkpoint-$NEXT.h5; }}'
    (tmp_path / "bin" / "srun").write_text(f"#!/bin/sh\n{left}; exit $STATUS\n")
    requeued = []
    for step, status in runs:
        log = tmp_path / "scontrol.log"
        log.unlink(missing_ok=True)
        newest = "none" if step is None else f"{step:012d}"
        subprocess.run(["bash", "-c", script], env=env | {"NEXT": newest, "STATUS": str(status)}, text=True, timeout=300, check=False)
        requeued.append(log.exists() and log.read_text() == "requeue 78\n")
    assert requeued == expected


@pytest.mark.parametrize(
    ("left", "traces", "status", "said"),
    [
        ("1 under way, 2 waiting", 1, 0, "back into the queue"),
        ("1 under way, 2 waiting", 0, 1, "nothing was added to the campaign"),
        ("3 under way, 0 waiting", 0, 0, "the other jobs work on what is left"),
    ],
)
def test_the_slurm_script_of_campaigns_requeues_only_what_helps(
    slurm: dict[str, str], tmp_path: Path, left: str, traces: int, status: int, said: str
) -> None:
    """A stand-in for pardem stops with runs that are left, after it has ended one or none."""
    run = f"mkdir -p {tmp_path}/study.runs/a; [ {traces} = 0 ] || touch {tmp_path}/study.runs/a/row.json; exit 75"
    (tmp_path / "bin" / "pardem").write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/pardem.log\nif [ $2 = status ]; then echo "0 of 3 runs have ended; {left}"; else {run}; fi\n'
    )
    env = slurm | {"SLURM_NTASKS": "2", "PARDEM_SRUN_OPTIONS": "--mpi=pmix"}
    words = ["bash", str(ROOT / "jobs" / "campaigns" / "campaign.slurm"), str(tmp_path / "study.toml")]
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == status, done.stderr
    assert said in done.stdout
    assert (tmp_path / "scontrol.log").exists() == ("into the queue" in said)
    first = (tmp_path / "pardem.log").read_text().splitlines()[0]
    assert first == f"campaign run {tmp_path}/study.toml --ranks 2 --launcher srun --kill-on-bad-exit=1 --mpi=pmix"


def test_the_slurm_script_hands_on_an_error(slurm: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(["bash", SCRIPT], cwd=ROOT, env=slurm | {"PARDEM_SET": "sede=1"}, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("unknown key sede; did you mean 'seed'?") == 1
    assert not (tmp_path / "scontrol.log").exists()


SMALLER = ["insert.rods.count=80", "stage.settle.max_time=0.03", "stage.vibrate.taps=1", "output.checkpoint_interval=0.02"]


@pytest.mark.parametrize("change", [SMALLER, pytest.param([], marks=pytest.mark.slow)], ids=["smaller", "whole"])
def test_the_quick_try_killed_half_way_goes_on(tmp_path: Path, change: list[str]) -> None:
    case, out, whole, log = ROOT / "jobs" / "smoke.toml", tmp_path / "out.h5", tmp_path / "whole.h5", tmp_path / "log"
    more = [word for setting in change for word in ("--set", setting)]
    with open(log, "w") as stream:
        command = [sys.executable, "-m", "pardem", "run", case, "-o", out, *more]
        process = subprocess.Popen(command, env=CLEAN_ENVIRONMENT, stdout=stream, stderr=stream)
        said(log, "stage 'vibrate' begins", process)
        process.kill()
        process.wait()
    found = newest_valid_checkpoint(MPI.COMM_SELF, parts_of(out), read_case(case, change).hash())
    assert found.path is not None
    assert step_of(found.path) > read_case(case, change).max_steps() // 4
    assert cli.main(["run", str(case), "-o", str(out), "--resume", *more]) == 0
    assert cli.main(["run", str(case), "-o", str(whole), *more]) == 0
    assert compare(out, whole) is None
