"""From a validated case to what the engine needs: tables, walls, settings, and the grains at the start."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ..case import Case
from ..case.species import inertia_factors
from ..contacts.dispatch import build_interaction
from ..contacts.nearest.features import build_features
from ..contacts.rules.compounds import build_parts
from ..contacts.rules.rule import RuleInput
from ..detection.case_covers import cell_tables, check_triangulation, covers_for_detection
from ..detection.sphere_tables import SphereTables
from ..detection.trees import build_trees
from ..errors import CaseError
from ..integrators.phases import SCHEMES
from ..laws.kind import LawTables
from ..shapes.catalogue import Catalogue, Species, build_catalogue
from ..state.arrays import Settings, Shapes, sum_columns
from ..walls.motion.drives import finish_rows
from .contact_spans import contact_spans
from .law_tables import build_law
from .quanta import Quanta, choose_quanta, weight_notes
from .regularised_checks import regularisation_warnings
from .resistance_tables import build_resistance
from .scene import Scene
from .shape_checks import check_shapes
from .sizes import GrainSizes, grain_sizes
from .timestep import ContactTimes, check_time_step, contact_times, lightest_grains
from .wall_tables import body_vertices, build_bodies, build_walls, check_features

FACES = ("lower-x", "lower-y", "lower-z", "upper-x", "upper-y", "upper-z")
FINE = 100  # vertices of a shape that counts as a mesh


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


def build_scene(case: Case, largest_scale: dict[str, float], smallest_scale: dict[str, float], held: Quanta | None = None) -> Setup:
    """Build the tables of a case.

    Args:
        case: validated case.
        largest_scale: largest size factor of each species, by name.
        smallest_scale: smallest size factor of each species, by name.
        held: the quanta of a run that is resumed, which another version may have chosen differently.

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
    catalogue = catalogue._replace(inertia=inertia_factors(case.species) * catalogue.inertia)
    law = build_law(case)
    sizes = grain_sizes(case, catalogue, largest_scale, smallest_scale)
    quanta, notes = _choose_quanta(case, catalogue, law, sizes, times)
    check_shapes(case, catalogue)
    names, parts = [s.name for s in case.species], build_parts(catalogue)
    eps2 = np.array([case.eps(n) ** 2 for n in names])
    warnings += notes + (regularisation_warnings(case, catalogue, parts, eps2, times) if case.contact.interaction_kind.weighted else [])
    features = build_features(catalogue)
    interaction = build_interaction(RuleInput(catalogue, list(sizes.row.values()), case.contact.interaction, eps2, features, parts))
    walls, rows, wall_names = build_walls(case, case.material_rows, features)
    bodies = build_bodies(case, catalogue, walls)
    later = finish_rows(case, walls, rows, bodies, body_vertices(catalogue, bodies), _smallest_radius(catalogue, sizes))
    settings = _settings(case, held or quanta)
    bodies.widen(*sum_columns(settings))  # columns as those of the grains, whose rows the bodies' follow
    extra = 0.1 * min(sizes.radius.values()) if case.detection.skin == "auto" else float(case.detection.skin)
    _check_periods(settings, 2.0 * sizes.longest, extra)
    check_features(case, catalogue, bodies, settings.period, sizes.longest + extra)
    if case.detection.method == "triangulation":
        check_triangulation(case)
    covering = covers_for_detection(case, catalogue, sizes.smallest, sizes.largest) if case.detection.every_step else None
    walks = case.detection.method == "triangulation" and not case.detection.every_step
    cells = cell_tables(case, catalogue, sizes.largest, sizes.smallest) if "local_fraction" in case.output.fields else None
    trees = build_trees(catalogue, features)
    faces = _open_faces(case.domain.outflow) if case.domain and case.domain.outflow else None
    integrator = SCHEMES[case.time.integrator].build(case.time.rotation)
    shapes = _shape_tables(case, catalogue)
    scene = Scene(shapes, interaction, law, integrator, walls, settings, names, wall_names, trees, parts, bodies, walks, covering, faces)
    return Setup(catalogue, scene, rows, later, warnings, cells)


def _shape_tables(case: Case, catalogue: Catalogue) -> Shapes:
    """Tables of the species for the kernels."""
    rows = case.material_rows
    material = np.array([rows[s.material] for s in case.species], np.int32)
    inverse = np.pad(1.0 / catalogue.inertia, ((0, 0), (0, 1)))
    vertices = np.pad(catalogue.vertices, ((0, 0), (0, 1)))
    return Shapes(material, catalogue.kind, catalogue.core_radius, catalogue.inertia, inverse, catalogue.vertex_start, vertices)


def _smallest_radius(catalogue: Catalogue, sizes: GrainSizes) -> float:
    """Smallest sphero-radius of all grains (m)."""
    return min(float(catalogue.radius[k]) * sizes.smallest[n] for n, k in sizes.row.items())


def _choose_quanta(case: Case, catalogue: Catalogue, law: LawTables, sizes: GrainSizes, times: ContactTimes) -> tuple[Quanta, list[str]]:
    """The quanta of a run, and sentences for the user about weights that they barely resolve."""
    masses = {n: float(catalogue.mass[k]) * sizes.smallest[n] ** case.dimension for n, k in sizes.row.items()}
    lightest = min(masses, key=lambda n: masses[n])
    weight, field = (masses[lightest] * g for g in _pulls(case))
    spans = contact_spans(case, catalogue, law, sizes)
    contributions = _contributions(case, catalogue, sizes.longest / sizes.shortest, times)
    quanta = choose_quanta(spans, weight + field, _smallest_radius(catalogue, sizes), contributions)
    if case.start is not None and case.start.quanta is not None:
        quanta = quanta.or_coarser(case.start.quanta)
    label = f"the lightest grain, of species '{lightest}' with size factor {sizes.smallest[lightest]:.4g},"
    return quanta, weight_notes(quanta, weight, field, label)


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
    compounds = case.contact.interaction_kind.by_pieces and bool((np.diff(catalogue.piece_start) > 1).any())
    if not case.contact.interaction_kind.by_features and not compounds:
        return around
    return math.inf if catalogue.kind.max() > FINE else around * times.most_at_once


def _check_periods(settings: Settings, diameter: float, skin: float) -> None:
    for c, axis in enumerate("xyz"):
        if 0.0 < settings.period[c] <= 2.0 * (diameter + skin):
            raise CaseError(
                f"domain: the period along {axis}, {settings.period[c]:.6g} m, must exceed twice the largest grain diameter plus skin, "
                f"{2.0 * (diameter + skin):.6g} m; make the domain longer or the grains smaller"
            )
