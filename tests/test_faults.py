"""Short forms of the campaigns of faults (jobs/campaigns/faults): sentences, never a traceback; nothing lost; the same bits."""

from __future__ import annotations

import itertools
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import CLEAN_ENVIRONMENT
from mpi4py import MPI
from pydantic import BaseModel

from pardem.case import Case
from pardem.case.annotations import choices_of, element, models_in
from pardem.case.materials import with_densities
from pardem.case.planar import resolve
from pardem.case.tables import CaseTables
from pardem.errors import BlowUpError
from pardem.setup.initial_grains import size_range
from pardem.setup.preparation import build_scene
from pardem.state.arrays import ERROR_NAN, ERROR_OVERLAP, ERROR_RANGE
from pardem.state.diagnosis import ERROR_FAST, Fault

FAULTS = Path(__file__).parent.parent / "jobs" / "campaigns" / "faults"
CASES, FILES = 150, 5
SLOW = (["render"], ["export", "--format", "vtk"])  # by VTK
RARE = ("read_only", "full", "short", "two", "stopped", "another_user")
on_linux = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds processes through /proc")


@pytest.fixture(autouse=True)
def _on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FAULTS))
    import launching

    monkeypatch.setattr(launching, "ENVIRONMENT", CLEAN_ENVIRONMENT)


def place(model: type[BaseModel], name: str) -> str:
    """A key of the table that declares it, which several kinds of a table may share."""
    owner = next(above for above in reversed(model.__mro__) if name in getattr(above, "model_fields", {}))
    return f"{owner.__name__}.{model.model_fields[name].alias or name}"


def known(model: type[BaseModel], seen: set[type[BaseModel]]) -> Iterator[str]:
    """All keys of the model of the case, and all choices of each."""
    seen.add(model)
    for name, field in model.model_fields.items():
        inner = [*models_in(field.annotation), *models_in(element(field.annotation))]
        yield place(model, name)
        yield from () if inner else (f"{place(model, name)} = {choice}" for choice in choices_of(field.annotation))
        yield from (key for table in inner if table not in seen for key in known(table, seen))


def used(value: Any) -> Iterator[str]:
    """Keys that a case gives, and all values that it has, also by default."""
    if isinstance(value, tuple):
        for entry in value:
            yield from used(entry)
    for name in type(value).model_fields if isinstance(value, BaseModel) else ():
        own = getattr(value, name)
        if name in value.model_fields_set:
            yield place(type(value), name)
        yield from (f"{place(type(value), name)} = {entry}" for entry in (own if isinstance(own, tuple) else (own,)))
        yield from used(own)


def test_seeds_hold_every_table_every_key_and_every_choice() -> None:
    import seeds

    given = {what for case in seeds.seeds() for what in used(CaseTables(**resolve(with_densities(case))))}
    assert set(known(CaseTables, set())) - given == {"Start.digest", "Start.quanta"}  # which a run fills in


@pytest.mark.usefixtures("rough_masses")
def test_mutated_cases_are_accepted_or_refused_in_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    import cases
    import trials

    cases.prepare(tmp_path)
    rows = [{"case": k} | cases.attempt(*cases.case_number(k, 1), tmp_path, steps=False) for k in range(CASES)]
    assert {row["outcome"] for row in rows} == {"accepted", "refused"}, trials.table(rows)
    assert all(row["outcome"] == "accepted" for row in rows[: len(cases.seeds())]), rows[: len(cases.seeds())]
    for row in rows:
        assert all(line.startswith("pardem: error: ") for line in row["said"].splitlines()), row


