"""Images: a run that starts from one has the same bits and opens next to nothing; those that are damaged or do not fit are refused in a sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mpi4py import MPI
from run_scene import case_file

from pardem import cli, image
from pardem.errors import FileError
from pardem.io.views.compare import compare
from pardem.setup.imaging import processor, require_fit

# which files a process opens, and which it makes, but for those of the node and of the run itself
WATCHED = """
import json, os, sys
opened, made, result = [], [], os.getcwd()
def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        path = os.path.abspath(arguments[0])
        if not path.startswith((os.environ["TMPDIR"], result, "/proc", "/dev", "/sys", sys.base_prefix)):
            (made if arguments[2] & os.O_CREAT else opened).append(path)
sys.addaudithook(watch)
from pardem.cli import main
status = main(sys.argv[1:])
import pardem.step, numpy._core._multiarray_umath as extension
with open(os.path.join(os.environ["TMPDIR"], f"watched-{os.getpid()}.json"), "w") as file:  # what ranks print may share a line
    json.dump([opened, made, type(pardem.step.__loader__).__name__, extension.__file__], file)
sys.exit(status)
"""


def watched(node: Path) -> list[list]:
    """What the processes of a node opened and made, with the loader and the extension that they had."""
    return [json.loads(path.read_text()) for path in sorted(node.glob("watched-*.json"))]


def python(folder: Path, *arguments: object, **environment: object) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, whose ``node`` is the folder of the node's own."""
    (folder / "node").mkdir(exist_ok=True)
    variables = os.environ | {"TMPDIR": str(folder / "node")} | {name: str(value) for name, value in environment.items()}
    return subprocess.run([sys.executable, *map(str, arguments)], cwd=folder, env=variables, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a case, its result without an image, and an image made for it."""
    folder = tmp_path_factory.mktemp("image")
    case = case_file(folder)
    case.write_text(case.read_text().replace("max_time = 0.01", "max_time = 0.004").replace("frequency = 30.0", "frequency = 300.0"))
    assert cli.main(["run", str(case), "-o", str(folder / "plain.h5")]) == 0
    done = python(folder, "-m", "pardem", "warmup", "case.toml", "--image", "case.image")
    assert done.returncode == 0, done.stderr
    assert "case.image: 1" in done.stdout
    return folder


def test_a_run_from_an_image_opens_little_and_has_the_same_bits(place: Path) -> None:
    for turn in range(2):  # the first one unpacks it
        for path in (place / "node").glob("watched-*.json"):
            path.unlink()
        done = python(place, "-c", WATCHED, "run", "case.toml", "-o", f"{turn}.h5", PARDEM_IMAGE=place / "case.image")
        assert done.returncode == 0, done.stderr
    [(opened, made, loader, extension)] = watched(place / "node")
    assert len(opened) < 50
    assert made == []
    assert not [path for path in opened if path.endswith(".kernel")]
    assert loader == "_Loader"
    assert extension.startswith(str(place / "node"))
    assert compare(str(place / "0.h5"), str(place / "plain.h5")) is None
    assert compare(str(place / "1.h5"), str(place / "plain.h5")) is None


def test_ranks_start_from_an_image_that_one_of_them_unpacks(place: Path, tmp_path: Path, run_mpi: Callable) -> None:
    """The other one opens as little as the first one of a node at any later start, and both make no files."""
    variables = {"PARDEM_IMAGE": str(place / "case.image"), "TMPDIR": str(tmp_path)}
    run_mpi(2, "-c", WATCHED, "run", "case.toml", "-o", "two.h5", env=variables, cwd=place)
    ranks = watched(tmp_path)
    assert len(ranks) == 2
    assert all(len(opened) < 50 and made == [] for opened, made, *_ in ranks)
    assert compare(str(place / "two.h5"), str(place / "plain.h5")) is None
    unpacked = next(tmp_path.glob("pardem-*"))
    assert len([path for path in unpacked.iterdir() if path.is_dir()]) == 1


def spoiled(whole: bytes, how: str) -> bytes:
    if how == "damaged":
        middle = len(whole) // 2
        return whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    if how == "short":
        return whole[:100]
    if how == "cut":
        return whole[:-1000]
    return whole.replace(image.INTERPRETER.encode(), b"cpython-310-4-linux", 1) if how == "interpreter" else b"no image" * 100


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("damaged", "is damaged: its checksum is wrong"),
        ("cut", "is damaged: its checksum is wrong"),
        ("short", "is no image of pardem, or was cut short"),
        ("other", "is no image of pardem, or was cut short"),
        ("interpreter", "was made by another Python (cpython-310-4-linux; this is"),
        ("missing", "cannot be used ([Errno 2] No such file"),
    ],
)
def test_an_image_that_is_no_good_is_refused(place: Path, tmp_path: Path, run_mpi: Callable, how: str, words: str) -> None:
    bad = tmp_path / "bad.image"
    if how != "missing":
        bad.write_bytes(spoiled((place / "case.image").read_bytes(), how))
    if how == "damaged":  # said once by several ranks
        done = run_mpi(2, "-m", "pardem", "run", "case.toml", env={"PARDEM_IMAGE": str(bad), "TMPDIR": str(tmp_path)}, cwd=place, check=False)
    else:
        done = python(place, "-m", "pardem", "run", "case.toml", PARDEM_IMAGE=bad, TMPDIR=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("pardem: error:") == done.stderr.count(f"PARDEM_IMAGE = '{bad}' {words}") == 1


def test_an_image_must_be_of_this_processor_and_of_these_sources(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv("SLURM_TMPDIR", raising=False)
    name = str(place / "case.image")
    found = image.Image(name, image._unpacked(name))
    require_fit(found, MPI.COMM_SELF)
    found.index.processor = "vax (00000000)"
    with pytest.raises(FileError, match=rf"holds kernels for the processor vax \(00000000\), and this node has {processor()[:4]}"):
        require_fit(found, MPI.COMM_SELF)
    path, size, time = found.index.origins[5]
    found.index.origins[5] = (path, size + 1, time)
    with pytest.raises(FileError, match=f"is out of date: {path} has changed since"):
        require_fit(found, MPI.COMM_SELF)


def test_a_folder_of_somebody_else_is_not_trusted(place: Path, tmp_path: Path) -> None:
    (tmp_path / f"pardem-{os.getuid()}").mkdir(mode=0o777)
    (tmp_path / f"pardem-{os.getuid()}").chmod(0o777)
    done = python(place, "-m", "pardem", "run", "case.toml", PARDEM_IMAGE=place / "case.image", TMPDIR=tmp_path)
    assert done.returncode == 1
    assert "which others may write to" in done.stderr
