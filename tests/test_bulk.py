"""Short forms of the benchmarks of the community (jobs/campaigns/bulk): single impacts against theory, and the chain of the penetration test."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import chung_ooi_impacts
import discharge
import numpy as np
import page
import penetration
import penetration_report
import penetration_tables
import pytest
from impacts import Impacts
from penetration_report import heights
from short_studies import in_this_process

import pardem

STEPS = 200  # in the duration of an elastic impact


@pytest.mark.parametrize(("name", "material", "make"), chung_ooi_impacts.NORMAL, ids=lambda value: value if isinstance(value, str) else "")
def test_elastic_impacts_follow_hertz(name: str, material: str, make: Callable[[], Impacts]) -> None:
    """The force is exact at every overlap; its largest value lies within half a step of a maximum whose curvature is below that of a sine."""
    found = chung_ooi_impacts.normal(name, material, make(), STEPS)
    assert len(found.path) > 0.9 * STEPS
    assert found.curve_error < 1e-9
    assert abs(found.peak_error) < 2.0 * (math.pi / STEPS) ** 2
    assert abs(found.duration_error) < 2.0 / STEPS


def test_restitutions_come_out() -> None:
    """Damping sees velocities that lag by half a step: the error is of first order."""
    for material in (chung_ooi_impacts.OXIDE, chung_ooi_impacts.IRON):
        assert np.abs(chung_ooi_impacts.restitutions(material, STEPS) - chung_ooi_impacts.RESTITUTIONS).max() < 2.0 / STEPS


def some(impacts: Impacts) -> Impacts:
    """Five of the impacts, the last one with the largest slip."""
    rows = np.linspace(0, len(impacts.normal) - 1, 5).round().astype(int)
    return replace(impacts, normal=impacts.normal[rows], along=impacts.along[rows], spin=impacts.spin[rows])


FIRST = {test: material for test, material, _ in reversed(chung_ooi_impacts.SLIPPING)}  # with other materials they are slow
SLIPPING = [
    pytest.param(test, material, make, id=f"{test}-{material}", marks=[pytest.mark.slow] * (FIRST[test] != material))
    for test, material, make in chung_ooi_impacts.SLIPPING
]


@pytest.mark.parametrize(("test", "material", "make"), SLIPPING)
def test_slip_after_oblique_and_spinning_impacts(test: str, material: str, make: Callable[[], Impacts]) -> None:
    """Contacts begin and end within a step, and the arm of friction is shorter by up to the overlap."""
    impacts = some(make())
    found = chung_ooi_impacts.slipping(test, material, impacts, STEPS)
    assert found.restitution_error < 2.0 / STEPS
    assert found.error < 2.0 / STEPS + found.depth
    if test.startswith("7 "):
        assert not impacts.slip.any()
        assert np.abs(found.found.spin / impacts.spin - 1.0).max() < 1e-9
        assert np.abs(found.found.along).max() < 1e-9 * 0.2
    else:
        # a damper makes the normal force rise faster than the tangential spring: surfaces stick at first, which costs 2 % of the friction
        assert found.slides.any()
        assert found.sliding_error < 2.0 / STEPS + found.depth + (0.0 if impacts.restitution > 0.9 else 0.02)


SHORT: dict[str, dict[str, object]] = {
    "pour": {"insert.beads.region.upper.2": -0.08, "stage.go.max_time": 2e-3},
    "rest": {"stage.go.max_time": 5e-4},
    "impact": {"grain.ball.position.2": -0.065, "stage.go.max_time": 1e-2},
}


def test_the_ball_falls_through_some_beads_onto_the_floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The three campaigns of two small beds; a second call does nothing again. The ball reaches the floor and loses most of its energy there."""
    monkeypatch.setattr(penetration_tables, "TABLES", tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(penetration, "campaign", in_this_process)
        penetration.run(tmp_path, 60, 2, 1, SHORT)
        tables = {step: (tmp_path / f"{step}.csv").read_bytes() for step in penetration.CASES}
        penetration.run(tmp_path, 60, 2, 1, SHORT)
    penetration.campaign(tmp_path / "impact.toml", 1)  # with nothing left to do, in a process of its own
    assert tables == {step: (tmp_path / f"{step}.csv").read_bytes() for step in penetration.CASES}
    assert all(sorted(penetration.results(tmp_path, step)) == [1, 2] for step in penetration.CASES)
    done = penetration.results(tmp_path, "impact")
    rows = penetration_report.rows_of(tmp_path / "impact.csv")
    for seed, path in done.items():
        with pardem.open(path) as result:
            _, z = heights(result)
            ball = result[-1].position[result[-1].species == "ball"]
        assert z[0] == pytest.approx(-0.065, abs=1e-12)
        assert penetration.FLOOR + 0.0099 < z.min() < penetration.FLOOR + 0.0115
        assert float(rows[seed]["deepest"]) == z.min()
        assert 0.0 < float(rows[seed]["rebound"]) < 0.5 * 5.0
        assert ball[0, 2] == pytest.approx(float(rows[seed]["last"]), abs=1e-12)
    collected_one_by_one(done, tmp_path, monkeypatch)


def collected_one_by_one(done: dict[int, Path], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables, figure and text of two beds whose results are not at hand together, as when two machines struck one each."""
    monkeypatch.setattr(penetration_report, "FIGURES", folder)
    monkeypatch.setattr(page, "PAGE", folder / "page.md")
    page.PAGE.write_text("above\n<!-- penetration test -->\nold\n<!-- end of penetration test -->\nbelow\n")
    penetration_report.collect({2: done[2]}, folder, 60)
    assert "one bed (seed 2)" in page.PAGE.read_text()
    penetration_report.collect({1: done[1]}, folder, 60)
    by_parts = [penetration_tables.path_of(what, 60).read_bytes() for what in ("beds", "heights")]
    assert "2 beds (seeds 1, 2) of 60 beads" in page.PAGE.read_text()
    assert page.PAGE.read_text().startswith("above\n")
    assert page.PAGE.read_text().endswith("below\n")
    assert (folder / "penetration.png").stat().st_size < page.MOST_BYTES
    penetration_report.collect(done, folder, 60)
    assert by_parts == [penetration_tables.path_of(what, 60).read_bytes() for what in ("beds", "heights")]
    times, z = penetration_tables.heights_of(60)
    with pardem.open(done[1]) as result:
        every, heights_of_result = heights(result)
        assert np.allclose(times, every[:: penetration_tables.EVERY], atol=1e-4 * times[1])
        assert np.allclose(z[1], heights_of_result[:: penetration_tables.EVERY], atol=1e-6)
    (folder / "new").mkdir()
    with monkeypatch.context() as patch:  # a machine that has the tables alone does the third bed only
        asked: list[str] = []
        patch.setattr(penetration, "campaign", lambda path, ranks: asked.append(path.read_text()))
        penetration.run(folder / "new", 60, 3, 1, SHORT)
    assert "values = [3]" in asked[0]


def test_the_law_of_beverloo_is_recovered() -> None:
    """From rates that follow it exactly, and as what the page says of them."""
    holes = np.array([9e-3, 12e-3, 18e-3])
    rates = 0.6 * 1500.0 * np.sqrt(discharge.GRAVITY) * (holes - 1.5 * discharge.BEAD) ** 2.5
    law = discharge.fitted(holes, rates)
    assert (law.flow, law.empty) == pytest.approx((900.0, 1.5))
    assert law.rates == pytest.approx(1.0)
    rows = [
        {"hole_radius": str(hole / 2.0), "rate": str(share * rate), "fraction": "0.6", "duration": "2.0", "residual": "1e-3"}
        for hole, rate in zip(holes, rates, strict=True) for share in (0.99, 1.01)
    ]  # fmt: skip
    said = discharge.text(rows)
    assert "2 fillings" in said
    assert "k = 1.50 and C rho_b = 900 kg/m^3" in said
    assert "hence C = 0.60" in said