@pytest.mark.parametrize(
    ("code", "begun", "warned", "outcome"),
    [
        (ERROR_OVERLAP, False, [], "run: grains do not fit"), (ERROR_NAN, False, ["warning  a"], "contradicted"),
        (ERROR_FAST, False, [], "contradicted"),
        (ERROR_RANGE, True, [], "run: fault range, without a warning"), (ERROR_OVERLAP, True, ["warning  a"], "run: fault overlap, after a warning"),
    ],
)  # fmt: skip
def test_a_motion_that_becomes_unphysical_is_told_by_its_fault(code: int, begun: bool, warned: list[str], outcome: str) -> None:
    """Before the first step only grains that do not fit are no contradiction to what `check` said."""
    import cases

    assert cases.stopped(BlowUpError("It stopped.", Fault(code, 0, 1, 3)), begun, warned) == (outcome, "\n".join([*warned, "It stopped."]))


def test_damaged_files_are_read_or_refused_in_sentences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import files
    import trials

    files.prepare(tmp_path)
    monkeypatch.setattr(files, "VIEWS", [view for view in files.VIEWS if view not in SLOW])
    rows = [files.attempt(k, 1, tmp_path) for k in range(FILES)]
    assert {row["outcome"] for row in rows} == {"read", "refused"}, trials.table(rows)
    assert {row["form"] for row in rows} == set(files.FORMS)


def test_all_forms_of_output_meet_all_commands_alike() -> None:
    import files

    count = 2000 // len(files.FORMS)
    for commands, number in zip((files.VIEWS, files.RUNS), files.TURNS, strict=True):
        chosen = Counter(" ".join(command) for turn in range(count) for command in files.in_turn(commands, number, turn))
        assert len(chosen) == len(commands)
        assert max(chosen.values()) - min(chosen.values()) <= 1
        assert all(len({*map(tuple, files.in_turn(commands, number, turn))}) == number for turn in range(count))
    from pardem.io.views.export import FORMATS

    assert {command[2] for command in files.VIEWS if command[0] == "export"} == set(FORMATS)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> object:
    """The run that is disturbed, as it should end."""
    sys.path.insert(0, str(FAULTS))
    from undisturbed import Undisturbed

    sys.path.remove(str(FAULTS))
    return Undisturbed(tmp_path_factory.mktemp("undisturbed"))


@on_linux
def test_a_run_that_is_killed_amid_a_checkpoint_and_interrupted_amid_its_result_loses_nothing(tmp_path: Path, undisturbed: object) -> None:
    from kills import Kill, disturbed

    kills = [Kill(2, "checkpoint", 40_000, 0, "KILL", "one"), Kill(0, "assemble", 300, 0, "INT", "one")]
    row = disturbed(tmp_path, kills, 0, undisturbed)
    assert row["outcome"] == "same bits", row
    assert [how["came"] for how in row["kills"]] == [True, True]
    assert row["kills"][0]["step"] >= 100  # beyond the first checkpoint
    assert row["kills"][1]["status"] == 130
    assert row["kills"][1]["step"] == 800


def test_runs_that_are_killed_go_on_on_another_number_of_ranks() -> None:
    import kills

    numbers = []
    for k in range(200):
        some, last = kills.drawn(k, 0)
        ranks = [max(1, kill.ranks) for kill in some] + [max(1, last)]
        assert all(one != other for one, other in itertools.pairwise(ranks))
        assert all(0 <= kill.rank < max(1, kill.ranks) for kill in some)
        numbers += ranks[:-1]
    assert set(numbers) == set(range(1, 9))


@on_linux
@pytest.mark.parametrize("fault", ["failing", *(pytest.param(name, marks=pytest.mark.slow) for name in RARE)])
def test_a_disk_that_fails_ends_a_run_with_a_sentence(fault: str, undisturbed: object, monkeypatch: pytest.MonkeyPatch) -> None:
    import disks
    import workbench

    monkeypatch.setattr(workbench, "RANKS", (0,))
    row = disks.attempt(0, 0, undisturbed, getattr(disks, fault))
    if row["outcome"] == disks.SKIPPED:
        pytest.skip("only root can do this, or there is no compiler")
    assert row["outcome"] in ("sentence", "same bits"), row
    assert row["failed"] or fault not in ("failing", "short"), row  # the call was reached


