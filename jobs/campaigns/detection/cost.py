"""What detection by triangulation costs (thesis, section 4.4), and what linked cells cost on the same states.

Beds in a cylinder of 20 mm diameter on a base that vibrates at 30 Hz with an amplitude of 2 g; all grains of experiments 1 to 4 have eight times the
volume of a sphere of 1 mm diameter. A bed settles with linked cells; then it goes on for some steps with each way of detection from the same state.

    python jobs/campaigns/detection/cost.py                      # all beds
    python jobs/campaigns/detection/cost.py rods_3 --grains 250 500 1000
"""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

import numpy as np
from mpi4py import MPI

from pardem.case import Case
from pardem.engine import Engine
from pardem.population import Population
from pardem.scene import build_scene
from pardem.start import initial_grains, size_range

VOLUME = 8.0 * math.pi / 6.0 * 1e-9  # of a grain (m^3)
OVERLAP, SKIN = 5e-5, 3e-5  # m: the thesis' maximal overlap; a skin that leaves one sphere to each grain of experiments 1 and 2
FLAT, COMPACT = 0.3258, 0.6163  # l/r up to which one sphere covers rods and triangles, and tetrahedra
RADIUS, STEP = 10e-3, 2e-5

BEDS: dict[str, list[dict[str, Any]]] = {
    "spherosimplices": [
        {"shape": "sphere"}, {"shape": "spherocylinder", "length": 2.0 * FLAT}, {"shape": "spherotriangle", "circumradius": FLAT},
        {"shape": "spherotetrahedron", "circumradius": COMPACT},
    ],
    "spheres_tetrahedra": [{"shape": "sphere"}, {"shape": "spherotetrahedron", "circumradius": COMPACT}],
    "spheres": [{"shape": "sphere"}],
    "rods_3": [{"shape": "spherocylinder", "length": 6.0}],
    "rods_6": [{"shape": "spherocylinder", "length": 12.0}],
    "bidisperse": [{"shape": "sphere"}, {"shape": "sphere", "density": 19.1}],
}  # fmt: skip
LARGE = 500  # small grains for one that is ten times as large, and a hundredth as dense, so that the springs of the small ones bear it


def species(name: str, shape: dict[str, Any]) -> dict[str, Any]:
    """A species of the right volume; lengths are given in sphero-radii."""
    unit = {"name": name, "density": 1910.0, "radius": 1.0, **shape}
    region = {"kind": "cylinder", "radius": 1.0, "lower": 0.0, "upper": 1.0}
    probe = Case(species=[unit], **_rest(1.0, [{"species": name, "count": 1, "region": region}], 10.0))
    radius = (VOLUME / probe.species[0].make_shape().mass_properties().volume) ** (1.0 / 3.0)
    return unit | {"radius": radius} | {k: v * radius for k, v in shape.items() if k not in ("shape", "density")}


def _rest(radius: float, insert: list[dict[str, Any]], height: float) -> dict[str, Any]:
    """All of a case but the species."""
    return {
        "gravity": (0.0, 0.0, -9.81), "time": {"step": STEP}, "seed": 1, "insert": insert,
        "domain": {"lower": (-1.1 * radius, -1.1 * radius, -radius), "upper": (1.1 * radius, 1.1 * radius, 2.0 * height)},
        "contact": {"law": "viscoelastic", "restitution": 0.4, "contact_time": 6e-4, "friction": 0.2},
        "wall": [
            {"name": "tube", "kind": "cylinder", "radius": radius},
            {"name": "base", "kind": "disc", "center": (0, 0, 0), "normal": (0, 0, 1), "radius": 1.05 * radius,
             "motion": {"kind": "sinusoidal", "direction": (0, 0, 1), "gamma": 2.0, "frequency": 30.0}},
        ],
        "stage": [{"name": "go", "kind": "run", "steps": 1}], "output": {"observables": {"energy_budget": False}},
    }  # fmt: skip


