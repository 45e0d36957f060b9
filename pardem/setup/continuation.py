"""The state of another run made fit for a case that starts from it: grains, contact histories, and where walls begin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..contacts.dispatch import history_width
from ..laws.history import HISTORY, HISTORY_BUDGET, NORMAL, OWN_WIDTH, WITH_ARM
from ..laws.law import own_columns
from ..laws.resistance.resistance_memory import ENERGY_COLUMNS
from ..laws.resistance.resistance_model import springs_of
from ..shapes.catalogue import Catalogue
from ..shapes.rotations import from_matrix, products
from ..state.arrays import sum_columns
from ..state.origin_state import OriginState
from ..state.population import ContactTable, Population
from .law_tables import build_law, lent_radii
from .preparation import Setup
from .resistance_tables import build_resistance
from .starting_grains import angular_momentum
from .walls_taken_over import WallsThere

if TYPE_CHECKING:
    from ..case import Case

SHAPE = ("kind", "convex", "solid", "radius", "core_radius", "axes")
"""Columns of the catalogue that make up a shape, besides its vertices, edges, faces and pieces."""
MATTER = ("mass", "inertia")


@dataclass
class Continuation:
    """What a run starts from.

    Attributes:
        grains: grains of this rank.
        contacts: that this rank knows; those of the other run that make no sense in this case are not among them.
        grain_count: number of grains of all ranks that are taken over.
        unchanged: whether species, law, walls and quanta are those of the other run, so that its forces hold, too.
        contact_count: number of contacts that the other run had.
        columns: (width,) bool, which columns of the histories come from the other run.
    """

    grains: Population
    contacts: ContactTable
    grain_count: int
    unchanged: bool
    contact_count: int
    columns: np.ndarray


def continued(case: Case, setup: Setup, state: OriginState) -> Continuation:
    """Make a state fit for a case, and let the walls of the case begin where they shall.

    Args:
        case: validated case.
        setup: the same case prepared; the motions of its walls are changed.
        state: state of the other run.

    Returns:
        Grains and contacts.

    Raises:
        CaseError: a wall that the other run has turned cannot go on as the case says.
    """
    walls = WallsThere(case, setup, state)
    walls.take_over()
    alike = _alike(setup.catalogue, state)
    unchanged = bool(alike.matter.all()) and _same_tables(case, state) and _same_sums(setup, state) and walls.same and state.whole
    contacts, columns = _contacts(case, setup, state, alike, walls.row)
    grains = _grains(case, setup, state, alike, unchanged)
    return Continuation(grains, contacts, state.grain_count, unchanged, state.contact_count, columns)


# -- species ----------------------------------------------------------------------------------------------------------------------------------


@dataclass
class _Alike:
    """Which species of a case are those of the same name in the other run, (ns,) bool each.

    Attributes:
        shape: the same shape.
        matter: shape, mass and inertia, or no grains taken over.
    """

    shape: np.ndarray
    matter: np.ndarray


def _alike(catalogue: Catalogue, state: OriginState) -> _Alike:
    old = Catalogue(**{name: state.catalogue[name] for name in Catalogue._fields})
    count = len(catalogue.kind)
    found = _Alike(np.zeros(count, bool), np.ones(count, bool))
    for k in np.flatnonzero(state.rows >= 0).tolist():
        row = int(state.rows[k])
        same = all(np.array_equal(getattr(catalogue, name)[k], getattr(old, name)[row]) for name in SHAPE)
        found.shape[k] = same and all(np.array_equal(a, b) for a, b in zip(_skeleton(catalogue, k), _skeleton(old, row), strict=True))
        found.matter[k] = found.shape[k] and all(np.array_equal(getattr(catalogue, name)[k], getattr(old, name)[row]) for name in MATTER)
    return found


def _skeleton(catalogue: Catalogue, k: int) -> list[np.ndarray]:
    """Vertices, edges, faces and pieces of a species."""
    faces = slice(catalogue.face_start[k], catalogue.face_start[k + 1] + 1)
    loops = catalogue.face_vertex_start[faces]
    pieces = catalogue.piece_vertex_start[catalogue.piece_start[k] : catalogue.piece_start[k + 1] + 1] - catalogue.vertex_start[k]
    return [
        catalogue.vertices[catalogue.vertex_start[k] : catalogue.vertex_start[k + 1]],
        catalogue.edges[catalogue.edge_start[k] : catalogue.edge_start[k + 1]],
        loops - loops[0], catalogue.face_vertices[loops[0] : loops[-1]], pieces,
    ]  # fmt: skip


def _same_tables(case: Case, state: OriginState) -> bool:
    """Whether all keys of the two cases that forces and histories depend on are the same."""
    old = state.case
    names = ("contact", "material", "attraction", "time", "dimension", "material_rows")
    budgets = [c.output.observables.energy_budget for c in (case, old)]
    materials = all(case.species[k].material == old.species[state.rows[k]].material for k in np.flatnonzero(state.rows >= 0))
    tables = all(getattr(case, name) == getattr(old, name) for name in names)
    return tables and materials and budgets[0] == budgets[1] and _period(case) == _period(old)


def _period(case: Case) -> list[tuple[float, float]]:
    """Ends of the domain along its periodic axes."""
    if case.domain is None:
        return []
    return [(low, high) for low, high, goes in zip(case.domain.lower, case.domain.upper, case.domain.periodic, strict=True) if goes]


def _same_sums(setup: Setup, state: OriginState) -> bool:
    """Whether forces are summed in the same quanta and as widely."""
    settings = setup.scene.settings
    widths = (state.grains.ft.shape[1], state.grains.past.shape[1])
    return tuple(state.header.quanta) == (settings.force, settings.torque, settings.energy) and widths == sum_columns(settings)


# -- grains -----------------------------------------------------------------------------------------------------------------------------------


def _grains(case: Case, setup: Setup, state: OriginState, alike: _Alike, unchanged: bool) -> Population:
    """The grains with masses, radii and, where forces are to be found anew, sums of this case."""
    grains, catalogue = state.grains, setup.catalogue
    made = Population(**{name: getattr(grains, name).copy() for name in Population.columns})
    if _period(case) != _period(state.case):
        made.image[:] = 0  # numbers of periods that are no more
    if unchanged:
        return made
    lent = lent_radii(case)
    made.x[:, 3] = catalogue.radius[grains.species] * grains.scale + np.array([lent.get(s.material, 0.0) for s in case.species])[grains.species]
    made.v[:, 3] = catalogue.masses(grains.species, grains.scale)
    other = ~alike.matter[grains.species]
    old = state.rows[grains.species[other]]
    for row in np.unique(old[~alike.shape[grains.species[other]]]):
        mine = np.flatnonzero(other)[old == row]
        axes = state.catalogue["axes"][row]
        given = products(made.q[mine], from_matrix(axes.T))
        made.q[mine] = products(given, from_matrix(catalogue.axes[grains.species[mine[0]]]))
    moments = catalogue.moments(grains.species[other], grains.scale[other])
    made.am[other, :3] = angular_momentum(made.q[other], made.w[other, :3], moments)
    made.ft, made.past = (np.zeros((made.count, width), np.int64) for width in sum_columns(setup.scene.settings))
    return made


# -- contacts ---------------------------------------------------------------------------------------------------------------------------------


def _contacts(case: Case, setup: Setup, state: OriginState, alike: _Alike, wall_row: np.ndarray) -> tuple[ContactTable, np.ndarray]:
    """The contacts whose memory this case understands, and which columns of their histories were there."""
    scene, table = setup.scene, state.contacts
    width = history_width(scene.interaction, scene.law, scene.settings)
    same_law = all(getattr(case.contact, name) == getattr(state.case.contact, name) for name in ("law", "interaction", "user_law"))
    parts = _columns_of(case, setup, state, table.hist.shape[1])
    if not same_law or case.dimension != state.case.dimension or parts is None:
        return ContactTable.blank(width), np.zeros(width, bool)
    key = table.key.copy()
    wall = key[:, 1] < 0
    here = wall_row[-1 - key[wall, 1]]
    key[wall, 1] = -1 - here
    # numbers of features have a meaning for the same shape only; points have none
    known, kinds = alike.shape | (setup.catalogue.kind == 1), state.ends.species
    keep = known[kinds[:, 0]]
    keep[wall] &= here >= 0
    keep[~wall] &= known[kinds[~wall, 1]]
    hist, known_columns = np.zeros((int(keep.sum()), width)), np.zeros(width, bool)
    for old, new, size in parts:
        known_columns[new : new + size] = True
        hist[:, new : new + size] = table.hist[keep, old : old + size]
    if setup.scene.rule.arms and not _arms(case, state, table.hist.shape[1]):  # there were spheres alone
        radius = setup.catalogue.radius[kinds[keep, 0]] * state.ends.scale[keep]
        hist[:, width - WITH_ARM : width - 1] = radius[:, None] * hist[:, NORMAL : NORMAL + 3]
    return ContactTable(key[keep], hist, table.warm[keep]), known_columns


def _arms(case: Case, state: OriginState, width: int) -> bool:
    """Whether histories of the other run hold arms; all else in them follows from its case."""
    return width > sum(size for _, size in _layout(state.case, case))


def _layout(one: Case, law_of: Case) -> list[tuple[str, int]]:
    """Parts of a history of a case, with their numbers of columns, but for the arms; the law is that of the second case, for it is the same."""
    budget, springs = one.output.observables.energy_budget, int(springs_of(build_resistance(one)))
    resists = one.contact.resistance != "none"
    return [
        ("common", HISTORY), ("budget", HISTORY_BUDGET - HISTORY if budget else 0), (f"springs {one.contact.resistance}", springs),
        ("resistance", ENERGY_COLUMNS if resists and budget else 0), ("own", OWN_WIDTH if own_columns(build_law(law_of)) else 0),
    ]  # fmt: skip


def _columns_of(case: Case, setup: Setup, state: OriginState, width: int) -> list[tuple[int, int, int]] | None:
    """First column there, first column here and number of the columns of a history that both cases have, or None if they do not fit together."""
    if case.contact.law != state.case.contact.law:
        return None
    old, new = _layout(state.case, case), _layout(case, case)
    rest = width - sum(size for _, size in old)
    if rest not in (0, WITH_ARM):
        return None
    old, new = [*old, ("arms", rest)], [*new, ("arms", WITH_ARM if setup.scene.rule.arms else 0)]
    found, at = [], 0
    for name, size in old:
        here = 0
        for other, most in new:
            if other == name and min(size, most):
                found.append((at, here, min(size, most)))
            here += most
        at += size
    return found
