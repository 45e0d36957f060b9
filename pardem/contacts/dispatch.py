"""Static choice of the rule of contact: kernels are compiled for the type of ``interaction``, so no branch is left at run time."""

from __future__ import annotations

from typing import Any

from ..compiled.static import static
from ..laws.history import HISTORY, HISTORY_BUDGET, WITH_ARM
from ..laws.kind import LawTables
from ..laws.law import own_columns
from ..laws.resistance.resistance_memory import resistance_width
from ..state.arrays import Settings
from .rules import compounds, local_minima, polytopes, rods, spheres, superposition
from .rules.rule import Rule, RuleInput

Interaction = Any  # the named tuple of one of the rules

RULES: tuple[Rule, ...] = (spheres.RULE, superposition.RULE, local_minima.RULE, compounds.RULE, polytopes.RULE, rods.RULE)
"""All rules; the first that fits the grains of a case is taken."""

_RULE = {rule.interaction: rule for rule in RULES}


def rule_by_class(interaction: type) -> Rule:
    """The rule of contact whose tables are of a class.

    Args:
        interaction: class of a named tuple.
    """
    return _RULE[interaction]


def rule_of(interaction: Interaction) -> Rule:
    """The rule of contact that an interaction belongs to.

    Args:
        interaction: the narrow phase.
    """
    return _RULE[type(interaction)]


def build_interaction(given: RuleInput) -> Interaction:
    """The narrow phase for the species of a case: that of the first rule that fits its grains.

    Args:
        given: what it is built from.
    """
    return next(rule for rule in RULES if rule.fits(given)).build(given)


def history_width(interaction: Interaction, law: LawTables, settings: Settings) -> int:
    """Number of floats in the history of a contact.

    Args:
        interaction: the narrow phase.
        law: tables of the law, which may have columns of its own.
        settings: says whether there is an energy budget; holds the resistance to rolling and twisting, which has columns of its own.
    """
    common = HISTORY_BUDGET if settings.budget else HISTORY
    return common + own_columns(law) + resistance_width(settings.resistance, settings.budget) + (WITH_ARM if rule_of(interaction).arms else 0)


@static(lambda interaction: _RULE[interaction].closest)
def closest(interaction, g, bodies, pairs, p, touching, reach):
    """Minimiser of a pair's distance function.

    Args:
        interaction: the narrow phase.
        g: `Grains`.
        bodies: the two ``features.Bodies``.
        pairs: `Contacts`, the list of candidates.
        p: the candidate.
        touching: whether it was in touch in the step before.
        reach: distance at which the bodies touch (m).

    Returns:
        ``rods.Nearest``.
    """


@static(lambda interaction: _RULE[interaction].serves_lanes)
def serves_lanes(interaction):
    """Whether pairs can be treated in lanes with these tables.

    Args:
        interaction: the narrow phase, of a rule with ``closest_in_lanes``.
    """


@static(lambda interaction: _RULE[interaction].line)
def line(interaction, g, pairs, p):
    """Which pairs a pair that touches can be treated together with.

    Args:
        interaction: the narrow phase, of a rule that treats only pairs in lanes that touch.
        g: `Grains`.
        pairs: `Contacts`, the list of candidates.
        p: the candidate.

    Returns:
        1 or 2: those of the same number; 0: none, it is treated alone.
    """


@static(lambda interaction: _RULE[interaction].closest_in_lanes)
def closest_in_lanes(interaction, g, pairs, places, i, j, d):
    """Minimisers of the distance functions of WIDTH pairs.

    Args:
        interaction: the narrow phase.
        g: `Grains`.
        pairs: `Contacts`, the list of candidates.
        places: places of the candidates (a tuple of words).
        i: rows of the first bodies (a tuple of words).
        j: rows of the second bodies.
        d: vector from the first centres to the second (m).

    Returns:
        whether all could be found, squared distances of the cores (m^2), the nearest points relative to the first and the second centres (m), the
        shapes that ``zone_in_lanes`` and ``keep_in_lanes`` need.
    """


@static(lambda interaction: _RULE[interaction].keep_in_lanes)
def keep_in_lanes(interaction, shape, places, near, pairs):
    """Store what the next step's search begins with, where pairs touch.

    Args:
        interaction: the narrow phase.
        shape: the last result of ``closest_in_lanes``.
        places: places of the candidates (a tuple of words).
        near: which of them touch.
        pairs: `Contacts`, the list of candidates.
    """


@static(lambda interaction: _RULE[interaction].zone_in_lanes)
def zone_in_lanes(interaction, shape, bearing):
    """Half-lengths of the zones of WIDTH contacts (m) and the axes about which they can rock, unit vectors or zero.

    Args:
        interaction: the narrow phase.
        shape: the last result of ``closest_in_lanes``.
        bearing: ``rule.Bearing``.
    """


@static(lambda interaction: _RULE[interaction].zone)
def zone(interaction, g, bodies, bearing, pairs, p):
    """Half-length of the contact zone of two grains (m) and the axis about which it can rock, a unit vector or zero.

    Args:
        interaction: the narrow phase.
        g: `Grains`.
        bodies: the two ``features.Bodies``.
        bearing: ``rule.Bearing``.
        pairs: `Contacts`.
        p: the candidate.
    """


