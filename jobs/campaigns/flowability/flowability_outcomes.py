"""How trials of the flowability experiment end: how much is left above the hole (figure 5.3), and what the rule that ends a trial decides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flowability_claims import claims
from flowability_media import Medium, Tables, between, leaning, one_size
from judging import Claim, verdict
from page import table

from pardem.campaign.statistics import IntervalEstimate, groups_of, numbers

MIDDLE = 0.17
"""Share of the 6246 trials of the thesis with .01 < m_f/m_i < .99."""
EVENLY = {"six_millimetres": "evenly over the opening (figure 5.4)", "one_bed": "evenly over the opening, one bed (figure 5.5)"}
"""Studies whose openings have even distances, like those that the thesis shows."""
RULE_DIAMETER = 5.0
"""Of the beads with which the rule is checked (mm)."""


# -- figure 5.3 ----------------------------------------------------------------------------------------------------------------------------------


def shares(tables: Tables) -> str:
    """A row for each way in which openings were chosen.

    Args:
        tables: finished rows, by study.
    """
    every, even = one_size(tables), {name: tables.get(name, []) for name in EVENLY}
    closing = one_size(tables | {"six_millimetres": []})
    sets = [("all with a bed each", every), ("closing in on D_c", closing), *((EVENLY[name], rows) for name, rows in even.items())]
    lines = [[name, str(found.runs), f"{found.value:.3f}", _interval(found)] for name, rows in sets if rows for found in [between(rows)]]
    if not lines:
        return ""
    told = (
        f"Figure 5.3: share of the trials with .01 < m_f/m_i < .99 (thesis: {MIDDLE} of 6246 trials), beads of one size. Such outcomes are most "
        "frequent close to D_c, where most of the openings here lie. The thesis does not say how it chose all of its own; those that its figures 5.4 "
        "and 5.5 show have even distances."
    )
    return f"{told}\n\n{table(['openings', 'trials', 'share', 'interval'], lines).strip()}"


def middle_claim(tables: Tables) -> Claim:
    """Whether as many trials as in the thesis end between .01 and .99; evenly distributed openings are the change.

    Args:
        tables: finished rows, by study.
    """
    every, even = ([between(rows)] if rows else [] for rows in (one_size(tables), tables.get("six_millimetres", [])))
    told = " and ".join(f"{share.value:.3f} ({_interval(share)}) of {share.runs} trials" for share in [*every, *even])
    holds, with_even = ([share.low <= MIDDLE <= share.high for share in found] for found in (every, even))
    what = f"figure 5.3: .01 < m_f/m_i < .99 in {MIDDLE} of the trials"
    return Claim(what, told, verdict(holds, {"openings have even distances, as in figure 5.4": with_even}))


def _interval(found: IntervalEstimate) -> str:
    return f"{found.low:.3f} to {found.high:.3f}"


# -- the rule ------------------------------------------------------------------------------------------------------------------------------------


def rules(tables: Tables, found: Sequence[Medium]) -> list[str]:
    """What the rule decides, and what the rule of the thesis would.

    Args:
        tables: finished rows, by study.
        found: media.

    Returns:
        Paragraphs.
    """
    return [piece for piece in (_stricter(tables, found), _checked(tables)) if piece]


def _stricter(tables: Tables, found: Sequence[Medium]) -> str:
    """How many trials flow with beads left above the hole, and what changes if they are counted as blocked."""
    rows = [row for rows in tables.values() for row in rows]
    flowing = int(numbers(rows, "flows").sum())
    told = (
        f"In the thesis a medium flows if no bead is left above the hole; here one or two may lean over its edge. Of the {flowing} trials that flow, "
        f"{leaning(rows)} end so."
    )
    known = [m for m in found if m.clear is not None and np.isfinite(m.clear.value)]
    if not known:
        return f"{told} Both rules give the same D_c."
    most = max(abs(m.clear.value - m.found.value) for m in known if m.clear is not None)
    inside = sum(m.found.low <= m.clear.value <= m.found.high for m in known if m.clear is not None)
    told += (
        f" If they count as blocked, D_c of {len(known)} of {len(found)} media of beads changes, by {most:.2f} mm at most, within the interval of "
        f"{inside} of them (column *none left*; a dash: no such trial)."
    )
    as_told = [m if m.clear is None else m._replace(found=m.clear) for m in found]
    others = [b.claim for a, b in zip(claims(list(found), tables), claims(as_told, tables), strict=True) if a.verdict != b.verdict]
    return told + (f" Verdicts that change: {'; '.join(others)}." if others else " No verdict changes.")


def _checked(tables: Tables) -> str:
    """What trials that went on after the decision say."""
    rows = tables.get("rule", [])
    if not rows:
        return ""
    changed = numbers(rows, "changed")
    frictions = ", ".join(friction for (friction,) in groups_of(rows, ["friction"]))
    return (
        f"The rule: in {int(changed.sum())} of {len(changed)} trials that went on for a second the outcome changed after the decision. They had "
        f"beads of {RULE_DIAMETER:g} mm alone (friction {frictions}); for other beads, mixtures and shapes the rule has not been checked."
    )


def clear_column(medium: Medium) -> str:
    """The entry of a medium in the column of the thesis' rule.

    Args:
        medium: the medium.
    """
    if medium.clear is None:
        return "-"
    return f"{medium.clear.value:.2f} ({medium.clear.low:.2f} to {medium.clear.high:.2f}; trials: {medium.leaning})"
