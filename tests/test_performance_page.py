"""What the page on performance and that on validation cite: versions that can be found, ways that were tried."""

from __future__ import annotations

import shutil
from pathlib import Path

import cited_versions
import goals
import lammps_calls
import pytest
import scene_limits
from pages import PAGE, read_rows, table_cells


def _history_is_here() -> bool:
    """Whether this is a working copy with all of its history."""
    here = (cited_versions.ROOT / ".git").exists() and shutil.which("git") is not None
    return here and cited_versions.git("rev-parse", "--is-shallow-repository").strip() == "false"


@pytest.mark.parametrize("page", cited_versions.PAGES, ids=lambda page: page.stem)
def test_versions_are_in_the_history_or_in_the_table(page: Path) -> None:
    if not _history_is_here():
        pytest.skip("without the history")
    text = page.read_text()
    listed = {name for cells in table_cells(text, "versions") for name in cells[0].split(", ")}
    assert set(cited_versions.lost(cited_versions.cited(text))) == listed, "run `python jobs/benchmarks/cited_versions.py page`"


def test_versions_are_told_from_other_words() -> None:
    text = "since 1234abc (abcdef1+), not 1e-1000, 1000000, decade, deadbeef, #1a2b3c4 or 0.12345ab; last of them, 7654fed.\n"
    text += "".join((cited_versions.PART[0], "| 1111aaa | a commit |\n", cited_versions.PART[1]))
    assert cited_versions.cited(text) == ["1234abc", "abcdef1", "7654fed"]


def test_goals_that_are_missed_say_what_was_tried() -> None:
    """By links, which `test_docs.py` follows where the page has them."""
    assert [goal.what for goal in goals.goals() if not goal.reached and not goal.tried.startswith("[")] == []


def test_each_scene_says_what_was_tried() -> None:
    shown = {cells[0]: cells[-1] for cells in table_cells(PAGE.read_text(), "limits")}
    assert shown == {scene: ", ".join(tried) for scene, tried in scene_limits.TRIED.items()}


def test_the_page_shows_every_call_beside_lammps() -> None:
    rows = read_rows(lammps_calls.TABLE)
    assert len(table_cells(PAGE.read_text(), "lammps")) == len(rows), "run `python jobs/benchmarks/lammps_calls.py page`"
    assert PAGE.read_text().count(lammps_calls.text(rows)) == 1


def test_what_is_left_out_is_no_goal() -> None:
    columns = ("call", "version", "processor", "scene", "turns", "median (1/s)", "left out")
    rows = [
        dict(zip(columns, row, strict=True))
        for row in [
            ("1", "mine", "a, 4 lanes", "clumps", "5", "2e6", ""), ("1", goals.BEFORE, "a, 4 lanes", "clumps", "5", "1e6", ""),
            ("2", "mine", "a, 4 lanes", "clumps", "5", "5e6", ""), ("2", goals.BEFORE, "a, 4 lanes", "clumps", "5", "1e6", "the bed rolls"),
        ]
    ]  # fmt: skip
    assert [goal.measured for goal in goals.over_the_version_before(rows)] == [2.0]
