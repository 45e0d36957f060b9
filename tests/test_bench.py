"""``pardem bench``: several scenes, several turns, and the comparison with another version."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from mpi4py import MPI

from pardem import cli
from pardem.bench import scenes
from pardem.bench.beds import settled_tile

SMALL = ["--grains", "60", "--steps", "20", "--warmup", "5"]


def test_turns_are_lines_and_their_medians_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bench", "spheres", "--turns", "3", "--json", *SMALL]) == 0
    lines = capsys.readouterr().out.splitlines()
    speeds = sorted(json.loads(line)["cundall"] for line in lines)
    assert len(speeds) == 3
    old = tmp_path / "old.json"
    old.write_text("".join(json.dumps({"scene": "spheres", "cundall": factor * speeds[1]}) + "\n" for factor in (0.5, 0.25, 4.0)))
    assert cli.main(["bench", "spheres", "--json", "--compare", str(old), *SMALL]) == 0
    printed = capsys.readouterr()
    now = json.loads(printed.out)["cundall"]
    row = next(line for line in printed.err.splitlines() if line.split()[:1] == ["spheres"]).split()
    assert float(row[1]) == pytest.approx(now / 1e6, abs=1e-3)
    assert float(row[3]) == pytest.approx(now / (0.5 * speeds[1]), abs=1e-3)
    assert row[4:] == ["1", "and", "3"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "cannot be read: No such file or directory"),
        ("spheres 8.1\n", "does not hold figures of scenes"),
        ('{"scene": "spheres"}\n', "does not hold figures of scenes"),
        ("[1, 2]\n", "does not hold figures of scenes"),
        ('{"scene": "cubes", "cundall": 1e6}\n', "has figures of other scenes only (cubes)"),
    ],
)
def test_figures_that_cannot_be_compared(tmp_path: Path, refused: Callable[..., str], text: str | None, words: str) -> None:
    old = tmp_path / "old.json"
    if text is not None:
        old.write_text(text)
    assert words in refused("bench", "spheres", "--compare", str(old))


def test_a_scene_that_does_not_exist_is_told_before_anything_is_measured(refused: Callable[..., str]) -> None:
    assert "sphere" in refused("bench", "spheres", "spheers")


def test_a_bed_that_settles_for_longer_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    heights = []
    for settle in (20, 400):
        monkeypatch.setitem(scenes.BEDS, "disks", scenes.BEDS["disks"]._replace(settle=settle))
        for _ in range(2):  # made, and read again
            grains, _ = settled_tile(MPI.COMM_SELF, "disks", 10)
            heights.append(float(grains.x[:, 1].sum()))
    assert heights[0] == heights[1] > heights[2] == heights[3]
    assert len(list(tmp_path.glob("pardem/bench/*.npz"))) == 2
