"""Part of docs/validation.md of grains of convex pieces, from the table that its script fills."""

from __future__ import annotations

from pathlib import Path

from judging import measures, part
from page import table, write
from table_rows import read_rows

PART = "grains of convex pieces"


def text(rows: list[dict[str, str]], places: tuple[float, ...], missing: int) -> str:
    """The part of docs/validation.md.

    Args:
        rows: of the table.
        places: of the ball over the seam.
        missing: number of runs that are left.
    """
    left = f"Not run yet: {missing} runs." if missing else ""
    known = {(row["what"], float(row["at"]), float(row["of"])): float(row["value"]) for row in rows}
    steps = sorted({at for what, at, _ in known if what != "seam"}, reverse=True)
    falls = [
        [name, *(f"{known[name, step, 0.0]:.1e}" if (name, step, 0.0) in known else "" for step in steps)]
        for name in dict.fromkeys(what for what, _, _ in known if what != "seam")
    ]  # fmt: skip
    forces = [
        [f"{deep:g}", *(f"{known['seam', place, deep]:.3f}" if ("seam", place, deep) in known else "" for place in places)]
        for deep in sorted({of for what, _, of in known if what == "seam"})
    ]
    forces.append(["1 + max(0, 1 - (x/x_0)^2)", *(f"{1.0 + max(0.0, 1.0 - place**2):.3f}" for place in places)])
    return part([
        table(["two ells", *(f"largest error of the energy, step {step:g} s" for step in steps)], falls),
        table(["overlap delta (m)", *(f"x = {place:g} x_0" for place in places)], forces), left,
    ])  # fmt: skip


def collect(folder: Path) -> None:
    """Write the part of docs/validation.md.

    Args:
        folder: of the papers.
    """
    script = measures(folder / "pieces" / "pieces.py")
    rows = read_rows(folder / "pieces" / "pieces.csv")
    write(PART, text(rows, script.PLACES, len(script.wanted()) - len(rows)))
