"""Static choice of the narrow phase: kernels are compiled for the type of ``interaction``, so no branch is left at run time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from ..compiled.jit import INLINED
from ..compiled.vectors import ZERO
from ..laws.history import HISTORY, HISTORY_BUDGET, WITH_ARM
from ..laws.resistance.memory import resistance_width
from ..state.arrays import Features, Parts, Settings
from .nearest.descents import edges_descend, faces_descend
from .nearest.flats import WORK_SIZE as FLATS_SIZE
from .nearest.neighbours import at_vertex, build_neighbours, into_solid
from .rules import compounds, local_minima, local_plane, polytopes, rods, superposition
from .rules.compounds import Pieces
from .rules.local_minima import LocalMinima
from .rules.polytopes import WORK_SIZE, Polytopes
from .rules.rods import Rods
from .rules.superposition import Superposition
from .spheres import Spheres

Interaction = Rods | Spheres | Polytopes | Pieces | Superposition | LocalMinima

_MODULE: dict[type, Any] = {
    Rods: rods, Spheres: rods, Polytopes: polytopes, Pieces: compounds, Superposition: superposition, LocalMinima: local_minima
}  # fmt: skip
_ON_PLANE: dict[type, Any] = _MODULE | {LocalMinima: local_plane}


def build_interaction(catalogue: Any, grains: list[int], rule: str, eps2: np.ndarray, features: Features, parts: Parts) -> Interaction:
    """The narrow phase for the species of a catalogue: closed forms where they suffice, the solver, by pieces or not, or pairs of features otherwise.

    Args:
        catalogue: ``shapes.catalogue.Catalogue``. grains: its rows that have grains. rule: ``regularised``, ``minima`` or ``superposition``.
        eps2: (ns,) squared regularisation by species. features, parts: of all species.
    """
    regularised, kind = rule == "regularised", catalogue.kind[grains]
    if (kind == 1).all():
        return Spheres(regularised, eps2, catalogue.kind)
    if rule == "superposition":
        return Superposition(bool((catalogue.dimension == 2).all()), features)
    if rule == "minima" and not catalogue.convex[grains].all():
        neighbours = build_neighbours(catalogue, features)
        return LocalMinima(bool((catalogue.dimension == 2).all()), features, neighbours, np.zeros(FLATS_SIZE))
    if regularised and not catalogue.convex[grains].all():
        return compounds.build_interaction(catalogue, eps2, parts)
    if (kind > 2).any():
        return Polytopes(regularised, eps2, catalogue.kind, np.zeros(WORK_SIZE))
    return Rods(regularised, eps2, catalogue.kind)


def closest(interaction, g, bodies, pairs, p, touching, reach):  # type: ignore[no-untyped-def]
    """Minimiser of a pair's distance function: see ``rods.closest``."""
    return _MODULE[type(interaction)].closest(interaction, g, bodies, pairs, p, touching, reach)


@overload(closest, jit_options=INLINED)
def _closest(interaction, g, bodies, pairs, p, touching, reach):  # type: ignore[no-untyped-def]
    implementation = _MODULE[interaction.instance_class].closest

    def call(interaction, g, bodies, pairs, p, touching, reach):  # type: ignore[no-untyped-def]
        return implementation(interaction, g, bodies, pairs, p, touching, reach)

    return call


def zone(interaction, g, bodies, normal, r_eff, delta, pairs, p):  # type: ignore[no-untyped-def]
    """Half-length of the contact zone and its rocking axis: see ``rods.zone``."""
    return _MODULE[type(interaction)].zone(interaction, g, bodies, normal, r_eff, delta, pairs, p)


@overload(zone, jit_options=INLINED)
def _zone(interaction, g, bodies, normal, r_eff, delta, pairs, p):  # type: ignore[no-untyped-def]
    implementation = _MODULE[interaction.instance_class].zone

    def call(interaction, g, bodies, normal, r_eff, delta, pairs, p):  # type: ignore[no-untyped-def]
        return implementation(interaction, g, bodies, normal, r_eff, delta, pairs, p)

    return call


def closest_to_plane(interaction, g, i, normal, height, pairs, p, touching):  # type: ignore[no-untyped-def]
    """Minimiser of a grain's distance to a plane: see ``rods.closest_to_plane``."""
    return _ON_PLANE[type(interaction)].closest_to_plane(interaction, g, i, normal, height, pairs, p, touching)


@overload(closest_to_plane, jit_options=INLINED)
def _closest_to_plane(interaction, g, i, normal, height, pairs, p, touching):  # type: ignore[no-untyped-def]
    implementation = _ON_PLANE[interaction.instance_class].closest_to_plane

    def call(interaction, g, i, normal, height, pairs, p, touching):  # type: ignore[no-untyped-def]
        return implementation(interaction, g, i, normal, height, pairs, p, touching)

    return call


def zone_on_plane(interaction, g, i, normal, delta, pairs, p):  # type: ignore[no-untyped-def]
    """Half-length of the contact zone on a plane and its rocking axis: see ``rods.zone_on_plane``."""
    return _ON_PLANE[type(interaction)].zone_on_plane(interaction, g, i, normal, delta, pairs, p)


@overload(zone_on_plane, jit_options=INLINED)
def _zone_on_plane(interaction, g, i, normal, delta, pairs, p):  # type: ignore[no-untyped-def]
    implementation = _ON_PLANE[interaction.instance_class].zone_on_plane

    def call(interaction, g, i, normal, delta, pairs, p):  # type: ignore[no-untyped-def]
        return implementation(interaction, g, i, normal, delta, pairs, p)

    return call


