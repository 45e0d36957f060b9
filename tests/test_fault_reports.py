"""Rows that the campaigns of faults keep, the verdict on a very long run, and the table of their outcomes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("campaigns_of_faults")


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
    """What was tried is not tried again, but of another seed; a line that was cut is."""
    import argparse

    import trials

    out, tried = tmp_path / "rows.jsonl", list[int]()

    def attempt(k: int) -> trials.Row:
        tried.append(k)
        return {"outcome": "lost" if k == 2 else "fine", "said": "gone" if k == 2 else ""}

    given = argparse.Namespace(tries=3, only=None, seed=0, again=False, out=out)
    trials.go_on(given, attempt)
    text = out.read_text()
    out.write_text(text[:-20])
    rows = trials.go_on(given, attempt)
    assert tried == [0, 1, 2, 2]
    trials.go_on(argparse.Namespace(tries=3, only=[1, 7], seed=0, again=False, out=out), attempt)
    assert tried == [0, 1, 2, 2, 7]
    assert len(trials.go_on(argparse.Namespace(tries=2, only=None, seed=1, again=False, out=out), attempt)) == 2
    assert tried == [0, 1, 2, 2, 7, 0, 1]
    assert len(trials.read_tries(out)) == 6
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

    whole = {"what": "ball, elastic", "outcome": "same bits", "history": ["INT on 3: 1", "USR1 on 1: 0"], "views": ["shown", "refused"]}
    stopped = {"what": "rod, hertz", "outcome": "the same sentence", "found": "pardem: error: It stopped.", "history": [], "views": [], "started": ""}
    ends = [whole | {"started": started} for started in ("refused: A wall is gone.", "same bits")]
    lines = report.lines_of(outcomes_of(tmp_path, "whole_runs.jsonl", *ends, stopped))
    assert [(line["what"], line["tries"], line["outcomes"]) for line in lines] == [
        ("elastic", "2", "same bits 2"), ("hertz", "1", "the same sentence 1"),
        ("signals", "4", "after its end 2, amid the run 2"), ("views of results", "4", "refused 2, shown 2"),
        ("started from their end", "2", "refused 1, same bits 1"),
    ]  # fmt: skip


def test_the_report_knows_how_far_a_long_run_came(tmp_path: Path) -> None:
    import report

    path = tmp_path / "soak.jsonl"
    path.write_text("".join(json.dumps(note) + "\n" for note in notes()))
    (line,) = report.lines_of(path)
    assert (line["what"], line["failures"]) == ("1e3 steps", "0")
    assert "descriptors: grows by" in line["outcomes"]