def test_scenes_are_drawn_with_all_walls_motions_and_sums() -> None:
    import drawn_scenes

    scenes = [drawn_scenes.scene(k, random.Random(k)) for k in range(100)]
    walls = [wall for case in scenes for wall in case["wall"]]
    assert {wall["kind"] for wall in walls} == {"plane", "box", "cylinder", "disc", "cone", "body"}
    assert any("hole" in wall for wall in walls)
    assert {wall.get("motion", {"kind": "fixed"})["kind"] for wall in walls} == {"fixed", "sinusoidal", "velocity", "rotation", "servo"}
    assert any(drawn_scenes.by_triangulation(case) and not drawn_scenes.is_convex(case) for case in scenes)
    assert len(drawn_scenes.COMBINATIONS) < 36
    sizes = [case for case in scenes if case["insert"][0]["size"] == drawn_scenes.WIDE]
    assert len(sizes) > 4
    sums = set()
    for table in (sizes[0], next(case for case in scenes if case["insert"][0]["size"] == 1.0)):
        case = Case(**table | {"stage": [{"name": "go", "kind": "run", "steps": 1}]})
        sums.add(build_scene(case, *size_range(case)).scene.settings.wide)
    assert sums == {True, False}


def test_cases_are_drawn_with_every_kind_of_stage_motion_and_output() -> None:
    import drawn_cases

    cases = [drawn_cases.drawn_case(k, random.Random(k)) for k in range(100)]
    walls = [wall for case in cases for wall in case["wall"]]
    assert {stage["kind"] for case in cases for stage in case["stage"]} == {"run", "settle", "vibrate"}
    assert {motion["kind"] for wall in walls for motion in wall.get("then", ())} == {"fixed", "velocity", "sinusoidal"}
    assert any("stages" in wall for wall in walls)
    assert any("pair" in case["contact"] for case in cases)
    assert all(any(case.get(table) for case in cases) for table in ("pour", "grain", "attraction"))
    assert {"frame_steps", "frame_interval", "frame_taps"} <= {name for case in cases for name in case["output"]}
    assert {"layers", "near_wall", "above_hole"} <= {name for case in cases for name in case["output"]["observables"]}
    assert set(drawn_cases.FIELDS) < {name for case in cases for name in case["output"]["fields"]}
    assert {case["detection"]["method"] for case in cases} == {"cells", "triangulation"}
    models = [Case(**case) for case in cases if case["time"].get("integrator") != "gear4"]  # which knows no walls that are pushed
    more = [drawn_cases.continued(case, "out.h5", random.Random(k)) for k, case in enumerate(cases)]
    assert len(models) > 80
    assert {case["start"]["walls"] for case in more} == {"continue", "case"}
    assert {"without", "without_region"} < {name for case in more for name in case["start"]}
    assert any("insert" in case for case in more)
    assert not any(name.endswith("_taps") for case in more for name in case["output"])
    assert not any(name in wall for case in more for wall in case["wall"] for name in ("then", "stages"))


@on_linux
@pytest.mark.slow
def test_a_whole_run_keeps_its_bits_and_passes_through_every_command(monkeypatch: pytest.MonkeyPatch) -> None:
    import drawn_scenes
    import whole_runs

    monkeypatch.setattr(drawn_scenes, "COMBINATIONS", (((drawn_scenes.ROD, drawn_scenes.SPHERE), drawn_scenes.VISCOUS, {}),))
    row = whole_runs.attempt(0, 0)
    assert row["outcome"] == "same bits", row
    assert row["started"] == "same bits", row
    assert row["history"]


def test_a_command_that_fails_without_a_sentence_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import whole_runs

    (tmp_path / "pardem.py").write_text("import sys\nprint(*sys.argv[2:])\nsys.exit(3)\n")
    desk = whole_runs.Desk(tmp_path)  # where Python finds this module first
    assert desk(0, ["run", "pardem: error: A sentence."])[0] == 3
    with pytest.raises(whole_runs.Failure, match="run x on 0 ranks") as caught:
        desk(0, ["run", "x"])
    assert caught.value.outcome == "silent"


