"""What chapter 6 of the thesis says of the experiments, beside what their curves show, run by run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from an_6_report import at
from judging import Claim, verdict
from rod_curves import LAYERS, of_run
from scipy.stats import linregress

EXPERIMENTS = tuple(f"an_{k}" for k in range(3, 10))
COMPARED = 1600.0  # taps: the last that all experiments reach with a whole window
QUIET, RISE, LATE = (10.0, 100.0), (100.0, 2000.0), 1000.0  # taps with constant density, with a rising one, and from which on angles saturate
STAGE = (12.0, 600.0)  # taps between which the angle is to rise with the logarithm of their number
RISING = ("an_4", "an_6", "an_7", "an_8", "an_9")  # of which the thesis says so
SATURATING = ("an_3", "an_5", "an_9")  # of which it says that the angle stays from about a thousand taps on
STRAIGHT, DOUBT = 0.97, 0.01  # share of the variance that a straight line explains where a rise is logarithmic; how near to it nothing is decided
SLOW = 0.25  # of another slope, up to which a curve hardly changes
MARGIN = 2.0  # standard deviations of single runs within which two experiments agree
UPRIGHT = 45.0  # degrees: the angle by which layers are put in order
DENSE, NEAR = 0.75, 0.02  # the density that the densest experiment reaches, and what counts as it
RULE = (
    "Runs are of seed 1, or of that in brackets. Slopes are changes per decade of taps; a curve is constant or stays if its slope is less than "
    f"{SLOW:g} of that of the stage beside it. A rise is logarithmic if a straight line over log(taps) explains {STRAIGHT:.0%} of the variance, "
    f"undecided within {DOUBT:.0%} of that: of the density from {RISE[0]:.0f} to {RISE[1]:.0f} taps, of the angle from {STAGE[0]:.0f} to "
    f"{STAGE[1]:.0f}. A density is {DENSE} from {DENSE - NEAR:.2f} on. Experiments agree if angle and density at {COMPARED:.0f} taps differ by less "
    f"than {MARGIN:.0f} standard deviations of a difference of two runs, from the seeds of an_6. The end of a run is the last place of its curves, "
    "at most a sixteenth of a decade before its last tap."
)
Runs = dict[str, pd.DataFrame]


def runs_of(curves: pd.DataFrame, names: Sequence[str] = EXPERIMENTS, rule: str = "regularised") -> Runs:
    """Curves of all runs of some experiments, by a name for readers.

    Args:
        curves: of all runs.
        names: of the experiments.
        rule: interaction.
    """
    found = {}
    for name in names:
        seeds = curves[(curves["experiment"] == name) & (curves["rule"] == rule)]
        for seed, run in seeds.groupby("seed"):
            found[name if seed == 1 else f"{name} ({seed})"] = run
    return found


def claims(curves: pd.DataFrame, changed: Mapping[str, float] | None = None) -> list[Claim]:
    """What the thesis says, beside the runs.

    Args:
        curves: of all runs.
        changed: densities at the end of runs of an_6 with other conditions.
    """
    others, main = [name for name in EXPERIMENTS if name != "an_6"], ("an_6",)
    ends = ((f"at {COMPARED:.0f} taps", COMPARED), ("at the end of each run", None))
    same = "the same in the other experiments"
    order = "layers order from the top to the bottom"
    return [
        _by_run(curves, "density of an_6: constant from 10 to 100 taps", "range, slopes before and after 100 taps", main, _constant),
        _by_run(curves, same, "", others, _constant),
        _by_run(
            curves, "from 100 taps on it rises as their logarithm", "variance explained", main, _logarithmic_density, _dense_instants(curves)
        ),
        _by_run(curves, same, "", others, _logarithmic_density),
        _densest(curves, changed or {}),
        _by_run(curves, "angle of an_6: moves from 10 taps on", "change up to 10, then up to 100 taps (degrees)", main, _moves),
        _by_run(curves, same, "", others, _moves),
        _by_run(curves, f"it rises as the logarithm of the taps ({', '.join(RISING)})", "variance explained", RISING, _logarithmic_angle),
        _by_run(curves, "it does not in an_3 and an_5", "", ("an_3", "an_5"), lambda run: _negated(_logarithmic_angle(run))),
        _by_run(curves, f"it stays from {LATE:.0f} taps on ({', '.join(SATURATING)})", "slopes before and after (degrees)", SATURATING, _saturates),
        _lower(curves),
        _alike(curves, "no dependence on the restitution from .2 on (an_4, an_6, an_8)", ("an_4", "an_6", "an_8")),
        _alike(curves, "no dependence on Gamma from 2 on (an_6, an_7)", ("an_6", "an_7")),
        _by_run(curves, f"{order} (an_6)", f"taps at which layers 4, 3, 2, 1 reach {UPRIGHT:.0f} degrees", main, _downwards),
        _by_run(curves, same, "", others, _downwards),
        _by_run(curves, "while the angle rises, each layer is below the one above it", "share of the places where all are", EXPERIMENTS, _ordered),
        _by_run(
            curves, f"from {LATE:.0f} taps on layer 2 is above layer 3, layer 1 rises and layer 4 falls", "degrees above, slopes", EXPERIMENTS,
            _inverted,
        ),
        *(_inside(curves, where, taps) for where, taps in ends),
        *(_inside(curves, where, taps, lying=True) for where, taps in ends),
    ]  # fmt: skip


def spread(curves: pd.DataFrame, column: str, taps: float) -> float:
    """Standard deviation of a curve of an_6 over its seeds; not a number where there are fewer than two.

    Args:
        curves: of all runs.
        column: column of the curves.
        taps: number of taps.
    """
    values = np.array([at(run, column, taps) for run in runs_of(curves, ("an_6",)).values()])
    values = values[np.isfinite(values)]
    return float(values.std(ddof=1)) if len(values) > 1 else float("nan")


# -- claims that each run shows or not -----------------------------------------------------------------------------------------------------------

Judge = Callable[[pd.DataFrame], tuple[str, bool | None] | None]
"""What is measured of a run, and whether it shows what is claimed, None where that is undecided; None where the run does not go so far."""


def _by_run(
    curves: pd.DataFrame, what: str, shows: str, names: Sequence[str], judge: Judge, changes: Mapping[str, Sequence[bool]] | None = None
) -> Claim:
    """A claim about each run of some experiments; for a single one the rule of nearest points is a change."""
    found = {name: judge(run) for name, run in runs_of(curves, names).items()}
    known = {name: result for name, result in found.items() if result is not None}
    if set(names) - {name.split(" ")[0] for name in known}:
        return Claim(what, "", verdict([]))
    alone = runs_of(curves, names, "minima") if len(names) == 1 else {}
    by_minima = [result[1] for run in alone.values() if (result := judge(run)) is not None]
    other = dict(changes or {}) | ({"contacts follow the rule of nearest points": [holds is True for holds in by_minima]} if by_minima else {})
    told = "; ".join(f"{name} {measured}" for name, (measured, _) in known.items())
    return Claim(what, f"{shows}: {told}" if shows else told, _verdict([holds for _, holds in known.values()], other))


def _verdict(runs: Sequence[bool | None], changes: Mapping[str, Sequence[bool]]) -> str:
    """A verdict of runs some of which decide nothing."""
    decided = [holds for holds in runs if holds is not None]
    if not decided:
        return "undecided"
    open_ones = len(runs) - len(decided)
    return verdict(decided, changes) + (f"; undecided in {open_ones} of {len(runs)} runs" if open_ones else "")


def _negated(result: tuple[str, bool | None] | None) -> tuple[str, bool | None] | None:
    return None if result is None else (result[0], None if result[1] is None else not result[1])


def _part(run: pd.DataFrame, low: float, high: float, column: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Decades of taps and values of a curve between two numbers of taps; None where it ends before half of them."""
    inside = run[(run["taps"] >= low * 0.999) & (run["taps"] <= high * 1.001) & np.isfinite(run[column])]
    if len(inside) < 3 or float(run["taps"].iloc[-1]) < (low * high) ** 0.5:
        return None
    return np.log10(inside["taps"].to_numpy(float)), inside[column].to_numpy(float)


