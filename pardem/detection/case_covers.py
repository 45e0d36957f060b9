"""Covering spheres of the grains of a case: whether there can be any, and those that detection needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..case import Case
from ..errors import CaseError, CoveringError
from ..laws.registry import KINDS
from ..shapes.catalogue import Catalogue
from .sphere_tables import Covering, SphereTables, cover_catalogue

MOST_SHAPES = 64  # polyhedra
AUTO_OVERLAP = 0.05  # of the smallest sphero-radius: what covering spheres allow for
AUTO_SKINS = (0.3, 0.15, 0.08)  # the same; the one is taken with the fewest spheres for the square root of the skin
AUTO_SKIN_OF_RODS = 0.5  # the same, before these, where all grains are spheres or rods, which are covered without a search


def least_radius(case: Case, catalogue: Catalogue, smallest: dict[str, float], key: str, remedy: str) -> float:
    """Smallest sphero-radius (m) of the grains of a case, all of which can be covered by spheres.

    Args:
        catalogue: the species.
        smallest: size factors by name of those that have grains.
        key, remedy: what wants covers, and what to do without it.

    Raises:
        CaseError: in two dimensions, or where a species is not convex, or where there are too many polyhedra.
    """
    if case.dimension == 2:
        raise CaseError(f"{key} needs three dimensions; {remedy}")
    radii, shapes = [], 0
    for k, species in enumerate(case.species):
        if species.name in smallest:
            if not catalogue.convex[k]:
                raise CaseError(f"{key} needs convex grains, but species '{species.name}' is not; {remedy}")
            radii.append(float(catalogue.radius[k]) * smallest[species.name])
            shapes += int(catalogue.kind[k] > 2)
    if shapes > MOST_SHAPES:
        raise CaseError(f"{key} covers shapes by spheres, which takes seconds a shape: {MOST_SHAPES} at most, but the case has {shapes}; {remedy}")
    return min(radii)


def covers(
    case: Case, catalogue: Catalogue, smallest: dict[str, float], largest: dict[str, float], key: str, overlap: float, skins: Sequence[float]
) -> list[Covering]:
    """Covers of the grains of a case with those skins for which there are any.

    Args:
        catalogue, smallest, key: see `least_radius`.
        largest: size factors.
        overlap: maximal overlap (m).
        skins: largest reach beyond contact (m).

    Raises:
        CaseError: there are none; the reason is that of the last skin.
    """
    found, reason = [], None
    for skin in skins:
        try:
            found.append(cover_catalogue(catalogue, [s.name for s in case.species], smallest, largest, overlap, skin))
        except CoveringError as error:
            reason = error
    if not found:
        raise CaseError(f"{key}: {reason}")
    return found


def covers_for_detection(case: Case, catalogue: Catalogue, smallest: dict[str, float], largest: dict[str, float]) -> Covering:
    """What detection by triangulation knows of the grains of a case.

    Raises:
        CaseError: see `least_radius` and `covers`; or the law acts beyond contact.
    """
    key, detection = "detection.method = 'triangulation'", case.detection
    least = least_radius(case, catalogue, smallest, key, "use 'cells'")
    if KINDS[case.contact.law].reach is not None:
        raise CaseError(f"{key} finds grains that touch, but law = '{case.contact.law}' acts beyond; use 'cells'")
    overlap = AUTO_OVERLAP * least if detection.max_overlap == "auto" else float(detection.max_overlap)
    rods = all(catalogue.kind[k] <= 2 for k, species in enumerate(case.species) if species.name in smallest)
    factors = AUTO_SKINS[-1:] if detection.every_step else ((AUTO_SKIN_OF_RODS,) if rods else ()) + AUTO_SKINS
    skins = [f * least for f in factors] if detection.skin == "auto" else [float(detection.skin)]
    found = covers(case, catalogue, smallest, largest, key, overlap, skins)
    return replace(min(found, key=lambda covering: len(covering.tables.sphere) / covering.skin**0.5), every_step=detection.every_step)


def cell_tables(case: Case, catalogue: Catalogue, largest: dict[str, float], smallest: dict[str, float]) -> SphereTables:
    """The spheres that stand for the grains of a case in the power diagram.

    Args:
        catalogue: its species.
        largest, smallest: size factors by name of those that have grains.

    Raises:
        CaseError: see `least_radius` and `covers`.
    """
    key = "output.fields: 'local_fraction'"
    overlap = AUTO_OVERLAP * least_radius(case, catalogue, smallest, key, "take it out")
    return covers(case, catalogue, smallest, largest, key, overlap, [0.0])[0].tables
