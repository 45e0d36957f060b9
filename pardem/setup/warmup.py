"""Miniature cases: they compile every kernel that a case (or any usual case) needs, within a few steps.

The step is compiled for the types of the narrow phase, of the law and of the integrator. There are six narrow phases: spheres only; spherocylinders
too; anything with a polytope; with a grain of convex pieces; pairs of features; local minima of grains that are not convex. The rule `regularised` or
`minima`, walls, periodic axes, the energy budget and the number of dimensions are branches at run time of the same kernel. The step is also compiled
for the type of the resistance to rolling and twisting: here with the law ``RESISTED`` only. Of the integrators only `verlet` and `euler`, which share
theirs, are compiled here; `gear4` compiles its own phases when it is first used. A case with another combination compiles its kernels by
`pardem warmup CASE`.
"""

from __future__ import annotations

from typing import Any, get_args

from ..case.model import Case
from ..case.resistance_keys import Choice
from ..laws.registry import KINDS

STEPS = 3
GRAINS = 4
RESISTED = "viscoelastic"
"""The law with which the models of the resistance to rolling and twisting are compiled ahead."""


def shrunken(case: Case) -> Case:
    """The case with a handful of grains of each insert and one stage of a few steps; walls rest, since stages they wait for are gone."""
    data = case.model_dump(exclude_none=True)
    for insert in data["insert"]:
        insert["count"] = min(insert["count"], GRAINS)
    for wall in data["wall"]:
        wall["motion"] = "fixed"
        wall.pop("then", None)
        wall.pop("stages", None)
    data["stage"] = [{"name": "warmup", "kind": "run", "steps": STEPS}]
    data["output"] = {"frame_steps": 2, "observable_steps": 1, "checkpoint_steps": 2, "observables": data["output"]["observables"]}
    return Case(**data).located(case.directory)


_NARROW_PHASES: dict[str, tuple[dict[str, Any], str]] = {
    "spheres": ({"shape": "sphere"}, "regularised"),
    "rods": ({"shape": "spherocylinder", "length": 2e-3}, "regularised"),
    "polyhedra": ({"shape": "cube", "side": 2e-3}, "regularised"),
    "pieces": ({"shape": "compound", "pieces": [[(0.0, 0.0, 0.0), (2e-3, 0.0, 0.0)], [(0.0, 0.0, 0.0), (0.0, 2e-3, 0.0)]]}, "regularised"),
    "features": ({"shape": "cube", "side": 2e-3}, "superposition"),
    "minima": ({"shape": "yermis", "edge": 1e-3}, "minima"),
}


_RESISTANCES: dict[str, dict[str, Any]] = {
    kind: {"resistance": kind, "rolling_friction": 0.1, "twisting_friction": 0.1} for kind in get_args(Choice) if kind != "none"
}


def _usual_case(title: str, geometry: dict[str, Any], contact: dict[str, Any]) -> Case:
    """A few grains of one species with walls, a periodic axis, sizes that vary and observables by layers."""
    box = {"lower": [0.0, 0.0, 0.0], "upper": [0.02, 0.02, 0.02]}
    return Case(
        title=f"warm-up: {title}",
        time={"step": 1e-5},
        domain={**box, "periodic": [True, False, False]},
        species=[{"name": "grain", "density": 1000.0, "radius": 1e-3, **geometry}],
        insert=[{"species": "grain", "count": GRAINS, "region": {"kind": "box", **box}, "size": {"kind": "uniform", "min": 0.8, "max": 1.0}}],
        contact={"friction": 0.5, **contact},
        wall=[
            {"name": "floor", "kind": "plane", "point": [0.0, 0.0, 0.0], "normal": [0.0, 0.0, 1.0]},
            {"name": "tube", "kind": "cylinder", "radius": 0.05},
        ],
        stage=[{"name": "warmup", "kind": "run", "steps": STEPS}],
        output={"observables": {"layers": {"thickness": 5e-3}, "near_wall": {"wall": "tube", "distance": 1e-3}}},
    )


def usual_cases() -> list[Case]:
    """Make one case for each kernel of the step that `pardem warmup` compiles.

    Returns:
        A case for each narrow phase under each law that has usual parameters, and for each narrow phase with each model of the resistance to rolling
        and twisting, under the law ``RESISTED``.
    """
    laws = {law: kind.usual for law, kind in KINDS.items() if kind.usual is not None}
    cases = []
    for name, (geometry, interaction) in _NARROW_PHASES.items():
        for law, usual in laws.items():
            cases.append(_usual_case(f"{name}, {law}", geometry, {"law": law, "interaction": interaction, **usual}))
        for resistance, keys in _RESISTANCES.items():
            contact = {"law": RESISTED, "interaction": interaction, **laws[RESISTED], **keys}
            cases.append(_usual_case(f"{name}, {RESISTED}, resistance {resistance}", geometry, contact))
    return cases
