"""The gallery: every case runs in short form and can be drawn, its files are those of the scripts, and the page fits them."""

from __future__ import annotations

from pathlib import Path

import entries
import gallery
import meshes
import numpy as np
import pytest

import pardem
from pardem import cli
from pardem.io.views.info import info

SHORT = {"rods", "brazil_nut", "stones"}  # the others compile kernels of their own


@pytest.mark.parametrize(
    "entry", [pytest.param(entry, id=entry.name, marks=[] if entry.name in SHORT else pytest.mark.slow) for entry in entries.ENTRIES]
)
def test_every_case_runs_in_short_and_is_drawn(entry: entries.Entry, tmp_path: Path) -> None:
    out, picture = tmp_path / "out.h5", tmp_path / "picture.png"
    settings = [word for setting in entry.short for word in ("--set", setting)]
    assert cli.main(["run", str(entry.case), "-o", str(out), *settings]) == 0
    assert info(out)["finished"]
    with pardem.open(out) as result:
        assert len(result) > 1
        assert np.isfinite(result[-1].position).all()
        assert (result[-1].position != result[0].position).any()
    assert cli.main(["render", str(out), "--size", "200x200", *entry.options, "-o", str(picture)]) == 0
    assert picture.stat().st_size > 1000


def test_there_are_eleven_and_each_is_known_by_its_file() -> None:
    names = [entry.name for entry in entries.ENTRIES]
    assert len(names) == 11
    assert sorted(path.stem for path in entries.FOLDER.glob("*.toml")) == sorted(names)


def test_the_page_is_up_to_date() -> None:
    assert gallery.PAGE.read_text() == gallery.page(gallery.measured()), "run: python jobs/gallery/gallery.py page"


def test_every_case_was_measured_and_takes_less_than_five_minutes_and_pictures_are_small() -> None:
    figures = gallery.measured()
    for entry in entries.ENTRIES:
        assert figures[entry.name]["runs"].keys() >= {"1", "2"}, "run: python jobs/gallery/gallery.py run [--ranks 2]"
        assert all(run["seconds"] < 300.0 for run in figures[entry.name]["runs"].values())
        assert (gallery.FIGURES / f"{entry.name}.png").stat().st_size <= gallery.MOST_BYTES


def test_meshes_are_those_of_the_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meshes, "FOLDER", tmp_path)
    meshes.main()
    for file in sorted(tmp_path.iterdir()):
        assert file.read_text() == (entries.FOLDER / file.name).read_text(), "run: python jobs/gallery/meshes.py"