def _slope(run: pd.DataFrame, low: float, high: float, column: str) -> float:
    """Change of a curve per decade of taps; not a number where the run does not go so far."""
    found = _part(run, low, high, column)
    return float("nan") if found is None else float(linregress(*found).slope)


def _constant(run: pd.DataFrame) -> tuple[str, bool | None] | None:
    early, then = _slope(run, *QUIET, "density"), _slope(run, *RISE, "density")
    found = _part(run, *QUIET, "density")
    if found is None or np.isnan(then):
        return None
    return f"{found[1].min():.3f} to {found[1].max():.3f}, {early:+.3f}, {then:+.3f}", abs(early) <= SLOW * then


def _straight(run: pd.DataFrame, stage: tuple[float, float], column: str) -> tuple[str, bool | None] | None:
    """The share of the variance of a curve that a straight line explains."""
    found = _part(run, *stage, column)
    if found is None:
        return None
    share = float(linregress(*found).rvalue ** 2)
    return f"{share:.3f}", None if abs(share - STRAIGHT) <= DOUBT else share > STRAIGHT


def _logarithmic_density(run: pd.DataFrame) -> tuple[str, bool | None] | None:
    return _straight(run, RISE, "density")


def _logarithmic_angle(run: pd.DataFrame) -> tuple[str, bool | None] | None:
    return _straight(run, STAGE, "angle")


