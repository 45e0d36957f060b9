"""What detection by triangulation costs (thesis, section 4.4), and what linked cells cost on the same states.

Beds in a cylinder of 20 mm diameter on a base that vibrates at 30 Hz with an amplitude of 2 g; all grains of experiments 1 to 4 have eight times the
volume of a sphere of 1 mm diameter. A bed falls and settles with linked cells; then it goes on for one period of the base with each way of detection
from the same state, three or more times in turn, of which the median counts.

    python jobs/campaigns/detection/cost.py spheres --grains 1000             # prints the figures
    python jobs/campaigns/detection/cost.py spheres --grains 1000 --table     # adds them to cost.csv, too
    python jobs/campaigns/detection/cost.py --growth                          # all beds of several sizes, pairs from edges every step: growth.csv
    python jobs/campaigns/detection/cost.py --document                        # docs/validation.md and its figure from both tables
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from mpi4py import MPI

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bulk"))
import cost_table
import growth

from pardem.case import Case
from pardem.decomposition.nested_slabs import Nested
from pardem.detection.edge_detector import EdgeDetector
from pardem.detection.walk_detector import WalkDetector
from pardem.engine import Engine
from pardem.setup.initial_grains import initial_grains, size_range
from pardem.setup.preparation import build_scene
from pardem.state.population import Population

VOLUME = 8.0 * math.pi / 6.0 * 1e-9  # of a grain (m^3)
OVERLAP = 5e-5  # m: the thesis' maximal overlap, for grains of that volume
FLAT, COMPACT = 0.3258, 0.6163  # l/r up to which one sphere covers rods and triangles, and tetrahedra
RADIUS, FREQUENCY, GRAVITY = 10e-3, 30.0, 9.81
CONTACT_TIME, STEPS_PER_CONTACT = 6e-4, 30  # s
REST = 0.15  # s: of settling, after the fall

BEDS: dict[str, list[dict[str, Any]]] = {
    "spherosimplices": [
        {"shape": "sphere"}, {"shape": "spherocylinder", "length": 2.0 * FLAT}, {"shape": "spherotriangle", "circumradius": FLAT},
        {"shape": "spherotetrahedron", "circumradius": COMPACT},
    ],
    "spheres_tetrahedra": [{"shape": "sphere"}, {"shape": "spherotetrahedron", "circumradius": COMPACT}],
    "rods_3": [{"shape": "spherocylinder", "length": 6.0}],
    "rods_6": [{"shape": "spherocylinder", "length": 12.0}],
    "spheres": [{"shape": "sphere"}],
    "bidisperse_10": [{"shape": "sphere"}, {"shape": "sphere"}],
    "bidisperse_20": [{"shape": "sphere"}, {"shape": "sphere"}],
}  # fmt: skip
SMALL = 0.2  # size of the small spheres of the mixtures; as they and thin rods are that much smaller than the thesis' grains, contacts are shorter
SCALE = {"rods_6": 0.4, "bidisperse_10": SMALL, "bidisperse_20": SMALL}  # of the contact time; with the thesis' they overlap too much as they land
COUNTED = ("algorithm_1", "points", "algorithm_2", "algorithm_3", "anew", "destroyed", "followed", "refused", "fast", "hidden")  # of a triangulation
LARGE = 500  # small spheres for one of ten times their size, by volume as many of twenty times


def species(name: str, shape: dict[str, Any]) -> dict[str, Any]:
    """A species of the right volume; lengths are given in sphero-radii."""
    unit = {"name": name, "density": 1910.0, "radius": 1.0, **shape}
    region = {"kind": "cylinder", "radius": 1.0, "lower": 0.0, "upper": 1.0}
    probe = Case(species=[unit], **_rest(1.0, CONTACT_TIME, [{"species": name, "count": 1, "region": region}], 10.0))
    radius = (VOLUME / probe.species[0].make_shape().mass_properties().volume) ** (1.0 / 3.0)
    return unit | {"radius": radius} | {k: v * radius for k, v in shape.items() if k not in ("shape", "density")}


def _rest(radius: float, contact_time: float, insert: list[dict[str, Any]], height: float) -> dict[str, Any]:
    """All of a case but the species."""
    return {
        "gravity": (0.0, 0.0, -GRAVITY), "time": {"step": contact_time / STEPS_PER_CONTACT}, "seed": 1, "insert": insert,
        "domain": {"lower": (-1.1 * radius, -1.1 * radius, -radius), "upper": (1.1 * radius, 1.1 * radius, 2.0 * height)},
        "contact": {"law": "viscoelastic", "restitution": 0.4, "contact_time": contact_time, "friction": 0.2, "eps": 0.0},
        "wall": [
            {"name": "tube", "kind": "cylinder", "radius": radius},
            {"name": "base", "kind": "disc", "center": (0, 0, 0), "normal": (0, 0, 1), "radius": 1.05 * radius,
             "motion": {"kind": "sinusoidal", "direction": (0, 0, 1), "gamma": 2.0, "frequency": FREQUENCY}},
        ],
        "stage": [{"name": "go", "kind": "run", "steps": 1}], "output": {"observables": {"energy_budget": False}},
    }  # fmt: skip


def bed(name: str, grains: int) -> tuple[Case, float]:
    """The case of a bed and the time after which it has settled (s); of mixtures so many are small, and large ones are among them."""
    kinds = [species(f"kind_{k}", shape) for k, shape in enumerate(BEDS[name])]
    mixed = name.startswith("bidisperse")
    ratio = float(name.rsplit("_", 1)[1]) if mixed else 1.0
    small = SMALL if mixed else 1.0
    large = max(1, round(grains / LARGE * (10.0 / ratio) ** 3)) if mixed else 0
    solid = VOLUME * small**3 * (grains + large * ratio**3)
    height = solid / (0.15 * math.pi * RADIUS**2) + (4e-3 + 0.6e-3 * ratio if large else 4e-3)
    region = {"kind": "cylinder", "radius": RADIUS - 1e-4, "lower": 1e-3, "upper": height}
    insert = [{"species": kind["name"], "count": grains // len(kinds), "size": small, "region": region} for kind in kinds]
    if mixed:
        # large spheres ten times as heavy as small ones, so that the springs of the small ones bear them
        kinds[1]["density"] *= 10.0 / ratio**3
        insert = [insert[1] | {"count": large, "size": ratio * small}, insert[0] | {"count": grains}]
    return Case(species=kinds, **_rest(RADIUS, CONTACT_TIME * SCALE.get(name, 1.0), insert, height)), math.sqrt(2.0 * height / GRAVITY) + REST


def engine_of(case: Case, grains: Population | None = None, contacts: Any = None, step: int = 0, **detection: Any) -> Engine:
    """An engine of the case with a way of detection."""
    case = Case(**case.model_dump(exclude_none=True) | {"detection": detection})
    setup = build_scene(case, *size_range(case))
    if grains is None:
        grains = initial_grains(case, setup.catalogue)
    skin = 0.0 if case.detection.every_step else (None if case.detection.skin == "auto" else float(case.detection.skin))
    return Engine(Nested(MPI.COMM_SELF), setup.scene, grains, contacts, skin=skin, step=step)


def counted(detector: EdgeDetector | WalkDetector | None) -> dict[str, int]:
    """What has been done to the triangulation so far; "anew": how often it was made."""
    if detector is None or detector.triangulation is None:
        return {}
    now = vars(detector.triangulation.counts) | vars(detector.kept.counts) | vars(detector.counts)
    return {name: now["rebuilds"] + now["builds"] if name == "anew" else now.get(name, 0) for name in COUNTED}


def measure(engine: Engine, steps: int) -> dict[str, float]:
    """CPU time of some steps, after some that compile and adapt."""
    engine.advance(200)
    counters, detector = engine.counters, engine.rebuilder.lists.detector
    rebuilds, detection = counters.rebuilds, counters.detection_seconds
    done = counted(detector)
    wall, begin = time.perf_counter(), time.process_time()
    engine.advance(steps)
    spent, wall = time.process_time() - begin, time.perf_counter() - wall
    n = max(1, counters.rebuilds - rebuilds)
    # the clock of the rebuilds is that of the wall: their share of it, in CPU time
    share = (counters.detection_seconds - detection) / wall
    found = {"us": 1e6 * spent / steps, "rebuild_us": 1e6 * share * spent / n, "rebuilds": n, "skin": engine.skin}
    now = counted(detector)
    found |= {name: now[name] - done[name] for name in done}
    if detector:
        found |= {"vertices": len(detector.kept.place) - 4, "edges": detector.kept.edge_count()}  # four points form a frame
    return found


def one(name: str, grains: int, turns: int, every_step: bool) -> dict[str, Any]:
    """A row of figures of one bed."""
    case, rest = bed(name, grains)
    calm = engine_of(case)
    calm.advance(round(rest / case.time.step))
    state = calm.grains.take(np.arange(calm.grains.count))
    contacts = calm.owned_contacts()
    overlap = OVERLAP * SCALE.get(name, 1.0)
    ways: dict[str, dict[str, Any]] = {"cells": {}, "triangulation": {"method": "triangulation"}}
    if every_step:
        ways["every step"] = {"method": "triangulation", "max_overlap": overlap, "every_step": True}
    found: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
    steps = round(1.0 / FREQUENCY / case.time.step)
    for _ in range(1 + turns):
        for way, detection in ways.items():
            copy = Population(**{k: v.copy() for k, v in vars(state).items()})
            found[way].append(measure(engine_of(case, copy, contacts, calm.step, **detection), steps))
    row: dict[str, Any] = {"bed": name, "grains": calm.grains.count}
    for way, (_, *every) in found.items():  # the first turn loads kernels
        ratios = sorted(turn["us"] / cells["us"] for turn, cells in zip(every, found["cells"][1:], strict=True))
        middle = sorted(every, key=lambda turn: turn["us"])[turns // 2]
        row[way] = middle | {"least ratio": ratios[0], "ratio": ratios[turns // 2], "most ratio": ratios[-1]}
    return row


def print_row(row: dict[str, Any]) -> None:
    """One bed."""
    cells = row["cells"]
    print(f"  {row['grains']} grains; cells: {cells['us']:.0f} us a step, {cells['rebuild_us']:.0f} us a rebuild, {cells['rebuilds']} rebuilds")
    for way in ("triangulation", "every step"):
        if way in row:
            t = row[way]
            counts = ", ".join(f"{name} {t[name]}" for name in COUNTED if t[name])
            print(
                f"    {way}: {t['us']:.0f} us a step, {t['rebuild_us']:.0f} us a rebuild ({t['rebuild_us'] / t['vertices']:.2f} a vertex), "
                f"{t['rebuilds']} rebuilds; {t['vertices']} vertices, {t['edges'] / t['vertices']:.2f} edges a vertex; {counts}; "
                f"{t['ratio']:.2f} ({t['least ratio']:.2f} to {t['most ratio']:.2f}) times cells",
                flush=True,
            )


def main() -> None:
    """Measure, print, and add to the tables; or write the page from them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("beds", nargs="*", default=list(BEDS), help=f"of {', '.join(BEDS)}")
    parser.add_argument("--grains", type=int, nargs="+", help="small ones of mixtures; 1000 by default, with --growth several numbers")
    parser.add_argument("--turns", type=int, default=3, help="how often each way of detection is measured (default 3)")
    parser.add_argument("--table", action="store_true", help="add the rows to cost.csv")
    parser.add_argument("--growth", action="store_true", help="measure the thesis' pairs from edges every step, too, and add the rows to growth.csv")
    parser.add_argument("--document", action="store_true", help="write the tables and the figure of docs/validation.md, and measure nothing")
    options = parser.parse_args()
    if options.document:
        cost_table.write_page()
        growth.write_page()
        return
    for name in options.beds:
        print(f"\n{name}")
        for n in options.grains or (growth.GRAINS[name] if options.growth else (1000,)):
            row = one(name, n, options.turns, options.growth)
            print_row(row)
            if options.table:
                cost_table.add(cost_table.TABLE, row, options.turns)
            if options.growth:
                cost_table.add(growth.TABLE, row, options.turns)


if __name__ == "__main__":
    main()
