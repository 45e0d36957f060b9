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
AUTO_SKIN_OF_SPHERES = 0.7  # the same, before this, where all are spheres, which need one each as long as that may be: 0.76 with that overlap


def least_radius(case: Case, catalogue: Catalogue, smallest: dict[str, float], key: str, remedy: str) -> float:
    """Determine the smallest sphero-radius of the grains of a case, all of which must be such that spheres can cover them.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        smallest: smallest size factor of each species that has grains, by name.
        key: key of the case that requires covers, for messages.
        remedy: alternative to suggest in messages.

    Returns:
        The smallest sphero-radius (m).

    Raises:
        CaseError: the case is two-dimensional, a species is not convex, or there are too many polyhedra.
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
    """Cover the grains of a case by spheres, for each skin that allows it.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        smallest: smallest size factor of each species that has grains, by name.
        largest: largest size factor of each of these species, by name.
        key: key of the case that requires covers, for messages.
        overlap: largest overlap of two grains (m).
        skins: largest distances beyond contact at which pairs are to be found (m), to be tried in turn.

    Returns:
        The coverings.

    Raises:
        CaseError: no skin allows a covering; the reason given is that of the last skin.
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
    """Determine the covering spheres that detection by triangulation needs.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        smallest: smallest size factor of each species that has grains, by name.
        largest: largest size factor of each of these species, by name.

    Returns:
        The covering spheres of all grains.

    Raises:
        CaseError: see `least_radius` and `covers`; or the law acts beyond contact.
    """
    key, detection = "detection.method = 'triangulation'", case.detection
    least = least_radius(case, catalogue, smallest, key, "use 'cells'")
    if KINDS[case.contact.law].reach is not None:
        raise CaseError(f"{key} finds grains that touch, but law = '{case.contact.law}' acts beyond; use 'cells'")
    overlap = AUTO_OVERLAP * least if detection.max_overlap == "auto" else float(detection.max_overlap)
    kind = max(int(catalogue.kind[k]) for k, species in enumerate(case.species) if species.name in smallest)
    factors: tuple[float, ...] = AUTO_SKINS[-1:]
    if not detection.every_step:
        factors = ((AUTO_SKIN_OF_SPHERES,) if kind == 1 else ()) + ((AUTO_SKIN_OF_RODS,) if kind <= 2 else ()) + AUTO_SKINS
    skins = [f * least for f in factors] if detection.skin == "auto" else [float(detection.skin)]
    found = covers(case, catalogue, smallest, largest, key, overlap, skins)
    return replace(min(found, key=lambda covering: len(covering.tables.sphere) / covering.skin**0.5), every_step=detection.every_step)


def cell_tables(case: Case, catalogue: Catalogue, largest: dict[str, float], smallest: dict[str, float]) -> SphereTables:
    """The spheres that stand for the grains of a case in the power diagram.

    Args:
        case: validated case.
        catalogue: its species.
        largest: largest size factor by name of those species that have grains.
        smallest: smallest size factor likewise.

    Raises:
        CaseError: see `least_radius` and `covers`.
    """
    key = "output.fields: 'local_fraction'"
    overlap = AUTO_OVERLAP * least_radius(case, catalogue, smallest, key, "take it out")
    return covers(case, catalogue, smallest, largest, key, overlap, [0.0])[0].tables
