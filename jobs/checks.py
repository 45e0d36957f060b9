#!/usr/bin/env python
"""Numbers of quick checks that tests hold within bounds, as they are: the tables of docs/validation.md that are made of them.

    python jobs/checks.py measure       # some minutes, of which most are for compiling; adds rows to checks.csv
    python jobs/checks.py page          # docs/validation.md from the newest rows

Restitution of the clamped law; overlaps that `pardem check` foresees over those that are seen (`tests/falls.py`), and the closest of the cases of
jobs/; packings of Voronoi cells (`tests/voronoi_checks.py`).
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "jobs" / "benchmarks"), str(ROOT / "tests")]
from pages import append_row, put_into_page, read_rows, table  # noqa: E402
from turns import version_of  # noqa: E402

TABLE, PAGE = Path(__file__).resolve().with_suffix(".csv"), ROOT / "docs" / "validation.md"
COLUMNS = ("day", "version", "part", "what", "least", "most")
CLAMPED, OVERLAPS, VORONOI = "clamped restitution", "overlaps foreseen", "voronoi cells"
NOMINAL = (0.1, 0.2, 0.4, 0.6, 0.8, 0.9)
TILTS = (0.0, 0.4, 0.5 * math.pi)
SEEDS = 20
Found = Iterator[tuple[str, str, float, float]]
"""Part, what, and the least and largest value."""


# -- measurements --------------------------------------------------------------------------------------------------------------------------------


def restitutions() -> Found:
    """The restitution of collisions whose force is clamped at zero, by the nominal one: by its closed form, and of a collision of t_c/400."""
    from scipy.optimize import brentq
    from test_laws import SPEED, collide

    from pardem.laws.parameters import viscoelastic, viscoelastic_clamped

    def ratio(law: tuple[float, float]) -> float:
        return law[1] / (2.0 * math.sqrt(law[0]))

    def apart(restitution: float, nominal: float) -> float:
        return ratio(viscoelastic_clamped(restitution, 1.0)) - ratio(viscoelastic(nominal, 1.0))

    for nominal in NOMINAL:
        closed = float(brentq(apart, 0.14, 0.9999, args=(nominal,)))
        clamped = {"law": "viscoelastic", "restitution": closed, "contact_time": 1e-3, "clamped": True}
        velocity, _, _ = collide(clamped, 2.5e-6)
        yield CLAMPED, f"{nominal:g}", closed, float(velocity[1, 0] - velocity[0, 0]) / SPEED


def overlaps() -> Found:
    """Overlaps foreseen over overlaps seen, over the laws."""
    import falls

    few = ("viscoelastic", "hertz", "walton")
    falls_of = {
        f"sphere on a floor ({_listed(sorted(falls.LAWS))})": [falls.on_floor(law) for law in sorted(falls.LAWS)],
        f"two spheres head on, each at 2 m/s ({_listed(few)})": [falls.head_on(law) for law in few],
        f"sphere on another that lies on the floor, which may not give way ({_listed(few)})": [falls.on_another(law) for law in few],
        f"rod on a floor, tilted by 0, 0.4 and 1.57 from upright ({_listed(few)})": [falls.rod_on_floor(law, t) for law in few for t in TILTS],
    }
    for what, found in falls_of.items():
        ratios = [foreseen / seen for foreseen, seen in found]
        yield OVERLAPS, what, min(ratios), max(ratios)


def closest_case() -> Found:
    """The largest overlap that is foreseen of a case of jobs/, over the smaller of the two sphero-radii; and the number of cases."""
    from test_forecast_cases import JOBS

    shares = {path: share for path in JOBS if (share := _largest_share(path)) is not None}
    path = max(shares, key=lambda name: shares[name])
    yield OVERLAPS, f"case {path.stem}", shares[path], float(len(shares))


def _largest_share(path: Path) -> float | None:
    """The share of a case; None where its grains are not in the case."""
    from pardem.forecast.confinement import held_together
    from pardem.forecast.ground import faces_of
    from pardem.forecast.impacts import largest_share
    from pardem.forecast.possible_impacts import ExtremeGrains
    from pardem.forecast.speeds import impacts
    from pardem.forecast.starts import starts_of
    from pardem.io.casefile import read_case
    from pardem.setup.initial_grains import size_range
    from pardem.setup.preparation import build_scene

    case = read_case(path)
    if case.start is not None or case.grains_file is not None:
        return None
    setup = build_scene(case, *size_range(case))
    bodies, faces = ExtremeGrains(case, setup), faces_of(case, setup)
    found = impacts(case, setup, held_together(case, starts_of(case, setup), faces), faces)
    return max((largest_share(bodies, impact) for impact in found), default=0.0)


def cells() -> Found:
    """Packings of Voronoi cells: distances of cores, openings, masses and void ratios."""
    import numpy as np
    from voronoi_checks import beyond_cells, box, mass_deviations, slab_gaps

    from pardem.shapes import Rounding, voronoi_packing

    def missing(d: int, seed: int) -> float:
        packing = voronoi_packing(30, *box(d), Rounding(erosion=0.02), periodic=(seed % 2 == 0, True, False)[:d], seed=seed)
        return float(0.02 - slab_gaps(packing).min())

    gaps = [missing(d, seed) for d in (2, 3) for seed in range(SEEDS)]
    beyond = [beyond_cells(d)[0] for d in (2, 3)]
    forms = ({"roundness": 1.0}, {"roundness": 0.2}, {"radius": 0.005})
    voids = [abs(voronoi_packing(300, *box(d), Rounding(void_ratio=0.25, **form), seed=2).void_ratio() - 0.25) for d in (2, 3) for form in forms]
    volume, centre = mass_deviations()
    yield VORONOI, "by how much the distance of a core to the sides of its cell falls short of d (m)", float(np.min(gaps)), float(np.max(gaps))
    yield VORONOI, "how far the opening, r = d, reaches beyond its cell (m)", min(beyond), max(beyond)
    yield VORONOI, "volume against the shapes' own mass properties, space (relative)", volume, volume
    yield VORONOI, "centre of mass against the same (m)", centre, centre
    yield VORONOI, "void ratio against the one of 0.25 that is asked for", min(voids), max(voids)


def _listed(laws: tuple[str, ...] | list[str]) -> str:
    return ", ".join("viscoelastic by stiffness" if law == "raw" else law for law in laws)


def measure() -> None:
    """Measure everything, and add rows to the table."""
    call = (datetime.now(UTC).strftime("%Y-%m-%d"), version_of(ROOT))
    for part in (restitutions, overlaps, closest_case, cells):
        for name, what, least, most in part():
            append_row(TABLE, COLUMNS, [*call, name, what, f"{least:.6g}", f"{most:.6g}"])
            print(f"{name}: {what}: {least:.6g} {most:.6g}", flush=True)


# -- page ----------------------------------------------------------------------------------------------------------------------------------------


def texts(rows: list[dict[str, str]]) -> dict[str, str]:
    """The parts of the page, by their names.

    Args:
        rows: of the table, oldest first.
    """
    newest = {(row["part"], row["what"]): row for row in rows}
    known = {part: {what: row for (name, what), row in newest.items() if name == part} for part in (CLAMPED, OVERLAPS, VORONOI)}
    cases = {what: row for what, row in known[OVERLAPS].items() if what.startswith("case ")}
    lines = {
        CLAMPED: table(["", *known[CLAMPED]], [
            [name, *(f"{float(row[column]):.3f}" for row in known[CLAMPED].values())]
            for name, column in (("closed form", "least"), ("collision, t_c/400", "most"))
        ]),
        OVERLAPS: table(["impact (laws)", "overlap foreseen over overlap seen"], [
            [what, f"{float(row['least']):.4f} to {float(row['most']):.4f}"] for what, row in known[OVERLAPS].items() if what not in cases
        ]),
        VORONOI: table(["what", "least", "largest"], [
            [what, f"{float(row['least']):.1e}", f"{float(row['most']):.1e}"] for what, row in known[VORONOI].items()
        ]),
    }  # fmt: skip
    made = {part: "\n".join(found) + "\n" for part, found in lines.items()}
    for what, row in list(cases.items())[-1:]:
        made[OVERLAPS] += (
            f"\nOf the {float(row['most']):.0f} cases of `jobs/` whose grains are in the case, the closest to a warning is "
            f"`{what.removeprefix('case ')}` with an estimate of {float(row['least']):.2f} sphero-radii.\n"
        )
    return made


def page() -> None:
    """Write docs/validation.md from the table."""
    for part, made in texts(read_rows(TABLE)).items():
        put_into_page(PAGE, (f"<!-- {part} -->\n", f"<!-- end of {part} -->"), made)


def main() -> None:
    """Measure, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "page"])
    {"measure": measure, "page": page}[parser.parse_args().what]()


if __name__ == "__main__":
    main()