def weighted(interaction, g, bodies, pairs, p, factor):  # type: ignore[no-untyped-def]
    """Minimum of a pair's regularised distance function with penalties times ``factor``: see ``rods.weighted``; 0 under the other rules."""
    if isinstance(interaction, Rods | Polytopes | Pieces):
        return _MODULE[type(interaction)].weighted(interaction, g, bodies, pairs, p, factor)
    return 0.0, ZERO, ZERO, 0


@overload(weighted, jit_options=INLINED)
def _weighted(interaction, g, bodies, pairs, p, factor):  # type: ignore[no-untyped-def]
    if interaction.instance_class not in (Rods, Polytopes, Pieces):
        return lambda interaction, g, bodies, pairs, p, factor: (0.0, ZERO, ZERO, 0)
    implementation = _MODULE[interaction.instance_class].weighted

    def call(interaction, g, bodies, pairs, p, factor):  # type: ignore[no-untyped-def]
        return implementation(interaction, g, bodies, pairs, p, factor)

    return call


def weighted_to_plane(interaction, g, i, normal, height, pairs, p, factor):  # type: ignore[no-untyped-def]
    """The same for a grain and a plane: see ``rods.weighted_to_plane``."""
    if isinstance(interaction, Rods | Polytopes | Pieces):
        return _MODULE[type(interaction)].weighted_to_plane(interaction, g, i, normal, height, pairs, p, factor)
    return 0.0, 0.0, ZERO, 0


@overload(weighted_to_plane, jit_options=INLINED)
def _weighted_to_plane(interaction, g, i, normal, height, pairs, p, factor):  # type: ignore[no-untyped-def]
    if interaction.instance_class not in (Rods, Polytopes, Pieces):
        return lambda interaction, g, i, normal, height, pairs, p, factor: (0.0, 0.0, ZERO, 0)
    implementation = _MODULE[interaction.instance_class].weighted_to_plane

    def call(interaction, g, i, normal, height, pairs, p, factor):  # type: ignore[no-untyped-def]
        return implementation(interaction, g, i, normal, height, pairs, p, factor)

    return call


def vertices_met(interaction, g, i, sub):  # type: ignore[no-untyped-def]
    """First vertex of grain ``i``, and the one after the last, that touch a disc in the contact ``sub``: one, those of a piece, or all."""
    if isinstance(interaction, Superposition | LocalMinima):
        return sub, sub + 1
    if isinstance(interaction, Pieces):
        return compounds.vertices_met(interaction, g, i, sub)
    return 0, max(1, g.vert_start[i + 1] - g.vert_start[i])


@overload(vertices_met, jit_options=INLINED)
def _vertices_met(interaction, g, i, sub):  # type: ignore[no-untyped-def]
    if interaction.instance_class in (Superposition, LocalMinima):
        return lambda interaction, g, i, sub: (sub, sub + 1)
    if interaction.instance_class is Pieces:
        of_piece = compounds.vertices_met
        return lambda interaction, g, i, sub: of_piece(interaction, g, i, sub)
    return lambda interaction, g, i, sub: (0, max(1, g.vert_start[i + 1] - g.vert_start[i]))


def hands_on(interaction):  # type: ignore[no-untyped-def]
    """Whether a contact that goes over to other features hands them its history (``inheritance``); a constant of the compiled code."""
    return isinstance(interaction, LocalMinima)


@overload(hands_on, jit_options=INLINED)
def _hands_on(interaction):  # type: ignore[no-untyped-def]
    answer = interaction.instance_class is LocalMinima

    def call(interaction):  # type: ignore[no-untyped-def]
        return answer

    return call


def stands_out(interaction, g, i, v, a):  # type: ignore[no-untyped-def]
    """Whether vertex ``v`` of grain ``i`` counts where it is nearest to a disc along a; under `minima`, unless an edge or face goes on along a."""
    return not isinstance(interaction, LocalMinima)


@overload(stands_out, jit_options=INLINED)
def _stands_out(interaction, g, i, v, a):  # type: ignore[no-untyped-def]
    if interaction.instance_class is not LocalMinima:
        return lambda interaction, g, i, v, a: True
    edges, faces, inside = edges_descend, faces_descend, into_solid

    def call(interaction, g, i, v, a):  # type: ignore[no-untyped-def]
        at = at_vertex(v)
        if inside(interaction, g, i, at, a):
            return False
        return not (edges(interaction, g, i, v, a) or faces(interaction, g, i, at, a))

    return call


def has_couples(interaction):  # type: ignore[no-untyped-def]
    """Whether contacts may have couples; pairs of features have none. A constant of the compiled code."""
    return not isinstance(interaction, Superposition)


@overload(has_couples, jit_options=INLINED)
def _has_couples(interaction):  # type: ignore[no-untyped-def]
    answer = interaction.instance_class is not Superposition

    def call(interaction):  # type: ignore[no-untyped-def]
        return answer

    return call


def keeps_arms(interaction):  # type: ignore[no-untyped-def]
    """Whether histories hold the contact's arm and zone of the step before; balls' follow from the normals. A constant of the compiled code."""
    return not isinstance(interaction, Spheres)


@overload(keeps_arms, jit_options=INLINED)
def _keeps_arms(interaction):  # type: ignore[no-untyped-def]
    answer = interaction.instance_class is not Spheres

    def call(interaction):  # type: ignore[no-untyped-def]
        return answer

    return call


def history_width(interaction: Interaction, settings: Settings) -> int:
    """Floats that a contact keeps."""
    own = HISTORY_BUDGET if settings.budget else HISTORY
    return own + resistance_width(settings.resistance, settings.budget) + (WITH_ARM if keeps_arms(interaction) else 0)
