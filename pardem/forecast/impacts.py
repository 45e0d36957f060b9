"""Impacts that press grains deeper into each other, or into walls, than a run bears."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .overlaps import impact_overlap
from .possible_impacts import ExtremeGrains, PossibleImpact, PossibleImpacts
from .remedies import remedy
from .speeds import Impact

if TYPE_CHECKING:
    from ..case import Case

SAFE = 0.5
"""Share of the sphero-radius that the overlap should stay below with what a sentence proposes."""


def impact_warnings(case: Case, bodies: ExtremeGrains, impacts: list[Impact]) -> list[str]:
    """A sentence for each impact at which an overlap of more than the least sphero-radius is to be expected, at which a run stops.

    Args:
        case: validated case.
        bodies: its grains.
        impacts: what is to be expected of it.
    """
    out = []
    for impact in impacts:
        worst, meeting = 1.0, None
        for meetings in _meetings(bodies, impact):
            shares = _overlaps(impact, meetings) / meetings.contact.depth
            if shares.max() > worst:
                worst, meeting = float(shares.max()), meetings.single(int(shares.argmax()))
        if meeting is not None:
            out.append(_sentence(case, impact, worst, meeting))
    return out


def deepest(bodies: ExtremeGrains, impact: Impact) -> float:
    """Largest overlap (m) that an impact lets expect; 0 where the law does not say how its force grows."""
    return max((float(_overlaps(impact, m).max()) for m in _meetings(bodies, impact)), default=0.0)


def largest_share(bodies: ExtremeGrains, impact: Impact) -> float:
    """The same over the smaller of the two sphero-radii (1), of all grains that may meet: a run stops at 1."""
    return max((float((_overlaps(impact, m) / m.contact.depth).max()) for m in _meetings(bodies, impact)), default=0.0)


def _overlaps(impact: Impact, meetings: PossibleImpacts) -> np.ndarray:
    """How deep each pair presses into each other (m); 0 where the spring is not known."""
    stopped = meetings.behind if impact.supported else meetings.contact.mass
    return np.nan_to_num(impact_overlap(meetings.contact, meetings.spring, impact.speed, stopped, impact.pull), posinf=np.inf)


def _meetings(bodies: ExtremeGrains, impact: Impact) -> Iterator[PossibleImpacts]:
    for wall in impact.walls:
        yield from bodies.with_wall(impact.species, wall, impact.mass)
    if impact.grains:
        yield from bodies.with_grains(impact.species)


def _sentence(case: Case, impact: Impact, share: float, meeting: PossibleImpact) -> str:
    depth = meeting.contact.depth
    cure = remedy(case, *meeting.materials, share / SAFE, meeting.spring.power)
    otherwise = f", or {impact.milder}" if impact.milder else ""
    return (
        f"{impact.key}: {impact.what}: an impact of species '{meeting.grain.species}' on {meeting.target} then overlaps by {share * depth:.2g} m, "
        f"{share:.2g} times the sphero-radius of {depth:.3g} m, and a run stops at one; make {cure}{otherwise}"
    )
