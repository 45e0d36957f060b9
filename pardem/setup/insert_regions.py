"""Where grains at random positions are put."""

from __future__ import annotations

from ..case import Case
from ..case.placement import RandomGrains
from ..errors import CaseError
from ..insertion import BoxDomain, BoxRegion, CylinderRegion, Region, periodic_region


def domain_of(case: Case) -> BoxDomain | None:
    """The domain of a case with its periodic axes, if it has one."""
    return BoxDomain(case.domain.lower, case.domain.upper, case.domain.periodic) if case.domain else None


def insert_regions(case: Case) -> list[Region]:
    """The regions of all inserts of a case."""
    return [region_of(case, insert) for insert in case.insert]


def region_of(case: Case, item: RandomGrains) -> Region:
    """The region of some grains of a case.

    Args:
        case: validated case.
        item: grains that are inserted or poured.

    Raises:
        CaseError: the region is the domain, and there is none.
    """
    region, domain, planar = item.region, domain_of(case), case.dimension == 2
    if region.kind == "cylinder":
        return CylinderRegion(radius=region.radius, lower=region.lower, upper=region.upper, axis=region.axis, center=region.center, planar=planar)
    if region.kind == "box":
        return BoxRegion(region.lower, region.upper, planar=planar)
    if domain is None:
        raise CaseError("insert.region.kind = 'periodic' needs a [domain]")
    return periodic_region(domain, planar)
