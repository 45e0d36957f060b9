"""The pictures of the guide and the validation: what draws them names cases, settings and options that exist."""

from __future__ import annotations

from pathlib import Path

import make_figures
import pytest

import pardem
from pardem.cli import command_line

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("name", make_figures.FIGURES)
def test_a_picture_is_drawn_from_a_valid_case_and_a_page_shows_it(name: str) -> None:
    for panel in make_figures.FIGURES[name]:
        pardem.read_case(ROOT / panel.case, list(panel.settings))
        command_line().parse_args(["render", "out.h5", *panel.options])
    assert any(f"](figures/{name}.png)" in page.read_text() for page in (ROOT / "docs").glob("*.md"))
    assert (make_figures.TARGET / f"{name}.png").stat().st_size <= make_figures.MOST_BYTES
