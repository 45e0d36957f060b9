"""Springs of friction, rolling and twisting between bodies that move as prescribed, integrated to about eight digits, one contact at a time.

With x and y the nearest points of two features (or of a vertex and a surface), n = (y - x)/|y - x|, v the velocity of the second body less that of
the first at the contact point, w the difference of their spins, F = k times the overlap, and Omega = n x n' + n (n.w1 + n.w2)/2, each spring s obeys

    s' = Omega x s + g - lambda s/|s|,     |s| <= c F,

with g, c = k_t v_t, mu for friction, k_r w_t, mu_r r for rolling, and k_w n (n.w), mu_w r for twisting; lambda is zero below the limit and keeps |s|
there until g.s/|s| falls below the rate of the limit. A spring begins at zero with its contact. Limits are events of scipy's DOP853. Nothing here is
shared with the kernels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from reference_contact import cross
from reference_distance import Array
from reference_features import Corners, of_edges, on_face, solid
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

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

    @cached_property
    def _turning(self) -> tuple[float, Array, Array, Array]:
        """Rate (rad/s); parts of the core along the axis of the spin and across it, and the latter after a quarter of a turn (m)."""
        rate = math.sqrt(float(self.spin @ self.spin))
        axis = self.spin / (rate or 1.0)
        along = np.outer(self.core @ axis, axis)
        return rate, along, self.core - along, np.cross(axis, self.core)

    def points(self, t: float) -> Array:
        rate, along, across, ahead = self._turning
        return np.asarray(self.centre(t) + along + math.cos(rate * t) * across + math.sin(rate * t) * ahead)


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
    """Two features: their nearest points at a time, sum and difference of the radii (m).

    ``radical``: the contact point of grains, else of walls; ``breaks``: when nearest points go over to other features.
    """

    law: Law
    bodies: tuple[Mover, Mover]
    nearest: Nearest
    reach: float
    unequal: float
    span: float
    radical: bool = False
    breaks: list[float] = field(default_factory=list)

    def touch(self, t: float) -> Touch:
        x, y = self.nearest(t)
        line = y - x
        length = float(np.sqrt(line @ line))
        n = line / length
        out = 0.5 * (length + self.unequal * (self.reach / length if self.radical else 1.0))
        return Touch(n, self.reach - length, x + out * n)

    def _pull(self, t: float, which: int) -> tuple[Array, float, float]:
        """g, the limit and its rate."""
        a, b = self.bodies
        n, overlap, c = self.touch(t)
        v = b.velocity(t) + cross(b.spin, c - b.centre(t)) - a.velocity(t) - cross(a.spin, c - a.centre(t))
        w, limit = b.spin - a.spin, self.law.limits[which] * self.law.normal
        along = n * (n @ (v if which == 0 else w))
        g = (v - along, w - along, along)[which]
        return self.law.springs[which] * g, limit * overlap, -limit * float(n @ v)

    def _turn(self, t: float) -> Array:
        """Omega."""
        h = 1e-5 * self.span
        before, after = self.touch(t - h).normal, self.touch(t + h).normal
        n = 0.5 * (before + after)
        return cross(n, (after - before) / (2.0 * h)) + 0.5 * n * (n @ (self.bodies[0].spin + self.bodies[1].spin))

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
        g, _, rise = self._pull(begin, which)
        size = float(np.sqrt(g @ g))
        if begin == 0.0 or size <= rise:
            return begin, np.zeros(3), STICK
        begin += 1e-8 * self.span
        return begin, self._pull(begin, which)[1] / size * g, SLIP

    def _until(self, spare: Callable[[float], float], begin: float, end: float) -> float:
        """When a function first becomes negative, which the solver overlooks where it does so for a moment within a step; else ``end``."""
        times = np.linspace(begin, end, 2 + int(SAMPLES * (end - begin) / self.span))
        spares = [spare(t) for t in times[:-1]]
        for k in range(len(spares) - 1):
            if spares[k] >= 0.0 > spares[k + 1]:
                return float(brentq(spare, times[k], times[k + 1], xtol=1e-15 * self.span, rtol=1e-14))
        return end

    def spring(self, which: int, life: tuple[float, float], times: Array) -> tuple[Array, list[int]]:
        """A spring at some times of a life, (n, 3), and the modes on the way."""
        (t, y, mode), end = self._start(life[0], which), life[1] - 1e-6 * (life[1] < self.span) * self.span
        out, modes, strongest = np.zeros((len(times), 3)), [], max(self._pull(u, which)[1] for u in np.linspace(*life, 20))

        def spare(t: float, y: Array) -> float:
            """How far the spring is below its limit; where it slides: how fast it is pulled beyond it."""
            g, limit, rise = self._pull(t, which)
            size = float(np.sqrt(y @ y))
            return limit - size if mode == STICK else float(g @ y) / size - rise

        def rates(t: float, y: Array) -> Array:
            g, _, rise = self._pull(t, which)
            rate = cross(self._turn(t), y) + g
            return rate if mode == STICK else rate - (float(g @ y) / float(y @ y) - rise / float(np.sqrt(y @ y))) * y

        spare.terminal, spare.direction = True, -1.0  # type: ignore[attr-defined]
        while t < end * (1.0 - 1e-14):
            modes.append(mode)
            stop = min(u for u in (*self.breaks, end) if u > t)
            done = solve_ivp(
                rates, (t, stop), y, "DOP853", events=spare, rtol=1e-8, atol=1e-9 * strongest, dense_output=True, max_step=0.1 * self.span
            )
            until = self._until(lambda t, done=done: spare(t, done.sol(t)), t, done.t[-1])  # type: ignore[misc]
            here = (times >= t) & (times <= until)
            if here.any():
                out[here] = done.sol(times[here]).T
            t, y = until, done.sol(until)
            if t < stop:
                mode = 1 - mode
            elif t < end:
                t += 1e-9 * self.span  # beyond the break, where a limit may rise at once
                mode = SLIP if mode == SLIP and spare(t, y) >= 0.0 else STICK
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


def _edges(m: tuple[int, int], n: tuple[int, int], a: Array, b: Array) -> tuple[Array, Array]:
    return of_edges(a[m[0]], a[m[1]], b[n[0]], b[n[1]])


def _vertex_face(k: int, face: list[Corners], a: Array, b: Array) -> tuple[Array, Array]:
    return a[k], on_face(a[k], face, b)


def _face_vertex(k: int, face: list[Corners], a: Array, b: Array) -> tuple[Array, Array]:
    return on_face(b[k], face, a), b[k]


def feature_pairs(
    law: Law, bodies: tuple[Mover, Mover], cores: tuple[Array, Array], radii: tuple[float, float], span: float, radical: bool
) -> list[Feature]:
    """All pairs of features of two convex bodies that come near each other: edges with edges, vertices with faces (``cores`` as drawn)."""
    first, second = (solid(core, body.core) for core, body in zip(cores, bodies, strict=True))
    kinds: list[Callable[[Array, Array], tuple[Array, Array]]] = [partial(_edges, m, n) for m in first.edges for n in second.edges]
    kinds += [partial(_vertex_face, k, face) for k in range(len(first.points)) for face in second.faces]
    kinds += [partial(_face_vertex, k, face) for k in range(len(second.points)) for face in first.faces]
    looks = [[body.points(t) for body in bodies] for t in np.linspace(0.0, span, 41)]

    def feature(kind: Callable[[Array, Array], tuple[Array, Array]]) -> Feature:
        return Feature(law, bodies, lambda t: kind(*(body.points(t) for body in bodies)), sum(radii), radii[0] - radii[1], span, radical)

    near = sum(radii) + 0.05 * radii[0]
    return [feature(kind) for kind in kinds if min(float(np.linalg.norm(np.subtract(*kind(a, b)))) for a, b in looks) < near]
