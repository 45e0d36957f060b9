"""The table of the speed of scenes, version by version, and the page made of it (jobs/benchmarks/scene_speeds.py)."""

from __future__ import annotations

import csv
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import scene_speeds as benchmark

from pardem.bench.scenes import BEDS


def test_versions_measured_in_turns_stand_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "TABLE", tmp_path / "scene_speeds.csv")
    monkeypatch.setattr(benchmark, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(benchmark, "version_of", lambda tree: tree.name)
    turn = count()

    def figures(tree: Path, scene: str, warmup: int) -> dict[str, Any]:
        """Those of one turn, each a little faster than the one before."""
        of_all = dict.fromkeys(("contacts_per_grain", "candidates_per_grain", "share_contacts", "share_integration", "share_detection"), 0.5)
        return of_all | {"cundall": (2e6 if tree.name == "now" else 1e6) + 1e4 * next(turn)}

    monkeypatch.setattr(benchmark, "figures", figures)
    benchmark.measure([tmp_path / "now", tmp_path / "before"], ["spheres", "cubes"], 3, 500)
    rows = list(csv.DictReader(benchmark.TABLE.open(newline="")))
    assert [(row["version"], row["scene"]) for row in rows] == [(v, s) for s in ("spheres", "cubes") for v in ("now", "before")]
    assert all(float(row["least (1/s)"]) < float(row["median (1/s)"]) < float(row["most (1/s)"]) for row in rows)
    page = benchmark.PAGE
    page.write_text("above\n<!-- scenes -->\nold\n<!-- end of scenes -->\nbelow\n")
    benchmark.put_into_page(benchmark.PAGE, benchmark.PART, benchmark.text(rows))
    written = page.read_text()
    assert written.startswith("above\n")
    assert written.endswith("below\n")
    assert "old" not in written
    line = next(line for line in written.splitlines() if line.startswith("| cubes"))
    ratio = float(rows[2]["median (1/s)"]) / float(rows[3]["median (1/s)"])
    assert line.split("|")[-2].strip() == f"{ratio:.2f}"
    rows[3][benchmark.LEFT_OUT] = "the bed rolls"
    assert benchmark.text(rows).splitlines()[-1].endswith("| left out: the bed rolls, lists take 50% |")


def test_every_scene_is_measured() -> None:
    assert set(benchmark.SCENES) == set(BEDS)
