"""Figure and part of docs/validation.md of the range of the lists (000, equation 20, figures 12 and 13), from the table that its script fills."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from judging import Claim, claims_table, measures, part, verdict
from matplotlib import rc_context
from matplotlib.figure import Figure
from page import FIGURES, shrunk, table, write
from scipy.optimize import curve_fit
from table_rows import read_rows

from pardem.io.views.plot_style import COLOURS, STYLE

PART = "range of the lists"
PICTURE = "list_range.png"
RANGE = (0.1, 0.9)  # of the paper (m)
NEAR = 0.1  # root mean square deviation within which the law fits
SHORT, WIDE = 0.05, 0.3  # up to and from which the parts of the time are fitted (m)


class Timing(NamedTuple):
    """Times of one kind of grains at one velocity, (k,) each, by ascending range.

    Attributes:
        alpha: ranges (m).
        seconds: CPU seconds of a second of shear.
        forces: those spent on forces.
        lists: those spent on lists.
    """

    alpha: np.ndarray
    seconds: np.ndarray
    forces: np.ndarray
    lists: np.ndarray


class Fit(NamedTuple):
    """T = a/alpha^beta + b alpha^2.

    Attributes:
        a: see above.
        beta: see above.
        b: see above.
        deviation: root mean square of the relative deviation.
        best: range at which the law is smallest (m).
    """

    a: float
    beta: float
    b: float
    deviation: float
    best: float


def timings(rows: list[dict[str, str]]) -> dict[tuple[str, float], Timing]:
    """Times by grains and velocity (m/s).

    Args:
        rows: of the table.
    """
    found: dict[tuple[str, float], list[list[float]]] = {}
    for row in sorted(rows, key=lambda row: float(row["alpha"])):
        found.setdefault((row["grains"], float(row["speed"])), []).append([float(row[name]) for name in ("alpha", *Timing._fields[1:])])
    return {key: Timing(*np.array(values).T) for key, values in sorted(found.items())}


def law(alpha: np.ndarray, a: float, beta: float, b: float) -> np.ndarray:
    """Equation 20; ``a`` and ``b`` as logarithms, since both are positive."""
    return np.asarray(np.exp(a) * alpha**-beta + np.exp(b) * alpha**2)


def fitted(t: Timing) -> Fit | None:
    """Fit the law; None where there are too few ranges.

    Args:
        t: the times.
    """
    if len(t.alpha) < 5:
        return None
    (a, beta, b), _ = curve_fit(law, t.alpha, t.seconds, p0=(-1.0, 0.3, 0.0), sigma=t.seconds, maxfev=20_000)
    deviation = float(np.sqrt(np.mean((law(t.alpha, a, beta, b) / t.seconds - 1.0) ** 2)))
    best = float((np.exp(a) * beta / (2.0 * np.exp(b))) ** (1.0 / (beta + 2.0))) if beta > 0.0 else 0.0
    return Fit(float(np.exp(a)), float(beta), float(np.exp(b)), deviation, best)


def claims(times: dict[tuple[str, float], Timing]) -> list[Claim]:
    """What the paper says, beside the runs.

    Args:
        times: by grains and velocity.
    """
    pentagons = {speed: t for (grains, speed), t in times.items() if grains == "pentagons" and fitted(t) is not None}
    deviations = [fit.deviation for t in pentagons.values() if (fit := fitted(t)) is not None]
    fits = f"deviation {min(deviations):.0%} to {max(deviations):.0%}" if deviations else ""
    fastest = {speed: float(t.alpha[t.seconds.argmin()]) for speed, t in pentagons.items()}
    gains = {speed: _gain(t) for speed, t in pentagons.items()}
    slow = [all(gains[min(gains)] > gain for speed, gain in gains.items() if speed > min(gains))] if len(gains) > 1 else []
    best = [len(set(fastest.values())) > 1] if len(fastest) > 1 else []
    spread = ", ".join(f"{gain:.2f}" for gain in gains.values())
    return [
        Claim(f"T = A/alpha^beta + B alpha^2 fits (within {NEAR:.0%})", fits, verdict([d <= NEAR for d in deviations])),
        Claim("the best range depends on the velocity", "; ".join(f"{s:g} m/s: {a:g} m" for s, a in fastest.items()), verdict(best)),
        Claim("the slower the shear, the larger the gain", f"slowest over fastest in the paper's range: {spread}" if spread else "", verdict(slow)),
        *_parts(times),
    ]


def _gain(t: Timing) -> float:
    """Longest over shortest time in the paper's range."""
    inside = t.seconds[(t.alpha >= RANGE[0] - 1e-9) & (t.alpha <= RANGE[1] + 1e-9)]
    return float(inside.max() / inside.min()) if len(inside) else float("nan")


