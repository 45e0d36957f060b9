"""A slip of the keyboard costs no result and no case: no command writes its own kind of file in their place, and files are what they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from mpi4py import MPI
from run_scene import SHORT, case_file

import pardem as package
from pardem import cli
from pardem.errors import FileError


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
    before = {path: path.read_bytes() for path in sorted(there.iterdir()) if path.is_file()}
    for name in ("case.h5", "case.toml"):
        assert words.format(name) in refused(*command, name)
    assert {path: path.read_bytes() for path in sorted(there.iterdir()) if path.is_file()} == before


def test_a_case_is_not_replaced_by_its_result(there: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(there)
    before = Path("case.toml").read_bytes()
    assert "case.toml is no result of a run, which --force may replace" in refused("run", "case.toml", *SHORT, "-o", "case.toml", "--force")
    assert Path("case.toml").read_bytes() == before


def test_what_a_run_starts_from_is_not_what_it_replaces(there: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A finished result, and a stopped run by one of its checkpoints."""
    monkeypatch.chdir(there)
    assert cli.main(["run", "case.toml", *SHORT, "-o", "part.h5", "--walltime", "00:00:00"]) == 75
    newest = max(Path("part.h5.parts").glob("checkpoint-*.h5"))
    for source, out in ((Path("case.h5"), "case.h5"), (newest, "part.h5"), (newest, str(newest))):
        before = source.read_bytes()
        Path("on.toml").write_text(f'base = "case.toml"\nstart = {{ from = "{source}" }}\ninsert = []\noutput = {{ file = "{out}" }}\n')
        words = f"{out} is what the run starts from (start.from), which its output would replace; name another file with -o"
        for command in (["check"], ["run", "--force"], ["run", "--resume"]):
            assert words in refused(command[0], "on.toml", *SHORT[2:], *command[1:])
        assert source.read_bytes() == before
    case = package.with_origin(package.read_case("on.toml", SHORT[3::2]))
    with pytest.raises(FileError, match="is what the run starts from"):
        package.Simulation(case, MPI.COMM_SELF).write(newest, force=True)


def test_a_case_and_a_study_that_are_taken_for_each_other(refused: Callable[..., str]) -> None:
    jobs = Path(__file__).parent.parent / "jobs"
    case, study = jobs / "smoke.toml", jobs / "campaigns" / "flowability" / "beads_5mm.toml"
    for command in ("run", "check"):
        said = refused(command, str(study))
        assert said == f"{study}: is a study, whose runs are variants of a case: `pardem campaign run {study}` carries them out"
    for action in ("run", "status", "collect", "plot"):
        assert refused("campaign", action, str(case)) == f"{case}: is a case, not a study of one: `pardem run {case}` runs it"
