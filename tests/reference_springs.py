"""Springs of friction, rolling and twisting between bodies that move as prescribed, integrated to about eight digits, one contact at a time.

With x and y the nearest points of two features (or of a vertex and a surface), n = (y - x)/|y - x|, v the velocity of the second body less that of
the first at the contact point, w the difference of their spins, F = k times the overlap, and Omega = n x n' + n (n.w1 + n.w2)/2, each spring s obeys

    s' = Omega x s + g - lambda s/|s|,     |s| <= c F,

with g, c = k_t v_t, mu for friction, k_r w_t, mu_r r for rolling, and k_w n (n.w), mu_w r for twisting; lambda is zero below the limit and keeps |s|
there until g.s/|s| falls below the rate of the limit. A spring begins at zero with its contact. Limits are events of scipy's DOP853. Nothing here is
shared with the kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from reference_contact import cross
from reference_distance import Array
from reference_features import Solid, nearest_points, solid
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

SAMPLES = 200  # at which contacts are looked for
STICK, SLIP = 0, 1


def still(_: float) -> Array:
    return np.zeros(3)


@dataclass(frozen=True)
class Mover:
    """A body: its centre and velocity at a time (m, m/s), its constant spin (rad/s), its core at time zero about the centre (m)."""

    centre: Callable[[float], Array] = still
    velocity: Callable[[float], Array] = still
    spin: Array = field(default_factory=lambda: np.zeros(3))
    core: Array = field(default_factory=lambda: np.zeros((1, 3)))

    def points(self, t: float) -> Array:
        return np.asarray(self.centre(t) + Rotation.from_rotvec(t * self.spin).apply(self.core))


def drifting(centre: Array, velocity: Array, spin: Array, core: Array) -> Mover:
    """A body that drifts and spins as it began."""
    return Mover(lambda t: centre + t * velocity, lambda _: velocity, spin, core)


class Law(NamedTuple):
    """Stiffnesses (N/m, and N m for rolling and twisting) and limits over the normal force (1, and m for rolling and twisting)."""

    normal: float
    springs: tuple[float, float, float]
    limits: tuple[float, float, float]


class Touch(NamedTuple):
    """Normal from the first body to the second, overlap, contact point."""

    normal: Array
    overlap: float
    point: Array


Nearest = Callable[[float], tuple[Array, Array]]


@dataclass
class Feature:
    """Two features: their nearest points at a time, sum and difference of the radii (m); ``radical``: the contact point of grains, else of walls."""

    law: Law
    bodies: tuple[Mover, Mover]
    nearest: Nearest
    reach: float
    unequal: float
    span: float
    radical: bool = False

    def touch(self, t: float) -> Touch:
        x, y = self.nearest(t)
        line = y - x
        length = float(np.sqrt(line @ line))
        n = line / length
        out = 0.5 * (length + self.unequal * (self.reach / length if self.radical else 1.0))
        return Touch(n, self.reach - length, x + out * n)

    def _drive(self, t: float, which: int) -> tuple[Array, Array, float, float]:
        """Omega, g, the limit and its rate."""
        a, b = self.bodies
        n, overlap, c = self.touch(t)
        h = 1e-5 * self.span
        turn = cross(n, (self.touch(t + h).normal - self.touch(t - h).normal) / (2.0 * h)) + 0.5 * n * (n @ (a.spin + b.spin))
        v = b.velocity(t) + cross(b.spin, c - b.centre(t)) - a.velocity(t) - cross(a.spin, c - a.centre(t))
        w, limit = b.spin - a.spin, self.law.limits[which] * self.law.normal
        along = n * (n @ (v if which == 0 else w))
        g = (v - along, w - along, along)[which]
        return turn, self.law.springs[which] * g, limit * overlap, -limit * float(n @ v)

    def lives(self) -> list[tuple[float, float]]:
        """Times at which the contact begins and ends."""
        times = np.linspace(0.0, self.span, SAMPLES + 1)
        gaps = [self.touch(t).overlap for t in times]
        marks = [0.0] if gaps[0] > 0.0 else []
        for k in range(SAMPLES):
            if (gaps[k] > 0.0) != (gaps[k + 1] > 0.0):
                marks.append(brentq(lambda t: self.touch(t).overlap, times[k], times[k + 1], xtol=1e-15 * self.span, rtol=1e-14))
        return list(zip(marks[::2], [*marks[1::2], self.span][: len(marks[::2])], strict=True))

    def _start(self, begin: float, which: int) -> tuple[float, Array, int]:
        """A moment after the birth, spring and mode there."""
        _, g, _, rise = self._drive(begin, which)
        size = float(np.sqrt(g @ g))
        if begin == 0.0 or size <= rise:
            return begin, np.zeros(3), STICK
        begin += 1e-8 * self.span
        return begin, self._drive(begin, which)[2] / size * g, SLIP

    def spring(self, which: int, life: tuple[float, float], times: Array) -> tuple[Array, list[int]]:
        """A spring at some times of a life, (n, 3), and the modes on the way."""
        (t, y, mode), end = self._start(life[0], which), life[1] - 1e-6 * (life[1] < self.span) * self.span
        out, modes, strongest = np.zeros((len(times), 3)), [], max(self._drive(u, which)[2] for u in np.linspace(*life, 20))

        def spare(t: float, y: Array) -> float:
            """How far the spring is below its limit; where it slides: how fast it is pulled beyond it."""
            _, g, limit, rise = self._drive(t, which)
            size = float(np.sqrt(y @ y))
            return limit - size if mode == STICK else float(g @ y) / size - rise

        def rates(t: float, y: Array) -> Array:
            turn, g, _, rise = self._drive(t, which)
            rate = cross(turn, y) + g
            return rate if mode == STICK else rate - (float(g @ y) / float(y @ y) - rise / float(np.sqrt(y @ y))) * y

        spare.terminal, spare.direction = True, -1.0  # type: ignore[attr-defined]
        while t < end * (1.0 - 1e-14):
            modes.append(mode)
            done = solve_ivp(
                rates, (t, end), y, "DOP853", events=spare, rtol=1e-8, atol=1e-9 * strongest, dense_output=True, max_step=0.1 * self.span
            )
            here = (times >= t) & (times <= done.t[-1])
            if here.any():
                out[here] = done.sol(times[here]).T
            t, y, mode = done.t[-1], done.y[:, -1], 1 - mode
            if mode == STICK:
                y = y * (1.0 - 1e-9)  # or rounding has it slip again at once
            if len(modes) > 40:
                raise RuntimeError(f"the spring goes on changing its mode: {modes}")
        return out, modes

    def load(self, times: Array) -> tuple[Array, Array, set[tuple[int, ...]]]:
        """Force on the first body, torque about its centre at some times, (n, 3) each; which springs stuck and slid, one after the other."""
        force, torque, seen = np.zeros((len(times), 3)), np.zeros((len(times), 3)), set()
        for life in self.lives():
            alive = np.flatnonzero((times > life[0]) & (times <= life[1]))
            every = []
            for which in range(3):
                found, modes = self.spring(which, life, times[alive]) if self.law.springs[which] else (np.zeros((len(alive), 3)), [])
                every.append(found)
                seen.add((which, *modes))
            for k, drag, roll, twist in zip(alive, *every, strict=True):
                n, overlap, c = self.touch(times[k])
                push = drag - self.law.normal * overlap * n
                force[k] += push
                torque[k] += cross(c - self.bodies[0].centre(times[k]), push) + roll + twist
        return force, torque, seen


def loads(features: list[Feature], times: Array) -> tuple[Array, Array, set[tuple[int, ...]]]:
    """The sum over contacts of what ``Feature.load`` gives."""
    every = [feature.load(times) for feature in features]
    return sum(f for f, _, _ in every), sum(t for _, t, _ in every), set().union(*(seen for _, _, seen in every))


def feature_pairs(
    law: Law, bodies: tuple[Mover, Mover], cores: tuple[Array, Array], radii: tuple[float, float], span: float, radical: bool
) -> list[Feature]:
    """All pairs of features of two convex bodies that come near each other: edges with edges, vertices with faces (``cores`` as drawn)."""
    shapes = [solid(core, body.core) for core, body in zip(cores, bodies, strict=True)]
    edges, faces, corners = ([getattr(s, kind) for s in shapes] for kind in ("edges", "faces", "points"))
    kinds: list[tuple[Any, ...]] = [("edges", m, n) for m in edges[0] for n in edges[1]]
    kinds += [("first", k, face) for k in range(len(corners[0])) for face in faces[1]]
    kinds += [("second", k, face) for k in range(len(corners[1])) for face in faces[0]]

    def nearest(kind: tuple[Any, ...]) -> Nearest:
        def at(t: float) -> tuple[Array, Array]:
            a, b = (body.points(t) for body in bodies)
            what, m, n = kind
            if what == "edges":
                found = nearest_points(Solid(a, [m], []), Solid(b, [n], []))
            elif what == "first":
                found = nearest_points(Solid(a[[m]], [], []), Solid(b, [], [n]))
            else:
                found = nearest_points(Solid(a, [], [n]), Solid(b[[m]], [], []))
            return found[0]

        return at

    every = [Feature(law, bodies, nearest(kind), radii[0] + radii[1], radii[0] - radii[1], span, radical) for kind in kinds]
    return [f for f in every if max(f.touch(t).overlap for t in np.linspace(0.0, span, 41)) > -0.05 * radii[0]]
