"""The interactions that a case may choose, and what each of them means to the rest of the program.

Their kernels are the rules of ``contacts.dispatch``; which of them serves an interaction depends on the grains.
"""

from __future__ import annotations

from typing import NamedTuple


class InteractionKind(NamedTuple):
    """An interaction of the case.

    Attributes:
        weighted: whether contacts follow from a distance that is regularised with a weight, and so harden; the weight depends on the shape.
        by_pieces: whether grains meet by convex pieces: each must be convex or a compound, and no other interaction takes compounds.
        by_features: whether all pairs of vertices, edges and faces act at once.
        by_minima: whether all local minima of the distance act at once.
        with_couples: whether contacts have a zone, in which rocking is damped and friction opposes spin about the normal.
    """

    weighted: bool = False
    by_pieces: bool = False
    by_features: bool = False
    by_minima: bool = False
    with_couples: bool = False


INTERACTIONS = {
    "regularised": InteractionKind(weighted=True, by_pieces=True, with_couples=True),
    "minima": InteractionKind(by_minima=True),
    "superposition": InteractionKind(by_features=True),
}
"""Interactions by their names, as ``contact.interaction`` gives them."""
