"""From a validated case to what the engine needs: tables, walls, settings, and the grains at the start."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .case import Case
from .case.timestep import ContactTime, check_time_step, contact_times, lightest_grains, rocking_overlap
from .constants import Scene
from .errors import CaseError
from .fixedpoint import choose_quanta
from .interactions.dispatch import Interaction, build_interaction
from .laws.tables import build_law
from .population import Population
from .shapes.catalogue import Catalogue, Species, build_catalogue
from .state import Settings, Shapes, Walls
from .walls.kinds import CYLINDER, DISC, PLANE, SHAPE
from .walls.motion import FIXED, MOTION, SINUSOIDAL, VELOCITY

FOREVER = 1e18  # steps
LARGEST_GUARD = 0.9  # of the sum of radii: a regularised contact must bear at least a tenth of it as overlap

LEAST_ROCKING = 0.01  # of the sphero-radius: an overlap up to which flat contacts must rock slowly enough for the time step


@dataclass
class Setup:
    """A case made ready.

    Attributes:
        catalogue: the species as flat arrays. scene: the engine's constants.
        walls: rows of the scene's walls by the name in the case (a box is six).
        warnings: sentences for the user.
    """

    catalogue: Catalogue
    scene: Scene
    walls: dict[str, list[int]]
    warnings: list[str]


def build_scene(case: Case, largest_scale: dict[str, float], smallest_scale: dict[str, float]) -> Setup:
    """Make the tables of a case.

    Args:
        case: validated case.
        largest_scale, smallest_scale: range of the size factors of each species.

    Raises:
        CaseError: the time step is too long, a period too short, the regularisation too strong, or the grains too different in weight.
    """
    times = contact_times(case, *lightest_grains(case))
    warnings = check_time_step(case.time.step, times)
    catalogue = build_catalogue([Species(s.name, s.make_shape(), s.density) for s in case.species])
    names = [s.name for s in case.species]
    mass = {n: float(catalogue.mass[k]) * largest_scale[n] ** case.dimension for k, n in enumerate(names)}
    radius = {n: float(catalogue.radius[k]) * largest_scale[n] for k, n in enumerate(names)}
    law, force_scale = build_law(case, mass, radius)
    reach = {n: float(catalogue.core_radius[k]) * largest_scale[n] + radius[n] for k, n in enumerate(names)}
    gravity = math.sqrt(sum(c * c for c in case.gravity))
    lightest = min(float(catalogue.mass[k]) * smallest_scale[n] ** case.dimension for k, n in enumerate(names))
    quanta = choose_quanta(force_scale, max(reach.values()), lightest * gravity, max(mass.values()) * gravity)
    if case.contact.interaction != "superposition" and not catalogue.convex.all():
        name = names[int(np.argmin(catalogue.convex))]
        raise CaseError(f"contact.interaction = '{case.contact.interaction}' needs convex grains, but species '{name}' is not; use 'superposition'")
    materials = case.materials
    eps2 = np.array([case.eps(m) ** 2 if m in names else 0.0 for m in materials])
    if case.contact.interaction == "regularised":
        _check_guard(case, catalogue, eps2)
        warnings += _rocking_warnings(case, names, catalogue, eps2, times)
    interaction = build_interaction(catalogue, case.contact.interaction, eps2)
    material = np.array([materials.index(n) for n in names], np.int32)
    shapes = Shapes(
        material, catalogue.kind, catalogue.core_radius, catalogue.inertia, 1.0 / catalogue.inertia, catalogue.vertex_start, catalogue.vertices
    )
    walls, rows, wall_names = _walls(case, materials)
    settings = _settings(case, quanta.force, quanta.torque, quanta.energy)
    skin = case.detection.skin
    _check_periods(settings, 2.0 * max(reach.values()), 0.1 * min(radius.values()) if skin == "auto" else float(skin))
    return Setup(catalogue, Scene(shapes, interaction, law, walls, settings, names, wall_names), rows, warnings)


def _settings(case: Case, force: float, torque: float, energy: float) -> Settings:
    domain = case.domain
    lower = np.array(domain.lower if domain else (-np.inf,) * 3, dtype=float)
    upper = np.array(domain.upper if domain else (np.inf,) * 3, dtype=float)
    periodic = np.array(domain.periodic if domain else (False,) * 3)
    period = np.where(periodic, upper - lower, 0.0) if periodic.any() else np.zeros(3)
    half = np.where(periodic, 0.5 * period, np.inf)
    gx, gy, gz = case.gravity
    return Settings(
        case.time.step, float(gx), float(gy), float(gz), force, torque, energy, lower, upper, period, half, bool(periodic.any()),
        case.output.observables.energy_budget, case.time.integrator == "euler", case.dimension == 2,
    )  # fmt: skip


def _check_periods(settings: Settings, diameter: float, skin: float) -> None:
    for c, axis in enumerate("xyz"):
        if 0.0 < settings.period[c] <= 2.0 * (diameter + skin):
            raise CaseError(
                f"domain: the period along {axis}, {settings.period[c]:.6g} m, must exceed twice the largest grain diameter plus skin, "
                f"{2.0 * (diameter + skin):.6g} m; make the domain longer or the grains smaller"
            )


def _check_guard(case: Case, catalogue: Catalogue, eps2: np.ndarray) -> None:
    """The regularised force must still rise at reasonable overlaps: guard distance 1.2 (D beta^2)^(1/3) at the tips, D the sum of radii."""
    for k, species in enumerate(case.species):
        beta2 = 2.0 * eps2[k] * catalogue.core_radius[k] ** 2
        reach = 2.0 * catalogue.radius[k]
        guard = 1.2 * (reach * beta2) ** (1.0 / 3.0) / reach
        if guard > LARGEST_GUARD:
            limit = math.sqrt((LARGEST_GUARD / 1.2) ** 3 * reach**2 / (2.0 * catalogue.core_radius[k] ** 2))
            raise CaseError(
                f"contact.eps = {math.sqrt(eps2[k]):.3g} is too large for species '{species.name}': the regularised force would collapse at "
                f"an overlap of {1.0 - guard:.0%} of the sum of radii; make it at most {limit:.2g}"
            )


def _rocking_warnings(case: Case, names: list[str], catalogue: Catalogue, eps2: np.ndarray, times: list[ContactTime]) -> list[str]:
    """A sentence for each species whose flat contacts rock too fast for the time step before they overlap by LEAST_ROCKING of the radius."""
    seconds = {time.between: time.seconds for time in times}
    out = []
    for k, name in enumerate(names):
        inertia = float(catalogue.inertia[k].max() if catalogue.kind[k] == 2 else catalogue.inertia[k].min())
        if catalogue.kind[k] == 1 or eps2[k] == 0.0 or (name, name) not in seconds:
            continue
        eps, radius = math.sqrt(eps2[k]), float(catalogue.radius[k])
        overlap = rocking_overlap(case.time.step, seconds[name, name], eps, inertia, float(catalogue.mass[k]), radius)
        if overlap < LEAST_ROCKING * radius:
            better = eps * math.sqrt(LEAST_ROCKING * radius / overlap)
            out.append(
                f"contact.eps = {eps:.3g} is small for species '{name}' at time.step = {case.time.step:.6g} s: flat contacts rock too fast for "
                f"the step above an overlap of {overlap / radius:.2g} sphero-radii; better make it {better:.2g} or shorten the step"
            )
    return out


def _motion_row(case: Case, motion: Any, stage_start: float | None) -> np.ndarray:
    row = np.zeros(MOTION)
    row[5] = FOREVER
    row[4] = FOREVER if stage_start is None else stage_start
    if motion.kind == "sinusoidal":
        row[:4] = SINUSOIDAL, motion.amplitude_for(case.gravity), 2.0 * math.pi * motion.frequency, motion.phase
        row[6:9] = unit(motion.direction)
    elif motion.kind == "velocity":
        velocity = np.array(motion.velocity, dtype=float)
        speed = float(np.sqrt(velocity @ velocity))
        row[:2] = VELOCITY, speed
        row[6:9] = velocity / speed if speed > 0.0 else 0.0
    else:
        row[0] = FIXED
    return row


def unit(vector: Any) -> np.ndarray:
    """The vector at length one."""
    v = np.array(vector, dtype=float)
    return v / np.sqrt(v @ v)


def _walls(case: Case, materials: tuple[str, ...]) -> tuple[Walls, dict[str, list[int]], list[str]]:
    kind: list[int] = []
    material: list[int] = []
    shape: list[np.ndarray] = []
    motion: list[np.ndarray] = []
    names: list[str] = []
    rows: dict[str, list[int]] = {}
    for wall in case.wall:
        surfaces: list[tuple[int, Any, Any, float, str]] = []
        if wall.kind == "plane":
            surfaces.append((PLANE, wall.point, wall.normal, 0.0, wall.name))
        elif wall.kind == "disc":
            surfaces.append((DISC, wall.center, wall.normal, wall.radius, wall.name))
        elif wall.kind == "cylinder":
            surfaces.append((CYLINDER, wall.center, wall.axis, wall.radius, wall.name))
        else:
            for c, axis in enumerate("xyz"):
                inward = np.zeros(3)
                inward[c] = 1.0
                surfaces.append((PLANE, wall.lower, inward, 0.0, f"{wall.name}:lower-{axis}"))
                surfaces.append((PLANE, wall.upper, -inward, 0.0, f"{wall.name}:upper-{axis}"))
        start = getattr(wall.motion, "start", 0.0)
        row = _motion_row(case, wall.motion, None if isinstance(start, str) else start / case.time.step)
        for code, point, normal, radius, name in surfaces:
            rows.setdefault(wall.name, []).append(len(kind))
            kind.append(code)
            material.append(materials.index(wall.material))
            shape.append(np.concatenate([point, unit(normal), [radius, 0.0]]))
            motion.append(row.copy())
            names.append(name)
    n = len(kind)
    walls = Walls(
        np.array(kind, np.int32), np.array(material, np.int32), np.array(shape, float).reshape(n, SHAPE), np.array(motion, float).reshape(n, MOTION),
        np.zeros((n, 12)), np.zeros((n, 6, 2), np.int64), np.zeros((n, 2), np.int64),
    )  # fmt: skip
    return walls, rows, names


def make_population(catalogue: Catalogue, species: np.ndarray, scale: np.ndarray, position: np.ndarray, orientation: np.ndarray) -> Population:
    """Grains at rest, ids in the order of the rows.

    Args:
        species: (n,) int. scale: (n,). position: (n, 3) m. orientation: (n, 4) of the principal frame.
    """
    n = len(species)
    p = Population.empty(n)
    p.gid[:] = np.arange(n)
    p.species[:] = species
    p.scale[:] = scale
    p.x[:, :3] = position
    p.x[:, 3] = catalogue.radius[species] * scale
    p.v[:, 3] = catalogue.masses(species, scale)
    p.q[:] = orientation
    return p


__all__ = ["Interaction", "Setup", "build_scene", "make_population", "unit"]