def bed(name: str, grains: int) -> Case:
    """The case of a bed; bidisperse: so many small grains, and large ones of ten times their diameter among them."""
    kinds = [species(f"kind_{k}", shape) for k, shape in enumerate(BEDS[name])]
    mixed = name == "bidisperse"
    small = 0.2 if mixed else 1.0
    large = max(1, grains // LARGE) if mixed else 0
    solid = VOLUME * (grains * small**3 + large * (10.0 * small) ** 3)
    height = solid / (0.15 * math.pi * RADIUS**2) + (10e-3 if large else 4e-3)
    region = {"kind": "cylinder", "radius": RADIUS - 1e-4, "lower": 1e-3, "upper": height}
    insert = [{"species": kind["name"], "count": grains // len(kinds), "size": small, "region": region} for kind in kinds]
    if mixed:
        insert = [insert[1] | {"count": large, "size": 10.0 * small}, insert[0] | {"count": grains}]
    return Case(species=kinds, **_rest(RADIUS, insert, height))


def engine_of(case: Case, grains: Population | None = None, contacts: Any = None, step: int = 0, **detection: Any) -> Engine:
    """An engine of the case with a way of detection."""
    case = Case(**case.model_dump(exclude_none=True) | {"detection": detection})
    setup = build_scene(case, *size_range(case))
    if grains is None:
        grains = initial_grains(case, setup.catalogue)
    skin = 0.0 if case.detection.every_step else (None if case.detection.skin == "auto" else float(case.detection.skin))
    return Engine(MPI.COMM_SELF, setup.scene, grains, contacts, skin=skin, step=step)


def measure(engine: Engine, steps: int) -> dict[str, float]:
    """CPU time of some steps, after some that compile and adapt."""
    engine.advance(200)
    counters = engine.counters
    rebuilds, detection, wall, begin = counters.rebuilds, counters.detection_seconds, time.perf_counter(), time.process_time()
    engine.advance(steps)
    spent, wall = time.process_time() - begin, time.perf_counter() - wall
    n = max(1, counters.rebuilds - rebuilds)
    # the clock of the rebuilds is that of the wall: their share of it, in CPU time
    share = (counters.detection_seconds - detection) / wall
    return {"us": 1e6 * spent / steps, "rebuild_us": 1e6 * share * spent / n, "rebuilds": n, "skin": engine.skin}


def one(name: str, grains: int, settle: int, steps: int, thesis: bool) -> dict[str, Any]:
    """A row of figures of one bed."""
    case = bed(name, grains)
    calm = engine_of(case)
    calm.advance(settle)
    state = calm.grains.take(np.arange(calm.grains.count))
    contacts = calm.owned_contacts()
    overlap = OVERLAP if name != "bidisperse" else 0.2 * OVERLAP
    ways: dict[str, dict[str, Any]] = {"cells": {}, "triangulation": {"method": "triangulation", "max_overlap": overlap}}
    if len(BEDS[name]) > 1:
        ways["triangulation"]["skin"] = 1e-4 if name == "bidisperse" else SKIN
    if thesis:
        ways["every step"] = {"method": "triangulation", "max_overlap": overlap, "every_step": True}
    row: dict[str, Any] = {"bed": name, "grains": calm.grains.count}
    for way, detection in ways.items():
        copy = Population(**{k: v.copy() for k, v in vars(state).items()})
        engine = engine_of(case, copy, contacts, calm.step, **detection)
        row[way] = measure(engine, steps)
        if engine.detector:
            counts, triangulation = engine.detector.counts, engine.detector.triangulation
            assert triangulation is not None
            row[way] |= {"spheres": counts.spheres, "edges": counts.edges, "refused": counts.refused, "fast": counts.fast}
            of = triangulation.counts
            row[way] |= {"algorithm_1": of.algorithm_1, "algorithm_2": of.algorithm_2, "algorithm_3": of.algorithm_3, "anew": of.rebuilds}
    return row


def slope(x: list[float], y: list[float]) -> tuple[float, float]:
    """Least-squares slope of y against x and its standard error."""
    if len(x) < 3:
        return float("nan"), float("nan")
    fit, cov = np.polyfit(x, y, 1, cov=True)
    return float(fit[0]), float(np.sqrt(cov[0, 0]))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("beds", nargs="*", default=list(BEDS), help=f"of {', '.join(BEDS)}")
    parser.add_argument("--grains", type=int, nargs="+", default=[125, 250, 500, 1000])
    parser.add_argument("--settle", type=int, default=8000, help="steps before")
    parser.add_argument("--steps", type=int, default=400, help="steps that are measured")
    parser.add_argument("--thesis", action="store_true", help="measure pairs from edges every step, too")
    options = parser.parse_args()
    for name in options.beds:
        rows = [one(name, n, options.settle, options.steps, options.thesis) for n in options.grains]
        print(f"\n{name}")
        for row in rows:
            t, c = row["triangulation"], row["cells"]
            print(
                f"  {row['grains']:6d} grains  {t['spheres']:6d} spheres  {t['edges'] / t['spheres']:5.2f} edges a sphere | us a step: "
                f"triangulation {t['us']:.0f}, cells {c['us']:.0f} | us a rebuild: {t['rebuild_us']:.0f}, {c['rebuild_us']:.0f} | rebuilds "
                f"{t['rebuilds']:.0f}, {c['rebuilds']:.0f} | refused {t['refused']}, fast {t['fast']}"
            )
            print(f"         moves by algorithm 1: {t['algorithm_1']}, 2: {t['algorithm_2']}, 3: {t['algorithm_3']}, rebuilt: {t['anew']}")
            if "every step" in row:
                e = row["every step"]
                print(f"         every step: {e['us']:.0f} us a step, {e['rebuild_us'] / e['spheres']:.2f} us a sphere and rebuild; {e}")
        n = [math.log(row["grains"]) for row in rows]
        for what in ("triangulation", "cells"):
            value, error = slope(n, [math.log(row[what]["us"]) for row in rows])
            print(f"  exponent of time against grains, {what}: {value:.2f} +- {error:.2f}")
        spheres = [row["triangulation"]["spheres"] for row in rows]
        value, error = slope(spheres, [row["triangulation"]["edges"] for row in rows])
        print(f"  edges against spheres: slope {value:.2f} +- {error:.2f}")


if __name__ == "__main__":
    main()