def _dense_instants(curves: pd.DataFrame) -> dict[str, list[bool]]:
    """The same of the density on the base."""
    found = [_straight(run, RISE, "density_at_rest") for run in runs_of(curves, ("an_6",)).values() if "density_at_rest" in run]
    return {"the densest instant of each tap is taken": [result[1] is True for result in found if result is not None]}


def _moves(run: pd.DataFrame) -> tuple[str, bool | None] | None:
    start, ten, hundred = (at(run, "angle", taps) for taps in (1.0, *QUIET))
    if np.isnan(hundred):
        return None
    return f"{ten - start:+.1f}, {hundred - ten:+.1f}", ten - start <= SLOW * (hundred - ten)


def _saturates(run: pd.DataFrame) -> tuple[str, bool | None] | None:
    before, after = _slope(run, *STAGE, "angle"), _slope(run, LATE, float(run["taps"].iloc[-1]), "angle")
    return None if np.isnan(after) else (f"{before:+.0f}, {after:+.0f}", after <= SLOW * before)


def _downwards(run: pd.DataFrame) -> tuple[str, bool | None] | None:
    taps = [_first(run, f"angle_{k}") for k in range(LAYERS, 0, -1)]
    if np.isfinite(taps).sum() < 2:
        return None
    told = ", ".join(f"{t:.0f}" if np.isfinite(t) else "never" for t in taps)
    return told, all(a < b for a, b in pairwise(taps))


def _first(run: pd.DataFrame, column: str) -> float:
    """Number of taps at which an angle first reaches `UPRIGHT`; infinite where it never does."""
    taps, angle = run["taps"].to_numpy(float), run[column].to_numpy(float)
    above = np.flatnonzero(angle >= UPRIGHT)
    if not len(above):
        return float("inf")
    k = int(above[0])
    return float(taps[0] if k == 0 else np.exp(np.interp(UPRIGHT, angle[k - 1 : k + 1], np.log(taps[k - 1 : k + 1]))))


def _ordered(run: pd.DataFrame) -> tuple[str, bool | None] | None:
    stage = run[(run["taps"] >= STAGE[0]) & (run["taps"] <= STAGE[1])]
    if not len(stage):
        return None
    ordered = np.all([stage[f"angle_{k}"] < stage[f"angle_{k + 1}"] for k in range(1, LAYERS)], axis=0)
    return f"{ordered.mean():.0%}", bool(ordered.all())


def _inverted(run: pd.DataFrame) -> tuple[str, bool | None] | None:
    late = run[run["taps"] >= LATE]
    low, high = (_slope(run, LATE, float(run["taps"].iloc[-1]), f"angle_{k}") for k in (1, LAYERS))
    if len(late) < 3 or np.isnan(low + high):
        return None
    above = float((late["angle_2"] - late["angle_3"]).mean())
    return f"{above:+.1f}, {low:+.0f}, {high:+.0f}", above > 0.0 and low > 0.0 > high