@static(lambda interaction: _RULE[interaction].closest_to_plane)
def closest_to_plane(interaction, g, i, space, pairs, p, touching):
    """Minimiser of the distance of a grain to a plane.

    Args:
        interaction: the narrow phase.
        g: `Grains`.
        i: row of the grain.
        space: ``features.HalfSpace``.
        pairs: `Contacts`, the list of candidates.
        p: the candidate.
        touching: whether it was in touch in the step before.

    Returns:
        squared (regularised) distance (m^2), signed height of the point above the plane (m), the point relative to the centre (m), status.
    """


@static(lambda interaction: _RULE[interaction].joins_on_plane)
def joins_on_plane(interaction, g, i, touching):
    """Whether a grain at a plane is treated together with others, in lanes.

    Args:
        interaction: the narrow phase.
        g: `Grains`.
        i: row of the grain.
        touching: whether it was in touch in the step before.
    """


@static(lambda interaction: _RULE[interaction].closest_to_plane_in_lanes)
def closest_to_plane_in_lanes(interaction, g, pairs, places, i, space):
    """Minimisers of the distances of WIDTH grains that join each other to planes.

    Args:
        interaction: the narrow phase, of a rule that has this function.
        g: `Grains`.
        pairs: `Contacts`, the list of candidates.
        places: places of the candidates (a tuple of words).
        i: rows of the grains (a tuple of words).
        space: ``features.HalfSpace``, normals and heights in lanes.

    Returns:
        whether all could be found, squared (regularised) distances (m^2), signed heights of the points above the planes (m), the points relative to
        the centres (m), the shapes that ``zone_on_plane_in_lanes`` needs.
    """


@static(lambda interaction: _RULE[interaction].zone_on_plane_in_lanes)
def zone_on_plane_in_lanes(interaction, shape, bearing):
    """Half-lengths of the zones of WIDTH contacts with planes (m) and the axes about which they can rock, unit vectors or zero.

    Args:
        interaction: the narrow phase.
        shape: the last result of ``closest_to_plane_in_lanes``.
        bearing: ``rule.Bearing``; its normals point to the planes.
    """


@static(lambda interaction: _RULE[interaction].zone_on_plane)
def zone_on_plane(interaction, g, i, bearing, pairs, p):
    """Half-length of the contact zone of a grain on a plane (m) and the axis about which it can rock, a unit vector or zero.

    Args:
        interaction: the narrow phase.
        g: `Grains`.
        i: row of the grain.
        bearing: ``rule.Bearing``; its normal points to the plane.
        pairs: `Contacts`, the list of candidates.
        p: the candidate.
    """


@static(lambda interaction: _RULE[interaction].weighted)
def weighted(interaction, g, bodies, pairs, p, factor):
    """Minimum of a pair's regularised distance function with the penalties of both bodies times a factor, found without its history.

    Args:
        interaction: the narrow phase.
        g: `Grains`.
        bodies: the two ``features.Bodies``.
        pairs: `Contacts`, the list of candidates.
        p: the candidate.
        factor: factor of the penalties.

    Returns:
        squared distance (m^2; 0 where the rule has no penalties), the points relative to their own centres (m), status.
    """


@static(lambda interaction: _RULE[interaction].weighted_to_plane)
def weighted_to_plane(interaction, g, i, space, pairs, p, factor):
    """The same as `weighted` for a grain and a plane.

    Args:
        interaction: the narrow phase.
        g: `Grains`.
        i: row of the grain.
        space: ``features.HalfSpace``.
        pairs: `Contacts`, the list of candidates.
        p: the candidate.
        factor: factor of the penalties.

    Returns:
        squared distance (m^2; 0 where the rule has no penalties), height of the point (m), the point relative to the centre (m), status.
    """


@static(lambda interaction: _RULE[interaction].vertices_met)
def vertices_met(interaction, g, i, sub):
    """The vertices of a grain that touch a disc in one contact: a single one, those of a piece, or all.

    Args:
        interaction: the narrow phase.
        g: `Grains`.
        i: row of the grain.
        sub: sub-key of the contact: the vertex or the piece.

    Returns:
        the first vertex, and the one after the last.
    """


@static(lambda interaction: _RULE[interaction].stands_out)
def stands_out(interaction, g, i, v, a):
    """Whether a vertex counts as a contact with a disc where it is the one nearest to it.

    Args:
        interaction: the narrow phase.
        g: `Grains`.
        i: row of the grain.
        v: the vertex.
        a: vector from the vertex to the disc (m).
    """


@static(lambda interaction: _RULE[interaction].inherits)
def passes_history_on(interaction):
    """Whether a contact that goes over to other features passes its history on to them (``inheritance``); a constant of the compiled code.

    Args:
        interaction: the narrow phase.
    """


@static(lambda interaction: _RULE[interaction].active_sets)
def solves(interaction):
    """Whether a solver finds the distance of a grain to a plane, not a closed form; a constant of the compiled code.

    Args:
        interaction: the narrow phase.
    """


@static(lambda interaction: _RULE[interaction].couples)
def has_couples(interaction):
    """Whether contacts may have couples; a constant of the compiled code.

    Args:
        interaction: the narrow phase.
    """


@static(lambda interaction: _RULE[interaction].arms)
def keeps_arms(interaction):
    """Whether histories hold the contact's arm and zone of the step before; a constant of the compiled code.

    Args:
        interaction: the narrow phase.
    """
