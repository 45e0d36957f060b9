"""The time step against the contact time, once masses are known."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import CaseError, ShapeError
from .contact import Resolved
from .motions import ServoMotion
from .walls import AnyWall, Body

if TYPE_CHECKING:
    from ..shapes import Shape
    from .model import Case

_LENNARD_JONES = 72.0 / 2.0 ** (1.0 / 3.0)  # second derivative of the potential at its bottom, in depth/sigma^2
# (4/5) sqrt(pi) Gamma(2/5)/Gamma(9/10): duration over (largest overlap / impact speed) of a Hertzian impact
_HERTZ = 0.8 * math.sqrt(math.pi) * math.gamma(0.4) / math.gamma(0.9)


@dataclass(frozen=True)
class ContactTime:
    """Duration of a collision.

    Attributes:
        between: the two materials.
        seconds: the duration (s).
        fastest: the duration, were its fastest part the whole (s): Walton's unloading is stiffer than his loading.
        multiplicity: contacts that can act at once between the two bodies.
    """

    between: tuple[str, str]
    seconds: float
    fastest: float
    multiplicity: int = 1


def spring_contact_time(mass: float, stiffness: float, multiplicity: int = 1) -> float:
    """Half a period of a mass on springs: pi sqrt(m/(n k)) (thesis eq 2.18 without damping, the shortest case).

    Args:
        mass: effective mass (kg).
        stiffness: of one contact (N/m).
        multiplicity: contacts that can act at once between the two bodies.
    """
    return math.pi * math.sqrt(mass / (multiplicity * stiffness))


def hertz_contact_time(mass: float, radius: float, modulus: float, speed: float) -> float:
    """Duration of a Hertzian impact, 2.868 (m^2/(R E*^2 v))^(1/5) (Landau and Lifshitz, Theory of Elasticity, section 9).

    Args:
        mass: effective mass (kg). radius: effective radius (m). modulus: effective modulus E* (Pa). speed: of the impact (m/s).
    """
    overlap = math.pow(15.0 * mass * speed * speed / (16.0 * math.sqrt(radius) * modulus), 0.4)
    return _HERTZ * overlap / speed


def contact_time(between: tuple[str, str], parameters: Resolved, mass: float, radius: float, multiplicity: int = 1) -> ContactTime | None:
    """Shortest collision that the parameters allow; None for a user's law without ``contact_time``.

    Args:
        between: names of the two materials.
        parameters: of the pair (`Case.contact_between`).
        mass: smallest effective mass of the pair (kg).
        radius: smallest effective radius of the pair (m).
        multiplicity: contacts that can act at once between the two bodies.
    """
    share = 1.0 / math.sqrt(multiplicity)
    if parameters.young is not None and parameters.poisson is not None and parameters.reference_speed is not None:
        modulus = parameters.young / (2.0 * (1.0 - parameters.poisson**2))
        seconds = fastest = share * hertz_contact_time(mass, radius, modulus, parameters.reference_speed)
    elif parameters.loading_stiffness is not None and parameters.unloading_stiffness is not None:
        fastest = spring_contact_time(mass, parameters.unloading_stiffness, multiplicity)
        seconds = 0.5 * (spring_contact_time(mass, parameters.loading_stiffness, multiplicity) + fastest)
    elif parameters.depth is not None and parameters.sigma is not None:
        seconds = fastest = spring_contact_time(mass, _LENNARD_JONES * parameters.depth / parameters.sigma**2, multiplicity)
    elif parameters.normal_stiffness is not None:
        seconds = fastest = spring_contact_time(mass, parameters.normal_stiffness, multiplicity)
    elif parameters.contact_time is not None:
        seconds = fastest = share * parameters.contact_time
        if parameters.law == "walton" and parameters.restitution is not None:
            # the unloading takes the share e/(1 + e) of the collision and is a quarter of its spring's period
            fastest *= 2.0 * parameters.restitution / (1.0 + parameters.restitution)
    else:
        return None
    return ContactTime(between, seconds, fastest, multiplicity)


def rocking_overlap(step: float, contact_time: float, eps: float, inertia: float, mass: float, radius: float) -> float:
    """Overlap (m) up to which half a period of two equal grains rocking on each other takes ten steps.

    The regularised contact is a spring N D/eps^2 against tilt, D = 2 radius, N the normal force k overlap with k = (mass/2) (pi/contact_time)^2.

    Args:
        step: (s). contact_time: of the two (s). eps: weight of the regularisation. inertia: about the axis of tilt (kg m^2). mass: of a grain (kg).
        radius: sphero-radius (m).
    """
    return eps**2 * inertia * (contact_time / step) ** 2 / (100.0 * mass * radius)


def hardened_contact_time(seconds: float, ratio: float) -> float:
    """Duration (s) of a contact of a tip with a plane once it hardens: it is stiffer by kappa + 1 - 1/GUARD at the most (``interactions.hardening``).

    Args:
        seconds: that of the contact (s). ratio: beta/D, eps times the tip's distance from the centre over the sphero-radius.
    """
    from ..interactions.hardening import GUARD, STEEPEST

    kappa = 1.0 / math.sqrt(ratio**2 + 1.0 / STEEPEST**2)
    return seconds / math.sqrt(kappa + 1.0 - 1.0 / GUARD)


def check_time_step(step: float, times: Iterable[ContactTime]) -> list[str]:
    """Hold the step (s) against every contact time.

    Returns:
        A warning for each pair whose contact time, or fastest part of it, is under 20 steps.

    Raises:
        CaseError: a contact time is under 10 steps.
    """
    warnings = []
    for time in sorted(times, key=lambda t: (t.seconds, t.between)):
        pair = f"between '{time.between[0]}' and '{time.between[1]}'"
        steps = time.seconds / step
        # a ratio that is whole but for rounding (6e-4 s / 6e-5 s) counts as reached
        if steps < 10.0 * (1.0 - 1e-12):
            raise CaseError(
                f"time.step = {step:.6g} s is too long: a contact {pair} lasts {time.seconds:.4g} s, {steps:.3g} steps; "
                f"make it at most {time.seconds / 10:.4g} s (a tenth), better {time.seconds / 20:.4g} s"
            )
        if time.fastest / step < 20.0 * (1.0 - 1e-12):
            what = "lasts" if time.fastest == time.seconds else "unloads as one that lasts"
            warnings.append(
                f"time.step = {step:.6g} s is long: a contact {pair} {what} {time.fastest:.4g} s, {time.fastest / step:.3g} steps; "
                f"better at most {time.fastest / 20:.4g} s (a twentieth)"
            )
    return warnings


def contact_times(case: Case, mass: Mapping[str, float], radius: Mapping[str, float]) -> list[ContactTime]:
    """Contact times of all pairs of a case.

    Args:
        case: the case.
        mass: mass of the lightest grain of each species (kg).
        radius: effective contact radius of the smallest grain of each species, that of the law `hertz` (m).
    """
    from ..shapes.compound import most_that_meet

    features, minima = case.contact.interaction == "superposition", case.contact.interaction == "minima"
    present = set(case.grain_species)
    bodies = {wall.material: species for wall in case.wall if isinstance(wall, Body) for species in case.species if species.name == wall.species}
    pierced = any(wall.kind == "disc" and wall.hole for wall in case.wall)
    extremes: dict[str, _Extremes] = {}
    for species in case.species:
        if species.name in present:
            degrees = _degrees(species.make_shape()) if features or bodies or pierced else (1, 0)
            # several minima of the distance act at once where a grain is not convex: two hold it in the plane, three in space
            shape = species.make_shape()
            several = case.dimension if minima and not shape.convex else 1
            pieces = (len(shape.pieces), most_that_meet(shape.vertices, shape.pieces, shape.radius)) if shape.pieces else (1, 1)
            own = _Extremes(mass[species.name], radius[species.name], *degrees, species.core_vertices, several, *pieces)
            extremes[species.material] = own.joined(extremes.get(species.material, own))
    out: dict[tuple[str, str], ContactTime] = {}

    def add(first: str, second: str, m: float, r: float, multiplicity: int, share: float = 1.0) -> None:
        time = contact_time((first, second), case.contact_between(first, second), m, r, multiplicity)
        if time is not None and share < 1.0:  # exact for linear springs
            time = replace(time, seconds=math.sqrt(share) * time.seconds, fastest=math.sqrt(share) * time.fastest)
        known = out.get((first, second))
        if time is not None and (known is None or time.seconds < known.seconds):
            out[first, second] = time

    def together(a: tuple[int, int], b: tuple[int, int]) -> int:
        """Springs that act at once between two vertices with so many edges and faces."""
        # in the plane a vertex on a vertex touches two edges of the other outline
        return max(1, a[0] + b[0]) if case.dimension == 2 else a[0] * b[0] + a[1] + b[1]

    materials = list(extremes)
    for i, first in enumerate(materials):
        a = extremes[first]
        for second in materials[i:]:
            b = extremes[second]
            multiplicity = together((a.edges, a.faces), (b.edges, b.faces)) if features else a.at_once(b)
            add(first, second, a.mass * b.mass / (a.mass + b.mass), a.radius * b.radius / (a.radius + b.radius), multiplicity)
        for wall in case.wall:
            holed = wall.kind == "disc" and wall.hole is not None
            by_vertex = features or holed or wall.kind in ("cylinder", "body")
            count = _vertices_on_wall(a.vertices, case.dimension) if by_vertex else max(a.minima, a.pieces)
            if holed:
                count = max(count, 1 + max(1, a.edges))  # a vertex on a rim and its edges; a ball in a hole is held from two sides
            if wall.kind == "body":
                count = max(count, together((a.edges, a.faces), _degrees(bodies[wall.material].make_shape())))
            add(first, wall.material, a.mass, a.radius, count, _share(wall, a.mass))
    return list(out.values())


class _Extremes(NamedTuple):
    """Of the species of a material: least mass (kg) and radius (m), most edges and faces at a vertex, most vertices, most minima of the distance,
    most convex pieces, most of them that one contact may touch.
    """

    mass: float
    radius: float
    edges: int
    faces: int
    vertices: int
    minima: int
    pieces: int
    meeting: int

    def joined(self, other: _Extremes) -> _Extremes:
        edges, faces, vertices = max(self.edges, other.edges), max(self.faces, other.faces), max(self.vertices, other.vertices)
        minima, pieces, meeting = max(self.minima, other.minima), max(self.pieces, other.pieces), max(self.meeting, other.meeting)
        return _Extremes(min(self.mass, other.mass), min(self.radius, other.radius), edges, faces, vertices, minima, pieces, meeting)

    def at_once(self, other: _Extremes) -> int:
        """Springs of whole grains that act at once: minima of the distance, pieces that lie flat on the other, pieces that meet where both touch."""
        return max(self.minima, other.minima, self.pieces, other.pieces, self.meeting * other.meeting)


def _share(wall: AnyWall, mass: float) -> float:
    """Effective mass of a grain on a wall over the grain's own: below 1 where the wall itself is free to move."""
    heavy = min((motion.mass for motion in wall.motions if isinstance(motion, ServoMotion)), default=math.inf)
    return 1.0 / (1.0 + mass / heavy)


