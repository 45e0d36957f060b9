"""What was aimed at and what was reached: the table of goals of docs/performance.md, from the tables of the other benchmarks.

    python jobs/benchmarks/goals.py page

Ratios to the version before are those to 56a29c3, whose contacts were computed one by one, in the newest call that measured both.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from campaign_times import BUSY, START_UP, TRIAL
from lammps_calls import newest_calls
from law_costs import OVER
from pages import PAGE, by_call, newest, put_into_page, read_rows, table, table_cells
from scene_limits import NOTES, TRIED
from scene_speeds import LEFT_OUT
from turns import ROOT

PART = ("<!-- goals -->\n", "<!-- end of goals -->")
HERE, BEFORE = Path(__file__).resolve().parent, "56a29c3"
DETECTION = ROOT / "jobs" / "campaigns" / "detection" / "cost.csv"
LITTLE_MORE_THAN_ONE = 1.5
MANY = 1000  # runs of a campaign whose shares count
Row = dict[str, str]


class Goal(NamedTuple):
    """One figure.

    Attributes:
        what: what is measured.
        goal: what was aimed at.
        most: whether that is an upper bound.
        measured: what was reached.
        source: version that was measured, and turns.
        tried: where the ways that were tried are described.
    """

    what: str
    goal: float
    most: bool
    measured: float
    source: str
    tried: str = ""

    @property
    def reached(self) -> bool:
        """Whether the figure is reached, in the digits that the table shows."""
        value = float(f"{self.measured:.3g}")
        return value <= self.goal if self.most else value >= self.goal


def against_lammps(rows: list[Row]) -> Iterator[Goal]:
    """Spheres, over LAMMPS."""
    wanted = {("10108", "4"): 2.5, ("10108", "8"): 3.0, ("90972", "4"): 2.0, ("90972", "8"): 2.0}
    for row in newest_calls(rows):
        spheres, lanes = row["spheres"], row["lanes"]
        tried = ", ".join(TRIED["spheres"]) if spheres == "10108" else ""
        what, source = f"{spheres} spheres over LAMMPS' `{row['style']}`, {lanes} lanes", f"{row['version']}, {row['turns']} turns"
        yield Goal(what, wanted[spheres, lanes], False, float(row["ratio"]), source, tried)


def over_rockable(rows: list[Row]) -> Iterator[Goal]:
    """Rods and polyhedra, over Rockable with no list made anew in the steps measured."""
    wanted = {"rods": 4.0, "tetrahedra": 3.0, "cubes": 4.0, "tetrahedra-superposed": 2.6, "cubes-superposed": 2.8}
    for (processor, scene), found in newest(rows, "processor", "scene").items():
        row, lanes = found[-1], processor.rpartition(", ")[2]
        source = f"{row['version']}, {row['turns']} turns"
        yield Goal(f"{scene} over Rockable, {lanes}", wanted[scene], False, float(row["ratio"]), source, ", ".join(TRIED[scene]))


def over_the_version_before(rows: list[Row]) -> Iterator[Goal]:
    """Scenes of `pardem bench`."""
    wanted = {
        "rods": 2.5, "tetrahedra": 2.0, "cubes": 2.0, "tetrahedra-superposed": 2.0, "cubes-superposed": 2.0, "62-gons": 1.5, "clumps": 1.5,
    }  # fmt: skip
    both = {call: {row["version"] for row in found} >= {BEFORE} for call, found in by_call(rows).items()}
    left_out = {(row["call"], row["scene"]) for row in rows if row[LEFT_OUT]}
    of = newest([row for row in rows if both[row["call"]] and (row["call"], row["scene"]) not in left_out], "processor", "scene")
    for scene, goal in wanted.items():
        for (processor, name), found in of.items():
            if name == scene:
                before = next(row for row in found if row["version"] == BEFORE)
                mine = next(row for row in found if row["version"] != BEFORE)
                ratio = float(mine["median (1/s)"]) / float(before["median (1/s)"])
                what, source = f"{scene} over {BEFORE}, {processor.rpartition(', ')[2]}", f"{mine['version']}, {mine['turns']} turns"
                yield Goal(what, goal, False, ratio, source, ", ".join(TRIED[scene]))


def of_laws(rows: list[Row]) -> Iterator[Goal]:
    """Laws and the energy budget, over `viscoelastic` without it."""
    for (processor, scene), shown in newest(rows, "processor", "scene").items():
        for row in shown:
            law, budget = row["law"], row["budget"]
            if (law, budget) != ("viscoelastic", "no"):
                with_budget, lanes = " with energy budget" if budget == "yes" else "", processor.rpartition(", ")[2]
                what = f"{scene}, `{law}`{with_budget}: time over `viscoelastic` without, {lanes}"
                source = f"{row['version']}, {row['turns']} turns"
                yield Goal(what, 1.25, True, float(row[OVER]), source, "[laws](#what-laws-and-the-energy-budget-cost)")


def of_large_beds(rows: list[Row], page: str) -> Iterator[Goal]:
    """Speed, lists, memory and bytes."""
    of = {row["bed"]: row for row in rows}
    small, large, huge = of["spheres"], of["spheres 100000"], of["spheres 1000000"]
    source, memory = (f"{row['version']}, {row['turns']} turns" for row in (large, huge))
    large_beds = f"[large beds](#what-large-beds-cost), {NOTES}"
    name = "grain and step (ns)"
    yield Goal("speed of 10^5 spheres over that of 10^4", 0.9, False, float(small[name]) / float(large[name]), source, large_beds)
    yield Goal("share of lists in a step of 10^5 spheres", 0.05, True, float(large["lists"]), source)
    yield Goal("peak memory of 10^6 spheres (GB)", 0.8, True, float(huge["peak memory (GB)"]), memory, large_beds)
    bytes_of = next(row for row in table_cells(page, "bytes") if row[0] == "spheres")
    yield Goal("bytes of a sphere and step", 500, True, float(bytes_of[5]), "on paper", large_beds)


def of_triangulation(rows: list[Row]) -> Iterator[Goal]:
    """Triangulation with a skin against cells."""
    wanted = {"rods_3": 1.5, "rods_6": 1.5, "spheres": 1.0, "bidisperse_10": 1.2}
    of = {(row["bed"], row["grains"]): row for row in rows if row["way"] == "triangulation"}
    for (bed, grains), row in of.items():
        if bed in wanted:
            what, tried = f"triangulation over cells, `{bed}`, {grains} grains", "[triangulation](#detection-by-triangulation)"
            yield Goal(what, wanted[bed], True, float(row["ratio"]), f"{row['version']}, {row['turns']} turns", tried)


def of_compilation(rows: list[Row]) -> Iterator[Goal]:
    """Compile times, cold."""
    calls = by_call(rows)
    for kind in dict.fromkeys(row["kind"] for row in rows):
        of = next({row["version"]: row for row in call if row["kind"] == kind} for call in calls.values() if any(r["kind"] == kind for r in call))
        mine = next(row for version, row in of.items() if version != BEFORE)
        source, seconds = f"{mine['version']}, {mine['turns']} turns", float(mine["median (s)"])
        yield Goal(f"compilation of {kind}, over {BEFORE}", 1.0, True, seconds / float(of[BEFORE]["median (s)"]), source)
        if kind == "triangulation":
            yield Goal("compilation of triangulation (s)", 60.0, True, seconds, source)


def of_meetings(rows: list[Row]) -> Iterator[Goal]:
    """Several pairs of features that meet at one corner."""
    call = next(iter(by_call(rows).values()))
    of = {row["meeting"]: row for row in call if row["version"] != BEFORE}
    beyond = {name: float(row["median (ns)"]) - float(of["apart"]["median (ns)"]) for name, row in of.items()}
    each = beyond["corner on face"] / float(of["corner on face"]["contacts a pair"])
    row = of["corner on corner"]
    what, source = f"{float(row['contacts a pair']):.0f} pairs of features at one corner, over one", f"{row['version']}, {row['turns']} turns"
    yield Goal(what, LITTLE_MORE_THAN_ONE, True, beyond["corner on corner"] / each, source, "[meetings](#what-meetings-of-two-cubes-cost)")


def of_campaigns(rows: list[Row]) -> Iterator[Goal]:
    """Campaigns of 1000 runs of about a second, and a trial of the flowability experiment on one core."""
    wanted = {
        BUSY: ("share of time that the ranks of a campaign are in runs", 0.95, False),
        START_UP: ("share of runs of a second that is neither steps nor output", 0.05, True),
        TRIAL: ("flowability trial with 1126 beads of 5 mm (s)", 20.0, True),
    }
    whole = [row for row in rows if row["kind"] == TRIAL or int(row["runs"]) >= MANY]
    for (processor, kind), (row, *_) in newest(whole, "processor", "kind").items():
        what, goal, most = wanted[kind]
        what, source = f"{what}, {processor.rpartition(', ')[2]}", f"{row['version']}, {row['turns']} turns"
        yield Goal(what, goal, most, float(row["median"]), source, "[campaigns](#campaigns)")


def goals() -> list[Goal]:
    """All of them."""
    page = PAGE.read_text()

    def rows(name: str) -> list[Row]:
        return read_rows(HERE / f"{name}.csv")

    return [
        *against_lammps(rows("lammps_calls")), *over_rockable(rows("rockable_grains")), *over_the_version_before(rows("scene_speeds")),
        *of_laws(rows("law_costs")), *of_large_beds(rows("step_shares"), page), *of_meetings(rows("meetings")),
        *of_triangulation(read_rows(DETECTION)), *of_compilation(rows("compile_times")), *of_campaigns(rows("campaign_times")),
    ]  # fmt: skip


def text(found: list[Goal]) -> str:
    """The table, missed goals first.

    Args:
        found: the goals.
    """
    lines = []
    for goal in sorted(found, key=lambda goal: goal.reached):
        said = "reached" if goal.reached else "**missed**"
        bound = f"{'at most' if goal.most else 'at least'} {goal.goal:g}"
        lines.append([goal.what, bound, f"{goal.measured:.3g}", said, goal.source, "" if goal.reached else goal.tried])
    return "\n".join(table(["figure", "goal", "measured", "", "version", "ways that were tried"], lines)) + "\n"


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["page"])
    parser.parse_args()
    put_into_page(PAGE, PART, text(goals()))


if __name__ == "__main__":
    main()
