"""Covering spheres of the grains of a case: whether there can be any, and those that detection needs."""

from __future__ import annotations

from ..case import Case
from ..errors import CaseError, CoveringError
from ..laws.registry import KINDS
from ..shapes.catalogue import Catalogue
from .sphere_tables import Covering, SphereTables, cover_catalogue

MOST_SHAPES = 64  # polyhedra
AUTO_OVERLAP = 0.05  # of the smallest sphero-radius: what covering spheres allow for
SKIN = 0.08  # of the smallest sphero-radius: the furthest that grains may go in a step
KEY = "detection.method = 'triangulation'"


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
    case: Case, catalogue: Catalogue, smallest: dict[str, float], largest: dict[str, float], key: str, overlap: float, skin: float
) -> Covering:
    """Cover the grains of a case by spheres.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        smallest: smallest size factor of each species that has grains, by name.
        largest: largest size factor of each of these species, by name.
        key: key of the case that requires covers, for messages.
        overlap: largest overlap of two grains (m).
        skin: largest distance beyond contact at which pairs are to be found (m).

    Returns:
        The covering.

    Raises:
        CaseError: there is none, with the reason.
    """
    try:
        return cover_catalogue(catalogue, [s.name for s in case.species], smallest, largest, overlap, skin)
    except CoveringError as error:
        raise CaseError(f"{key}: {error}") from error


def check_triangulation(case: Case) -> None:
    """Check that pairs can be found by triangulation.

    Args:
        case: validated case.

    Raises:
        CaseError: the case is two-dimensional, or the law acts beyond contact.
    """
    if case.dimension == 2:
        raise CaseError(f"{KEY} needs three dimensions; use 'cells'")
    if KINDS[case.contact.law].reach is not None:
        raise CaseError(f"{KEY} finds grains that touch, but law = '{case.contact.law}' acts beyond; use 'cells'")


def covers_for_detection(case: Case, catalogue: Catalogue, smallest: dict[str, float], largest: dict[str, float]) -> Covering:
    """Determine the covering spheres that detection from edges alone needs.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.
        smallest: smallest size factor of each species that has grains, by name.
        largest: largest size factor of each of these species, by name.

    Returns:
        The covering spheres of all grains.

    Raises:
        CaseError: see `least_radius` and `covers`.
    """
    least = least_radius(case, catalogue, smallest, f"{KEY} with every_step", "leave every_step out")
    overlap = AUTO_OVERLAP * least if case.detection.max_overlap == "auto" else float(case.detection.max_overlap)
    return covers(case, catalogue, smallest, largest, KEY, overlap, SKIN * least)


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
    return covers(case, catalogue, smallest, largest, key, overlap, 0.0).tables
