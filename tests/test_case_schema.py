"""The schema of case files holds for the cases that pardem takes, and not for cases with errors that editors should mark."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from pardem import cli
from pardem.case.schema import keys, schema

ROOT = Path(__file__).resolve().parent.parent
FILES = [path for path in sorted(ROOT.glob("jobs/**/*.toml")) if not path.name.endswith("base.toml") and "[[measure]]" not in path.read_text()]
BLOCKS = re.findall(r"```toml\n(.*?)```", (ROOT / "docs" / "guide.md").read_text(), re.DOTALL)


@pytest.fixture(scope="module")
def checked() -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    made = schema()
    jsonschema.Draft202012Validator.check_schema(made)
    return jsonschema.Draft202012Validator(made)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_cases_in_jobs_fit(path: Path, checked: Any) -> None:
    assert not [error.message for error in checked.iter_errors(tomllib.loads(path.read_text()))]


def test_cases_in_the_guide_fit(checked: Any) -> None:
    whole = [data for data in map(tomllib.loads, BLOCKS) if "stage" in data or "base" in data]
    assert len(whole) >= 5
    for data in whole:
        assert not [error.message for error in checked.iter_errors(data)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('law = "viscoelastic"', 'law = "viscous"'),
        ("friction = 0.2", 'friction = "0.2"'),
        ("friction = 0.2", "frction = 0.2"),
        ("count = 1000", "count = 0"),
        ('kind = "disc"', 'kind = "disk"'),
        ("radius = 0.2615e-3", "diameter = 0.2615e-3"),
        ("[time]\nstep = 2e-5", "[time]"),
    ],
)
def test_errors_are_marked(old: str, new: str, checked: Any) -> None:
    text = (ROOT / "jobs" / "campaigns" / "crystallisation" / "base.toml").read_text()
    assert checked.is_valid(tomllib.loads(text))
    assert old in text
    assert not checked.is_valid(tomllib.loads(text.replace(old, new)))


def test_a_file_with_a_base_holds_only_what_differs_but_no_unknown_key(checked: Any) -> None:
    assert checked.is_valid({"base": "x.toml", "contact": {"friction": 0.1}, "stage": [{"name": "shake", "taps": 3}]})
    assert not checked.is_valid({"base": "x.toml", "contact": {"frction": 0.1}})
    assert not checked.is_valid({"contact": {"friction": 0.1}})


def test_the_command_prints_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == schema()
    assert cli.main(["schema", "-o", str(tmp_path / "pardem.json")]) == 0
    assert json.loads((tmp_path / "pardem.json").read_text()) == schema()


def test_keys_for_set() -> None:
    found = keys()
    assert {"contact.friction", "time.step", "output.observables.layers.thickness", "seed"} <= set(found)
    assert "contact" not in found
