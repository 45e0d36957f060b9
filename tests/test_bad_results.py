"""Files that are no results, or damaged ones: every command that reads them ends with status 1 and one sentence that names file and fault."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from run_scene import SHORT, case_file, settings

import pardem
from pardem import cli
from pardem.errors import FileError


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a good result and all kinds of bad ones."""
    folder = tmp_path_factory.mktemp("results")
    good = folder / "good.h5"
    assert cli.main(["run", str(case_file(folder)), "-o", str(good), *SHORT]) == 0
    (folder / "cut.h5").write_bytes(good.read_bytes()[: good.stat().st_size // 2])
    (folder / "text.h5").write_text("no numbers")
    (folder / "empty.h5").touch()
    (folder / "folder.h5").mkdir()
    with h5py.File(folder / "foreign.h5", "w") as file:
        file["x"] = 1.0
    with h5py.File(folder / "later.h5", "w") as file:
        file.attrs["pardem_kind"], file.attrs["pardem_format"] = "result", 99
    return folder


SAID = {
    "missing.h5": "does not exist", "cut.h5": "is truncated", "text.h5": "is not an HDF5 file", "empty.h5": "is empty", "folder.h5": "is a folder",
    "foreign.h5": "is an HDF5 file that pardem did not write; name a result", "later.h5": "has format 99 and this pardem reads formats up to 2",
}  # fmt: skip


@pytest.mark.parametrize("command", [["info"], ["plot"], ["render"], ["export"], ["export", "--format", "csv"], ["compare", "good.h5"]], ids=" ".join)
def test_a_file_that_is_no_result(results: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, command: list[str]) -> None:
    monkeypatch.chdir(results)
    before = sorted(results.iterdir())
    for name, expected in SAID.items():
        assert refused(*command, name).startswith(f"{name} {expected}")
    assert sorted(results.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["render", "good.h5", "--frame", "99"], "good.h5 has 3 frames: --frame 99 is not among them"),
        (["plot", "good.h5", "-o", "none/x.png"], "none/x.png cannot be written: No such file or directory"),
        (["plot", "good.h5", "-o", "x.foo"], "x.foo cannot be written: Format 'foo' is not supported"),
    ],
)
def test_a_picture_that_cannot_be(
    results: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], expected: str
) -> None:
    monkeypatch.chdir(results)
    assert refused(*arguments).startswith(expected)


def damaged(name: str, change: Callable[[h5py.File], None]) -> str:
    """A copy of the good result, changed."""
    shutil.copy("good.h5", name)
    with h5py.File(name, "r+") as file:
        change(file)
    return name


def put(where: str, value: Any) -> Callable[[h5py.File], None]:
    """A change that lays a value, or a group (None), in the place of what is there."""

    def change(file: h5py.File) -> None:
        del file[where]
        if value is None:
            file.create_group(where)
        else:
            file[where] = value

    return change


def label(name: str, value: Any) -> Callable[[h5py.File], None]:
    """A change of an attribute."""
    return lambda file: file.attrs.__setitem__(name, value)


STATE = "pardem/final"
ALL = (["info"], ["plot"], ["render"], ["export"], ["compare", "good.h5"])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (label("pardem_format", "text"), "is damaged: its format is no whole number"),
        (label("pardem_format", np.arange(3)), "is damaged: its format is no whole number"),
        (label("pardem_kind", np.arange(3)), "is an HDF5 file that pardem did not write"),
        (put("observables/coordination/value", np.zeros(2)), "is damaged: observables/coordination has 2 rows"),
        (put("observables/coordination/value", None), "is damaged: observables/coordination/value is no array of numbers"),
        (put("observables/coordination/value", b"text"), "is damaged: observables/coordination/value is no array of numbers"),
        (put("observables", 1.0), "is damaged: observables is no group"),
        (put("particles/grains/id", np.arange(2)), "is damaged: particles/grains has tables of 2 and 3 grains"),
        (put("particles/grains/velocity/value", np.zeros((3, 3, 2))), "is damaged: particles/grains/velocity/value is of shape (3, 3, 2) in"),
        (put("particles/grains/velocity/value", np.zeros((3, 2, 3))), "is damaged: particles/grains/velocity/value is of shape (3, 2, 3) in"),
        (put("particles/grains/position/value", h5py.Empty("f8")), "is damaged: particles/grains/position/value is no array of numbers"),
        (put("parameters/pardem/catalogue/vertex_start", np.array([5, 9])), "is damaged: parameters/pardem/catalogue/vertex_start does not fit"),
        (put("parameters/pardem/catalogue/radius", np.zeros(7)), "is damaged: parameters/pardem/catalogue/radius is of shape (7,) in place of (1,)"),
        (lambda file: file.__delitem__("parameters/pardem/catalogue/radius"), "is damaged: parameters/pardem/catalogue/radius is missing"),
        (put(f"{STATE}/contacts/lower", np.arange(99)), f"is damaged: {STATE}/contacts has tables of different lengths"),
        (put(f"{STATE}/grains/x", None), f"is damaged: {STATE}/grains/x is no array of numbers"),
        (put(STATE, np.zeros(3)), f"is damaged: {STATE} is no group"),
    ],
)  # fmt: skip
def test_a_damaged_result_is_named_by_all_commands(
    results: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, change: Callable[[h5py.File], None], expected: str
) -> None:
    monkeypatch.chdir(results)
    name = damaged("damaged.h5", change)
    for command in ALL:
        assert refused(*command, name).startswith(f"{name} {expected}")


