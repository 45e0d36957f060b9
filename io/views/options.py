"""Options of the commands that show results or write them for other programs. It imports nothing heavy, for every command reads it."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

MOST_PIXELS = 16_384  # of a picture's side


def plot_options(sub: argparse.ArgumentParser) -> None:
    """Those of `pardem plot`.

    Args:
        sub: parser of the command.
    """
    sub.add_argument("files", metavar="FILE.h5", type=Path, nargs="+")
    sub.add_argument(
        "-o", "--output", metavar="OUT.png", type=Path, help="figure (.png, .pdf, .svg; default: the first file's name with .plot.png, "
        ".layers.png, .energy.png or .observables.png)"
    )  # fmt: skip
    shown = sub.add_mutually_exclusive_group()
    shown.add_argument("--layers", action="store_true", help="also draw density and mean angle of each layer")
    shown.add_argument("--energy", action="store_true", help="draw the energy budget over time instead of density and mean angle")
    shown.add_argument(
        "--observable", metavar="NAME,...", type=names, default=[], help="draw these observables over time, one below the other; stress stands "
        "for all its components, stress[2,2] and wall_force/base[z] for one, 'energy/*' for all that begin so"
    )  # fmt: skip


def render_options(sub: argparse.ArgumentParser) -> None:
    """Those of `pardem render`.

    Args:
        sub: parser of the command.
    """
    sub.add_argument("file", metavar="FILE.h5", type=Path)
    sub.add_argument("-o", "--output", metavar="OUT", type=Path,
                     help="picture (.png, default: the file's name), film of all frames (.mp4, .gif), or page for a browser (.html)")  # fmt: skip
    sub.add_argument("--frame", type=int, default=-1, help="number of the frame, from 0, or from the end if negative (default: -1)")
    sub.add_argument("--view", default="front", help="front, back, left, right, top, bottom, corner, or AZIMUTH,ELEVATION in degrees")
    sub.add_argument(
        "--colour", "--color", metavar="WHAT", help="species, speed, force, 'angular velocity', id, angle, contacts, or a field of frames; "
        "default: the angle of elongated grains, else the species"
    )  # fmt: skip
    sub.add_argument("--contacts", action="store_true", help="draw contacts as tubes, as thick as their forces are strong (needs output.contacts)")
    sub.add_argument("--cut", action="store_true", help="leave out the grains that lie wholly in front of the middle plane")
    sub.add_argument("--html", action="store_true", help="write one page that turns in the browser (default: the file's name with .html)")
    sub.add_argument("--fps", type=_positive, default=25.0, help="frames of a film per second (default: 25)")
    sub.add_argument("--size", metavar="WxH", type=_size, help="pixels (default: about a million, in the proportions of the scene)")


def export_options(sub: argparse.ArgumentParser) -> None:
    """Those of `pardem export`.

    Args:
        sub: parser of the command.
    """
    sub.add_argument("file", metavar="FILE.h5", type=Path)
    sub.add_argument("-o", "--output", metavar="OUT", type=Path, help="file or folder (default: beside the result)")
    sub.add_argument(
        "--format", choices=["vtk", "vtkhdf", "gsd", "csv"], default="vtk", help="vtk: rounded surfaces for ParaView; vtkhdf: points for glyphs, "
        "without a copy; gsd: shapes for OVITO; csv: tables (default: vtk)"
    )  # fmt: skip


def names(text: str) -> list[str]:
    """Names that commas separate; not those within brackets.

    Args:
        text: text of the option as given on the command line.
    """
    found = [name.strip() for name in re.split(r",(?![^\[]*\])", text)]
    if not all(found):
        raise argparse.ArgumentTypeError(f"'{text}' must be names of observables with commas between them")
    return found


def _positive(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' must be a number above 0")
    return value


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)", text, re.ASCII)
    if match is None or max(len(part) for part in match.groups()) > 5 or max(map(int, match.groups())) > MOST_PIXELS:
        raise argparse.ArgumentTypeError(f"'{text}' must read WIDTHxHEIGHT in pixels, each at most {MOST_PIXELS}, for instance 1200x900")
    return int(match[1]), int(match[2])
