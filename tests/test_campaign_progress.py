"""How far a campaign is, how long the rest may take, and that each kind of kernel is compiled by one process."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Ended
from test_campaign import CASE, STUDY, study_in

from pardem import Case, read_case
from pardem.campaign import kinds
from pardem.campaign.attempts import BEGINNING, begin, end
from pardem.campaign.kinds import Kinds, kind_of
from pardem.campaign.locks import locked
from pardem.campaign.points import Design
from pardem.campaign.progress import progress
from pardem.campaign.run_rows import LOCK, ROW, WALL_SECONDS, Rows, folder_of, write_row
from pardem.campaign.study import Study, read_study

SIX = STUDY.replace("seeds = 2", "seeds = 3")


def half_done(folder: Path) -> Study:
    """Six runs, of which three have finished in 10, 20 and 30 s, and one has failed in no time."""
    study = read_study(study_in(folder, SIX))
    for point, seconds in zip(Design(study).points({}), (10, 20, 30, 0), strict=False):
        folder_of(study, point.id).mkdir(parents=True)
        row = {"kinetic": "1.0", "highest": "1.0", "status": "finished", "sentence": ""} if seconds else {"status": "failed", "sentence": "no"}
        write_row(study, point, row | {WALL_SECONDS: str(seconds)})
    return study


def test_what_is_left_follows_from_the_runs_that_have_finished(tmp_path: Path, pardem: Callable[..., Ended]) -> None:
    study = half_done(tmp_path)
    found = progress(Design(study), Rows(study))
    assert (found.count, found.ended, found.failed, found.under_way, found.waiting) == (6, 4, 1, (), 2)
    assert found.left == pytest.approx(40.0)
    assert progress(Design(study), Rows(study), groups=2).left == pytest.approx(20.0)
    point = list(Design(study).points({}))[4]
    folder = folder_of(study, point.id)
    folder.mkdir()
    begin(folder, BEGINNING, 0, 1, "pool")
    (folder / "attempt.json").write_text(json.dumps(json.loads((folder / "attempt.json").read_text()) | {"began": time.time() - 5.0}))
    assert progress(Design(study), Rows(study)).under_way == ()  # nobody holds its lock
    with locked(folder / LOCK):
        found = progress(Design(study), Rows(study))
        assert found.under_way == (point.id,)
        assert found.waiting == 1
        assert found.left is not None
        assert 25.0 < found.left <= 35.0
        said = pardem("campaign", "status", str(study.path)).out
    assert "4 of 6 runs have ended, of which 1 have failed; 1 under way, 1 waiting; about 3" in said
    assert f"under way: {point.id}" in said


def test_attempts_that_were_stopped_count_in_the_time_of_a_run(tmp_path: Path) -> None:
    study = half_done(tmp_path)
    folder = folder_of(study, list(Design(study).points({}))[5].id)
    folder.mkdir()
    for _ in range(2):
        begin(folder, BEGINNING, 0, 1, "pool")
        noted = json.loads((folder / "attempt.json").read_text())
        (folder / "attempt.json").write_text(json.dumps(noted | {"began": time.time() - 7.0}))
        end(folder)
    assert json.loads((folder / "attempt.json").read_text())["seconds"] == pytest.approx(14.0, abs=2.0)


def test_nothing_is_said_of_the_time_before_a_run_has_finished(tmp_path: Path, pardem: Callable[..., Ended]) -> None:
    study = study_in(tmp_path)
    assert pardem("campaign", "status", str(study)).out == "0 of 4 runs have ended; 0 under way, 4 waiting\n"


def test_rows_hold_the_time_that_the_table_does_not(tmp_path: Path, pardem: Callable[..., Ended]) -> None:
    study = study_in(tmp_path, STUDY.replace("seeds = 2", "seeds = 1"))
    pardem("campaign", "run", str(study))
    for path in tmp_path.glob(f"study.runs/*/{ROW}"):
        assert 0.0 < float(json.loads(path.read_text())[WALL_SECONDS]) < 100.0
        assert not (path.parent / "attempt.json").exists()
    assert WALL_SECONDS not in study.with_suffix(".csv").read_text()
    shutil.rmtree(study.with_suffix(".runs"))
    assert pardem("campaign", "status", str(study)).out.startswith("2 of 2 runs have ended")


# -- kinds of kernels -------------------------------------------------------------------------------------------------------------------------


def case_of(folder: Path, *settings: str) -> Case:
    """The case with other values."""
    (folder / "fall.toml").write_text(CASE)
    return read_case(folder / "fall.toml", settings)


def test_kernels_are_those_of_another_kind_where_shapes_and_rules_differ(tmp_path: Path) -> None:
    first = kind_of(case_of(tmp_path))
    assert kind_of(case_of(tmp_path, "contact.friction=0.7", "seed=5", "insert.beads.count=3", "species.bead.radius=4e-4")) == first
    rod = "species=[{name='bead', shape='spherocylinder', radius=4e-4, length=1e-3, density=1000.0}]"
    rolling = "contact={restitution=0.4, contact_time=6e-4, resistance='constant', rolling_friction=0.1, twisting_friction=0.1}"
    others = [kind_of(case_of(tmp_path, setting)) for setting in (rod, "contact.interaction=superposition", rolling, "time.integrator=euler")]
    assert len({first, *others}) == 5


def test_each_kind_is_compiled_once_and_by_one_process_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case, done = case_of(tmp_path), list[float]()
    monkeypatch.setattr(kinds, "_compile", lambda case: done.append(time.monotonic()))
    first, second = (Kinds(tmp_path, lambda: False) for _ in range(2))
    first.prepare(case)
    first.prepare(case_of(tmp_path, "contact.friction=0.7"))
    assert len(done) == 1
    released: list[float] = []
    with locked(tmp_path / "kinds" / kind_of(case)) as mine:
        assert mine
        waiting = threading.Thread(target=second.prepare, args=[case])
        waiting.start()
        waiting.join(0.5)
        assert waiting.is_alive()
        released.append(time.monotonic())
    waiting.join(30.0)
    assert not waiting.is_alive()
    assert len(done) == 2
    assert done[1] > released[0]


def test_who_must_stop_does_not_wait_for_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "_compile", lambda case: pytest.fail("compiled"))
    case = case_of(tmp_path)
    (tmp_path / "kinds").mkdir()
    with locked(tmp_path / "kinds" / kind_of(case)):
        Kinds(tmp_path, lambda: True).prepare(case)
