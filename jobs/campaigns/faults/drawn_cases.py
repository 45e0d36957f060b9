"""Random cases with what users write around a scene: stages, motions that follow each other, materials, pairs, and every form of output."""

from __future__ import annotations

import random
from typing import Any

from drawn_scenes import by_triangulation, is_convex, scene
from opened_scenes import opened

Table = dict[str, Any]

OPENED = 0.4  # share of the cases that grains leave, and in which others arrive
STAGES = 1, 3  # fewest and most
STEPS = 100, 400  # of a stage that runs for a number of them, or for as long
INTERVALS = {"observable": (7, 20, 50), "frame": (33, 100, 200), "checkpoint": (20, 60, 1000)}  # steps
DRIVEN = {"frequency": 8.0, "amplitude": 0.03}  # an oscillation that grains withstand
PUSHED = ("servo", "rotation")  # motions that nothing follows here
FIELDS = ("image", "orientation", "velocity", "angular_velocity", "force", "torque", "stress", "coordination")
OF_CONTACTS = ("point", "normal", "overlap", "force", "couple")


def drawn_case(k: int, dice: random.Random) -> Table:
    """Draw a case, which may be invalid.

    Args:
        k: number of the case, by which combinations of shapes, law and integrator take turns.
        dice: source of all other choices.

    Returns:
        The tables of its file.
    """
    case = scene(k, dice)
    if dice.random() < OPENED:
        case = opened(case, dice)
    if not any(case["domain"]["periodic"]) and "pour" not in case and dice.random() < 0.2:
        case["attraction"] = {"strength": 20.0, "center": [2.5] * case["dimension"], "softening": 0.5}
        del case["gravity"]
        case["insert"] = [entry | {"lowered": False} for entry in case["insert"]]
    case["stage"] = _stages(case, dice)
    case["pour"] = [entry | {"start": dice.choice(case["stage"])["name"]} for entry in case.get("pour", ())]
    if dice.random() < 0.2:
        case["grain"] = [_grain(case, dice)]
    case["wall"] = [_changed(wall, case, dice) for wall in case["wall"]]
    case["species"] = [_of_material(species, case["dimension"], dice) for species in case["species"]]
    case["contact"] = _with_pair(case, dice)
    case["output"] = _output(case, dice)
    case["parallel"] = {"grid": dice.choice(("auto", [0, 1, 1], [1, 0, 1])), "rebalance": dice.random() < 0.8}
    case["detection"] = _detection(case, dice)
    return case


def continued(case: Table, result: str, dice: random.Random) -> Table:
    """Draw a case that starts from the end of another one.

    Args:
        case: the other one.
        result: name of its file.
        dice: source of all choices.

    Returns:
        The tables of its file. Some walls may be gone, grains left out, and others put in.
    """
    kept = {name: table for name, table in case.items() if name not in ("insert", "pour", "grain")}
    walls = [{name: value for name, value in wall.items() if name not in ("then", "stages")} for wall in case["wall"]]
    kept["wall"] = walls[:-1] if len(walls) > 1 and dice.random() < 0.3 else walls
    kept["output"] = {name: value for name, value in case["output"].items() if not name.endswith("_taps")}
    kept["stage"] = [{"name": "more", "kind": "run", "steps": dice.randint(*STEPS)}]
    kept["start"] = {"from": result, "walls": dice.choice(("continue", "case"))}
    if len(case["species"]) > 1 and dice.random() < 0.5:
        kept["start"]["without"] = [case["species"][0]["name"]]
    if dice.random() < 0.3:
        lower, upper = case["domain"]["lower"], case["domain"]["upper"]
        kept["start"]["without_region"] = {"kind": "box", "lower": lower, "upper": [0.5 * sum(ends) for ends in zip(lower, upper, strict=True)]}
    if dice.random() < 0.3:
        kept["insert"] = [case["insert"][0] | {"count": 3, "lowered": False}]
    return kept


def _stages(case: Table, dice: random.Random) -> list[Table]:
    """Stages of all kinds; what can be driven is a wall with no motion of its own."""
    still, step = [wall for wall in case["wall"] if _kind(wall) == "fixed"], case["time"]["step"]
    holes = _holes(case)
    stages: list[Table] = []
    for k in range(dice.randint(*STAGES)):
        kind, name = dice.choice(("run", "settle", "vibrate")), f"stage_{k}"
        if kind == "vibrate" and still:
            wall = dice.choice(still)
            driven = DRIVEN | {"wall": wall["name"], "taps": dice.randint(1, 2), "direction": _direction(wall, case)}
            stages.append({"name": name, "kind": kind} | driven)
        elif kind == "settle":
            bound = {"energy_per_grain": dice.choice((1e-3, 0.1, 5.0)), "max_time": 0.2, "check_every": dice.choice((10, 50))}
            bound |= {"energy_of": "translation"} if dice.random() < 0.3 else {}
            bound |= {"until_clear": holes[0]} if holes and dice.random() < 0.5 else {}
            stages.append({"name": name, "kind": kind} | bound)
        else:
            steps = dice.randint(*STEPS)
            long: Table = {"steps": steps} if dice.random() < 0.5 else {"time": steps * step}
            long |= {"outflow_share": 0.3} if "outflow" in case["domain"] and dice.random() < 0.5 else {}
            stages.append({"name": name, "kind": "run"} | long)
    return stages


