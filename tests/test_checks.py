"""The tables of quick checks (jobs/checks.py), which tests hold within bounds."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from page import PAGE

FILE = Path(__file__).resolve().parent.parent / "jobs" / "checks.py"
SPEC = importlib.util.spec_from_file_location("checks_of_tests", FILE)
assert SPEC is not None
assert SPEC.loader is not None
checks = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(checks)


def row(part: str, what: str, least: float, most: float) -> dict[str, str]:
    return {"day": "", "version": "", "part": part, "what": what, "least": str(least), "most": str(most)}


def test_the_newest_rows_make_the_tables() -> None:
    rows = [row(checks.CLAMPED, "0.1", 0.9, 0.9), row(checks.CLAMPED, "0.1", 0.2531, 0.2549), row(checks.OVERLAPS, "sphere", 1.0001, 1.02)]
    rows += [row(checks.OVERLAPS, "case an_3", 0.8, 9), row(checks.OVERLAPS, "case an_8", 0.94, 12), row(checks.VORONOI, "void ratio", 0, 3e-10)]
    made = checks.texts(rows)
    assert "| closed form | 0.253 |\n| collision, t_c/400 | 0.255 |\n" in made[checks.CLAMPED]
    assert "| sphere | 1.0001 to 1.0200 |\n" in made[checks.OVERLAPS]
    assert "Of the 12 cases of `jobs/`" in made[checks.OVERLAPS]
    assert "closest to a warning is `an_8` with an estimate of 0.94 sphero-radii" in made[checks.OVERLAPS]
    assert "| void ratio | 0.0e+00 | 3.0e-10 |\n" in made[checks.VORONOI]


@pytest.mark.parametrize("part", [checks.CLAMPED, checks.OVERLAPS, checks.VORONOI])
def test_the_page_has_a_place_for_each_table(part: str) -> None:
    assert f"<!-- {part} -->\n" in PAGE.read_text()
    assert f"<!-- end of {part} -->" in PAGE.read_text()


def test_a_clamped_force_has_the_restitution_of_its_damper() -> None:
    """Its closed form, at the nominal restitutions of the errata of the thesis."""
    found = {what: closed for part, what, closed, seen in checks.restitutions() if abs(seen - closed) < 5e-3}
    assert found == {what: pytest.approx(e, abs=6e-4) for what, e in zip(found, (0.253, 0.325, 0.472, 0.632, 0.808, 0.902), strict=True)}
