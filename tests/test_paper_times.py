"""Times of the studies of papers 000 to 003 (jobs/campaigns/papers): lists of different ranges, polygons of different numbers of sides."""

from __future__ import annotations

from pathlib import Path

import judging
import list_range_report
import papers
import pytest
import sides_report
from short_studies import invented_rows as rows
from table_rows import read_rows

from pardem.io.casefile import read_case

PAPERS = Path(papers.__file__).parent


def times(grains: str, speed: float, a: float) -> list[dict[str, str]]:
    """Invented times that follow the law, with beta = 1."""
    found = []
    for alpha in (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9):
        lists, forces = a / alpha, 2.0 * alpha**2
        one = {"grains": grains, "speed": speed, "alpha": alpha, "seconds": lists + forces, "lists": lists, "forces": forces}
        found += rows(1, **one)
    return found


def test_the_law_of_the_ranges_is_found_again(tmp_path: Path) -> None:
    found = times("disks", 0.4, 0.01) + times("pentagons", 0.1, 0.001) + times("pentagons", 1.0, 0.02)
    fit = list_range_report.fitted(list_range_report.timings(found)["pentagons", 1.0])
    assert fit == pytest.approx((0.02, 1.0, 2.0, 0.0, (0.02 / 4.0) ** (1.0 / 3.0)), rel=1e-4, abs=1e-6)
    claims = list_range_report.claims(list_range_report.timings(found))
    assert [claim.verdict for claim in claims] == ["found"] * 5
    assert [claim.verdict for claim in list_range_report.claims({})] == ["not run yet"] * 5
    list_range_report.draw(list_range_report.timings(found), tmp_path / "list_range.png")
    assert "| pentagons, 1 m/s | 0.02 | 1.00 | 2 |" in list_range_report.text(found, 3, [])


def test_a_power_of_the_number_of_sides_is_found_again(tmp_path: Path) -> None:
    """Invented times: quadratic without lists, 0.3 with them; one turn that was disturbed."""
    found = []
    for alpha, power in ((0.9, 2.0), (0.05, 0.3)):
        for n in range(3, 8):
            for turn, longer in ((1, 1.0), (2, 1.0), (3, 9.0)):
                spent = longer * 1e-7 * n**power
                found += rows(1, turn=turn, sides=n, alpha=alpha, seconds=spent, forces=0.5 * spent, lists=0.1 * spent)
    times = sides_report.times(found)
    assert [sides_report.exponent(by) for by in times.values()] == pytest.approx([2.0, 0.3])
    assert [claim.verdict for claim in sides_report.claims(times, 0.9, 0.05)] == ["found"] * 3
    assert [claim.verdict for claim in sides_report.claims({}, 0.9, 0.05)] == ["not run yet"] * 3
    sides_report.draw(times, tmp_path / "sides.png")
    text = sides_report.text(found, 2, (0.9, 0.05), [])
    assert "| 3 | 900; 450, 90 | 139; 70, 14 | 6.47 |" in text
    assert "Not run yet: 2 runs." in text


def test_polygons_of_the_shear_cell_have_one_area(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = judging.measures(PAPERS / "shear" / "sides.py")
    areas = []
    for n in script.SIDES:
        case = read_case(PAPERS / "shear" / "pentagons.toml", [script.polygon(n)])
        areas.append(next(s for s in case.species if s.name == "grain").make_shape().mass_properties(1.0).volume)
    assert areas == pytest.approx([areas[2]] * len(areas), rel=1e-12)
    assert script.circumradius(5) == pytest.approx(script.CIRCUMRADIUS)
    monkeypatch.setattr(script, "seconds", lambda *given: (1.0, 0.5, 0.25))
    for _ in range(2):
        script.fill(tmp_path / "sides.csv", [(1, 3, 0.9)])
        assert [row["seconds"] for row in read_rows(tmp_path / "sides.csv")] == ["9.80392e-07"]
    assert len(script.wanted()) == 30


def test_the_time_of_a_range_is_appended_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = judging.measures(PAPERS / "shear" / "list_range.py")
    monkeypatch.setattr(script, "seconds", lambda *given: (1.0, 0.5, 0.25))
    for _ in range(2):
        script.fill(tmp_path / "list_range.csv", [("disks", 0.4, 0.1), ("pentagons", 0.1, 0.2)])
        assert len(read_rows(tmp_path / "list_range.csv")) == 2
    assert len(script.wanted()) == 60
