"""Checks of the shapes of a case against its interaction and its walls."""

from __future__ import annotations

import numpy as np

from ..case import Case
from ..errors import CaseError
from ..shapes.catalogue import Catalogue


def check_shapes(case: Case, catalogue: Catalogue) -> None:
    """Check that the interaction and the walls of a case can handle the shapes of its grains.

    Args:
        case: validated case.
        catalogue: shape catalogue of the case.

    Raises:
        CaseError: the interaction meets grains by convex pieces and one is neither convex nor a compound, or it does not and one is a compound, or
            a wall is a compound or cannot meet one.
    """
    present = set(case.grain_species)
    rule, by_pieces = case.contact.interaction, case.contact.interaction_kind.by_pieces
    compound = "compound" if case.dimension == 3 else "planar_compound"
    for species, convex, pieces in zip(case.species, catalogue.convex, np.diff(catalogue.piece_start), strict=True):
        several = pieces > 1
        wall = next((wall for wall in case.wall if several and wall.shape_of == species.name), None)
        if wall is not None:
            raise CaseError(
                f"wall.{wall.name}.species = '{species.name}' is a {compound}, and a body is met feature by feature: give a wall for each piece, or "
                "the skeleton as a whole"
            )
        if species.name not in present:
            continue
        if by_pieces and not convex and not several:
            raise CaseError(
                f"contact.interaction = '{rule}' needs grains that are convex or made of convex pieces, but species '{species.name}' is "
                f"neither: give it as a {compound}, or use 'superposition' or 'minima'"
            )
        if several and not by_pieces:
            raise CaseError(
                f"contact.interaction = '{rule}' meets grains feature by feature, but species '{species.name}' is a {compound}, whose pieces have "
                "features within the grain: use 'regularised', or give the grain's skeleton as a whole"
            )
        for wall in case.wall:
            if several and (refusal := wall.refuses_compounds()) is not None:
                raise CaseError(
                    f"wall.{wall.name}.{refusal.why}, but species '{species.name}' is a {compound}, whose pieces have {refusal.inner} within the "
                    f"grain: {refusal.remedy}"
                )
