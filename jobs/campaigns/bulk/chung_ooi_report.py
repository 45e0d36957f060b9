"""Table, figure and text of the tests of Chung and Ooi."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
from chung_ooi_impacts import ANGLES, RESTITUTIONS, SPINS, Normal, Slipping
from impacts import STEPS
from matplotlib import rc_context
from matplotlib.figure import Figure
from page import FIGURES, shrunk, table, write

from pardem.io.views.plot_style import STYLE

PART = "Chung and Ooi"
TABLE = Path(__file__).resolve().parent / "chung_ooi.csv"
COLOURS = ("C0", "C1")


def report(normals: list[Normal], damped: dict[str, np.ndarray], slips: list[Slipping]) -> None:
    """Write the table, the figure, and the part of docs/validation.md.

    Args:
        normals: tests 1 and 2.
        damped: restitutions of test 3 by material.
        slips: tests 4 to 8.
    """
    write_points(damped, slips)
    draw(normals, damped, slips, FIGURES / "chung_ooi.png")
    write(PART, text(normals, damped, slips))


def write_points(damped: dict[str, np.ndarray], slips: list[Slipping]) -> None:
    """The table of all impacts of tests 3 to 8."""
    with TABLE.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["test", "material", "before", "normal (m/s)", "along (m/s)", "spin (rad/s)", "slip (m/s)", "slip by theory (m/s)"])
        for name, found in damped.items():
            out.writerows([["3 restitution", name, e, f"{3.9 * x:.6g}", 0, 0, 0, 0] for e, x in zip(RESTITUTIONS, found, strict=True)])
        for s in slips:
            after = (s.impacts.slip, s.found.normal, s.found.along, s.found.spin, s.found.slip, s.expected)
            out.writerows([[s.test, s.material, *(f"{x:.6g}" for x in row)] for row in zip(*after, strict=True)])


def text(normals: list[Normal], damped: dict[str, np.ndarray], slips: list[Slipping]) -> str:
    """The part of docs/validation.md; arguments are as for `report`."""
    one = [[n.test, n.material, f"{n.curve_error:.1e}", f"{n.peak_error:+.1e}", f"{n.duration_error:+.1e}"] for n in normals]
    three = [["3 restitution", name, *(f"{x:.4f}" for x in found)] for name, found in damped.items()]
    more = [
        [s.test, s.material, f"{len(s.slides)}, {np.count_nonzero(s.slides)}", "-" if math.isnan(s.sliding_error) else f"{s.sliding_error:.1e}",
         f"{s.error:.1e}", f"{s.restitution_error:.1e}", f"{s.depth:.1e}"]
        for s in slips
    ]  # fmt: skip
    parts = [
        f"All impacts have {STEPS} steps in the duration of an elastic impact. Deviations from Hertz's theory (force at the same overlap over the\n"
        "largest force; largest force; duration, which is counted in whole steps):",
        table(["test", "material", "force", "largest force", "duration"], one),
        "Coefficients of restitution that come out:",
        table(["test", "material", *(f"e = {e}" for e in RESTITUTIONS)], three),
        "Slip after the impact: largest deviations from the formula of rigid bodies that slide throughout, where these do, and from the integrated\n"
        "equations in all impacts, over the change of slip of bodies that slide, 3.5 mu (1 + e) v_n; largest deviation of the normal restitution;\n"
        "largest overlap over the radius of the sphere:",
        table(["test", "material", "impacts, of which slide", "rigid bodies", "integrated", "restitution", "overlap"], more),
        "![tests 1 to 8](figures/chung_ooi.png)",
    ]
    return "\n\n".join(part.strip() for part in parts)


def draw(normals: list[Normal], damped: dict[str, np.ndarray], slips: list[Slipping], target: Path) -> None:
    """Eight panels: points are pardem, lines theory."""
    with rc_context(STYLE):
        figure = Figure(figsize=(13.0, 6.4), layout="constrained")
        panels = figure.subplots(2, 4).ravel()
        for number in (1, 2):
            _force(panels[number - 1], [n for n in normals if n.test.startswith(str(number))])
        _restitution(panels[2], damped)
        _angles(panels[3], _of(slips, "4 "))
        _normalised(panels[4], _of(slips, "5 "))
        _tangents(panels[5], _of(slips, "6 "), "6 spin, plane")
        _spins(panels[6], _of(slips, "7 ") + _of(slips, "7a "))
        _tangents(panels[7], _of(slips, "8 large sphere, alike"), "8 spin, large sphere")
        figure.savefig(target, dpi=90)
    shrunk(target)


def _of(slips: list[Slipping], test: str) -> list[Slipping]:
    return [s for s in slips if s.test.startswith(test)]


def _finish(axes: Any, title: str, x: str, y: str) -> None:
    axes.set(xlabel=x, ylabel=y)
    axes.set_title(title, fontsize=10)
    axes.legend(fontsize=8)


def _force(axes: Any, normals: list[Normal]) -> None:
    for colour, n in zip(COLOURS, normals, strict=True):
        overlap = np.linspace(0.0, n.contact.largest_overlap, 100)
        axes.plot(1e6 * overlap, [1e-3 * n.contact.force(float(d)) for d in overlap], color=colour, linewidth=0.9)
        axes.plot(1e6 * n.path[::12, 1], 1e-3 * n.path[::12, 2], "o", color=colour, markersize=3, label=n.material)
    _finish(axes, normals[0].test, "overlap (um)", "force (kN)")


def _restitution(axes: Any, damped: dict[str, np.ndarray]) -> None:
    axes.plot([0.0, 1.0], [0.0, 1.0], color="#888888", linewidth=0.9)
    for (name, found), colour, mark in zip(damped.items(), COLOURS, "ox", strict=True):
        axes.plot(RESTITUTIONS, found, mark, color=colour, markersize=5, label=name)
    _finish(axes, "3 restitution", "asked for", "found")


def _angles(axes: Any, slips: list[Slipping]) -> None:
    for colour, s in zip(COLOURS, slips, strict=True):
        back = s.impacts.restitution * s.impacts.normal
        axes.plot(np.degrees(ANGLES), np.degrees(np.arctan(s.expected / back)), color=colour, linewidth=0.9)
        axes.plot(np.degrees(ANGLES), np.degrees(np.arctan(s.found.slip / s.found.normal)), "o", color=colour, markersize=3, label=s.material)
    _finish(axes, slips[0].test, "incident angle (deg)", "rebound angle of the contact (deg)")


def _normalised(axes: Any, slips: list[Slipping]) -> None:
    for colour, s in zip(COLOURS, slips, strict=True):
        unit = s.impacts.friction * s.impacts.normal
        axes.plot(s.impacts.slip / unit, s.expected / unit, color=colour, linewidth=0.9)
        axes.plot(s.impacts.slip / unit, s.found.slip / unit, "o", color=colour, markersize=3, label=s.material)
    _finish(axes, slips[0].test, "slip before / mu v_n", "slip after / mu v_n")


def _tangents(axes: Any, slips: list[Slipping], title: str) -> None:
    for colour, s in zip(COLOURS, slips, strict=True):
        speed = s.impacts.normal
        axes.plot(s.impacts.slip / speed, s.expected / (s.impacts.restitution * speed), color=colour, linewidth=0.9)
        axes.plot(s.impacts.slip / speed, s.found.slip / s.found.normal, "o", color=colour, markersize=3, label=s.material)
    _finish(axes, title, "tangent of the incident angle", "tangent of the recoil angle")


def _spins(axes: Any, slips: list[Slipping]) -> None:
    for s, colour, mark in zip(slips, ("C0", "C1", "C2", "C3"), "ox^+", strict=True):
        turned = (s.impacts.slip - s.expected) / (7.0 * s.impacts.radius) * 2.5 if s.impacts.slip.any() else 0.0 * SPINS
        axes.plot(SPINS, SPINS - turned, color="#888888", linewidth=0.7)
        label = f"{s.material}, {'opposite' if s.test.startswith('7 ') else 'equal'} spins"
        axes.plot(SPINS, -s.found.spin, mark, color=colour, markersize=4, fillstyle="none", label=label)
    _finish(axes, "7 spins, two spheres", "spin before (rad/s)", "spin after (rad/s)")
