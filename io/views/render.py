"""``pardem render``: a picture of a frame, a film of all frames, or a page that turns in the browser."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from pardem.errors import FileError

from ..analysis.result import Result, open_result
from ..reading import understood
from .picture import Look, Painter
from .progress import Countdown
from .targets import require_ending

FILMS = (".mp4", ".gif")
PAGES = (".html", ".htm")


def run(arguments: Namespace) -> int:
    """`pardem render` with its options (see ``options.render_options``); exit status 0."""
    look = Look(arguments.view, arguments.colour, arguments.cut, arguments.contacts, arguments.size)
    return main(arguments.file, arguments.output, arguments.frame, look, arguments.fps, arguments.html)


def main(file: Path, out: Path | None = None, frame: int = -1, look: Look | None = None, fps: float = 25.0, page: bool = False) -> int:
    """Draw one frame of a result into a picture or a page, or all frames into a film.

    Args:
        file: result file.
        out: picture (.png), film (.mp4 or .gif) or page (.html); by default a picture or page beside the result.
        frame: number of the frame, counted from the end if negative.
        look: what is shown and how.
        fps: frames of a film per second.
        page: whether to write a page.

    Returns:
        Exit status 0.

    Raises:
        FileError: the result cannot be read or has no such frame, the picture cannot be written, or VTK or imageio is not installed.
    """
    look = look or Look()
    target = Path(out) if out is not None else Path(file).with_suffix(".html" if page else ".cut.png" if look.cut else ".png")
    if not target.parent.is_dir():
        raise FileError(f"{target.parent} is no folder: make it, or name another file with -o")
    if page:
        require_ending(target, PAGES, "a page")
    with open_result(file) as result, understood(Path(file)):
        if target.suffix.lower() in FILMS and not page:
            film(result, target, look, fps)
        else:
            k = number_of(result, frame)
            painter = Painter(result, look, [k])
            if page or target.suffix.lower() in PAGES:
                from .page import write_page

                write_page(painter, result[k], target)
            else:
                painter.save(result[k], target)
    print(target)
    return 0


def number_of(result: Result, frame: int) -> int:
    """Number of a frame, from 0.

    Args:
        result: result of a run.
        frame: number as given, from the end if negative.

    Raises:
        FileError: there is no such frame.
    """
    count = len(result)
    if count == 0:
        raise FileError(f"{result.path} has no frames: set output.frame_interval or output.frame_taps in its case")
    if not -count <= frame < count:
        raise FileError(f"{result.path} has {count} frames: --frame {frame} is not among them")
    return frame % count


def film(result: Result, target: Path, look: Look, fps: float) -> None:
    """Draw all frames of a result into a film, seen from one point.

    Args:
        result: result of a run.
        target: film (.mp4 or .gif).
        look: what is shown and how.
        fps: frames per second.

    Raises:
        FileError: for the same reasons as ``main``.
    """
    try:
        import imageio.v2 as imageio
    except ImportError:
        raise FileError("films need imageio: pip install 'pardem[render]'") from None
    number_of(result, -1)
    frames = list(range(len(result)))
    painter = Painter(result, look, frames)
    painter.size = painter.size[0] // 2 * 2, painter.size[1] // 2 * 2  # the codec wants even numbers
    writer: Any
    options: dict[str, Any] = {"fps": fps, "macro_block_size": 2} if target.suffix.lower() == ".mp4" else {"duration": 1000.0 / fps, "loop": 0}
    try:
        with imageio.get_writer(target, **options) as writer, Countdown("frame", len(frames)) as show:
            for k in frames:
                writer.append_data(painter.image(result[k]))
                show(k + 1)
    except (OSError, ValueError) as error:
        raise FileError(f"{target} could not be written ({error}); name another file with -o") from None
