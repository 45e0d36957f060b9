"""Figure and part of docs/validation.md of the biaxial test (001, section 4), from the tables of its studies."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import biaxial_slips
import numpy as np
from judging import Claim, claims_table, column, part, said, verdict, waiting
from page import FIGURES, shrunk, table, write
from study_runs import rows_of

from pardem.campaign.run_rows import Row

PART = "biaxial test"
PICTURE, SLIPS = "biaxial.png", "slips.png"
SHAPES = ("disks", "rice", "peanuts")
KINDS = tuple(f"{density}_{shape}" for shape in SHAPES for density in ("dense", "loose"))
RANGE = (0.128, 0.271)  # void ratios of the paper's samples
STEADY = 0.02  # relative change over a tenth of strain that counts as constant
ERRORS = 2.0  # standard errors within which two means agree
Tests = dict[str, list[Row]]


def by_kind(rows: list[Row]) -> Tests:
    """Tests by their kind.

    Args:
        rows: of the study of tests.
    """
    found: Tests = {kind: [] for kind in KINDS}
    for row in rows:
        found[row["test"].removesuffix(".toml").rpartition("_")[0]].append(row)
    return found


def claims(tests: Tests, samples: list[Row]) -> list[Claim]:
    """What the paper says, beside the runs.

    Args:
        tests: by kind.
        samples: rows of the study of samples.
    """
    rows = [row for members in tests.values() for row in members]
    void, start = column(samples, "void_ratio"), column(rows, "void_at_start")
    both = np.concatenate([void, start])
    held = [bool(both.min() <= RANGE[0] and both.max() >= RANGE[1])] if len(void) and len(start) else []
    ranges = f"{_span(void)} after compaction; {_span(start)} when shear begins" if held else ""
    steady = [all(abs(float(row[f"{name}_drift"])) <= STEADY * float(row[f"{name}_at_end"]) for name in ("void", "contacts")) for row in rows]
    dense, loose = ([row for kind in KINDS if kind.startswith(name) for row in tests[kind]] for name in ("dense", "loose"))
    bands, none = ([float(row["band_contrast"]) > 0.0 for row in members] for members in (dense, loose))
    between = [float(row["roscoe"]) <= float(row["band_angle"]) <= float(row["coulomb"]) for row in dense if float(row["band_contrast"]) > 0.0]
    drops = [int(row["drops"]) > 0 for row in rows]
    return [
        Claim(f"samples have void ratios of {RANGE[0]} to {RANGE[1]}", ranges, verdict(held)),
        *(_same(tests, shape, name) for shape in SHAPES for name in ("void", "ratio")),
        Claim("in it, void ratio and coordination are constant", f"within {STEADY:.0%} in {sum(steady)} of {len(steady)} tests", verdict(steady)),
        _shape(tests),
        Claim("dense samples have shear bands", f"in {sum(bands)} of {len(bands)} tests", verdict(bands)),
        Claim("loose ones seem to have none", f"a band in {sum(none)} of {len(none)} tests", verdict([not band for band in none])),
        Claim("bands lie between Roscoe's and Mohr-Coulomb's angle", f"in {sum(between)} of {len(between)} dense tests", verdict(between)),
        Claim("the stress drops abruptly in the critical state", f"in {sum(drops)} of {len(drops)} tests", verdict(drops)),
    ]


def _span(values: np.ndarray) -> str:
    return f"{values.min():.3f} to {values.max():.3f}" if len(values) else ""


def _same(tests: Tests, shape: str, name: str) -> Claim:
    """Whether dense and loose samples end in the same state."""
    what = {"void": "void ratio", "ratio": "stress ratio"}[name]
    claim = f"dense and loose {shape} end at the same {what}"
    dense, loose = (column(tests[f"{kind}_{shape}"], f"{name}_at_end") for kind in ("dense", "loose"))
    if min(len(dense), len(loose)) < 2:
        return Claim(claim, "", verdict([]))
    difference = float(dense.mean() - loose.mean())
    error = float((dense.var(ddof=1) / len(dense) + loose.var(ddof=1) / len(loose)) ** 0.5)
    shown = f"differ by {difference:+.4f} +- {error:.4f} ({len(dense)} and {len(loose)} samples)"
    return Claim(claim, shown, verdict([abs(difference) <= ERRORS * error]))


def _shape(tests: Tests) -> Claim:
    """Whether the shape matters for the stress in the critical state."""
    ratios = {shape: column([*tests[f"dense_{shape}"], *tests[f"loose_{shape}"]], "ratio_at_end") for shape in SHAPES}
    known = {shape: values for shape, values in ratios.items() if len(values)}
    others = {shape: values for shape, values in known.items() if shape != "disks"}
    if "disks" not in known or not others:
        return Claim("the shape matters strongly", "", verdict([]))
    disks = known["disks"]
    shown = ", ".join(f"of {shape} {values.mean() / disks.mean():.2f}" for shape, values in others.items())
    return Claim("the shape matters strongly", f"stress ratio over that of disks: {shown}", verdict([v.min() > disks.max() for v in others.values()]))


def text(tests: list[Row], samples: list[Row], left: list[str], pictures: list[str]) -> str:
    """The part of docs/validation.md.

    Args:
        tests: rows of the study of tests.
        samples: rows of the study of samples.
        left: what follows the tables: drops of the stress, and sentences about what has not been run.
        pictures: Markdown of the figures that are there.
    """
    if not tests:
        return part(["No test has been run so far.", *left])
    kinds = by_kind(tests)
    head = [
        "test", "samples", "void ratio, start of shear", "at the end", "change in the last tenth", "stress ratio, largest", "at the end",
        "contacts a grain", "bands in", "band, Roscoe, Mohr-Coulomb (degrees)", "drops",
    ]  # fmt: skip
    lines = []
    for kind, rows in kinds.items():
        if rows:
            names = (("void_at_start", ".3f"), ("void_at_end", ".3f"), ("void_drift", "+.3f"), ("ratio_most", ".3f"), ("ratio_at_end", ".3f"))
            numbers = [said(column(rows, name), form) for name, form in (*names, ("contacts_at_end", ".2f"))]
            angles = ", ".join(said(column(rows, name), ".0f") or "-" for name in ("band_angle", "roscoe", "coulomb"))
            bands = f"{int((column(rows, 'band_contrast') > 0.0).sum())}"
            lines.append([kind.replace("_", " "), str(len(rows)), *numbers, bands, angles, said(column(rows, "drops"), ".0f")])
    rule = (
        "Means over samples +- standard deviation; at the end: over the last tenth of strain. Two means are the same if they differ by at most "
        f"{ERRORS:g} standard errors; a value is constant if it changes by at most {STEADY:.0%} from one tenth of strain to the next. Bands are "
        "those of the shear strain over 0.04 of axial strain from the peak of the stress on."
    )
    return part([claims_table(claims(kinds, samples)), table(head, lines), rule, *left, *pictures])


def collect(folder: Path) -> None:
    """Draw the figure and write the part of docs/validation.md.

    Args:
        folder: of the papers.
    """
    studies = [folder / "biaxial" / f"{name}.toml" for name in ("tests", "samples")]
    tests, samples = (rows_of(path) for path in studies)
    results = [path for row in tests if (path := studies[0].with_suffix(".runs") / row["id"] / "result.h5").exists()]
    if results and len(results) == len(tests):
        script = [sys.executable, str(folder / "biaxial" / "figure.py"), *map(str, results), "-o", str(FIGURES / PICTURE)]
        subprocess.run(script, check=True)
        shrunk(FIGURES / PICTURE)
    pictures = [f"![stress ratio and void ratio against axial strain](figures/{PICTURE})"] if tests else []
    drops = biaxial_slips.collected(folder / "biaxial", tests)
    slips = biaxial_slips.text(drops, tests, folder / "biaxial")
    if slips:
        biaxial_slips.draw(drops, folder / "biaxial", FIGURES / SLIPS)
        pictures.append(f"![number and duration of the drops of the stress ratio against their size](figures/{SLIPS})")
    write(PART, text(tests, samples, [slips, waiting(studies[1], ["sample"]), waiting(studies[0], ["test"])], pictures))