def _degrees(shape: Shape) -> tuple[int, int]:
    """Most edges and most faces that meet in a vertex; a vertex without edges counts as an edge in space, in the plane as none."""
    corners = [v for loop in shape.faces for v in loop]
    edges = int(np.bincount(shape.edges.ravel()).max()) if len(shape.edges) else shape.dimension - 2
    return edges, int(np.bincount(corners).max()) if corners and shape.dimension == 3 else 0


def _vertices_on_wall(count: int, dimension: int) -> int:
    """Vertices that can lie on a wall at once: a face holds half of a body's vertices at most, an edge both of its two."""
    if dimension == 2:
        return min(count, 2)
    return count if count < 4 else max(3, count // 2)


def lightest_grains(case: Case) -> tuple[dict[str, float], dict[str, float]]:
    """Mass (kg) and sphero-radius (m) of the smallest grain of each species; those of ``grains_file`` count with size factor 1.

    Raises:
        ShapeError: a shape is degenerate, or so small or light that its mass is zero.
    """
    mass, radius = {}, {}
    scales: dict[str, float] = {}
    for insert in case.insert:
        size = insert.size.value if insert.size.kind == "constant" else insert.size.min
        scales[insert.species] = min(size, scales.get(insert.species, math.inf))
    for grain in case.grain:
        scales[grain.species] = min(grain.scale, scales.get(grain.species, math.inf))
    for species in case.species:
        scale = scales.get(species.name, 1.0)
        shape = species.make_shape()
        try:
            mass[species.name] = float(shape.mass_properties(density=species.density).mass) * scale**case.dimension
        except ShapeError as error:
            raise ShapeError(f"species.{species.name}: {error}") from None
        if not 0.0 < mass[species.name] < math.inf:
            m = mass[species.name]
            raise ShapeError(f"species.{species.name}: the mass of its smallest grain comes out as {m:g} kg; check density, lengths and size factors")
        radius[species.name] = species.radius * scale
    return mass, radius
