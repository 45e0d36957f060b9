"""Campaigns whose runs take their process along, fail in ways that nobody foresaw, or cannot be measured: the others go on."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pandas as pd
import pytest
from conftest import CLEAN_ENVIRONMENT, Ended
from run_scene import until
from test_campaign import MEASURES, STUDY, study_in

from pardem import cli
from pardem.campaign import one_run
from pardem.campaign.attempts import ALONE, BEGINNING, ERROR, MOST_DEATHS, begin, deaths_of, end, read_attempt
from pardem.campaign.claims import Claims
from pardem.campaign.locks import locked
from pardem.campaign.points import Design
from pardem.campaign.run_rows import LOCK, RESULT, Rows, folder_of
from pardem.campaign.study import Study, read_study
from pardem.guard import EXIT_DIED

SHORT = 'set = { "stage.fall.steps" = 50 }\n' + STUDY
KILLED = """
import os, signal
from pathlib import Path
def highest(result):
    case = result.case
    if (case.contact.friction, case.seed) == (0.5, 1) and CONDITION:
        Path(__file__).with_name("killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return result[-1].position[:, 2].max()
"""


def kept(study: Path, ranks: int, *more: str) -> subprocess.CompletedProcess[str]:
    """`pardem campaign run --ranks` to its end."""
    command = [sys.executable, "-m", "pardem", "campaign", "run", str(study), "--ranks", str(ranks), *more]
    return subprocess.run(command, env=CLEAN_ENVIRONMENT, capture_output=True, text=True, timeout=400, check=False, stdin=subprocess.DEVNULL)


def folders_in(study: Study) -> list[Path]:
    """Folders of the runs, made."""
    folders = [folder_of(study, point.id) for point in Design(study).points({})]
    for folder in folders:
        folder.mkdir(parents=True)
    return folders


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The table of four short runs that nothing disturbed."""
    study = study_in(tmp_path_factory.mktemp("whole"), SHORT)
    assert cli.main(["campaign", "run", str(study)]) == 0
    return study.with_suffix(".csv").read_text().splitlines()


# -- deaths -----------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_run_that_kills_its_process_fails_and_the_others_finish(tmp_path: Path, whole: list[str], ranks: int) -> None:
    study = study_in(tmp_path, SHORT)
    (tmp_path / "measures.py").write_text(KILLED.replace("CONDITION", "True"))
    done = kept(study, ranks)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("the pool has died (status 137: SIGKILL)") == MOST_DEATHS
    table = pd.read_csv(tmp_path / "study.csv")
    assert table["status"].tolist() == ["finished", "finished", "failed", "finished"]
    assert f"has died {MOST_DEATHS} times in attempts from its end" in table["sentence"][2]
    lines = (tmp_path / "study.csv").read_text().splitlines()
    assert [line for k, line in enumerate(lines) if k != 3] == [line for k, line in enumerate(whole) if k != 3]


def test_a_run_that_kills_its_process_once_finishes(tmp_path: Path, whole: list[str]) -> None:
    study = study_in(tmp_path, SHORT)
    (tmp_path / "measures.py").write_text(KILLED.replace("CONDITION", 'not Path(__file__).with_name("killed").exists()'))
    done = kept(study, 2)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("it is started again") == 1
    assert (tmp_path / "study.csv").read_text().splitlines() == whole


def test_a_death_counts_against_the_run_that_died_of_it(tmp_path: Path, run_mpi: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """The other is in compiled steps when the launcher ends it."""
    axes = '[[axis]]\nkey = "stage.fall.steps"\nvalues = [50, 1000000000]\n'
    rare = 'set = { "output.checkpoint_steps" = 1000000000, "output.frame_steps" = 1000000000, "output.observable_steps" = 1000000000 }\n'
    text = rare + STUDY.split("[[axis]]")[0] + axes + "[[measure]]" + STUDY.split("[[measure]]")[2].split("[[summary]]")[0]
    path = study_in(tmp_path, text)
    wait = "import os, signal, time\nfrom pathlib import Path\ndef highest(result):\n    runs = Path(result.path).parent.parent\n"
    wait += "    while len(list(runs.glob('*/result.h5.parts'))) + len(list(runs.glob('*/result.h5'))) < 2:\n        time.sleep(0.01)\n"
    (tmp_path / "measures.py").write_text(wait + "    time.sleep(1.0)\n    os.kill(os.getpid(), signal.SIGKILL)\n")
    done = run_mpi(2, "-m", "pardem", "campaign", "run", path, check=False)
    assert done.returncode == 137
    study = read_study(path)
    culprit, other = (folder_of(study, point.id) for point in Design(study).points({}))
    assert read_attempt(culprit).under_way
    assert read_attempt(other).under_way
    assert deaths_of(culprit, culprit / RESULT)[1] == 1
    assert deaths_of(other, other / RESULT)[1] == 0


def test_deaths_count_from_where_a_run_goes_on(tmp_path: Path) -> None:
    study = read_study(study_in(tmp_path, SHORT))
    folder = folders_in(study)[0]
    begin(folder, BEGINNING, 1, 1, "pool")
    assert deaths_of(folder, folder / RESULT) == (BEGINNING, 2)
    end(folder)
    assert deaths_of(folder, folder / RESULT) == (BEGINNING, 1)
    begin(folder, BEGINNING, 1, 1, "pool")
    (folder / f"{RESULT}.parts").mkdir()
    (folder / f"{RESULT}.parts" / f"checkpoint-{250:012d}.h5").touch()
    assert deaths_of(folder, folder / RESULT) == ("step 250", 1)


def test_a_run_that_killed_twice_is_done_alone(tmp_path: Path) -> None:
    study = read_study(study_in(tmp_path, SHORT))
    killer, *others = folders_in(study)
    begin(killer, BEGINNING, ALONE, 1, "earlier")
    end(killer)

    def claimed(stack: ExitStack, pool: str) -> str | None:
        point = stack.enter_context(Claims(Design(study), Rows(study), pool, 1).next_one(lambda: False))
        return None if point is None else point.id

    with ExitStack() as stack:
        assert {claimed(stack, "one") for _ in others} == {folder.name for folder in others}
        assert claimed(stack, "one") is None  # the killer waits until this pool does nothing else
        assert claimed(stack, "two") == killer.name
    for folder in (killer, *others):
        end(folder)
    with ExitStack() as stack:
        with ExitStack() as elsewhere:
            for folder in others:
                assert elsewhere.enter_context(locked(folder / LOCK))
            assert claimed(stack, "one") == killer.name
        assert claimed(stack, "one") is None  # nor does this pool begin another beside it
        assert claimed(stack, "two") == others[0].name


def test_what_is_left_of_a_pool_does_not_take_the_run_that_a_process_of_it_died_of(tmp_path: Path) -> None:
    study = read_study(study_in(tmp_path, SHORT))
    killer, *others = folders_in(study)
    begin(killer, BEGINNING, 0, 1, "one")

    def first_of(pool: str) -> list[str]:
        claims, found = Claims(Design(study), Rows(study), pool, 1), list[str]()
        with ExitStack() as stack:
            while (point := stack.enter_context(claims.next_one(lambda: False))) is not None:
                found.append(point.id)
        return found

    assert sorted(first_of("one")) == sorted(folder.name for folder in others)
    assert killer.name in first_of("two")
    assert read_attempt(killer).deaths == 1


def test_a_pool_that_leaves_nothing_behind_is_not_started_for_ever(tmp_path: Path) -> None:
    done = kept(study_in(tmp_path, SHORT), 2, "--launcher", "sh -c 'kill -9 $$'")
    assert done.returncode == 1
    assert done.stderr.count("the pool has died") == 3
    assert "has died 3 times in a row with nothing done" in done.stderr


def test_what_cannot_be_launched_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]) -> None:
    study = str(study_in(tmp_path, SHORT))
    assert "there is no nowhere: name one with --launcher" in refused("campaign", "run", study, "--ranks", "2", "--launcher", "nowhere -v")
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "2")
    assert "call it without mpirun or srun" in refused("campaign", "run", study, "--ranks", "2")