def _inside(curves: pd.DataFrame, where: str, taps: float | None, lying: bool = False) -> Claim:
    """The two layers in the middle end within a range of angles."""
    names, low, high = (("an_5", "an_7", "an_9"), 60.0, 80.0) if lying else (("an_3", "an_4", "an_6", "an_8"), 80.0, 90.0)

    def judge(run: pd.DataFrame) -> tuple[str, bool | None] | None:
        pair = [at(run, f"angle_{layer}", float(run["taps"].iloc[-1]) if taps is None else taps) for layer in (2, 3)]
        return None if not np.isfinite(pair).all() else (shown(pair, ".0f"), all(low <= angle <= high for angle in pair))

    return _by_run(curves, f"layers 2 and 3 end at {low:.0f} to {high:.0f} degrees ({', '.join(names)}), {where}", "", names, judge)


# -- claims about several experiments ------------------------------------------------------------------------------------------------------------


def shown(values: Iterable[float], form: str) -> str:
    """Numbers, with a dash for each that has not been measured.

    Args:
        values: the numbers.
        form: format of a number.
    """
    return ", ".join(f"{value:{form}}" if np.isfinite(value) else "-" for value in values)


def _densest(curves: pd.DataFrame, changed: Mapping[str, float]) -> Claim:
    """The density of the densest experiment after 2000 taps."""
    what = f"density of {DENSE} for the highest experiment after about {RISE[1]:.0f} taps"
    runs = runs_of(curves)
    if {name.split(" ")[0] for name in runs} != set(EXPERIMENTS):
        return Claim(what, "", verdict([]))
    ends = {name: at(run, "density", RISE[1]) for name, run in runs.items()}
    highest = max(ends, key=lambda name: ends[name])
    longest = max(runs_of(curves, ("an_6",)).values(), key=lambda run: float(run["taps"].iloc[-1]))
    end = float(longest["taps"].iloc[-1])
    on_base = max(at(run, "density_at_rest", RISE[1]) for run in runs.values())
    middle = max(0.5 * (at(run, "density_2", RISE[1]) + at(run, "density_3", RISE[1])) for run in runs.values())
    changes = {
        "the densest instant of each tap is taken": on_base, "layers 2 and 3 alone are": middle,
        f"an_6 goes on to {end:.0f} taps": at(longest, "density", end), **{f"an_6 has {name}": value for name, value in changed.items()},
    }  # fmt: skip
    told = f"{ends[highest]:.3f} ({highest}); others: {', '.join(f'{value:.3f} if {name}' for name, value in changes.items())}"
    reached = DENSE - NEAR
    return Claim(what, told, verdict([ends[highest] >= reached], {name: [value >= reached] for name, value in changes.items()}))


def _alike(curves: pd.DataFrame, what: str, names: Sequence[str]) -> Claim:
    """Experiments end alike."""
    told, agree = [], {}
    for column, form in (("density", ".3f"), ("angle", ".1f")):
        values = np.array([at(of_run(curves, name), column, COMPARED) for name in names])
        one = spread(curves, column, COMPARED)
        told.append(f"{column} {shown(values, form)} (seeds: +- {shown([one], form)})")
        if not (np.isfinite(values).all() and np.isfinite(one)):
            return Claim(what, "; ".join(told), verdict([]))
        agree[column] = bool(np.ptp(values) < MARGIN * 2.0**0.5 * one)
    return Claim(what, "; ".join(told), verdict([all(agree.values())], {"the angle alone is compared": [agree["angle"]]}))


def _lower(curves: pd.DataFrame) -> Claim:
    """an_9 ends at a lower angle than an_6."""
    values = [at(of_run(curves, name), "angle", 3000.0) for name in ("an_9", "an_6")]
    told = f"{shown(values[:1], '.1f')} against {shown(values[1:], '.1f')} degrees at 3000 taps"
    return Claim("an_9 saturates at a lower angle than an_6", told, verdict([values[0] < values[1]] if np.isfinite(values).all() else []))
