#!/usr/bin/env python
"""Damaged results, checkpoints, segments and files of grains through every command that reads them: each must be read, or refused in sentences.

    python jobs/campaigns/faults/files.py [--files 2000] [--seed 0] [--out files.jsonl]

File k depends on the seed and k alone. A worker of its own does the work, so that a crash of a library ends one file only. A line of JSON is kept for
each, so that the campaign goes on where it stopped; a table of the outcomes and all tracebacks come at the end. Exit status 1: there was a
traceback, a crash, or a file took longer than its time.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import select
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from trials import BAD, Row, TooLong, command_line, go_on, limited, table, verdict

CASE = """
time = { step = 2e-5 }
domain = { lower = [-5e-3, -5e-3, -2e-3], upper = [5e-3, 5e-3, 30e-3] }
species = [{ name = "rod", shape = "spherocylinder", radius = 0.25e-3, length = 1.5e-3, density = 1900.0 }]
insert = [{ species = "rod", count = 6, region = { kind = "cylinder", radius = 3e-3, lower = 0.0, upper = 8e-3 } }]
contact = { restitution = 0.4, contact_time = 6e-4, friction = 0.2 }
wall = [
    { name = "tube", kind = "cylinder", radius = 3e-3 },
    { name = "base", kind = "disc", center = [0.0, 0.0, 0.0], normal = [0.0, 0.0, 1.0], radius = 3e-3 },
]
stage = [{ name = "go", kind = "run", steps = 60 }]
output = { frame_steps = 20, observable_steps = 10, checkpoint_steps = 20, observables = { layers = { thickness = 2e-3 } } }
"""
READERS = (
    ["info"],
    ["compare"],
    ["plot"],
    ["plot", "--energy"],
    ["plot", "--layers"],
    ["export", "--format", "csv"],
    ["export", "--format", "gsd"],
    ["resume"],
)  # the first two on each file, two of the others
SLOW = (["render"], ["export", "--format", "vtk"])  # by VTK; on a tenth of the files
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
    """A finished run, and one that was stopped, with their case."""
    from pardem import cli

    (folder / "case.toml").write_text(CASE)
    run = ["run", str(folder / "case.toml"), "-o"]
    assert cli.main([*run, str(folder / "whole.h5")]) == 0
    assert cli.main([*run, str(folder / "stopped.h5"), "--walltime", "00:00:00"]) == 75
    np.savez(folder / "grains.npz", species=np.array(["rod"] * 2), position=np.array([[0, 0, 5e-3], [0, 0, 9e-3]]), velocity=np.zeros((2, 3)))


def damaged(source: Path, folder: Path, dice: random.Random) -> tuple[Path, Path, str]:
    """Lay a copy of the files into a folder and damage one of them.

    Returns:
        the file to be read, the one that is damaged, and by what.
    """
    for path in source.iterdir():
        (shutil.copytree if path.is_dir() else shutil.copy)(path, folder / path.name)
    if dice.random() < 0.1:
        target = folder / "grains.npz"
        return target, target, _grains(target, dice) if dice.random() < 0.5 else _bytes(target, dice)
    name = dice.choice(("whole.h5", "whole.h5", "stopped.h5"))
    target = folder / name
    if name == "stopped.h5":
        target = dice.choice([target, *sorted((folder / "stopped.h5.parts").glob("*.h5"))])
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


def attempt(k: int, seed: int, source: Path) -> Row:
    """Damage file ``k`` and let every command read it.

    Returns:
        as `cases.attempt`: the worst of the outcomes.
    """
    dice = random.Random(f"{seed}/{k}")
    began = time.monotonic()
    worst: Row = {"outcome": "read", "said": ""}
    with tempfile.TemporaryDirectory() as name:
        shown, target, how = damaged(source, Path(name), dice)
        commands = [["check"], ["start"]] if target.suffix == ".npz" else [*READERS[:2], *dice.sample(READERS[2:], 2), *(SLOW if k % 40 == 0 else ())]
        for command in commands:
            outcome, said = _command(command, shown, Path(name))
            if outcome in BAD or (outcome == "refused" and worst["outcome"] == "read"):
                worst = {"outcome": outcome, "said": f"{' '.join(command)}: {said}"}
            if outcome in BAD:
                break
    return {"case": k, "damage": f"{target.relative_to(name)}: {how}", **worst, "seconds": round(time.monotonic() - began, 3)}


def _command(command: list[str], path: Path, folder: Path) -> tuple[str, str]:
    from pardem import cli

    case = str(folder / "case.toml")
    if command == ["resume"]:
        out = folder / path.name if path.parent == folder else folder / "stopped.h5"
        arguments = ["run", case, "-o", str(out), "--resume"]
    elif path.suffix == ".npz":
        arguments = ["check" if command == ["check"] else "run", case, "--set", "insert=[]", "--set", f"grains_file='{path.name}'"]
        arguments += ["-o", str(folder / "new.h5"), "--force"] if command == ["start"] else []
    else:
        other = [str(folder.parent / folder.name / "whole.h5")] if command == ["compare"] else []
        arguments = [command[0], str(path), *other, *command[1:]]
        if command[0] in ("plot", "render", "export"):
            arguments += ["-o", str(folder / {"plot": "figure.png", "render": "picture.png"}.get(command[0], "out-" + command[-1]))]
    out_text, err = io.StringIO(), io.StringIO()
    try:
        with limited(), contextlib.redirect_stdout(out_text), contextlib.redirect_stderr(err):
            status = cli.main(arguments)
    except TooLong:
        return "too long", traceback.format_exc()[-2000:]
    except SystemExit as error:
        return "refused", str(error)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return "traceback", traceback.format_exc()[-4000:]
    told = (err.getvalue() or out_text.getvalue())[-1000:]  # `compare` and `verify` print what they find
    return ("read", "") if status == 0 else ("refused" if told.strip() else "silent", told)


def work(seed: int, source: Path) -> int:
    """A worker: numbers come on standard input, lines of JSON go to standard output."""
    answers = sys.stdout
    sys.stdout = sys.stderr
    for line in sys.stdin:
        print(json.dumps(attempt(int(line), seed, source)), file=answers, flush=True)
    return 0


class Worker:
    """A process that does one file after the other; a new one comes where it dies."""

    def __init__(self, seed: int, source: Path) -> None:
        self.arguments = [sys.executable, __file__, "--seed", str(seed), "--worker", str(source)]
        self.process: subprocess.Popen[str] | None = None

    def __call__(self, k: int, patience: float) -> Row:
        """The outcome of file ``k``."""
        if self.process is None:
            self.process = subprocess.Popen(self.arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{k}\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], patience)
        line = self.process.stdout.readline() if ready else ""
        if line:
            answer: Row = json.loads(line)
            return answer
        self.process.kill()
        status = self.process.wait()
        self.process = None
        return {"case": k, "outcome": "crash" if ready else "too long", "said": f"the worker ended with status {status}", "seconds": patience}

    def close(self) -> None:
        """Let the process end."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()
            self.process.wait()


def main() -> int:
    """Run the campaign or what is left of it."""
    parser = command_line(__doc__, "files", 2000)
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker is not None:
        return work(arguments.seed, arguments.worker)
    with tempfile.TemporaryDirectory() as name:
        prepare(Path(name))
        worker = Worker(arguments.seed, Path(name))
        rows = go_on(arguments, lambda k: worker(k, 600.0))
        worker.close()
    print(table(rows))
    return verdict(rows)


if __name__ == "__main__":
    sys.exit(main())
