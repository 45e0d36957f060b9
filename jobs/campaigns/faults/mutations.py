"""Faults put into tables and texts of case files, by a seeded generator."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from seeds import SHAPES, Table


class Literal(str):
    """TOML text that stands for itself."""


def _deep(opening: str, closing: str, depth: int) -> Literal:
    return Literal(opening * depth + closing * depth)


NUMBERS: tuple[Any, ...] = (
    0, 0.0, -0.0, 1, -1, 0.5, -0.5, 2, 3, 7, 100, 1e-3, 1e3, float("nan"), float("inf"), float("-inf"), 1e-320, 1e-300, -1e-300, 1e-200, 1e-160,
    1e-100, 1e-60, 1e-59, 1e-40, 1e-30, 1e-20, 1e-12, 1e-8, 1e6, 1e8, 1e12, 1e20, 1e30, 1e40, 1e59, 1e60, 1e100, 1e160, 1e200, 1.7e308, -1e200, 2**31,
    2**31 - 1, 2**53, 2**62, 2**63, 2**63 - 1, -(2**63), 2**64, 10**13, 10**9, Literal("1" + "0" * 399), Literal("9" * 5000),
    Literal("0x" + "f" * 5000),
)  # fmt: skip
OTHERS: tuple[Any, ...] = (
    True, False, "", " ", "a", "grain", "base", "tube", "rock", "rest", "auto", "x", "z", "é", "²", "名前", "‮", "\u0000", "a\u0000b", "a" * 300,
    "a" * 100_000,
    "/", "..", "../none/x", "/proc/self/mem", "/dev/null", "none.py:f", "law.py:spring", "law.py:none", "law.py", "%s", "{0}", "{gt}", "nan",
    "\\", "'",
    [], {}, [[]], [{}], [1], [1.0, 2.0, 3.0], [0.0, 0.0, 0.0], [1e200, 1e200, 1e200], [1e-200, 0.0, 0.0], [1e-320, 0.0, 1e-320], [0, 1], [1, 2, 3, 4],
    ["grain"], ["grain", "base"], [["a", "b"]], {"kind": "fixed"}, {"kind": [1]}, {"shape": [1]}, {"a": 1}, {"name": "grain"}, {"kind": "box"},
    Literal("1979-05-27"), Literal("1979-05-27T07:32:00Z"), Literal("07:32:00"), _deep("[", "]", 50), _deep("[", "]", 400), _deep("[", "]", 100_000),
    _deep("{a=", "1}", 1).__class__("{a=" * 300 + "1" + "}" * 300), _deep("{a=", "}", 5000), Literal("{" + ".".join(["a"] * 3000) + "=1}"),
)  # fmt: skip


def mutated(case: Table, dice: random.Random) -> str:
    """Text of a case with one to three faults."""
    case = copy.deepcopy(case)
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        _change(case, dice)
    text = to_text(case)
    return _scratched(text, dice) if dice.random() < 0.08 else text


def setting(case: Table, dice: random.Random) -> str:
    """A ``--set`` of a key of the case, often a wrong one."""
    path = dice.choice(_places(case))
    parts = [str(part) for part in path]
    if dice.random() < 0.2:
        parts.insert(dice.randrange(len(parts) + 1), dice.choice(("²", "٣", "-1", "99", "9" * 5000, "", "a", "name", "0", "\u0000")))
    if dice.random() < 0.03:
        parts = ["a"] * dice.choice((50, 5000, 100_000))
    return ".".join(parts) + dice.choice(("=", "=", "=", "=", "", "==")) + _value(_anything(case, dice))


def to_text(case: Table) -> str:
    """The case as TOML, a line for each of its first keys."""
    return "".join(f"{_key(key)} = {_value(value)}\n" for key, value in case.items())


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of all values in a table."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, entry in entries for place in ((*at, key), *_places(entry, (*at, key)))]


def _at(case: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        case = case[part]
    return case


def _change(case: Table, dice: random.Random) -> None:
    places = _places(case)
    if not places:
        return
    path = dice.choice(places)
    parent, last = _at(case, path[:-1]), path[-1]
    old = parent[last]
    kind = dice.random()
    if kind < 0.55:
        parent[last] = dice.choice(NUMBERS) if isinstance(old, int | float) and dice.random() < 0.75 else _anything(case, dice)
    elif kind < 0.65:
        del parent[last]
    elif kind < 0.72 and isinstance(parent, list):
        parent.insert(dice.randrange(len(parent) + 1), copy.deepcopy(old))
    elif kind < 0.78 and isinstance(old, int | float) and not isinstance(old, bool):
        parent[last] = old * dice.choice((-1.0, 1e-3, 1e3, 0.5, 2.0, 1e-9, 1e9, 1.0000001))
    elif kind < 0.84 and isinstance(old, list) and old:
        parent[last] = dice.choice((old[:-1], old + old, [old], old[0], old[::-1]))
    elif kind < 0.90 and isinstance(parent, dict):
        parent[dice.choice(("é", "a b", "", last + "s", last.upper(), dice.choice(list(SHAPES)), "name", "kind", "motion"))] = old
    elif kind < 0.96:
        parent[last] = copy.deepcopy(_at(case, dice.choice(places)))
    else:
        parent[last] = {
            "kind": dice.choice(("plane", "disc", "box", "cylinder", "body", "run", "settle", "vibrate", "servo", "rotation", "velocity"))
        }


def _anything(case: Table, dice: random.Random) -> Any:
    return dice.choice(NUMBERS) if dice.random() < 0.5 else dice.choice(OTHERS)


def _scratched(text: str, dice: random.Random) -> str:
    """The text with characters lost, changed or doubled."""
    where = dice.randrange(max(1, len(text)))
    end = min(len(text), where + dice.randrange(1, 40))
    change = dice.randrange(6)
    if change == 0:
        return text[:where]
    if change == 1:
        return text[:where] + text[end:]
    if change == 2:
        return text[:end] + text[where:]
    if change == 3:
        return text[:where] + dice.choice('"[]{}=,.\n\u0000é\ufeff') + text[where:]
    lines = text.splitlines(keepends=True)
    dice.shuffle(lines)
    return "".join(lines if change == 4 else [*lines, dice.choice(lines)])


def _key(key: str) -> str:
    return key if key and key.isascii() and key.replace("_", "").replace("-", "").isalnum() else json.dumps(key)


def _value(value: Any) -> str:
    if isinstance(value, Literal):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)} = {_value(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    return repr(value)