def _grain(case: Table, dice: random.Random) -> Table:
    """A grain that is given by itself, somewhere in the middle."""
    lower, upper = case["domain"]["lower"], case["domain"]["upper"]
    place = [low + dice.uniform(0.4, 0.6) * (high - low) for low, high in zip(lower, upper, strict=True)]
    spin = [dice.gauss(0.0, 2.0) for _ in range(3)] if case["dimension"] == 3 else dice.gauss(0.0, 2.0)
    velocity = [dice.gauss(0.0, 1.0) for _ in place]
    return {"species": dice.choice(case["species"])["name"], "position": place, "velocity": velocity, "angular_velocity": spin, "scale": 0.8}


def _holes(case: Table) -> list[str]:
    return [wall["name"] for wall in case["wall"] if "hole" in wall]


def _kind(wall: Table) -> str:
    return str(wall.get("motion", {"kind": "fixed"})["kind"])


def _direction(wall: Table, case: Table) -> list[float]:
    """In which a wall moves: along its normal, or upwards."""
    return list(wall.get("normal", [0.0] * (case["dimension"] - 1) + [1.0]))


def _changed(wall: Table, case: Table, dice: random.Random) -> Table:
    """A wall with a motion that follows from a later stage on, or a body that is there in some stages only."""
    names = [stage["name"] for stage in case["stage"]]
    driven = any(stage.get("wall") == wall["name"] for stage in case["stage"])
    if len(names) > 1 and not driven and _kind(wall) not in PUSHED and dice.random() < 0.4:
        start, direction = dice.choice(names[1:]), _direction(wall, case)
        motions: list[Table] = [
            {"kind": "fixed"}, {"kind": "velocity", "velocity": [0.1 * part for part in direction]},
            {"kind": "sinusoidal", "direction": direction} | DRIVEN,
        ]  # fmt: skip
        wall = wall | {"then": [dice.choice(motions) | {"start": start}]}
    if len(names) > 1 and wall["kind"] == "body" and dice.random() < 0.5:
        wall = wall | {"stages": dice.sample(names, dice.randint(1, len(names)))}
    return wall


def _of_material(species: Table, dimension: int, dice: random.Random) -> Table:
    """A species of a material that others may share, or with moments of inertia unlike those of its shape."""
    more: Table = {"material": "stuff"} if dice.random() < 0.4 else {}
    if dimension == 3 and species["shape"] != "sphere" and dice.random() < 0.3:
        more["inertia"] = [1.5, 1.5, 1.2]
    return species | more


def _with_pair(case: Table, dice: random.Random) -> Table:
    """The table of contacts, maybe with a pair of materials that has a friction of its own."""
    contact = dict(case["contact"])
    if contact["law"] in ("viscoelastic", "walton") and dice.random() < 0.5:
        materials = [table.get("material", table["name"]) for table in (*case["species"], *case["wall"])]
        contact["pair"] = [{"between": [dice.choice(materials), dice.choice(materials)], "friction": dice.choice((0.0, 0.9))}]
    if contact["law"] == "viscoelastic" and dice.random() < 0.3:
        contact["clamped"] = False
    return contact


def _output(case: Table, dice: random.Random) -> Table:
    """Output of any form."""
    measured = case["output"]["observables"] | {"fabric": dice.random() < 0.5}
    if dice.random() < 0.3:
        measured["layers"] = {"thickness": 1.0}
    if case["wall"] and dice.random() < 0.3:
        measured["near_wall"] = {"wall": dice.choice(case["wall"])["name"], "distance": 1.0}
    holes = _holes(case)
    if holes and dice.random() < 0.5:
        measured["above_hole"] = holes[0]
    taps = any(stage["kind"] == "vibrate" for stage in case["stage"])
    intervals = {}
    for what, steps in INTERVALS.items():
        unit, number = dice.choice(("steps", "interval", *["taps"] * (taps and what != "checkpoint"))), dice.choice(steps)
        if unit == "taps":
            intervals[f"{what}_taps"] = 0.01 * number
        else:
            intervals[f"{what}_{unit}"] = number if unit == "steps" else number * case["time"]["step"]
    return intervals | {
        "precision": dice.choice(("single", "double")), "compression": dice.choice(("none", "gzip")), "one_file": dice.random() < 0.7,
        "contacts": dice.choice((False, True, dice.sample(OF_CONTACTS, dice.randint(1, len(OF_CONTACTS))))),
        "fields": ["position", *dice.sample(FIELDS, dice.randint(0, len(FIELDS)))], "observables": measured,
    }  # fmt: skip


def _detection(case: Table, dice: random.Random) -> Table:
    if not by_triangulation(case) or dice.random() < 0.6:
        return {"method": "cells"}
    return {"method": "triangulation", "every_step": is_convex(case) and dice.random() < 0.3}
