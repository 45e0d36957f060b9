"""How much of its region the grains of an insert would fill, and whether random insertion can reach that."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import InsertionError

if TYPE_CHECKING:
    from ..case import Case
    from ..case.placement import RandomGrains
    from ..insertion import Region
    from ..shapes.catalogue import Catalogue

REACHED = {2: 0.50, 3: 0.30}
"""Share of a region that random insertion reaches with compact grains, by dimensions."""
SAID = {2: "40 to 50 %, less for long or hooked grains", 3: "10 to 30 %, less for long grains"}
NEVER = {2: 0.84, 3: 0.64}
"""Share of random close packing, which grains of similar size never reach by being put in one after the other."""
SIMILAR = 5.0  # ratio of sizes above which small grains find room between large ones


class RegionFilling(NamedTuple):
    """An insert and its region.

    Attributes:
        key: key of the insert.
        species: name.
        grains: number of them.
        share: share of the region's volume that it fills, together with the other inserts of the same region.
        volume: volume of the region (m^3, in 2D m^2).
        limit: share that is out of reach for sure.
    """

    key: str
    species: str
    grains: int
    share: float
    volume: float
    limit: float


def mean_volume(insert: RandomGrains, dimension: int) -> float:
    """Mean volume of the grains of an insert over that at a size factor of 1.

    Args:
        insert: grains of a case that are inserted or poured.
        dimension: dimension of space.
    """
    low, high = insert.sizes
    if high - low < 1e-6 * high:
        return float(high**dimension)
    return float((high ** (dimension + 1) - low ** (dimension + 1)) / ((dimension + 1) * (high - low)))


def fillings(case: Case, catalogue: Catalogue, regions: list[Region]) -> list[RegionFilling]:
    """What the inserts of a case ask of their regions.

    Args:
        case: validated case.
        catalogue: catalogue of its species.
        regions: regions of the inserts, in their order.
    """
    row = {s.name: k for k, s in enumerate(case.species)}
    asked: dict[str, float] = {}
    sizes: dict[str, list[float]] = {}
    for insert in case.insert:
        place, k = str(insert.region), row[insert.species]
        one = float(catalogue.volume[k])
        asked[place] = asked.get(place, 0.0) + insert.count * one * mean_volume(insert, case.dimension)
        sizes.setdefault(place, []).extend(one ** (1.0 / case.dimension) * factor for factor in insert.sizes)
    out = []
    for i, (insert, region) in enumerate(zip(case.insert, regions, strict=True)):
        place = str(insert.region)
        limit = NEVER[case.dimension] if max(sizes[place]) < SIMILAR * min(sizes[place]) else 1.0
        share = asked[place] / region.volume if region.volume > 0.0 else np.inf
        out.append(RegionFilling(f"insert.{insert.name or i}", insert.species, insert.count, share, region.volume, limit))
    return out


def sentence(filling: RegionFilling, dimension: int) -> str:
    """Say how full a region would be, and what would do.

    Args:
        filling: filling of the insert.
        dimension: dimension of space.
    """
    unit, reached = ("m^2", "higher") if dimension == 2 else ("m^3", "taller")
    fewer = int(filling.grains * REACHED[dimension] / filling.share)
    return (
        f"{filling.key}: {filling.grains} grains of species '{filling.species}' and what else is put into their region ({filling.volume:.3g} {unit}) "
        f"would fill {filling.share:.0%} of it; random insertion reaches {SAID[dimension]}: give a region {filling.share / REACHED[dimension]:.2g} "
        f"times as large, for instance {reached}, and let the grains settle, or at most {fewer} grains"
    )


def require_room(case: Case, catalogue: Catalogue, regions: list[Region]) -> None:
    """Refuse inserts that cannot fit before any of them is tried.

    Args:
        case: validated case.
        catalogue: catalogue of its species.
        regions: regions of the inserts, in their order.

    Raises:
        InsertionError: an insert asks for more of its region than random insertion ever reaches.
    """
    for filling in fillings(case, catalogue, regions):
        if filling.share > filling.limit:
            raise InsertionError(f"{sentence(filling, case.dimension)}.")


def filling_warnings(case: Case, catalogue: Catalogue, regions: list[Region]) -> list[str]:
    """A sentence for each insert that may not fit.

    Args:
        case: validated case.
        catalogue: catalogue of its species.
        regions: regions of the inserts, in their order.
    """
    found = fillings(case, catalogue, regions)
    return [sentence(filling, case.dimension) for filling in found if REACHED[case.dimension] < filling.share <= filling.limit]
