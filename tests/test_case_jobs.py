"""The case files in ``jobs/`` and the generated reference are up to date."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from pardem.case import Case
from pardem.case.reference import EXAMPLE, reference
from pardem.io.casefile import read_case
from pardem.setup.warmup import shrunken

ROOT = Path(__file__).resolve().parent.parent
# what cases share need not be whole by itself
CASES = sorted(path for path in ROOT.glob("jobs/**/*.toml") if not path.name.endswith("base.toml") and "[[measure]]" not in path.read_text())

# TARGETS.md, thesis table 6.1: restitution, Gamma, elongation, grains
TABLE = {
    "an_3": (0.1, 2.0, 4.0, 1000),
    "an_4": (0.2, 2.0, 4.0, 1000),
    "an_5": (0.4, 1.5, 4.0, 1000),
    "an_6": (0.4, 2.0, 4.0, 1000),
    "an_7": (0.4, 2.5, 4.0, 1000),
    "an_8": (0.8, 2.0, 4.0, 1000),
    "an_9": (0.4, 2.0, 2.83, 1414),
}


def test_reference_is_up_to_date() -> None:
    text = (ROOT / "docs" / "case-file.md").read_text()
    assert text == reference(), "run: python -m pardem.case.reference > docs/case-file.md"


def test_reference_names_every_key() -> None:
    text = reference()
    for name in ("energy_per_grain", "unloading_stiffness", "circumradius", "near_wall", "checkpoint_minutes", "grains_file"):
        assert f"`{name}`" in text or f"{name}]" in text


def test_example_of_the_reference_is_valid() -> None:
    Case(**tomllib.loads(EXAMPLE.split("```toml\n")[1].split("```")[0]))


@pytest.mark.parametrize("name", sorted(TABLE))
def test_campaign(name: str) -> None:
    case = read_case(ROOT / "jobs" / "campaigns" / "crystallisation" / f"{name}.toml")
    restitution, gamma, elongation, count = TABLE[name]
    rod, contact, vibrate = case.species[0], case.contact, case.stage[1]
    assert (contact.restitution, vibrate.gamma, case.insert[0].count) == (restitution, gamma, count)
    assert rod.length / (2.0 * rod.radius) == pytest.approx(elongation, rel=1e-12)
    assert (2.0 * rod.radius, rod.density) == (0.523e-3, 1910.0)
    assert (case.time.step, contact.contact_time, contact.friction, contact.clamped) == (2e-5, 6e-4, 0.2, False)
    assert (vibrate.frequency, vibrate.taps, vibrate.wall) == (30.0, 4134, "base")
    for wall in ("tube", "base"):
        found = case.contact_between("rod", wall)
        assert (found.friction, found.tangential_restitution) == (0.2, restitution)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_cases_in_jobs_are_valid(path: Path) -> None:
    case = read_case(path)
    assert shrunken(case).max_steps() < 10


def test_smoke_checkpoints_before_half_of_it() -> None:
    case = read_case(ROOT / "jobs" / "smoke.toml")
    cadence = case.cadence("checkpoint")
    assert cadence is not None
    assert cadence.every * 4 < case.max_steps()
    assert (case.insert[0].count, case.stage[1].taps) == (200, 2)