def test_the_walltime_and_signals_reach_the_pool(tmp_path: Path, whole: list[str]) -> None:
    study = study_in(tmp_path, SHORT)
    assert kept(study, 2, "--walltime", "0:00:00").returncode == 75
    command = [sys.executable, "-m", "pardem", "campaign", "run", str(study), "--ranks", "1"]
    (tmp_path / "measures.py").write_text(f"import time\n{MEASURES.replace('return', 'time.sleep(1.0); return')}")
    process = subprocess.Popen(command, env=CLEAN_ENVIRONMENT, stdin=subprocess.DEVNULL)
    until(lambda: list(tmp_path.glob("study.runs/*/row.json")), process)
    process.send_signal(signal.SIGUSR1)
    assert process.wait(200) == 75
    assert 1 <= len(list(tmp_path.glob("study.runs/*/row.json"))) < 4
    assert kept(study, 1).returncode == 0
    assert (tmp_path / "study.csv").read_text().splitlines() == whole


# -- errors -----------------------------------------------------------------------------------------------------------------------------------


def test_a_measure_that_fails_is_recorded_and_tried_again_if_asked_for(
    tmp_path: Path, whole: list[str], pardem: Callable[..., Ended], refused: Callable[..., str]
) -> None:
    study = study_in(tmp_path, f"keep_results = false\n{SHORT}")
    failing = MEASURES.replace("return", "assert result.case.seed == 1 or result.case.contact.friction == 0.0, 'odd'\n    return")
    (tmp_path / "measures.py").write_text(failing)
    pardem("campaign", "run", str(study))
    lines = (tmp_path / "study.csv").read_text().splitlines()
    assert lines[:-1] == whole[:-1]
    assert "measures.py:highest has failed on" in lines[-1]
    assert "AssertionError: odd" in lines[-1]
    assert len(list(tmp_path.glob("study.runs/*/result.h5"))) == 1  # to be measured again
    (tmp_path / "measures.py").write_text(MEASURES)
    cli_load_again()
    pardem("campaign", "run", str(study))
    assert (tmp_path / "study.csv").read_text().splitlines() == lines
    pardem("campaign", "run", str(study), "--retry-failed")
    assert (tmp_path / "study.csv").read_text().splitlines() == whole


