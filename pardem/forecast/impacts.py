"""Impacts that press grains deeper into each other, or into walls, than a run bears."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .overlaps import impact_overlap
from .possible_impacts import ExtremeGrains, PossibleImpact
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
        found = ((_overlap(impact, m), m) for m in _meetings(bodies, impact))
        overlap, meeting = max(found, key=lambda pair: pair[0] / pair[1].contact.depth, default=(0.0, None))
        if meeting is not None and overlap > meeting.contact.depth:
            out.append(_sentence(case, impact, overlap, meeting))
    return out


def deepest(bodies: ExtremeGrains, impact: Impact) -> float:
    """Largest overlap (m) that an impact lets expect; 0 where the law does not say how its force grows."""
    return max((_overlap(impact, m) for m in _meetings(bodies, impact)), default=0.0)


def largest_share(bodies: ExtremeGrains, impact: Impact) -> float:
    """The same over the smaller of the two sphero-radii (1), of all grains that may meet: a run stops at 1."""
    return max((_overlap(impact, m) / m.contact.depth for m in _meetings(bodies, impact)), default=0.0)


def _overlap(impact: Impact, meeting: PossibleImpact) -> float:
    stopped = meeting.behind if impact.supported else meeting.contact.mass
    return impact_overlap(meeting.contact, meeting.spring, impact.speed, stopped, impact.pull)


def _meetings(bodies: ExtremeGrains, impact: Impact) -> Iterator[PossibleImpact]:
    for wall in impact.walls:
        yield from bodies.with_wall(impact.species, wall, impact.mass)
    if impact.grains:
        yield from bodies.with_grains(impact.species)


def _sentence(case: Case, impact: Impact, overlap: float, meeting: PossibleImpact) -> str:
    depth = meeting.contact.depth
    cure = remedy(case, *meeting.materials, overlap / (SAFE * depth), meeting.spring.power)
    otherwise = f", or {impact.milder}" if impact.milder else ""
    return (
        f"{impact.key}: {impact.what}: an impact of species '{meeting.grain.species}' on {meeting.target} then overlaps by {overlap:.2g} m, "
        f"{overlap / depth:.2g} times the sphero-radius of {depth:.3g} m, and a run stops at one; make {cure}{otherwise}"
    )
