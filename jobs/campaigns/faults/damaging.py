"""Results, checkpoints, segments and files of grains, and what damages them: bytes, or contents by way of the library."""

from __future__ import annotations

import contextlib
import random
import shutil
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from undisturbed import SELF, TUBE, stopping

from pardem.io.casefile import read_case
from pardem.io.results.paths import parts_of
from pardem.run import run_case
from pardem.run_options import RunOptions

STARTED = "started"  # folder of the runs that start from undamaged states
CASE = f"""{TUBE}
insert = [{{ species = "rod", count = 6, region = {{ kind = "cylinder", radius = 3e-3, lower = 0.0, upper = 8e-3 }} }}]
stage = [{{ name = "go", kind = "run", steps = 60 }}]
[output]
frame_steps = 20
observable_steps = 10
checkpoint_steps = 20
observables = {{ layers = {{ thickness = 2e-3 }} }}
"""
FORMS = {
    "plain": "", "contacts, single precision": 'contacts = true\nprecision = "single"\n', "compressed": 'compression = "gzip"\n',
    "index, contacts": "one_file = false\ncontacts = true\n", "compressed index": 'one_file = false\ncompression = "gzip"\nprecision = "single"\n',
}  # fmt: skip
"""What `[output]` says more in the runs whose files are damaged, by the name of the form."""
STOPPED = 40  # step at which a run is asked to stop
JSONS = (
    b"",
    b"no json",
    b"null",
    b"[]",
    b"{}",
    b"3",
    b'"text"',
    b"[" * 5000 + b"]" * 5000,
    b"\xff\xfe",
    b'{"step": "x"}',
    b"1" * 5000,
    b'[{"a": 1}]',
)
ARRAYS = {
    "text": np.array([b"a", b"b"]), "none": np.zeros(0), "one": np.zeros(1), "scalar": np.float64(1.0), "matrix": np.zeros((3, 3)),
    "whole": np.arange(4),
    "single": np.zeros(5, np.float32), "large": np.full(6, 1e308), "nan": np.full(6, np.nan), "negative": np.full(6, -5), "yes": np.ones(3, bool),
    "wide": np.zeros((2, 2, 2, 2)), "huge": np.full(6, 2**62), "pair": np.zeros(2, [("a", "i4"), ("b", "f8")]),
}  # fmt: skip
ATTRIBUTES = (b"text", "text", 1.5, float("nan"), -1, 2**62, 99, np.arange(3), np.zeros(0), np.array([b"a"]), True)


def prepare(folder: Path) -> None:
    """Make, for each form of output, in a folder of its name: a finished run, one that was stopped, runs that start from the states of these two, and
    grains, with their case.
    """
    for name, form in FORMS.items():
        (folder / name).mkdir()
        _prepare(folder / name, form)


def _prepare(folder: Path, form: str) -> None:
    path = folder / "case.toml"
    path.write_text(CASE + form)
    case, quiet = read_case(path), RunOptions(quiet=True)
    assert run_case(case, out=folder / "whole.h5", comm=SELF, options=quiet).finished
    assert not run_case(case, out=folder / "stopped.h5", comm=SELF, options=quiet, on_event=stopping(STOPPED)).finished
    np.savez(folder / "grains.npz", species=np.array(["rod"] * 2), position=np.array([[0, 0, 5e-3], [0, 0, 9e-3]]), velocity=np.zeros((2, 3)))
    (folder / STARTED).mkdir()
    states = {path.name: path for name in ("stopped.h5", "whole.h5") for path in parts_of(folder / name).glob("checkpoint-*.h5")}
    for path in [folder / "whole.h5", *states.values()]:
        case = read_case(folder / "case.toml", starting_from(path.relative_to(folder)))
        assert run_case(case, out=folder / STARTED / path.name, comm=SELF, options=quiet).finished


def starting_from(path: Path) -> list[str]:
    """Settings with which the case starts from a state.

    Args:
        path: of its file, relative to the case.
    """
    return ["insert=[]", f"start.from='{path}'"]