def _parts(times: dict[tuple[str, float], Timing]) -> list[Claim]:
    """What of the time of disks goes to lists and to forces."""
    disks = next((t for (grains, _), t in times.items() if grains == "disks" and len(t.alpha) >= 5), None)
    names = ("the time of updates falls as 1/alpha", "that of forces grows as alpha^2")
    if disks is None:
        return [Claim(name, "", verdict([])) for name in names]
    short, wide = disks.alpha <= SHORT, disks.alpha >= WIDE
    falls = _exponent(disks.alpha[short], disks.lists[short])
    grows = _exponent(disks.alpha[wide], disks.forces[wide])
    return [
        Claim(names[0], f"as alpha^{falls:.2f} up to {SHORT:g} m", verdict([abs(falls + 1.0) <= 0.2])),
        Claim(names[1], f"as alpha^{grows:.2f} from {WIDE:g} m on", verdict([abs(grows - 2.0) <= 0.4])),
    ]


def _exponent(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def text(rows: list[dict[str, str]], missing: int, pictures: list[str]) -> str:
    """The part of docs/validation.md.

    Args:
        rows: of the table.
        missing: number of runs that are left.
        pictures: Markdown of the figures that are there.
    """
    left = f"Not run yet: {missing} runs." if missing else ""
    if not rows:
        return part(["Nothing has been run so far.", left])
    times, lines = timings(rows), []
    for (grains, speed), t in times.items():
        fit = fitted(t)
        cells = [f"{fit.a:.2g}", f"{fit.beta:.2f}", f"{fit.b:.2g}", f"{fit.deviation:.0%}", f"{fit.best:.2g}"] if fit else [""] * 5
        fastest = f"{t.alpha[t.seconds.argmin()]:g}"
        lines.append([f"{grains}, {speed:g} m/s", *cells, fastest, f"{t.seconds.min():.2f}", f"{t.seconds[0]:.2f}", f"{t.seconds[-1]:.2f}"])
    head = [
        "grains, velocity", "A", "beta", "B", "deviation", "best alpha of the law (m)", "of the runs (m)", "fastest (s)", "shortest range (s)",
        "longest range (s)",
    ]  # fmt: skip
    return part([claims_table(claims(times)), table(head, lines), left, *pictures])


def draw(times: dict[tuple[str, float], Timing], target: Path) -> None:
    """Parts of the time of disks, and the time of pentagons with its fits, against the range.

    Args:
        times: by grains and velocity.
        target: the figure.
    """
    with rc_context(STYLE | {"axes.grid": True}):
        figure = Figure(figsize=(9.0, 3.8), layout="constrained")
        parts, panel = figure.subplots(1, 2)
        colours = iter(COLOURS)
        for (grains, speed), t in times.items():
            if grains == "disks":
                for name, colour in zip(("seconds", "forces", "lists"), COLOURS, strict=False):
                    parts.loglog(t.alpha, getattr(t, name), "o-", color=colour, label={"seconds": "all"}.get(name, name))
                continue
            colour, fit = next(colours), fitted(t)
            panel.loglog(t.alpha, t.seconds, "o", color=colour, label=f"{speed:g} m/s")
            if fit is not None:
                fine = np.geomspace(t.alpha[0], t.alpha[-1], 200)
                panel.loglog(fine, fit.a * fine**-fit.beta + fit.b * fine**2, color=colour, linewidth=1.0)
        parts.set(xlabel="range of the lists alpha (m)", ylabel="CPU seconds of a second of shear", title="disks")
        panel.set(xlabel="range of the lists alpha (m)", title="pentagons")
        for axes in (parts, panel):
            if axes.lines:
                axes.legend()
        figure.savefig(target, dpi=100)
    shrunk(target)


def collect(folder: Path) -> None:
    """Draw the figure and write the part of docs/validation.md.

    Args:
        folder: of the papers.
    """
    script = measures(folder / "shear" / "list_range.py")
    rows = read_rows(folder / "shear" / "list_range.csv")
    pictures = []
    if rows:
        draw(timings(rows), FIGURES / PICTURE)
        pictures = [f"![CPU time against the range of the lists](figures/{PICTURE})"]
    write(PART, text(rows, len(script.wanted()) - len(rows), pictures))
