"""One contact without damping, integrated to about ten digits from the equations of the law: what the time step is held against.

Two bodies, balls or rods, or one of them and a plane that moves as prescribed. With n the normal (first body to second), delta the overlap, c the
contact point, v_t the tangential velocity there (second less first), f the tangential force on the first body, L = mu phi s the limit of friction:

    f' = Omega x f + k_t v_t - lambda f/|f|,     Omega = n x n' + n (n.w1 + n.w2)/2,

lambda = 0 while |f| < L, and k_t v_t.f/|f| - L' while it slides, until that becomes negative. Births, ends, slip and stick are events of the solver
(scipy's DOP853). Rates of the geometry are differences of fourth order along the motion. Nothing here is shared with the kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

APART, STICK, SLIP = 0, 1, 2


@dataclass
class Body:
    """A ball, or a rod (half-length of the axis > 0); ``moments``: about a transverse axis and about the own one."""

    mass: float
    radius: float
    moments: tuple[float, float]
    half: float = 0.0
    eps: float = 0.0


@dataclass
class Plane:
    """A plane: its point, velocity and constant angular velocity about ``centre`` at a time; the normal points to the grain."""

    point: Callable[[float], np.ndarray]
    velocity: Callable[[float], np.ndarray]
    normal: np.ndarray
    spin: np.ndarray
    centre: np.ndarray


@dataclass
class Law:
    """Normal force and tangential stiffness as functions of the overlap (N, N/m)."""

    phi: Callable[[float], float]
    kt: Callable[[float], float]
    friction: float


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """What np.cross gives for two vectors, without its preparations."""
    (ax, ay, az), (bx, by, bz) = a.tolist(), b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])


def clip(s: float) -> float:
    return min(1.0, max(-1.0, s))


class Contact:
    """The equations of motion; a state is x, v, unit axis, angular momentum of each body, then f."""

    def __init__(self, law: Law, first: Body, second: Body | Plane, gravity: np.ndarray | None = None) -> None:
        self.law, self.first, self.second = law, first, second
        self.gravity = np.zeros(3) if gravity is None else gravity
        self.scale = 1.0

    @staticmethod
    def _spin(body: Body, y: np.ndarray) -> np.ndarray:
        u, momentum = y[6:9], y[9:12]
        across, along = body.moments
        return np.asarray(momentum / across + u * (u @ momentum) * (1.0 / along - 1.0 / across))

    def geometry(self, t: float, y: np.ndarray) -> tuple[np.ndarray, float, float, np.ndarray]:
        """Normal, overlap, slope, contact point."""
        a, b = self.first, self.second
        u = a.half * y[6:9]
        if isinstance(b, Plane):
            up = b.normal
            height, rise, u2 = (y[0:3] - b.point(t)) @ up, up @ u, u @ u
            bottom = rise * rise + a.eps**2 * u2
            s = clip(-height * rise / bottom) if bottom > 0.0 else 0.0
            h = height + s * rise
            d = np.sqrt(h * h + a.eps**2 * s * s * u2)
            return -up, a.radius - d, h / d, y[0:3] + s * u - up * (a.radius - 0.5 * (a.radius - d))
        v, w = b.half * y[18:21], y[0:3] - y[12:15]
        aa, cc, ab = (1.0 + a.eps**2) * (u @ u), (1.0 + b.eps**2) * (v @ v), u @ v
        p, q = -w @ u, w @ v
        s = t2 = 0.0
        if aa > 0.0 and cc > 0.0:
            s = clip((cc * p + ab * q) / (aa * cc - ab * ab))
            t2 = (q + ab * s) / cc
            if abs(t2) > 1.0:
                t2 = np.sign(t2)
                s = clip((p + ab * t2) / aa)
        line = -(w + s * u - t2 * v)
        length = np.sqrt(line @ line)
        d = np.sqrt(length**2 + a.eps**2 * s * s * (u @ u) + b.eps**2 * t2 * t2 * (v @ v))
        part = 0.5 + 0.5 * (a.radius**2 - b.radius**2) / length**2
        return line / length, a.radius + b.radius - d, length / d, y[0:3] + s * u + part * line

    def _rates(self, t: float, y: np.ndarray, mode: int) -> tuple[np.ndarray, float]:
        """State's rate; in SLIP also the multiplier, in APART and STICK zero."""
        a, b = self.first, self.second
        wall = isinstance(b, Plane)
        w1 = self._spin(a, y)
        out = np.zeros_like(y)
        out[0:3], out[3:6], out[6:9] = y[3:6], self.gravity, cross(w1, y[6:9])
        w2 = b.spin if wall else self._spin(b, y[12:24])
        if not wall:
            out[12:15], out[15:18], out[18:21] = y[15:18], self.gravity, cross(w2, y[18:21])
        if mode == APART:
            return out, 0.0
        n, delta, slope, c = self.geometry(t, y)
        f = y[-3:]
        phi, kt = self.law.phi(delta), self.law.kt(delta)
        at2 = b.velocity(t) + cross(w2, c - b.centre) if wall else y[15:18] + cross(w2, c - y[12:15])
        v = at2 - y[3:6] - cross(w1, c - y[0:3])
        force = f - phi * slope * n
        out[3:6] += force / a.mass
        out[9:12] = cross(c - y[0:3], force)
        if not wall:
            out[15:18] -= force / b.mass
            out[21:24] = -cross(c - y[12:15], force)
        tiny = 2e-4 * self.scale
        moved = [np.array([*g[0], g[1], g[2]]) for g in (self.geometry(t + e * tiny, y + e * tiny * out) for e in (1, -1, 2, -2))]
        rates = (8 * (moved[0] - moved[1]) - (moved[2] - moved[3])) / (12 * tiny)
        omega = cross(n, rates[:3]) + 0.5 * n * (n @ (w1 + w2))
        rate = cross(omega, f) + kt * (v - n * (n @ v))
        multiplier = 0.0
        if mode == SLIP:
            e = 1e-3 * delta
            phis = [self.law.phi(delta + m * e) for m in (1, -1, 2, -2)]
            stiffness = (8 * (phis[0] - phis[1]) - (phis[2] - phis[3])) / (12 * e)
            size = np.sqrt(f @ f)
            multiplier = (rate @ f) / size - self.law.friction * (stiffness * rates[3] * slope + phi * rates[4])
            rate = rate - multiplier * f / size
        out[-3:] = rate
        return out, multiplier

    def _limit(self, t: float, y: np.ndarray) -> float:
        _, delta, slope, _ = self.geometry(t, y)
        return self.law.friction * self.law.phi(delta) * slope

    def run(self, y: np.ndarray, end: float, scale: float) -> tuple[np.ndarray, list[int]]:
        """State at a time, and the modes on the way; ``scale``: duration of a contact (s)."""
        self.scale, t, modes = scale, 0.0, []
        y = np.concatenate([y, np.zeros(3)])
        mode = APART if self.geometry(0.0, y)[1] <= 0.0 else STICK
        if mode == STICK and self._limit(0.0, y) == 0.0:
            mode = SLIP
        while t < end * (1.0 - 1e-14):
            modes.append(mode)
            events = [lambda t, y: self.geometry(t, y)[1]]
            events[0].direction = 1.0 if mode == APART else -1.0  # type: ignore[attr-defined]
            if mode == STICK:
                events.append(lambda t, y: np.sqrt(y[-3:] @ y[-3:]) - self._limit(t, y))
                events[1].direction = 1.0  # type: ignore[attr-defined]
            elif mode == SLIP:
                events.append(lambda t, y: self._rates(t, y, SLIP)[1])
                events[1].direction = -1.0  # type: ignore[attr-defined]
            for event in events:
                event.terminal = True  # type: ignore[attr-defined]
            size = np.maximum(np.abs(y), 1e-2 * np.abs(y[:-3]).max())
            size[-3:] = 0.1 * self.first.mass * np.abs(y[3:6] - (0.0 if isinstance(self.second, Plane) else y[15:18])).max() / scale
            done = solve_ivp(
                lambda t, y, mode=mode: self._rates(t, y, mode)[0],
                (t, end), y, "DOP853", events=events, rtol=1e-10, atol=1e-10 * size, max_step=0.05 * scale,
            )
            t, y = done.t[-1], done.y[:, -1]
            if done.status == 0:
                break
            if mode == APART:
                t, y, mode = self._born(t, y)
            elif len(done.t_events[0]):
                y[-3:], mode = 0.0, APART
            else:
                mode = SLIP if mode == STICK else STICK
                if mode == STICK:
                    y[-3:] *= 1.0 - 1e-9  # or rounding has it slip again at once
            if len(modes) > 50:
                raise RuntimeError(f"the contact goes on changing its mode: {modes}")
        return y, modes

    def _born(self, t: float, y: np.ndarray) -> tuple[float, np.ndarray, int]:
        """A moment after touch: spring and limit both grow from zero; the faster decides."""
        moment = 1e-7 * self.scale
        rate, _ = self._rates(t, y, APART)
        y, t = y + moment * rate, t + moment
        growth = self._rates(t, y, STICK)[0][-3:]
        _, delta, _, _ = self.geometry(t, y)
        kt = self.law.kt(delta)
        mean = (self.law.kt(0.25 * delta) / kt) * (4.0 / 3.0) if kt > 0.0 and self.law.kt(0.25 * delta) < 0.9 * kt else 1.0  # over a root's growth
        f, limit = growth * moment * mean, self._limit(t, y)
        size = np.sqrt(f @ f)
        if size <= limit:
            y[-3:] = f
            return t, y, STICK
        y[-3:] = f * limit / size
        return t, y, SLIP