@pytest.mark.mpi(min_size=2)
@pytest.mark.ranks(3)
@pytest.mark.parametrize("opens", [False, True], ids=["closed", "opened"])
def test_random_scenes_have_the_same_bits(monkeypatch: pytest.MonkeyPatch, opens: bool) -> None:
    """Spheres and rods under the law of other tests, on any grid, by cells and by triangulation; some leave, and others arrive."""
    import bits
    import drawn_scenes
    import opened_scenes

    comm, dice, course = MPI.COMM_WORLD, [random.Random(seed) for seed in (4, 2)], bits.Course(1000, 0.5) if opens else bits.Course(150, 3.0)
    monkeypatch.setattr(drawn_scenes, "COMBINATIONS", (((drawn_scenes.ROD, drawn_scenes.SPHERE), drawn_scenes.VISCOUS, {}),))
    compared = gone = 0
    for k in range(2):
        case, _ = comm.bcast(drawn_scenes.valid_scene(k, dice[0], *[opened_scenes.opened] * opens) if comm.rank == 0 else None)
        alone = comm.bcast(bits.bits_of(case, MPI.COMM_SELF, course) if comm.rank == 0 else None)
        gone += " left, " in alone[1]
        for variant in bits.variants(case, comm.size, dice[1]):
            found = comm.bcast(bits.bits_of(case | variant, comm, course))
            assert bits.is_refused(found[1]) or found == alone, variant
            compared += not bits.is_refused(found[1])
    assert compared > 1
    assert gone >= opens


def notes(leak: float = 0.0, residual: float = 1e-9, hotter: float = 0.0) -> list[dict[str, float]]:
    """Notes of a very long run, of which the memory grows (bytes a note), or the energy."""
    return [
        {
            "start": 1, "step": k * 10, "rss": 2e8 + leak * k + 1e5 * (k % 3), "descriptors": 12,
            "energy/wall_work": 1e-3 * k, "energy/residual": residual,
            "energy/kinetic_translational": 1e-6 * (1.0 + hotter * k), "energy/kinetic_rotational": 1e-7,
        }
        for k in range(101)
    ]  # fmt: skip


@pytest.mark.parametrize(("made", "well"), [(notes(), True), (notes(leak=1e6), False), (notes(residual=1e-2), False), (notes(hotter=0.02), False)])
def test_the_verdict_on_a_very_long_run(made: list[dict[str, float]], well: bool) -> None:
    from soak import judge

    assert judge(made, 1000)[1] == well
    assert not judge(made, 2000)[1]  # which has not come to its end


def test_a_long_run_notes_what_it_takes_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import soak

    out = tmp_path / "soak.jsonl"
    monkeypatch.setattr(soak, "NOTES", 5)
    monkeypatch.setattr(sys, "argv", ["soak.py", "--steps", "2000", "--out", str(out), "--walltime", "0"])
    soak.main()
    assert [note["step"] for note in soak.read_rows(out)] == [0]
    monkeypatch.setattr(sys, "argv", ["soak.py", "--steps", "2000", "--out", str(out)])
    soak.main()
    noted = soak.read_rows(out)
    assert [note["step"] for note in noted] == [0, 400, 800, 1200, 1600, 2000, 2000]
    assert all(note["rss"] > 1e7 and note["descriptors"] > 3 for note in noted)
    assert 0.0 < abs(noted[-1]["energy/residual"]) < 1e-2 * noted[-1]["energy/wall_work"]


