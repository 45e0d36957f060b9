"""Studies of jobs/campaigns made short for tests."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import tomli_w

from pardem import cli


def shortened(path: Path, settings: dict[str, Any], axes: list[dict[str, Any]]) -> None:
    """Make a study short.

    Args:
        path: of the study; changed.
        settings: what all runs have, by dotted keys.
        axes: in place of those with the same first key; others stay as they are.
    """
    study = tomllib.loads(path.read_text())
    study["set"] = study.get("set", {}) | settings
    new = {axis.get("key") or axis["keys"][0]: axis for axis in axes}
    study["axis"] = [new.get(axis.get("key") or axis["keys"][0], axis) for axis in study["axis"]]
    path.write_text(tomli_w.dumps(study))


def invented_rows(count: int, **columns: object) -> list[dict[str, str]]:
    """Invented rows of runs that are all the same."""
    return [{name: str(value) for name, value in columns.items()} | {"status": "finished"}] * count


def in_this_process(path: Path, ranks: int) -> None:
    """What ``study_runs.campaign`` does, without the start of a process."""
    assert ranks == 1
    assert cli.main(["campaign", "run", str(path)]) == 0
