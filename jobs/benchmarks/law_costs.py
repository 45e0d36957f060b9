"""What laws and the energy budget cost: settled beds under each of them in turns, and the table made of it.

    python jobs/benchmarks/law_costs.py measure              # all laws, spheres and rods, on an idle machine
    python jobs/benchmarks/law_costs.py measure --scenes rods
    python jobs/benchmarks/law_costs.py page                 # docs/performance.md from law_costs.csv

All beds begin with the grains of the settled bed of `pardem bench`, so their contacts are nearly the same. One process measures all laws of a scene.
Times are compared within a turn, so that turns may be short and many where a machine is not equally fast all the time.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from statistics import median
from typing import Any

from mpi4py import MPI
from pages import PAGE, add_rows, newest, put_into_page, read_rows, table
from turns import ROOT, in_turns, now, processor, spread, version_of

from pardem.bench import measure as measure_engine
from pardem.bench.beds import engine_of, settled_tile
from pardem.bench.scenes import bed_of, scene_case

TABLE = Path(__file__).resolve().with_name("law_costs.csv")
PART = ("<!-- laws -->\n", "<!-- end of laws -->")
OVER = "time over viscoelastic (1)"  # without budget, in the same turn: median of the turns; in calls before 2026-11-29, ratio of the medians
COLUMNS = (
    "call", "version", "processor", "scene", "law", "budget", "turns", "median (1/s)", "least (1/s)", "most (1/s)", "contacts a grain", OVER,
)  # fmt: skip
SETTLE = 1000  # steps in which a bed gets used to its law
SPRINGS = {"loading_stiffness": 2e4, "unloading_stiffness": 4e4}
LAWS: dict[str, dict[str, Any] | None] = {
    "viscoelastic": None,
    "hertz": {"law": "hertz", "young": 2.5e6, "poisson": 0.3, "restitution": 0.5, "reference_speed": 1.0, "friction": 0.5},
    "walton": {"law": "walton", **SPRINGS, "tangential_stiffness": 6e3, "tangential_damping": 5.0, "friction": 0.5},
    "walton_tangential": {
        "law": "walton_tangential", **SPRINGS, "tangential_loading_stiffness": 6e3, "tangential_unloading_stiffness": 1.2e4, "friction": 0.5,
    },
}  # fmt: skip
KINDS = [(law, budget) for law in LAWS for budget in (False, True)]


def measure(scenes: list[str], turns: int, steps: int) -> None:
    """Measure scenes and add rows to the table.

    Args:
        scenes: names.
        turns: how often each law is measured.
        steps: number of steps of a turn.
    """
    call, rows, comm = now(), [], MPI.COMM_SELF
    for scene in scenes:
        count, beds = bed_of(scene).grains, {}
        for law, budget in KINDS:
            grains, _ = settled_tile(comm, scene, count)
            case = scene_case(scene, count, contact=LAWS[law], budget=budget)
            beds[law, budget] = case, engine_of(comm, case, grains, None)
            beds[law, budget][1].advance(SETTLE)

        def one(kind: tuple[str, bool], beds: dict[tuple[str, bool], Any] = beds) -> dict[str, Any]:
            case, engine = beds[kind]
            return measure_engine(engine, case, steps, steps // 10)

        found = in_turns(KINDS, turns, one)
        first = [done["cundall"] for done in found[KINDS[0]]]
        for (law, budget), every in found.items():
            speeds = [done["cundall"] for done in every]
            over = median(a / b for a, b in zip(first, speeds, strict=True))
            numbers = [*spread(speeds), f"{every[0]['contacts_per_grain']:.3g}", f"{over:.4g}"]
            rows.append([call, version_of(ROOT), processor(), scene, law, "yes" if budget else "no", turns, *numbers])
    add_rows(TABLE, COLUMNS, rows)


def text(rows: list[dict[str, str]]) -> str:
    """The tables of the page, one for each processor: the newest call of each scene.

    Args:
        rows: those of law_costs.csv.
    """
    head = ["scene", "law", "contacts a grain", "without budget (range)", "time over that of `viscoelastic`", "with budget (range)", "time over it"]
    parts: dict[str, tuple[list[str], list[list[str]]]] = {}
    for (chip, scene), shown in newest(rows, "processor", "scene").items():
        of = {(row["law"], row["budget"]): row for row in shown}
        calls, lines = parts.setdefault(chip, ([], []))
        calls.append(f"{scene} {shown[0]['version']}, {shown[0]['call']} UTC, {shown[0]['turns']} turns")
        for law in LAWS:
            cells = [scene, f"`{law}`", of[law, "no"]["contacts a grain"]]
            for budget in ("no", "yes"):
                middle, least, most = (1e-6 * float(of[law, budget][k]) for k in ("median (1/s)", "least (1/s)", "most (1/s)"))
                cells += [f"{middle:.3g} ({least:.3g} to {most:.3g})", f"{float(of[law, budget][OVER]):.2f}"]
            lines.append(cells)
    written = [
        "\n".join([f"Million particle steps a CPU second, one core, {chip}, medians ({'; '.join(calls)})", "", *table(head, lines)]) + "\n"
        for chip, (calls, lines) in parts.items()
    ]  # fmt: skip
    return "\n".join(written)


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "page"])
    parser.add_argument("--scenes", nargs="+", default=["spheres", "rods"], help="names of scenes")
    parser.add_argument("--turns", type=int, default=25, help="how often each law is measured")
    parser.add_argument("--steps", type=int, default=300, help="steps of a turn")
    arguments = parser.parse_args()
    if arguments.what == "measure":
        measure(arguments.scenes, arguments.turns, arguments.steps)
    else:
        put_into_page(PAGE, PART, text(read_rows(TABLE)))


if __name__ == "__main__":
    main()