def test_rows_of_a_campaign_outlive_a_kill(tmp_path: Path) -> None:
    """What was tried is not tried again; a line that was cut is."""
    import argparse

    import trials

    out, tried = tmp_path / "rows.jsonl", list[int]()

    def attempt(k: int) -> trials.Row:
        tried.append(k)
        return {"outcome": "lost" if k == 2 else "fine", "said": "gone" if k == 2 else ""}

    given = argparse.Namespace(tries=3, only=None, again=False, out=out)
    trials.go_on(given, attempt)
    text = out.read_text()
    out.write_text(text[:-20])
    rows = trials.go_on(given, attempt)
    assert tried == [0, 1, 2, 2]
    trials.go_on(argparse.Namespace(tries=3, only=[1, 7], again=False, out=out), attempt)
    assert tried == [0, 1, 2, 2, 7]
    assert trials.verdict(rows) == 1
    assert trials.table(rows).splitlines() == ["       2  fine", "       1  lost", "       1  lost: gone, first case 2"]


def outcomes_of(tmp_path: Path, name: str, *rows: dict[str, object]) -> Path:
    """A file of outcomes."""
    path = tmp_path / name
    path.write_text(
        "".join(json.dumps({"case": k, "said": "", "commit": "abc", "day": f"2026-01-0{k + 1}"} | row) + "\n" for k, row in enumerate(rows))
    )
    return path


def test_the_report_replaces_the_rows_of_campaigns_and_keeps_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import report

    kept: dict[str, str] = {}
    monkeypatch.setattr(report, "TABLE", tmp_path / "outcomes.csv")
    monkeypatch.setattr(report, "write", kept.__setitem__)

    def add(*paths: Path) -> list[str]:
        monkeypatch.setattr(sys, "argv", ["report.py", *map(str, paths)])
        assert report.main() == 0
        return (tmp_path / "outcomes.csv").read_text().splitlines()

    first, second = {"came": True, "signal": "KILL", "whom": "one", "ranks": 3}, {"came": False, "signal": "INT", "whom": "launcher", "ranks": 0}
    kill = {"phase": "frame", "kills": [first, second]}
    kills = outcomes_of(tmp_path, "kills.jsonl", kill | {"outcome": "same bits"}, kill | {"outcome": "lost"})
    bounds = tmp_path / "bounds.log"
    bounds.write_text(
        "tests of abc \n\n== tests, 1 rank\n.F\nFAILED tests/test_a.py::test_b\n1 failed, 1 passed, 2 warnings in 3.14s\n\n"
        "== tests, 3 ranks\n.\n1 passed, 2 deselected in 0.50s\n\nFAILED: 1 rank (status 1)\n"
        "tests of def tests/test_a.py\n\n== tests, 1 rank\n..\n2 passed in 1.00s (0:00:01)\n"
    )
    lines = add(kills, bounds)
    assert [line.rpartition(",abc,")[0] for line in lines[1:9]] == [
        'kills,last kill in phase frame,2,"lost 1, same bits 1",1',
        'kills,all kills of these runs,4,"after its end 2, amid the run 2",1',
        "kills,signal INT,2,after its end 2,1", "kills,signal KILL,2,amid the run 2,0",
        "kills,sent to a run without mpirun,2,after its end 2,1", "kills,sent to one rank,2,amid the run 2,0",
        "kills,run on 1 rank,2,after its end 2,1", "kills,run on 3 ranks,2,amid the run 2,0",
    ]  # fmt: skip
    assert lines[1].split(",abc,")[1].startswith("2026-01-02,")
    assert lines[9].startswith('bounds,1 rank,2,"failed 1, passed 1 (in test_a)",1,abc,')
    assert lines[10].startswith("bounds,3 ranks,1,passed 1,0,abc,")
    assert lines[11].startswith('bounds,"1 rank, tests/test_a.py",2,passed 2,0,def,')
    with kills.open("a") as more:
        more.write(json.dumps({"case": 1, "said": "", "outcome": "same bits", "commit": "def", "day": "2026-02-01"} | kill) + "\n")  # made again
    assert add(kills)[1:] == [
        lines[1].replace('"lost 1, same bits 1",1,abc,2026-01-02', "same bits 2,0,abc def,2026-02-01"),
        *(line.replace(",1,abc,", ",0,abc,").replace("abc,2026-01-02", "abc def,2026-02-01") for line in lines[2:9]), *lines[9:],
    ]  # fmt: skip
    files = outcomes_of(tmp_path, "files.jsonl", {"outcome": "read", "damage": "stopped.h5.parts/segment-000000.h5: cut at 3"})
    assert add(files)[1].startswith("files,segment,1,read 1,0,abc,2026-01-01,")
    assert len(add()) == 13
    assert "| damaged files | segment | 1 | read 1 | 0 | abc | 2026-01-01 |" in kept["campaigns of faults"]
    missing = (
        "mutated cases, disks that fail, whole runs, the same bits, the same bits with open faces, random scenes with indices checked, "
        "indices checked with open faces, a very long run"
    )
    assert f"Not run yet: {missing}." in kept["campaigns of faults"]


