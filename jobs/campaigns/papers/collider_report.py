"""Part of docs/validation.md of the collider (003, table 1), from the table that its script fills."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from judging import Claim, claims_table, measures, part, verdict
from page import table, write
from table_rows import read_rows

PART = "collider"
SCHEME = "fincham"  # the paper's
PERCENT = 100.0  # the paper calls its numbers percentages
Key = tuple[str, float]
Rows = list[dict[str, str]]
Errors = dict[Key, dict[str, np.ndarray]]
SPECIES = ("rice", "tetra", "yermis")
NAMES = ("worst", "momentum", "angular")


def claims(rows: Rows, paper: Mapping[Key, tuple[float, float, float]]) -> list[Claim]:
    """What the paper says, beside the runs with its scheme.

    Args:
        rows: of the table.
        paper: its errors of energy, momentum and angular momentum, by species and step (s).
    """
    errors = {
        (species, step): {name: np.array([float(row[name]) for row in members]) for name in NAMES}
        for (scheme, species, step), members in grouped(rows).items() if scheme == SCHEME
    }  # fmt: skip
    claimed = [_falls(errors, paper)]
    for place, (name, what) in enumerate(zip(NAMES, ("energy", "momentum", "angular momentum"), strict=True)):
        shares = np.array([value / paper[key][place] for key, members in errors.items() for value in members[name]])
        shown = f"at most {shares.max():.2g} of the numbers there, {PERCENT * shares.max():.2g} of them as percentages" if len(shares) else ""
        held, plain = ([bool(share <= most) for share in shares] for most in (1.0 / PERCENT, 1.0))
        claimed.append(Claim(f"errors of the {what} of table 1, or smaller ones", shown, verdict(held, {"table 1 is not in percent": plain})))
    return [*claimed, _largest(errors)]


def _falls(errors: Errors, paper: Mapping[Key, tuple[float, float, float]]) -> Claim:
    """Whether the error of the energy falls with the step."""
    less, factors = [], []
    for species in SPECIES:
        coarse, fine = (errors.get((species, step), {}).get("worst", np.zeros(0)) for step in (1e-4, 1e-5))
        less += [bool(after < before) for before, after in zip(coarse, fine, strict=False)]
        if len(coarse) and len(fine):
            factors.append(float(np.median(coarse) / np.median(fine)))
    theirs = [paper[species, 1e-4][0] / paper[species, 1e-5][0] for species in SPECIES]
    shown = f"in {sum(less)} of {len(less)} pairs of runs"
    if factors:
        ours, paper_s = (f"{min(falls):.0f} to {max(falls):.0f}" for falls in (factors, theirs))
        shown += f"; for a tenth of the step medians fall {ours} times, the paper's {paper_s} times"
    return Claim("the error of the energy falls with the step", shown, verdict(less))


def _largest(errors: Errors) -> Claim:
    """Whether yermis have the largest errors, as they collide most often."""
    held = []
    for step in (1e-4, 1e-5):
        three = [errors.get((species, step), {}).get("worst", np.zeros(0)) for species in SPECIES]
        held += [bool(y > max(r, t)) for r, t, y in zip(*three, strict=False)]
    return Claim("yermis have the largest error of the energy", f"in {sum(held)} of {len(held)} starts and steps", verdict(held))


def grouped(rows: Rows) -> dict[tuple[str, str, float], Rows]:
    """Rows by scheme, species and step (s), in the order of seeds.

    Args:
        rows: of the table.
    """
    found: dict[tuple[str, str, float], Rows] = {}
    for row in sorted(rows, key=lambda row: int(row["seed"])):
        found.setdefault((row["rotation"], row["species"], float(row["step"])), []).append(row)
    return found


def text(rows: Rows, paper: Mapping[Key, tuple[float, float, float]], missing: int) -> str:
    """The part of docs/validation.md.

    Args:
        rows: of the table.
        paper: its errors of energy, momentum and angular momentum, by species and step (s).
        missing: number of runs that are left.
    """
    left = f"Not run yet: {missing} runs." if missing else ""
    if not rows:
        return part(["Nothing has been run so far.", left])
    lines = []
    for (scheme, species, step), members in grouped(rows).items():
        cells = []
        for place, name in enumerate(NAMES):
            values = np.array([float(row[name]) for row in members])
            cells += [f"{np.median(values):.1e} ({values.max():.1e})", f"{paper[species, step][place]:.1e}"]
        lines.append([f"{species}, {step:g} s, `{scheme}`", str(len(members)), *cells])
    head = ["grains, step, scheme", "starts", "dE/E", "paper", "dp/p", "paper", "dL/L", "paper"]
    rule = (
        "Median of the starts (largest). dE is the largest of 2000 samples, dp and dL are those at the end; dp is relative to the sum of the "
        "magnitudes of all momenta. The paper calls its numbers, which are shown as they stand there, percentages."
    )
    return part([claims_table(claims(rows, paper)), table(head, lines), rule, left])


def collect(folder: Path) -> None:
    """Write the part of docs/validation.md.

    Args:
        folder: of the papers.
    """
    script = measures(folder / "collider.py")
    rows = read_rows(folder / "collider.csv")
    write(PART, text(rows, script.PAPER, len(script.wanted()) - len(rows)))
