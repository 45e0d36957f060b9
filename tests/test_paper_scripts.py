"""Scripts of papers 000 to 003 that collide two grains: cows under two rules, grains of convex pieces."""

from __future__ import annotations

from pathlib import Path

import collisions_report
import judging
import papers
import pieces_report
import pytest
from short_studies import invented_rows as rows
from table_rows import read_rows

PAPERS = Path(papers.__file__).parent


def test_cows_collide_under_both_rules(tmp_path: Path) -> None:
    """The budget closes with friction, and without it the residual is the change of the energy."""
    script, table = judging.measures(PAPERS / "cow" / "collisions.py"), tmp_path / "collisions.csv"
    script.fill(table, [(rule, mu, 8e-4, 0) for rule in script.RULES for mu in script.FRICTION])
    found = read_rows(table)
    assert len(found) == 4
    for row in found:
        assert float(row["elastic"]) == 0.0
        assert 0.0 < abs(float(row["residual"])) < 5e-3
        lost = float(row["residual"]) - float(row["change"])
        assert lost > 1e-3 if float(row["friction"]) else lost == pytest.approx(0.0, abs=1e-9)


def test_a_loss_is_told_from_an_error_that_falls() -> None:
    errors = {1: (1e-3, 4e-6), 2: (2e-3, 8e-6), 3: (3e-2, 5e-2)}
    found = [
        row for k, pair in errors.items() for step, size in zip((8e-4, 5e-5), pair, strict=True)
        for row in rows(1, rule="minima", friction=0.0, step=step, collision=k, change=size, residual=-size, elastic=0.0, seconds=0.2)
    ]  # fmt: skip
    text = collisions_report.text(found, 2)
    assert "| `minima` | 0 | 0.0008 | 2, 1 | 1.0e-03 to 2.0e-03 | 3.0e-02 | 0.2 |" in text
    assert "| `minima` | 0 | 5e-05 | 2, 1 | 4.0e-06 to 8.0e-06 | 5.0e-02 | 0.2 |" in text
    assert text.endswith("Not run yet: 2 runs.\n")


def test_pieces_collide_and_meet_at_a_seam(tmp_path: Path) -> None:
    script, table = judging.measures(PAPERS / "pieces" / "pieces.py"), tmp_path / "pieces.csv"
    script.fill(table, [("side by side", 2e-4, 0.0), ("seam", 0.5, 0.01), ("seam", 1.1, 0.05)])
    error, near, beyond = (float(row["value"]) for row in read_rows(table))
    assert 1e-6 < error < 3e-3
    assert near == pytest.approx(1.75, abs=0.05)
    assert beyond == pytest.approx(1.0, rel=1e-9)
    text = pieces_report.text(read_rows(table), (0.5, 1.1), 21)
    assert f"| side by side | {error:.1e} |" in text
    assert f"| 0.01 | {near:.3f} |  |" in text
