"""What the scripts of this folder write into docs/validation.md: text between two comments that name its part."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from matplotlib.axes import Axes

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "validation.md"
FIGURES = ROOT / "docs" / "figures"
MOST_BYTES = 300_000


def replaced(page: str, part: str, text: str) -> str:
    """Replace a part of a page.

    Args:
        page: the text of the page, which holds `<!-- part -->` and `<!-- end of part -->`.
        part: name of the part.
        text: what is to stand between the two.

    Returns:
        The new page.
    """
    begin, end = f"<!-- {part} -->\n", f"<!-- end of {part} -->"
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{PAGE}: {begin.strip()} and {end} are missing")
    return f"{before}{begin}{text.strip()}\n{end}{after}"


def write(part: str, text: str) -> None:
    """Write a part of docs/validation.md.

    Args:
        part: its name.
        text: Markdown.
    """
    PAGE.write_text(replaced(PAGE.read_text(), part, text))


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown.

    Args:
        head: its first row.
        rows: the others.
    """
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def show_frame(axes: Axes, result: Path, frame: int, *options: str) -> None:
    """Show the picture of a frame.

    Args:
        axes: of a figure, which become a bare picture.
        result: the result.
        frame: number of its frame.
        *options: of `pardem render`.
    """
    from matplotlib.image import imread

    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "frame.png"
        words = ["render", str(result), "--frame", str(frame), *options, "-o", str(picture)]
        subprocess.run([sys.executable, "-m", "pardem", *words], check=True, stdout=subprocess.DEVNULL)
        axes.imshow(imread(picture))
    axes.set_axis_off()


def shrunk(path: Path) -> None:
    """Reduce the colours of a figure; one of more than 300 kB is refused.

    Args:
        path: of the figure.
    """
    from PIL import Image

    with Image.open(path) as image:
        image.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)
    if path.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{path} has {path.stat().st_size} bytes, more than {MOST_BYTES}: draw it smaller")
