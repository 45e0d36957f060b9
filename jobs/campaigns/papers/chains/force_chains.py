"""Draws the force chains of results in two dimensions, and the arch over an outlet.

python jobs/campaigns/papers/chains/force_chains.py dense_disks.h5 [...] -o force_chains.png
python jobs/campaigns/papers/chains/force_chains.py cows.h5 --arch left right -o arch.png

The case needs output.contacts. Each pair of bodies has a line from centre to centre by way of its point of contact, as wide as its normal force;
pairs above the mean force are drawn in another colour. The arch (see arches.py) is the lowest chain of such pairs from one of two walls to the other.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, LineCollection, PolyCollection
from matplotlib.figure import Figure

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bulk"))
from arches import Ends, lowest_arch
from page import shrunk

import pardem
from pardem.io.views.drawn_walls import walls_there
from pardem.shapes.rotations import matrices

GRAIN, ARCH, WALL, WEAK, STRONG = "#d8dde1", "#f2b134", "#444444", "#5b8db8", "#c0390b"
LEAST = 1.0  # least force of the pairs of an arch, over the mean
THICKEST = 0.8  # width of the widest lines, in mean radii of disks of the area of the grains
WIDEST = 10.0  # force over the mean from which on lines have one width
WIDTH, DPI = 6.0, 110  # of a picture (inches); points of an inch


class Pairs(NamedTuple):
    """Bodies that push each other, each pair once, with all of its contacts.

    Attributes:
        bodies: (m, 2) ids of a grain, and of another one or -1 less the number of a wall.
        force: (m,) sum of their normal forces (N).
        between: (m, 2) from the first centre to the mean point of the contacts (m); not-a-number where points are not in the result.
        branch: (m, 2) from the first centre to the second, or to that point on a wall (m).
    """

    bodies: np.ndarray
    force: np.ndarray
    between: np.ndarray
    branch: np.ndarray


def pairs_of(frame: pardem.Frame) -> Pairs:
    """The pairs of a frame that push each other.

    Args:
        frame: with contacts; where their normals are not in the result, the whole force counts as normal.
    """
    contacts, box = frame.contacts, frame.box
    force = contacts.normal_force if "normal" in frame.result.contact_fields else np.linalg.norm(contacts["force"], axis=1)
    bodies, of = np.unique(contacts["bodies"], axis=0, return_inverse=True)
    total = np.bincount(of, force, minlength=len(bodies))
    center = frame["position"][bodies[:, 0]]
    branch = np.where(bodies[:, 1:] >= 0, frame["position"][np.maximum(bodies[:, 1], 0)] - center, np.nan)
    between = np.full_like(branch, np.nan)
    periods = np.where(box.periodic, box.upper - box.lower, np.inf)
    if "point" in frame.result.contact_fields:
        weights = np.maximum(force, 0.0) + np.finfo(float).tiny
        apart = _nearest(contacts["point"] - center[of], periods)
        between = np.column_stack([np.bincount(of, weights * apart[:, c]) for c in range(3)]) / np.bincount(of, weights)[:, None]
    branch = np.where(bodies[:, 1:] >= 0, _nearest(branch, periods), between)
    kept = total > 0.0
    return Pairs(bodies[kept], total[kept], between[kept, :2], branch[kept, :2])


def _nearest(apart: np.ndarray, periods: np.ndarray) -> np.ndarray:
    """Differences of places, (m, 3), to the nearest periodic image."""
    return np.asarray(apart - np.where(np.isfinite(periods), np.rint(apart / periods) * np.where(np.isfinite(periods), periods, 0.0), 0.0))


def arch_of(frame: pardem.Frame, pairs: Pairs, left: str, right: str, least: float = LEAST) -> np.ndarray:
    """Ids of the grains of the arch between two walls, in order; none where there is no arch.

    Grains that hang below the arch push each other as well, but weakly: it bears those above them.

    Args:
        frame: with contacts, in the plane; its case has gravity.
        pairs: of the frame.
        left: name of the wall on one side of the outlet.
        right: of that on the other side.
        least: force from which on a pair is part of an arch, over the mean force.
    """
    strong = pairs.force > least * pairs.force.mean()
    up = -np.asarray(frame.result.case.gravity[:2], float)
    up /= np.linalg.norm(up)
    walls, ends = frame.result.walls, []
    for name in (left, right):
        if name not in walls:
            raise SystemExit(f"{frame.result.path}: there is no wall '{name}': there are {', '.join(walls)}")
        ends.append(pairs.bodies[strong & (pairs.bodies[:, 1] == -1 - walls.index(name)), 0])
    grains = strong & (pairs.bodies[:, 1] >= 0)
    heights = np.where(frame.present, frame["position"][:, :2] @ up, -np.inf)
    return lowest_arch(pairs.bodies[grains], np.linalg.norm(pairs.branch[grains], axis=1), heights, Ends(*ends), np.finfo(float).min)


class Tally(NamedTuple):
    """What is told of a frame.

    Attributes:
        pairs: number of pairs that push each other.
        strong: share of them above the mean force.
        carried: share of all normal forces that these carry.
        arch: number of grains of the arch; 0 without one.
    """

    pairs: int
    strong: float
    carried: float
    arch: int


def tally(pairs: Pairs, arch: np.ndarray) -> Tally:
    """Count what is drawn.

    Args:
        pairs: of a frame.
        arch: ids of the grains of its arch.
    """
    strong = pairs.force > pairs.force.mean()
    return Tally(len(pairs.force), float(strong.mean()), float(pairs.force[strong].sum() / pairs.force.sum()), len(arch))


class Extent(NamedTuple):
    """What is shown of a frame.

    Attributes:
        shown: (n,) bool, the grains.
        low: (2,) lower corner of the picture (m).
        high: (2,) upper corner (m).
    """

    shown: np.ndarray
    low: np.ndarray
    high: np.ndarray


def extent_of(frame: pardem.Frame, arch: np.ndarray) -> Extent:
    """All grains that are there; with an arch, those from a little below it on.

    Args:
        frame: in the plane.
        arch: ids of the grains of the arch.
    """
    catalogue, x = frame.result.catalogue, frame["position"][:, :2]
    reach = (catalogue["core_radius"] + catalogue["radius"])[frame.species_rows] * frame.scale
    shown = frame.present & (x[:, 1] > x[arch, 1].min() - 3.0 * reach.max()) if len(arch) else frame.present
    return Extent(shown, (x[shown] - reach[shown, None]).min(axis=0), (x[shown] + reach[shown, None]).max(axis=0))


def draw(axes: Axes, frame: pardem.Frame, pairs: Pairs, arch: np.ndarray, extent: Extent) -> None:
    """Draw grains, walls and chains.

    Args:
        axes: of a figure, `WIDTH` inches wide.
        frame: in the plane.
        pairs: of the frame.
        arch: ids of the grains of the arch.
        extent: what is shown.
    """
    x, (shown, low, high) = frame["position"][:, :2], extent
    axes.set(aspect="equal", xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    axes.set_axis_off()
    points = 72.0 * WIDTH / float(high[0] - low[0])  # of a metre
    colour = np.full(len(x), GRAIN)
    colour[arch] = ARCH
    _draw_grains(axes, frame, np.flatnonzero(shown), colour, points)
    _draw_walls(axes, frame, points)
    inside = shown[pairs.bodies[:, 0]]
    begin, relative = x[pairs.bodies[:, 0]], pairs.force / pairs.force.mean()
    via = np.where(np.isfinite(pairs.between), pairs.between, 0.5 * pairs.branch)
    lines = np.stack([begin, begin + via, begin + pairs.branch], axis=1)
    mean = float(np.sqrt(frame["mass"] / _densities(frame) / np.pi)[shown].mean())
    widths = THICKEST * mean * points * np.minimum(relative, WIDEST) / WIDEST
    inside &= np.isfinite(lines).all(axis=(1, 2))
    for rows, shade, above in ((inside & (relative <= 1.0), WEAK, 3), (inside & (relative > 1.0), STRONG, 4)):
        look = {"linewidths": widths[rows], "colors": shade, "capstyle": "round", "joinstyle": "round", "zorder": above}
        axes.add_collection(LineCollection(list(lines[rows]), **look))


def _densities(frame: pardem.Frame) -> np.ndarray:
    """Mass over area of each grain (kg/m^2)."""
    catalogue = frame.result.catalogue
    return np.asarray((catalogue["mass"] / catalogue["volume"])[frame.species_rows])


def _draw_grains(axes: Axes, frame: pardem.Frame, grains: np.ndarray, colour: np.ndarray, points: float) -> None:
    """Cores, with lines of the width of the ball around their edges, which makes them the rounded grains."""
    catalogue, x, turns = frame.result.catalogue, frame["position"], matrices(frame["orientation"])
    disks = grains[catalogue["kind"][frame.species_rows[grains]] == 1]
    size = 2.0 * frame.radius[disks]
    axes.add_collection(
        EllipseCollection(
            size, size, np.zeros(len(disks)), units="xy", offsets=x[disks, :2], offset_transform=axes.transData, facecolors=colour[disks],
            edgecolors="white", linewidths=0.4,
        )
    )  # fmt: skip
    outlines, widths, filled = [], [], []
    others = np.setdiff1d(grains, disks)
    for k in others:
        s = int(frame.species_rows[k])
        core = catalogue["vertices"][catalogue["vertex_start"][s] : catalogue["vertex_start"][s + 1]] * frame.scale[k]
        outline = (x[k] + core @ turns[k].T)[:, :2]
        solid = bool(catalogue["solid"][s]) and len(core) > 2
        outlines.append(np.concatenate([outline, outline[:1]]) if solid else outline)
        widths.append(2.0 * frame.radius[k] * points)
        filled.append(colour[k] if solid else "none")
    edges = {"closed": False, "capstyle": "round", "joinstyle": "round"}
    axes.add_collection(PolyCollection(outlines, facecolors=filled, edgecolors=colour[others], linewidths=widths, **edges))
    axes.add_collection(PolyCollection(outlines, facecolors="none", edgecolors="white", linewidths=0.3, **edges))


def _draw_walls(axes: Axes, frame: pardem.Frame, points: float) -> None:
    """Planes and bodies that are there, where they are in this frame; walls of other kinds are left out."""
    catalogue, displacements = frame.result.catalogue, frame.walls("displacement")
    for wall in walls_there(frame):
        moved = displacements.get(wall.name, np.zeros(3))[:2]
        if wall.kind == "plane":
            place, normal = np.array(wall.point[:2]) + moved, np.array(wall.normal[:2])
            axes.axline(tuple(place), tuple(place + np.array([-normal[1], normal[0]])), color=WALL, linewidth=1.0)
        elif wall.kind == "body":
            s = frame.result.species_names.index(wall.species)
            core = catalogue["vertices"][catalogue["vertex_start"][s] : catalogue["vertex_start"][s + 1]]
            given = wall.scale * (catalogue["centre"][s] + core @ catalogue["axes"][s].T)
            placed = (given @ matrices(np.array([wall.orientation], float))[0].T + np.array(wall.position))[:, :2] + moved
            edges = catalogue["edges"][catalogue["edge_start"][s] : catalogue["edge_start"][s + 1]]
            thick = max(1.0, 2.0 * wall.scale * float(catalogue["radius"][s]) * points)
            axes.add_collection(LineCollection(list(placed[edges]), linewidths=thick, colors=WALL, capstyle="round"))


def picture(results: Sequence[Path], target: Path, arch: tuple[str, str] | None = None, number: int = -1) -> list[Tally]:
    """Draw a frame of some results side by side.

    Args:
        results: in the plane, with contacts.
        target: the figure.
        arch: names of the two walls beside an outlet whose arch is shown; none: no arch.
        number: of the frame.

    Returns:
        What is told of each.
    """
    told, drawn = [], []
    with ExitStack() as opened:
        for path in results:
            frame = opened.enter_context(pardem.open(path))[number]
            pairs = pairs_of(frame)
            found = arch_of(frame, pairs, *arch) if arch else np.empty(0, np.int64)
            told.append(tally(pairs, found))
            drawn.append((frame, pairs, found, extent_of(frame, found)))
        heights = [WIDTH * float(np.divide(*(e.high - e.low)[::-1])) for *_, e in drawn]
        figure = Figure(figsize=(WIDTH * len(drawn), max(heights)))
        for k, (frame, pairs, found, extent) in enumerate(drawn):
            axes = figure.add_axes((k / len(drawn), 0.0, 1.0 / len(drawn), heights[k] / max(heights)))
            draw(axes, frame, pairs, found, extent)
        figure.savefig(target, dpi=DPI)
    shrunk(target)
    return told


def main() -> None:
    """Draw what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--arch", nargs=2, metavar=("WALL", "WALL"), help="the walls beside an outlet")
    parser.add_argument("--frame", type=int, default=-1, help="number of the frame; default: the last one")
    parser.add_argument("-o", type=Path, default=Path("force_chains.png"))
    given = parser.parse_args()
    for path, told in zip(given.files, picture(given.files, given.o, given.arch, given.frame), strict=True):
        arch = f"; an arch of {told.arch} grains" if told.arch else "; no arch" if given.arch else ""
        print(f"{path}: {told.pairs} pairs push each other; {told.strong:.0%} are above the mean force and carry {told.carried:.0%}{arch}")


if __name__ == "__main__":
    main()
