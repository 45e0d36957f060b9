"""Figures and part of docs/validation.md of force chains, fields and arches (001, section 4; 002, figure 6), from the tables that scripts fill."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from judging import Claim, claims_table, measures, part, verdict
from page import FIGURES, write
from table_rows import read_rows

PART = "force chains"


def claims(row: dict[str, str] | None) -> list[Claim]:
    """What paper 002 says of arches, beside a run.

    Args:
        row: of the jam; None where it has not been run.
    """
    arch = int(row["arch"]) if row else 0
    spans = f"the lowest chain of forces above the mean from slope to slope has {arch} cows" if arch else "no chain" if row else ""
    return [Claim("jams are held by arches near the outlet", spans, verdict([arch > 0] if row else []))]


def text(rows: list[dict[str, str]], outlet: float) -> str:
    """The part of docs/validation.md.

    Args:
        rows: of the table.
        outlet: width of the outlet of the jam (m).
    """
    found = {row["picture"]: row for row in rows}
    pieces = [claims_table(claims(found.get("jam")))]
    for name, what in (("biaxial", "dense disks after an axial strain of 0.17"), ("jam", f"cows with dampers over an outlet of {outlet:g} m")):
        if row := found.get(name):
            pieces.append(
                f"In {what}, {row['pairs']} pairs of bodies push each other; {float(row['strong']):.0%} of them are above the mean force and carry "
                f"{float(row['carried']):.0%} of the sum of the normal forces."
            )
        else:
            pieces.append(f"Not run yet: {what}.")
    return part(pieces)


def of_fields(rows: list[dict[str, str]]) -> str:
    """What the fields of the biaxial test say.

    Args:
        rows: of the table of fields.
    """
    if not rows:
        return "Not run yet: fields of dense disks."
    told = {name: float(value) for name, value in rows[0].items()}
    return (
        "Fields of the same test, by [coarse graining](python.md#continuum-fields) with a width of a diameter of the grains, and of the motion over "
        f"the {told['strain']:.2f} of axial strain before: their mass is that of the grains within {_power(told['mass'])}, their momentum within "
        f"{_power(told['momentum'])} of the sum of the magnitudes. The stress ratio of the contact stress is {told['ratio']:.3f}, that of the walls, "
        f"in the mean over a hundredth of strain, {told['wall_ratio']:.3f}. Half of the shear strain takes place in {told['half']:.0%} of the "
        f"sample, and the strongest band is at {told['band']:.0f} degrees. Grains turn by {np.degrees(told['rolling']):.1f} degrees (root of the "
        f"mean square) relative to the medium where the shear strain is above its median, by {np.degrees(told['rolling_outside']):.1f} elsewhere."
    )


def _power(value: float) -> str:
    """The power of ten that a magnitude does not exceed."""
    return f"1e{int(np.ceil(np.log10(max(abs(value), np.finfo(float).eps))))}"


def collect(folder: Path) -> None:
    """Draw figures, where results are there, and write the part of docs/validation.md.

    Args:
        folder: of the papers.
    """
    script, table = measures(folder / "chains" / "pictures.py"), folder / "chains" / "pictures.csv"
    rows = read_rows(table)
    pictures = []
    for name, caption in (("biaxial", "force chains of a biaxial test"), ("jam", "the arch of a jam, its grains yellow")):
        target, result = FIGURES / script.FIGURE[name], script.results(table)[name]
        if any(row["picture"] == name for row in rows):
            if result.exists():
                script.drawn(name, result, target)
            pictures.append(f"![{caption}](figures/{target.name})")
    fields, table = measures(folder / "chains" / "fields.py"), folder / "chains" / "fields.csv"
    if (FIGURES / fields.PICTURE).exists():
        pictures.insert(1, f"![strain, rotation and stress of a biaxial test](figures/{fields.PICTURE})")
    write(PART, part([text(rows, script.OUTLET), of_fields(read_rows(table)), *pictures]))
