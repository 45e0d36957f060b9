"""What the reports of studies share: claims with verdicts that follow from the runs, and what has not been run yet."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
from page import table
from scipy import stats

from pardem.campaign.run_rows import FAILED, Row, read_table, text_of
from pardem.campaign.statistics import mean
from pardem.campaign.study import read_study

CONFIDENCE = 0.95  # of intervals
FOUND, MISSED, OPEN = "found", "not found", "not run yet"


class Claim(NamedTuple):
    """A claim of a paper.

    Attributes:
        claim: what a paper or the thesis says.
        measured: what the runs say.
        verdict: of `verdict`.
    """

    claim: str
    measured: str
    verdict: str


def verdict(runs: Sequence[bool], changes: Mapping[str, Sequence[bool]] | None = None) -> str:
    """Judge a claim.

    Args:
        runs: for each run with the values of the paper, whether it shows what is claimed.
        changes: the same for runs in which something differs from the paper, by what differs.

    Returns:
        The verdict: a claim is found if every run shows it; if not, changes are named under which every run does.
    """
    if len(runs) and all(runs):
        return FOUND
    under = [name for name, found in (changes or {}).items() if len(found) and all(found)]
    if not len(runs):
        said = OPEN
    else:
        said = f"found in {sum(runs)} of {len(runs)} runs" if any(runs) else MISSED
    return f"{said}; found if {' or '.join(under)}" if under else said


def claims_table(claims: Sequence[Claim], source: str = "paper") -> str:
    """A table of claims.

    Args:
        claims: the claims.
        source: whose they are.
    """
    return table([f"claim of the {source}", "measured", "verdict"], [list(claim) for claim in claims]).strip()


def said(values: Sequence[float] | np.ndarray, form: str = ".3g") -> str:
    """Mean and standard deviation of single runs.

    Args:
        values: of the runs; those that are not finite do not count.
        form: format of a number.

    Returns:
        The text; empty where there is no value.
    """
    known = np.asarray(values, float)
    known = known[np.isfinite(known)]
    if not len(known):
        return ""
    return f"{known.mean():{form}}" + (f" +- {known.std(ddof=1):{form}}" if len(known) > 1 else "")


def with_interval(values: Sequence[float] | np.ndarray, form: str = ".3g") -> str:
    """Mean and standard deviation of single runs, and the bootstrap interval of the mean.

    Args:
        values: of the runs; those that are not finite do not count.
        form: format of a number.

    Returns:
        The text; empty where there is no value, without an interval where there is one.
    """
    found = mean(np.asarray(values, float), CONFIDENCE)
    return said(values, form) + (f" ({found.low:{form}} to {found.high:{form}})" if found.runs > 1 else "")


def column(rows: Sequence[Row], name: str) -> np.ndarray:
    """A measure of some runs as numbers, (n,).

    Args:
        rows: of the runs.
        name: of the measure.
    """
    return np.array([float(row[name]) for row in rows])


def waiting(path: Path, shown: Sequence[str]) -> str:
    """Say which runs of a study are still to be made.

    Args:
        path: of the study.
        shown: columns by which they are named; runs that differ in others are counted.

    Returns:
        A sentence; empty where all have been made.
    """
    study, left, count = read_study(path), dict[str, int](), 0
    rows = read_table(study)
    columns = [column for axis in study.axis for column in axis.columns]
    there = {tuple(row[name] for name in columns) for row in rows.values()}
    for cell in product(*(axis.entries() for axis in study.axis)):
        values = dict(zip(columns, (value for entry in cell for value in entry), strict=True))
        count += 1
        if tuple(map(text_of, values.values())) not in there:
            name = ", ".join(label(values[column]) for column in shown)
            left[name] = left.get(name, 0) + 1
    failed = sum(row["status"] == FAILED for row in rows.values())
    sentences = [f"{failed} runs of `{study.path.stem}` have failed."] if failed else []
    if left:
        names = "; ".join(f"{name} ({number})" for name, number in left.items())
        sentences.append(f"Not run yet, {sum(left.values())} of {count} runs of `{study.path.stem}`: {names}.")
    return " ".join(sentences)


def label(value: object) -> str:
    """A value of a column as text for readers: case files without their ending.

    Args:
        value: the value.
    """
    return str(value).removesuffix(".toml").replace("_", " ")


def part(pieces: Sequence[str]) -> str:
    """Join the paragraphs of a part of docs/validation.md.

    Args:
        pieces: paragraphs; empty ones are left out.
    """
    return "\n\n".join(piece.strip() for piece in pieces if piece.strip()) + "\n"


def measures(path: Path) -> ModuleType:
    """Load a script beside a study, for instance its measures.

    Args:
        path: of the script.
    """
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def alike(groups: Sequence[Sequence[float]]) -> float:
    """The probability that groups differ as much as they do though all are samples of one distribution (Kruskal and Wallis 1952).

    Args:
        groups: measured numbers, by condition.
    """
    return float(stats.kruskal(*groups).pvalue)