def cli_load_again() -> None:
    """Functions of the user are loaded once in a process."""
    from pardem.campaign.measures import load

    load.cache_clear()


@pytest.mark.parametrize(("error", "words"), [(KeyError("x"), "KeyError: 'x'"), (MemoryError("3 TB"), "there is not enough memory (3 TB)")])
def test_an_error_that_nobody_foresaw_is_that_of_its_run(
    tmp_path: Path, whole: list[str], pardem: Callable[..., Ended], monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    plain = one_run.run_case

    def failing(case, **options):  # type: ignore[no-untyped-def]
        if (case.contact.friction, case.seed) == (0.0, 2):
            raise error
        return plain(case, **options)

    study = study_in(tmp_path, SHORT)
    monkeypatch.setattr(one_run, "run_case", failing)
    pardem("campaign", "run", str(study))
    lines = (tmp_path / "study.csv").read_text().splitlines()
    assert [line for k, line in enumerate(lines) if k != 2] == [line for k, line in enumerate(whole) if k != 2]
    table = pd.read_csv(tmp_path / "study.csv")
    assert table["status"][1] == "failed"
    assert table["sentence"][1].startswith(words)
    assert type(error).__name__ in (tmp_path / "study.runs" / table["id"][1] / ERROR).read_text()


def test_an_error_of_one_rank_of_several_counts_as_a_death(tmp_path: Path, run_mpi: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    path = study_in(tmp_path, f"ranks_per_run = 2\n{SHORT}".replace("seeds = 2", "seeds = 1").replace("[0.0, 0.5]", "[0.0]"))
    code = (
        "import sys\nfrom mpi4py import MPI\nfrom pardem import cli\nfrom pardem.campaign import one_run\nplain = one_run.run_case\n"
        "def failing(*a, **k):\n    if MPI.COMM_WORLD.rank == 1:\n        raise KeyError('x')\n    return plain(*a, **k)\n"
        "one_run.run_case = failing\nsys.exit(cli.main(['campaign', 'run', sys.argv[1]]))"
    )
    done = run_mpi(2, "-c", code, path, check=False)
    assert done.returncode == EXIT_DIED, done.stderr
    study = read_study(path)
    (folder,) = (folder_of(study, point.id) for point in Design(study).points({}))
    assert deaths_of(folder, folder / RESULT) == (BEGINNING, 1)
    begin(folder, BEGINNING, MOST_DEATHS - 1, 2, "another")
    run_mpi(2, "-c", code, path)
    table = pd.read_csv(tmp_path / "study.csv")
    assert table["status"].tolist() == ["failed"]
    assert "The last error was KeyError: 'x'" in table["sentence"][0]


def test_failed_trials_of_an_adaptive_axis_are_not_tried_again(tmp_path: Path, refused: Callable[..., str]) -> None:
    from test_campaign import ADAPTIVE, TALL

    study = study_in(tmp_path, ADAPTIVE)
    (tmp_path / "measures.py").write_text(TALL)
    assert "--retry-failed is not for an adaptive axis" in refused("campaign", "run", str(study), "--retry-failed")


# -- two calls at once ------------------------------------------------------------------------------------------------------------------------


def test_two_calls_share_a_study_and_repeat_nothing(tmp_path: Path, whole: list[str]) -> None:
    """Each measures no run before the other has begun one."""
    study = study_in(tmp_path, SHORT)
    wait = "import time\nfrom pathlib import Path\ndef highest(result):\n    runs = Path(result.path).parent.parent\n"
    wait += "    while len(list(runs.glob('*/result.h5'))) < 2:\n        time.sleep(0.01)\n    return result[-1].position[:, 2].max()\n"
    (tmp_path / "measures.py").write_text(wait)
    command = [sys.executable, "-m", "pardem", "campaign", "run", str(study)]
    calls = [subprocess.Popen(command, env=CLEAN_ENVIRONMENT, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [call.communicate(timeout=300)[1] for call in calls]
    assert {call.returncode for call in calls} <= {0, 75}, said  # 75: the other does the rest
    assert 0 in {call.returncode for call in calls}
    done = [int(line.split()[0]) for text in said for line in text.splitlines() if " runs in " in line]
    assert sum(done) == 4
    assert min(done) >= 1
    assert study.with_suffix(".csv").read_text().splitlines() == whole
    for log in tmp_path.glob("study.runs/*/run.log"):
        assert log.read_text().count("campaign run") == 1


def test_a_run_whose_process_stands_still_is_taken_by_nobody_else(tmp_path: Path) -> None:
    study = read_study(study_in(tmp_path, SHORT))
    first = folders_in(study)[0]
    code = "import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX); print(1, flush=True); time.sleep(60)"
    holder = subprocess.Popen([sys.executable, "-c", code, first / LOCK], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    holder.stdout.readline()
    try:
        with Claims(Design(study), Rows(study), "pool", 1).next_one(lambda: False) as point:
            assert point is not None
            assert point.id != first.name
    finally:
        holder.kill()
        holder.wait()
