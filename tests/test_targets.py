"""A slip of the keyboard costs no result and no case: no command writes its own kind of file in their place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from run_scene import SHORT, case_file

from pardem import cli


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a case and its result."""
    folder = tmp_path_factory.mktemp("there")
    assert cli.main(["run", str(case_file(folder)), "-o", str(folder / "case.h5"), *SHORT]) == 0
    return folder


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["export", "case.h5", "--format", "gsd", "-o"], "{} could not be written: the name of a gsd file ends in .gsd; name another file with -o"),
        (["export", "case.h5", "--format", "vtkhdf", "-o"], "{} could not be written: the name of a vtkhdf file ends in .vtkhdf or .hdf; name"),
        (["export", "case.h5", "--format", "vtk", "-o"], "{} could not be written ([Errno 17] File exists"),
        (["export", "case.h5", "--format", "csv", "-o"], "{} could not be written ([Errno 17] File exists"),
        (["render", "case.h5", "--html", "-o"], "{} could not be written: the name of a page ends in .html or .htm; name another file with -o"),
        (["render", "case.h5", "-o"], "{} could not be written: a picture's name ends in .png"),
        (["plot", "case.h5", "-o"], "{} cannot be written: Format"),
        (["schema", "-o"], "{} could not be written: the name of a schema ends in .json; name another file with -o"),
        (["warmup", "case.toml", "--image"], "{}: the image could not be written: the file that is there is no image of pardem; remove it, or give"),
        (["run", "case.toml", "-o", "new.h5", "--log"], "--log {}: a log is a text file of its own; give it a name that does not end in ."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_results_and_cases_stay(there: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, command: list[str], words: str) -> None:
    monkeypatch.chdir(there)
    before = {path: path.read_bytes() for path in sorted(there.iterdir())}
    for name in ("case.h5", "case.toml"):
        assert words.format(name) in refused(*command, name)
    assert {path: path.read_bytes() for path in sorted(there.iterdir())} == before


def test_a_case_is_not_replaced_by_its_result(there: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(there)
    before = Path("case.toml").read_bytes()
    assert "case.toml is no result of a run, which --force may replace" in refused("run", "case.toml", *SHORT, "-o", "case.toml", "--force")
    assert Path("case.toml").read_bytes() == before
