"""Random scenes that grains leave through open faces of the domain, and into which others are poured."""

from __future__ import annotations

import random
from typing import Any

Table = dict[str, Any]

GAPS = (0.0, 0.2)  # m between where a wall was and the open face in its place
REACHING = ("lennard_jones",)  # laws that act beyond contact: a grain that arrives has felt no force yet
DENSE = 0.7  # share of the scenes that begin as dense beds, which grains leave in touch with others
BASE = -0.6  # m: the floor below a tube lies deep, and a grain would not get there in time
FACES = {"floor": ("lower", 2), "lid": ("upper", 2)} | {f"{side}_{axis}": (side, axis) for side in ("lower", "upper") for axis in range(3)}
"""Side and axis of the face that each wall stands before; others are no planes, or the only ones that hold the grains."""


def opened(case: Table, dice: random.Random) -> Table:
    """Take walls away from a scene, open the faces behind them, lower its grains, and let some of them arrive during the run.

    Args:
        case: the scene; unchanged.
        dice: source of all choices.

    Returns:
        The scene, which also may begin as a dense bed.
    """
    domain = {side: list(case["domain"][side]) for side in ("lower", "upper")} | {"periodic": case["domain"]["periodic"]}
    before = [wall for wall in case["wall"] if wall["name"] in FACES]
    gone = dice.sample(before, dice.randint(1, min(3, len(before)))) if before else []
    for wall in gone:
        side, axis = FACES[wall["name"]]
        stood = BASE if wall["name"] == "floor" else wall["point"][axis]
        domain[side][axis] = stood + dice.uniform(*GAPS) * (1.0 if side == "upper" else -1.0)
    case = case | {"domain": domain, "wall": [wall for wall in case["wall"] if wall not in gone]}
    if gone:
        domain["outflow"] = [f"{side}-{'xyz'[axis]}" for side, axis in (FACES[wall["name"]] for wall in gone)]
    lowered = dice.random() < DENSE and not domain["periodic"][-1]
    if lowered:
        case["gravity"] = [0.0] * (case["dimension"] - 1) + case["gravity"][-1:]
    insert, pour = [], []
    for entry in case["insert"]:
        later = dice.randint(0, entry["count"] - 1) if case["contact"]["law"] not in REACHING else 0
        insert.append(entry | {"count": entry["count"] - later, "lowered": lowered})
        if later:
            velocity = [dice.gauss(0.0, 1.0) for _ in range(case["dimension"])]
            pour.append(entry | {"count": later, "rate": dice.uniform(30.0, 600.0), "velocity": velocity})
    return case | {"insert": insert} | ({"pour": pour} if pour else {})
