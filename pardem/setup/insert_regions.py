"""Where the inserts of a case put their grains."""

from __future__ import annotations

from ..case import Case
from ..case.placement import Insert
from ..errors import CaseError
from ..insertion import BoxDomain, BoxRegion, CylinderRegion, Region, periodic_region


def domain_of(case: Case) -> BoxDomain | None:
    """The domain of a case with its periodic axes, if it has one."""
    return BoxDomain(case.domain.lower, case.domain.upper, case.domain.periodic) if case.domain else None


def insert_regions(case: Case) -> list[Region]:
    """The regions of all inserts of a case."""
    return [_region(insert, domain_of(case), case.dimension == 2) for insert in case.insert]


def _region(insert: Insert, domain: BoxDomain | None, planar: bool) -> Region:
    region = insert.region
    if region.kind == "cylinder":
        return CylinderRegion(radius=region.radius, lower=region.lower, upper=region.upper, axis=region.axis, center=region.center, planar=planar)
    if region.kind == "box":
        return BoxRegion(region.lower, region.upper, planar=planar)
    if domain is None:
        raise CaseError("insert.region.kind = 'periodic' needs a [domain]")
    return periodic_region(domain, planar)