def test_the_report_says_what_did_not_come_or_was_not_done(tmp_path: Path) -> None:
    import report

    failing, alike = {"fault": "failing", "outcome": "same bits"}, {"what": "ball, elastic, minima, verlet", "outcome": "the same sentence"}
    for name, rows, said in (
        ("disks", [failing | {"failed": False}, failing | {"failed": True}], ["same bits 2; the fault came in 1 of 2"]),
        ("bits", [alike | {"found": "CaseError: a"}, alike | {"found": "BlowUpError: b"}], ["refused alike 1, the same sentence 1"]),
        ("files", [{"outcome": "refused", "commands": {"info": "read", "verify": "refused"}}], ["refused 1", "read 1", "refused 1"]),
    ):
        assert [line["outcomes"] for line in report.lines_of(outcomes_of(tmp_path, f"{name}.jsonl", *rows))] == said


def test_the_report_counts_signals_and_what_became_of_runs_that_started_from_an_end(tmp_path: Path) -> None:
    import report

    whole = {"what": "ball, elastic", "outcome": "same bits", "history": ["INT on 3: 1", "USR1 on 1: 0"], "started": "refused: A wall is gone."}
    stopped = {"what": "rod, hertz", "outcome": "the same sentence", "found": "pardem: error: It stopped.", "history": [], "started": ""}
    lines = report.lines_of(outcomes_of(tmp_path, "whole_runs.jsonl", whole, whole | {"started": "same bits"}, stopped))
    assert [(line["what"], line["tries"], line["outcomes"]) for line in lines] == [
        ("elastic", "2", "same bits 2"), ("hertz", "1", "the same sentence 1"),
        ("signals", "4", "after its end 2, amid the run 2"), ("started from their end", "2", "refused 1, same bits 1"),
    ]  # fmt: skip


def test_the_report_knows_how_far_a_long_run_came(tmp_path: Path) -> None:
    import report

    path = tmp_path / "soak.jsonl"
    path.write_text("".join(json.dumps(note) + "\n" for note in notes()))
    (line,) = report.lines_of(path)
    assert (line["what"], line["failures"]) == ("1e3 steps", "0")
    assert "descriptors: grows by" in line["outcomes"]


@on_linux
def test_forked_ranks_end_as_those_that_start_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Status and signal of a fork are those of its stub."""
    import launching
    from launching import Command, preloaded

    monkeypatch.setattr(launching, "kernels", list)  # this process may have loaded those of many other tests

    (tmp_path / "server").mkdir()
    program = tmp_path / "program.py"
    program.write_text("import os, sys\nfrom mpi4py import MPI\nprint(MPI.COMM_WORLD.allreduce(1), flush=True)\nif sys.argv[1:]: exec(sys.argv[1])\n")
    with preloaded(tmp_path / "server"):
        for k, (code, status, said) in enumerate(
            [("", 0, "2"), ("sys.exit(3)", 3, "2"), ("1 / 0", 1, "ZeroDivisionError"), ("os.kill(os.getpid(), 9)", 137, "signal 9")]
        ):
            run = Command(2, [program, code] if code else [program], tmp_path / f"log{k}", tmp_path)
            assert run.wait(100.0) == status, run.said
            assert said in run.said
