"""Part of docs/validation.md of the hopper of paper 003 (figures 4 and 5), from the table of its study."""

from __future__ import annotations

from pathlib import Path

from judging import FOUND, MISSED, OPEN, Claim, claims_table, column, part, said, waiting
from page import table, write
from study_runs import rows_of

from pardem.campaign.run_rows import Row
from pardem.campaign.statistics import groups_of

PART = "hopper of paper 003"
GRAINS = 90
STAY = 4  # grains that may stay behind where grains flow out
PAPER = "0.2 1/s"
OPENINGS = {"narrow.toml": 12, "middle.toml": 16, "wide.toml": 20}
"""Clear openings (m)."""
Judged = dict[tuple[str, str], list[bool]]
KINDS = ("rice", "tetra", "yermis, segments of 6 m", "yermis, segments of 4 m")


def kind_of(row: Row) -> str:
    """Name of the grains of a run.

    Args:
        row: of the run.
    """
    return f"{row['kind']}, segments of {float(row['segment']):g} m" if row["kind"] == "yermis" else row["kind"]


def flows(row: Row) -> bool:
    """Whether the grains have flowed out by the end.

    Args:
        row: of the run.
    """
    return int(row["out"]) >= GRAINS - STAY


def stays(row: Row) -> bool:
    """Whether more than half of the grains are inside at the end.

    Args:
        row: of the run.
    """
    return 2 * int(row["out"]) < GRAINS


def stops(row: Row) -> bool:
    """Whether the flow has stopped by 12 s, with grains inside.

    Args:
        row: of the run.
    """
    return not flows(row) and float(row["last"]) <= 12.0


def claims(rows: list[Row]) -> list[Claim]:
    """What the paper says, beside the runs.

    Args:
        rows: of the study.
    """
    asked = [(kind, f"{kind} flow out", flows) for kind in KINDS[:2]]
    asked += [(kind, f"yermis clog: most are inside at 20 s ({kind.partition(', ')[2]})", stays) for kind in KINDS[2:]]
    asked += [(kind, f"their flow has stopped by 12 s ({kind.partition(', ')[2]})", stops) for kind in KINDS[2:]]
    found = [_claim(what, {key: list(map(holds, m)) for key, m in _cases(_only(rows, kind)).items()}) for kind, what, holds in asked]
    return [*found, _claim("in one and the same hopper, rice and tetra flow out, and most yermis are inside at 20 s", _together(rows))]


def _together(rows: list[Row]) -> Judged:
    """Of each hopper in which all three have been run: whether rice and tetra flow out, and yermis stay, run by run."""
    judged: Judged = {}
    for kind in KINDS[2:]:
        for (viscosity, opening), members in _cases(rows).items():
            convex, other = [r for k in KINDS[:2] for r in _only(members, k)], _only(members, kind)
            if {r["kind"] for r in convex} == set(KINDS[:2]) and other:
                judged[viscosity, f"{opening}, {kind.partition(', ')[2]}"] = [all(map(flows, convex)) and stays(r) for r in other]
    return judged


def _claim(what: str, judged: Judged) -> Claim:
    """A claim; the paper does not say which opening it has, so that one at which every run shows it is enough."""
    paper = {where: found for (viscosity, where), found in judged.items() if viscosity == PAPER}
    runs = [f for found in paper.values() for f in found]
    shown = f"in {sum(runs)} of {len(runs)} runs with the paper's viscosity"
    here = [where for where, found in paper.items() if all(found)]
    if here:
        return Claim(what, shown, FOUND if len(here) == len(paper) else f"{FOUND} at {'; '.join(here)}")
    others: dict[str, list[str]] = {}
    for (viscosity, where), found in judged.items():
        if viscosity != PAPER and all(found):
            others.setdefault(viscosity, []).append(where)
    said_so = [MISSED if paper else OPEN, *(f"found if the viscosity is {viscosity} (opening {'; '.join(w)})" for viscosity, w in others.items())]
    return Claim(what, shown, "; ".join(said_so))


def _only(rows: list[Row], kind: str) -> list[Row]:
    """Runs of one kind of grains."""
    return [row for row in rows if kind_of(row) == kind]


def _cases(rows: list[Row]) -> dict[tuple[str, str], list[Row]]:
    """Runs by viscosity and opening."""
    found = groups_of(rows, ["viscosity", "opening"])
    return {(viscosity, f"{OPENINGS[opening]} m"): members for (viscosity, opening), members in found.items()}


def text(rows: list[Row], left: str) -> str:
    """The part of docs/validation.md.

    Args:
        rows: of the study.
        left: sentence about what has not been run.
    """
    if not rows:
        return part(["Nothing has been run so far.", left])
    lines = []
    for (viscosity, opening), members in _cases(rows).items():
        cells = [_cell(_only(members, kind)) for kind in KINDS]
        lines.append([viscosity, opening, *cells])
    rule = (
        f"Grains outside the hopper of {GRAINS} at 12 s / at 20 s, means over fillings +- standard deviation (number of fillings). They flow out if "
        f"at most {STAY} are left inside at 20 s."
    )
    return part([claims_table(claims(rows)), table(["viscosity", "opening", *KINDS], lines), rule, left])


def _cell(rows: list[Row]) -> str:
    """Grains outside at two times."""
    return f"{said(column(rows, 'out_at_12'), '.0f')} / {said(column(rows, 'out'), '.0f')} ({len(rows)})" if rows else ""


def collect(folder: Path) -> None:
    """Write the part of docs/validation.md.

    Args:
        folder: of the papers.
    """
    study = folder / "hopper" / "hopper.toml"
    write(PART, text(rows_of(study), waiting(study, ["viscosity", "kind"])))
