"""Static choice of the narrow phase: kernels are compiled for the type of ``interaction``, so no branch is left at run time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from .._jit import INLINED
from ..state import Features
from . import polytopes, rods, superposition
from .polytopes import WORK_SIZE, Polytopes
from .rods import Rods
from .spheres import Spheres
from .superposition import Superposition

Interaction = Rods | Spheres | Polytopes | Superposition

_MODULE: dict[type, Any] = {Rods: rods, Spheres: rods, Polytopes: polytopes, Superposition: superposition}


def build_interaction(catalogue: Any, grains: list[int], rule: str, eps2: np.ndarray, features: Features) -> Interaction:
    """The narrow phase for the species of a catalogue: closed forms where they suffice, the solver or pairs of features otherwise.

    Args:
        catalogue: ``shapes.catalogue.Catalogue``. grains: its rows that have grains. rule: ``regularised``, ``minima`` or ``superposition``.
        eps2: (ns,) squared regularisation by species. features: of all species.
    """
    regularised, kind = rule == "regularised", catalogue.kind[grains]
    if (kind == 1).all():
        return Spheres(regularised, eps2, catalogue.kind)
    if rule == "superposition":
        return Superposition(bool((catalogue.dimension == 2).all()), features)
    if (kind > 2).any():
        return Polytopes(regularised, eps2, catalogue.kind, np.zeros(WORK_SIZE))
    return Rods(regularised, eps2, catalogue.kind)


def closest(interaction, g, i, j, wx, wy, wz, pairs, p, touching, reach):  # type: ignore[no-untyped-def]
    """Minimiser of a pair's distance function: see ``rods.closest``."""
    return _MODULE[type(interaction)].closest(interaction, g, i, j, wx, wy, wz, pairs, p, touching, reach)


@overload(closest, jit_options=INLINED)
def _closest(interaction, g, i, j, wx, wy, wz, pairs, p, touching, reach):  # type: ignore[no-untyped-def]
    implementation = _MODULE[interaction.instance_class].closest

    def call(interaction, g, i, j, wx, wy, wz, pairs, p, touching, reach):  # type: ignore[no-untyped-def]
        return implementation(interaction, g, i, j, wx, wy, wz, pairs, p, touching, reach)

    return call


def zone(interaction, g, i, j, nx, ny, nz, r_eff, delta, warm, p):  # type: ignore[no-untyped-def]
    """Half-length of the contact zone and its rocking axis: see ``rods.zone``."""
    return _MODULE[type(interaction)].zone(interaction, g, i, j, nx, ny, nz, r_eff, delta, warm, p)


@overload(zone, jit_options=INLINED)
def _zone(interaction, g, i, j, nx, ny, nz, r_eff, delta, warm, p):  # type: ignore[no-untyped-def]
    implementation = _MODULE[interaction.instance_class].zone

    def call(interaction, g, i, j, nx, ny, nz, r_eff, delta, warm, p):  # type: ignore[no-untyped-def]
        return implementation(interaction, g, i, j, nx, ny, nz, r_eff, delta, warm, p)

    return call


def closest_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, touching):  # type: ignore[no-untyped-def]
    """Minimiser of a grain's distance to a plane: see ``rods.closest_to_plane``."""
    return _MODULE[type(interaction)].closest_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, touching)


@overload(closest_to_plane, jit_options=INLINED)
def _closest_to_plane(interaction, g, i, nx, ny, nz, height, pairs, p, touching):  # type: ignore[no-untyped-def]
    implementation = _MODULE[interaction.instance_class].closest_to_plane

    def call(interaction, g, i, nx, ny, nz, height, pairs, p, touching):  # type: ignore[no-untyped-def]
        return implementation(interaction, g, i, nx, ny, nz, height, pairs, p, touching)

    return call


def zone_on_plane(interaction, g, i, nx, ny, nz, delta, warm, p):  # type: ignore[no-untyped-def]
    """Half-length of the contact zone on a plane and its rocking axis: see ``rods.zone_on_plane``."""
    return _MODULE[type(interaction)].zone_on_plane(interaction, g, i, nx, ny, nz, delta, warm, p)


@overload(zone_on_plane, jit_options=INLINED)
def _zone_on_plane(interaction, g, i, nx, ny, nz, delta, warm, p):  # type: ignore[no-untyped-def]
    implementation = _MODULE[interaction.instance_class].zone_on_plane

    def call(interaction, g, i, nx, ny, nz, delta, warm, p):  # type: ignore[no-untyped-def]
        return implementation(interaction, g, i, nx, ny, nz, delta, warm, p)

    return call


def walls_by_vertex(interaction):  # type: ignore[no-untyped-def]
    """Whether every wall is met vertex by vertex; a constant of the compiled code."""
    return isinstance(interaction, Superposition)


@overload(walls_by_vertex, jit_options=INLINED)
def _walls_by_vertex(interaction):  # type: ignore[no-untyped-def]
    answer = interaction.instance_class is Superposition

    def call(interaction):  # type: ignore[no-untyped-def]
        return answer

    return call