def damaged(source: Path, folder: Path, dice: random.Random) -> tuple[Path, Path, str]:
    """Lay a copy of the files into a folder and damage one of them.

    Returns:
        the file to be read, the one that is damaged, and by what.
    """
    for path in (path for path in source.iterdir() if path.name != STARTED):
        (shutil.copytree if path.is_dir() else shutil.copy)(path, folder / path.name)
    if dice.random() < 0.1:
        target = folder / "grains.npz"
        return target, target, _grains(target, dice) if dice.random() < 0.5 else _bytes(target, dice)
    name = dice.choice(("whole.h5", "stopped.h5", "stopped.h5"))
    target = folder / name
    if parts_of(target).exists():
        kind = dice.choice(("index", "static", "segment", "segment", "checkpoint", "checkpoint"))
        target = target if kind == "index" else dice.choice(sorted(parts_of(target).glob(f"{kind}*.h5")))
    how = _bytes(target, dice) if dice.random() < 0.4 else _contents(target, dice)
    return folder / name if dice.random() < 0.6 else target, target, how


def _bytes(path: Path, dice: random.Random) -> str:
    data = bytearray(path.read_bytes())
    # most of what libraries trip over stands near the beginning
    where = dice.randrange(min(len(data), dice.choice((2048, len(data)))))
    change = dice.choice(("flip", "flip", "flips", "zeros", "cut", "lost", "empty"))
    if change == "flip":
        data[where] ^= 1 << dice.randrange(8)
    elif change == "flips":
        for _ in range(50):
            data[dice.randrange(len(data))] = dice.randrange(256)
    elif change == "zeros":
        data[where : where + 64] = bytes(len(data[where : where + 64]))
    elif change == "cut":
        del data[where:]
    elif change == "lost":
        del data[where : where + dice.randrange(1, 100)]
    else:
        data.clear()
    path.write_bytes(data)
    return f"{change} at {where}"


def _contents(path: Path, dice: random.Random) -> str:
    """Change the contents by way of the library, so that the file opens."""
    with h5py.File(path, "r+", locking=False) as file:
        names: list[str] = []
        file.visit(names.append)
        name = dice.choice([*names, "pardem", "parameters", "provenance"])
        item = file.get(name)
        change = dice.choice(("delete", "array", "array", "kind", "rows", "attribute", "attribute", "json", "json"))
        if change == "attribute":
            owner = file if item is None or dice.random() < 0.5 else item
            key = dice.choice([*owner.attrs, "pardem_kind", "pardem_format", "case_hash"])
            value = dice.choice((None, *ATTRIBUTES))
            if value is None:
                with contextlib.suppress(KeyError):
                    del owner.attrs[key]
            else:
                owner.attrs[key] = value
            return f"attribute {key} of {owner.name} = {value!r}"
        if change == "json":
            texts = [found for found in names if found.rsplit("/", 1)[-1] in ("header", "checksums", "provenance", "case")]
            name = dice.choice(texts) if texts else name
            value = dice.choice(JSONS)
            _replace(file, name, np.bytes_(value) if value else h5py.Empty("S1"))
            return f"{name} = {value[:20]!r}"
        if change == "kind":
            _replace(file, name, None if isinstance(item, h5py.Dataset) else np.zeros(3))
            return f"{name} of another kind"
        if change == "rows" and isinstance(item, h5py.Dataset) and item.ndim:
            values = item[()]
            _replace(
                file,
                name,
                dice.choice((values[:-1], np.concatenate([values, values]), values[:0], values[..., :-1] if item.ndim > 1 else values[1:])),
            )
            return f"{name} with other rows"
        if change == "array":
            kind = dice.choice(list(ARRAYS))
            _replace(file, name, ARRAYS[kind])
            return f"{name} = {kind}"
        if item is not None:
            del file[name]
        return f"{name} deleted"


def _replace(file: h5py.File, name: str, value: Any) -> None:
    if file.get(name) is not None:
        del file[name]
    with contextlib.suppress(ValueError, TypeError):  # what it lies in is no group any more
        if value is None:
            file.create_group(name)
        else:
            file[name] = value


def _grains(path: Path, dice: random.Random) -> str:
    with np.load(path) as file:
        data = {name: file[name] for name in file.files}
    name, kind = dice.choice(["species", "position", "velocity", "orientation", "scale", "angular_velocity", "more"]), dice.choice(list(ARRAYS))
    data[name] = ARRAYS[kind]
    np.savez(path, **data)
    return f"{name} = {kind}"