@pytest.mark.parametrize(
    ("where", "value", "commands", "expected"),
    [
        (f"{STATE}/header", b"no json", ("info", "compare good.h5"), "is damaged: header is no JSON"),
        (f"{STATE}/header", b"[]", ("info", "compare good.h5"), "is damaged: header is no table"),
        (f"{STATE}/header", b"[" * 9000 + b"]" * 9000, ("info", "compare good.h5"), "is damaged: header is no JSON"),
        (f"{STATE}/header", b"9" * 5000, ("info", "compare good.h5"), "is damaged: header is no JSON"),
        (f"{STATE}/header", np.arange(3), ("info", "compare good.h5"), f"is damaged: /{STATE}/header is no text"),
        (f"{STATE}/header", None, ("info", "compare good.h5"), "is damaged: header is no data set"),
        (f"{STATE}/checksums", b"null", ("info", "compare good.h5"), "is damaged: checksums is no table"),
        ("parameters/pardem/provenance", b"no json", ("info",), "is damaged: parameters/pardem/provenance is no JSON"),
        ("parameters/pardem/provenance", b"[3]", ("info",), "is damaged: provenance is not what pardem writes"),
        ("parameters/pardem/case", b"[", ("render", "export", "export --format gsd"), "is damaged: parameters/pardem/case is no TOML"),
        ("parameters/pardem/case", b"", ("render", "export"), "is damaged: parameters/pardem/case is no case"),
    ],
)
def test_a_damaged_text_in_a_result(
    results: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch, where: str, value: Any, commands: tuple[str, ...], expected: str
) -> None:
    monkeypatch.chdir(results)
    name = damaged("damaged.h5", put(where, value if not isinstance(value, bytes) else np.bytes_(value)))
    for command in commands:
        assert refused(*command.split(), name).startswith(f"{name} {expected}")


def test_resumed_from_damaged_files(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A checkpoint that does not hold what it should is passed over, whatever it holds, with a sentence."""
    run = ["run", "case.toml", *SHORT, *settings(output__checkpoint_steps=5)]
    state = "pardem/state"
    changes = [label("pardem_format", "x"), put(f"{state}/grains/x", np.zeros(2)), put(f"{state}/contacts/lower", np.zeros(9, int)), put(state, 1.0)]
    assert cli.main([*run, "--walltime", "00:00:00"]) == 75
    Path("case.h5").rename("index")
    Path("case.h5.parts").rename("parts")
    for change in [*changes, put(f"{state}/header", np.bytes_(b"[]")), put(f"{state}/checksums", None)]:
        shutil.copy("index", "case.h5")
        shutil.copytree("parts", "case.h5.parts")
        (kept,) = Path("case.h5.parts").glob("checkpoint-*.h5")
        with h5py.File(kept, "r+") as file:
            change(file)
        capfd.readouterr()
        assert cli.main([*run, "--resume"]) == 0
        err = capfd.readouterr().err
        assert "passed over a checkpoint: " in err
        assert "Traceback" not in err


def test_a_result_without_what_a_picture_needs(folder: Path, refused: Callable[..., str]) -> None:
    assert cli.main(["run", "case.toml", *SHORT, *settings(output__fields="['position']")]) == 0
    for command in ("render", "export"):
        assert "case.h5 holds no frames with the field 'orientation'" in refused(command, "case.h5")
    assert cli.main(["export", "case.h5", "--format", "csv"]) == 0


def test_resumed_with_another_case(folder: Path, refused: Callable[..., str]) -> None:
    assert cli.main(["run", "case.toml", *SHORT, *settings(output__checkpoint_steps=5), "--walltime", "00:00:00"]) == 75
    said = refused("run", "case.toml", *SHORT, *settings(contact__friction=0.3), "--resume")
    assert "case.h5.parts/checkpoint-" in said
    assert "belongs to another case" in said
    assert "undo the changes of the case, choose another output with -o, or start anew with --force" in said
    assert refused("run", "case.toml", *SHORT).endswith("already exists; go on with it by --resume, or replace it by --force")
    assert cli.main(["run", "case.toml", *SHORT, "--resume"]) == 0


def test_a_result_whose_layers_do_not_fit_each_other(folder: Path, refused: Callable[..., str]) -> None:
    assert cli.main(["run", "case.toml", "-o", "good.h5", *SHORT, *settings(output__observables__layers="{thickness = 2e-3}")]) == 0
    with h5py.File("good.h5") as file:
        value = file["observables/count_layers/value"][()]
    name = damaged("damaged.h5", put("observables/count_layers/value", value[:, :-1]))
    for command in ALL:
        assert "layers/value is of shape " in refused(*command, name)
    with pytest.raises(FileError, match=r"damaged\.h5 is damaged: observables/[a-z_]+_layers/value is of shape"):
        pardem.open(name)
