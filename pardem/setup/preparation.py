"""From a validated case to what the engine needs: tables, walls, settings, and the grains at the start."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..case import Case
from ..case.walls import WallTable
from ..contacts.dispatch import build_interaction
from ..contacts.nearest.features import build_features
from ..contacts.rules.compounds import build_parts
from ..contacts.rules.rule import RuleInput
from ..detection.case_covers import cell_tables, covers_for_detection
from ..detection.sphere_tables import SphereTables
from ..detection.trees import build_trees
from ..errors import CaseError
from ..integrators.phases import SCHEMES
from ..shapes.catalogue import Catalogue, Species, build_catalogue
from ..state.arrays import Parts, Settings, Shapes, sum_columns
from ..walls.motion.drives import finish_rows
from .law_tables import build_law, lent_radii
from .quanta import Quanta, choose_quanta, contact_spans, weight_notes
from .resistance_tables import build_resistance
from .scene import Scene
from .timestep import ContactTimes, check_time_step, contact_times, hardened_contact_time, lightest_grains, rocking_overlap
from .wall_tables import body_vertices, build_bodies, build_walls, check_features

CLOSEST_TOUCH = 1.0 / 3.0  # of the sum of radii: distance of the cores at which tips have to touch, at the least
LEAST_HARDENED = 5.0  # steps that a hardened contact should take

FACES = ("lower-x", "lower-y", "lower-z", "upper-x", "upper-y", "upper-z")
FINE = 100  # vertices of a shape that counts as a mesh
LEAST_ROCKING = 0.01  # of the sphero-radius: an overlap up to which flat contacts must rock slowly enough for the time step


@dataclass
class Setup:
    """A case prepared for the run.

    Attributes:
        catalogue: the species as flat arrays.
        scene: constants of the run, as the engine needs them.
        walls: rows of the scene's walls, by the name in the case (a box has six).
        later: rows of the motions that walls take up at a later stage, by the row of the wall and the index in ``then``.
        warnings: sentences for the user.
        cell_tables: tables of the power diagram, if local volume fractions are observed.
    """

    catalogue: Catalogue
    scene: Scene
    walls: dict[str, list[int]]
    later: dict[tuple[int, int], np.ndarray]
    warnings: list[str]
    cell_tables: SphereTables | None


def build_scene(case: Case, largest_scale: dict[str, float], smallest_scale: dict[str, float]) -> Setup:
    """Build the tables of a case.

    Args:
        case: validated case.
        largest_scale: largest size factor of each species, by name.
        smallest_scale: smallest size factor of each species, by name.

    Returns:
        The prepared case.

    Raises:
        CaseError: the time step is too long, a period of the domain too short, the regularisation too strong, or the grains too different in size for
            their forces to be summed.
    """
    times = contact_times(case, *lightest_grains(case))
    warnings = check_time_step(case.time.step, times.near(case.time.step))
    species = [Species(s.name, s.make_shape(), s.density) for s in case.species]
    warnings += [f"species.{s.name}: {note}" for s in species for note in s.shape.notes]
    catalogue = build_catalogue(species)
    names = [s.name for s in case.species]
    present = set(case.grain_species)
    grains = {n: k for k, n in enumerate(names) if n in present}
    radius = {n: float(catalogue.radius[k]) * largest_scale[n] for n, k in grains.items()}
    law = build_law(case)
    lent = lent_radii(case)
    reach = {n: float(catalogue.core_radius[k]) * largest_scale[n] + radius[n] + lent[case.species[k].material] for n, k in grains.items()}
    lightest = min(grains, key=lambda n: float(catalogue.mass[grains[n]]) * smallest_scale[n] ** case.dimension)
    weight, field = (float(catalogue.mass[grains[lightest]]) * smallest_scale[lightest] ** case.dimension * g for g in _pulls(case))
    longest, shortest = max(reach.values()), min(reach[n] * smallest_scale[n] / largest_scale[n] for n in grains)
    smallest = min(float(catalogue.radius[k]) * smallest_scale[n] for n, k in grains.items())
    spans = contact_spans(case, catalogue, law, reach, largest_scale, smallest_scale)
    quanta = choose_quanta(spans, weight + field, smallest, _contributions(case, catalogue, longest / shortest, times))
    warnings += weight_notes(quanta, weight, field, f"the lightest grain, of species '{lightest}' with size factor {smallest_scale[lightest]:.4g},")
    _check_shapes(case, catalogue)
    materials = case.material_rows
    eps2 = np.array([case.eps(n) ** 2 for n in names])
    parts = build_parts(catalogue)
    if case.contact.interaction == "regularised":
        _check_tips(case, catalogue, parts, eps2)
        warnings += _pressing_warnings(case, catalogue, parts, eps2, times)
        warnings += _rocking_warnings(case, names, catalogue, eps2, times)
    features = build_features(catalogue)
    interaction = build_interaction(RuleInput(catalogue, list(grains.values()), case.contact.interaction, eps2, features, parts))
    material = np.array([materials[s.material] for s in case.species], np.int32)
    shapes = Shapes(
        material, catalogue.kind, catalogue.core_radius, catalogue.inertia, 1.0 / catalogue.inertia, catalogue.vertex_start, catalogue.vertices
    )
    walls, rows, wall_names = build_walls(case, materials, features)
    bodies = build_bodies(case, catalogue, walls)
    later = finish_rows(case, walls, rows, bodies, body_vertices(catalogue, bodies), smallest)
    settings = _settings(case, quanta)
    bodies.widen(*sum_columns(settings))  # columns as those of the grains, whose rows the bodies' follow
    skin = case.detection.skin
    extra = 0.1 * min(radius.values()) if skin == "auto" else float(skin)
    _check_periods(settings, 2.0 * max(reach.values()), extra)
    check_features(case, catalogue, bodies, settings.period, max(reach.values()) + extra)
    least = {n: smallest_scale[n] for n in grains}
    covering = covers_for_detection(case, catalogue, least, largest_scale) if case.detection.method == "triangulation" else None
    cells = cell_tables(case, catalogue, largest_scale, least) if "local_fraction" in case.output.fields else None
    trees = build_trees(catalogue, features)
    faces = _open_faces(case.domain.outflow) if case.domain and case.domain.outflow else None
    integrator = SCHEMES[case.time.integrator].build(case.time.rotation)
    scene = Scene(shapes, interaction, law, integrator, walls, settings, names, wall_names, trees, parts, bodies, covering, faces)
    return Setup(catalogue, scene, rows, later, warnings, cells)


def _open_faces(names: tuple[str, ...]) -> np.ndarray:
    """Which faces of the domain are open, (2, 3) bool: lower and upper by axis."""
    return np.array([face in names for face in FACES]).reshape(2, 3)


def _settings(case: Case, quanta: Quanta) -> Settings:
    domain = case.domain
    lower = np.array(domain.lower if domain else (-np.inf,) * 3, dtype=float)
    upper = np.array(domain.upper if domain else (np.inf,) * 3, dtype=float)
    periodic = np.array(domain.periodic if domain else (False,) * 3)
    period = np.where(periodic, upper - lower, 0.0) if periodic.any() else np.zeros(3)
    half = np.where(periodic, 0.5 * period, np.inf)
    gx, gy, gz = case.gravity
    pull, scheme = case.attraction, SCHEMES[case.time.integrator]
    return Settings(
        case.time.step, float(gx), float(gy), float(gz), *quanta, lower, upper, period, half, bool(periodic.any()),
        case.output.observables.energy_budget, scheme.midstep, scheme.past, case.dimension == 2,
        any(motion.pushed for wall in case.wall for motion in wall.motions),
        pull.strength if pull else 0.0, pull.softening if pull else 0.0, np.array(pull.center if pull else (0.0, 0.0, 0.0), dtype=float),
        build_resistance(case),
    )  # fmt: skip


def _pulls(case: Case) -> tuple[float, float]:
    """Strength of gravity and of the field towards a point (m/s^2)."""
    return math.sqrt(sum(c * c for c in case.gravity)), case.attraction.strength if case.attraction else 0.0


def _contributions(case: Case, catalogue: Catalogue, ratio: float, times: ContactTimes) -> float:
    """How many forces may act on one body at once: as many of the smallest grains as find room around the largest, times the springs of a pair.

    A fine mesh may touch with all its features, whatever the shape that it approximates: it counts as more than any number.
    """
    around = 2.0 * math.pi / math.sqrt(3.0) * (1.0 + ratio) ** 2 if case.dimension == 3 else math.pi * (1.0 + ratio)
    compounds = case.contact.interaction == "regularised" and bool((np.diff(catalogue.piece_start) > 1).any())
    if case.contact.interaction != "superposition" and not compounds:
        return around
    return math.inf if catalogue.kind.max() > FINE else around * times.most_at_once


def _check_periods(settings: Settings, diameter: float, skin: float) -> None:
    for c, axis in enumerate("xyz"):
        if 0.0 < settings.period[c] <= 2.0 * (diameter + skin):
            raise CaseError(
                f"domain: the period along {axis}, {settings.period[c]:.6g} m, must exceed twice the largest grain diameter plus skin, "
                f"{2.0 * (diameter + skin):.6g} m; make the domain longer or the grains smaller"
            )


def _check_shapes(case: Case, catalogue: Catalogue) -> None:
    """Hold the shapes against the rule of contact.

    Raises:
        CaseError: `regularised` meets a grain that is neither convex nor a compound, another rule or a wall of kind `body` a compound.
    """
    present = set(case.grain_species)
    rule, compound = case.contact.interaction, "compound" if case.dimension == 3 else "planar_compound"
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
        if rule == "regularised" and not convex and not several:
            raise CaseError(
                f"contact.interaction = 'regularised' needs grains that are convex or made of convex pieces, but species '{species.name}' is "
                f"neither: give it as a {compound}, or use 'superposition' or 'minima'"
            )
        if several and rule != "regularised":
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


def _check_tips(case: Case, catalogue: Catalogue, parts: Parts, eps2: np.ndarray) -> None:
    """The tips of grains must still touch: beta = eps |X| adds to their distance from a plane, sqrt(2) eps |X| to that of two tips.

    Raises:
        CaseError: where surfaces meet at a tip, the cores are closer than CLOSEST_TOUCH of the distance at which they should.
    """
    present = set(case.grain_species)
    flat = _flat_walls(case)
    for k, species in enumerate(case.species):
        if species.name not in present:
            continue  # bodies are met by other rules, in which eps has no part
        tip, radius = _longest_tip(catalogue, parts, k), float(catalogue.radius[k])
        beta2 = eps2[k] * tip**2 / (radius**2 if flat else 2.0 * radius**2)
        if beta2 > 1.0 - CLOSEST_TOUCH**2:
            limit = math.sqrt((1.0 - CLOSEST_TOUCH**2) * eps2[k] / beta2)
            whom = f"wall '{flat[0].name}'" if flat else "each other"
            when = f"only when they overlap by {1.0 - math.sqrt(1.0 - beta2):.0%} of the radii" if beta2 < 1.0 else "not at all"
            raise CaseError(
                f"contact.eps = {math.sqrt(eps2[k]):.3g} is too large for species '{species.name}': its tips would touch {whom} {when}; "
                f"make it at most {limit:.2g}"
            )


def _flat_walls(case: Case) -> list[WallTable]:
    """Walls that a grain meets by the regularised rule."""
    return [wall for wall in case.wall if wall.flat]


def _pressing_warnings(case: Case, catalogue: Catalogue, parts: Parts, eps2: np.ndarray, times: ContactTimes) -> list[str]:
    """A sentence for each species whose tips, pressed into a wall so far that the contact hardens, are too stiff for the time step.

    Between grains an overlap of a sphero-radius comes before that range unless kappa < 3.6: contacts there last half the contact time or more.
    """
    present = set(case.grain_species)
    out = []
    for k, species in enumerate(case.species):
        if species.name not in present or eps2[k] == 0.0 or catalogue.kind[k] == 1:
            continue
        ratio = math.sqrt(eps2[k]) * _longest_tip(catalogue, parts, k) / float(catalogue.radius[k])
        for wall in _flat_walls(case):
            lasts = times.between(species.material, wall.material)
            if lasts is not None and (steps := hardened_contact_time(lasts, ratio) / case.time.step) < LEAST_HARDENED:
                out.append(
                    f"time.step = {case.time.step:.6g} s is long for contact.eps = {math.sqrt(eps2[k]):.3g}: where a tip of species "
                    f"'{species.name}' is pressed deep into wall '{wall.name}', the contact hardens to one that lasts {steps:.2g} steps; better "
                    f"at most {steps * case.time.step / LEAST_HARDENED:.3g} s"
                )
    return out


def _longest_tip(catalogue: Catalogue, parts: Parts, s: int) -> float:
    """Largest distance (m) of a vertex of species ``s`` from the centre of its piece."""
    rows, out = catalogue.piece_vertex_start, 0.0
    for n in range(catalogue.piece_start[s], catalogue.piece_start[s + 1]):
        out = max(out, float(np.linalg.norm(catalogue.vertices[rows[n] : rows[n + 1]] - parts.centre[n], axis=1).max()))
    return out


def _rocking_warnings(case: Case, names: list[str], catalogue: Catalogue, eps2: np.ndarray, times: ContactTimes) -> list[str]:
    """A sentence for each species whose flat contacts rock too fast for the time step before they overlap by LEAST_ROCKING of the radius."""
    present = set(case.grain_species)
    out = []
    for k, name in enumerate(names):
        inertia = float(catalogue.inertia[k].max() if catalogue.kind[k] == 2 else catalogue.inertia[k].min())
        material = case.species[k].material
        if catalogue.kind[k] == 1 or eps2[k] == 0.0 or name not in present or (seconds := times.between(material, material)) is None:
            continue
        eps, radius = math.sqrt(eps2[k]), float(catalogue.radius[k])
        overlap = rocking_overlap(case.time.step, seconds, eps, inertia, float(catalogue.mass[k]), radius)
        if overlap < LEAST_ROCKING * radius:
            better = eps * math.sqrt(LEAST_ROCKING * radius / overlap)
            out.append(
                f"contact.eps = {eps:.3g} is small for species '{name}' at time.step = {case.time.step:.6g} s: flat contacts rock too fast for "
                f"the step above an overlap of {overlap / radius:.2g} sphero-radii; better make it {better:.2g} or shorten the step"
            )
    return out
