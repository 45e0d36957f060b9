"""``pardem render``: a picture of a frame, whole or cut open by a vertical plane, or a film of all frames."""

from __future__ import annotations

import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from pardem.errors import FileError

from ..layout import LayoutError, text
from ..reading import opened, understood
from .picture import Frame, Painter

GRAINS = "particles/grains"
FILMS = (".mp4", ".gif")
NEEDED = ("position", "orientation")  # fields of a frame that a picture is made of


def main(file: Path, out: Path | None = None, frame: int = -1, cut: bool = False, size: tuple[int, int] = (900, 1200), fps: float = 25.0) -> int:
    """Draw one frame of a result into a PNG file, or all frames into a film.

    Args:
        file: result file.
        out: picture (.png) or film (.mp4 or .gif); by default a picture beside the result.
        frame: number of the frame, counted from the end if negative.
        cut: whether to leave out the grains in front of the middle plane.
        size: width and height (pixels).
        fps: frames of a film per second.

    Returns:
        Exit status 0.

    Raises:
        FileError: the result cannot be read or has no such frame, the picture cannot be written, or VTK or imageio is not installed.
    """
    target = Path(out) if out is not None else Path(file).with_suffix(".cut.png" if cut else ".png")
    if not target.parent.is_dir():
        raise FileError(f"{target.parent} is no folder: make it, or name another file with -o")
    if target.suffix.lower() in FILMS:
        with understood(Path(file)):
            film(Path(file), target, cut, size, fps)
    else:
        one = read_frame(Path(file), frame)
        with understood(Path(file)):
            Painter(bounds_of(one.position[one.there]), cut, size).save(one, target)
    print(target)
    return 0


def film(file: Path, target: Path, cut: bool, size: tuple[int, int], fps: float) -> None:
    """Draw all frames of a result into a film, seen from one point.

    Raises:
        FileError: as ``main``.
    """
    try:
        import imageio.v2 as imageio
    except ImportError:
        raise FileError("films need imageio: pip install 'pardem[render]'") from None
    require_frames(file, NEEDED)
    with opened(file) as data:
        position = data[f"{GRAINS}/position/value"]
        count = len(position)
        if count == 0:
            raise FileError(f"{file} has no frames: set output.frame_interval or output.frame_taps in its case")
        left = data.get(f"{GRAINS}/outflow/value")
        each = [bounds_of(position[k] if left is None else position[k][left[k][:, 0] == 0]) for k in range(count)]
    bounds = np.array([np.min([b[0] for b in each], axis=0), np.max([b[1] for b in each], axis=0)])
    painter = Painter(bounds, cut, (size[0] // 2 * 2, size[1] // 2 * 2))  # the codec wants even numbers
    writer: Any
    options: dict[str, Any] = {"fps": fps, "macro_block_size": 2} if target.suffix.lower() == ".mp4" else {"duration": 1000.0 / fps, "loop": 0}
    try:
        with imageio.get_writer(target, **options) as writer:
            show = _Line(count)
            for k in range(count):
                writer.append_data(painter.image(read_frame(file, k)))
                show(k + 1)
    except (OSError, ValueError) as error:
        raise FileError(f"{target} could not be written ({error}); name another file with -o") from None


def bounds_of(position: np.ndarray) -> np.ndarray:
    """Lower and upper corner of positions, (2, 3); of none the origin."""
    return np.array([position.min(axis=0), position.max(axis=0)]) if len(position) else np.zeros((2, 3))


class _Line:
    """Progress on standard error: one line rewritten on a terminal, else a line now and then."""

    INTERVAL = 10.0  # seconds between two lines off a terminal

    def __init__(self, total: int) -> None:
        self.total, self.shown = total, time.monotonic()
        self.terminal = sys.stderr.isatty()

    def __call__(self, done: int) -> None:
        text = f"frame {done} of {self.total}"
        if self.terminal:
            print(f"\r{text}", end="\n" if done == self.total else "", file=sys.stderr, flush=True)
        elif done == self.total or time.monotonic() - self.shown >= self.INTERVAL:
            self.shown = time.monotonic()
            print(text, file=sys.stderr, flush=True)


def require_frames(path: Path, fields: tuple[str, ...]) -> None:
    """Raise FileError unless a file is a result with frames that hold some fields."""
    with opened(path) as file:
        for field in fields:
            if f"{GRAINS}/{field}/value" not in file:
                raise FileError(f"{path} holds no frames with the field '{field}': name a result, and in its case put the field into output.fields")


def read_frame(path: Path, number: int) -> Frame:
    """Read a frame; negative numbers count from the last."""
    require_frames(path, NEEDED)
    with opened(path) as file:
        position = file[f"{GRAINS}/position/value"]
        count = len(position)
        if not -count <= number < count:
            raise FileError(f"{path} has {count} frames: --frame {number} is not among them")
        k = number % count
        step = file[f"{GRAINS}/position/step"][k]
        left = file.get(f"{GRAINS}/outflow/value")
        there = np.ones(position.shape[1], bool) if left is None else left[k][:, 0] == 0
        return Frame(
            position[k], file[f"{GRAINS}/orientation/value"][k], file[f"{GRAINS}/species"][()], file[f"{GRAINS}/scale"][()],
            {name: array[()] for name, array in file["parameters/pardem/catalogue"].items()},
            case_of(file), _of_walls(file, "displacement", step),
            float(file[f"{GRAINS}/position/time"][k]), {name: float(turn) for name, turn in _of_walls(file, "turn", step).items()}, there,
        )  # fmt: skip


def case_of(file: h5py.File) -> dict[str, Any]:
    """Tables of the case that a result was made from.

    Raises:
        LayoutError: the text is no case.
    """
    try:
        case = tomllib.loads(text(file["parameters/pardem/case"]))
    except (tomllib.TOMLDecodeError, RecursionError):
        raise LayoutError("parameters/pardem/case is no TOML") from None
    if not isinstance(case.get("species"), list):
        raise LayoutError("parameters/pardem/case is no case")
    return case


def _of_walls(file: h5py.File, what: str, step: int) -> dict[str, np.ndarray]:
    """An observable of the walls at a step, by their names; nothing where it was not observed."""
    out = {}
    for name, group in file.get(f"observables/wall_{what}", {}).items():
        row = np.searchsorted(group["step"][()], step)
        out[name] = np.array(group["value"][min(row, len(group["value"]) - 1)], dtype=float)
    return out
