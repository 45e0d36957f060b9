"""Two balls that collide in a plane, with dampers and sliding, integrated from the equations of the laws; nothing here is shared with the kernels.

With n the unit normal (first to second), t = n turned by a quarter, delta the overlap, v_t the velocity of the second's material point at the contact
along t relative to the first's, f the spring's force along t (a number: in the plane it needs no turning), the force on the first ball is

    -phi n + T t,    T = f + c_t v_t,    f' = k_t v_t    while |T| <= L = mu phi;    sliding: T = +-L, f = T - c_t v_t.
Once phi is no longer positive, L and T are zero.

Changes between sticking and sliding, and the turn of the overlap's rate, are events of scipy's DOP853.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from reference_distance import Array
from scipy.integrate import solve_ivp

STICK, SLIP_UP, SLIP_DOWN, LOOSE = 0, 1, -1, 2


class Numbers(NamedTuple):
    """What a law gives at a moment: normal force without and with damping (N), tangential stiffness (N/m) and damping (N s/m)."""

    elastic: float
    phi: float
    kt: float
    ct: float


@dataclass
class Balls:
    """Two equal balls: mass (kg), radius (m), the law as a function of overlap, rate and largest overlap so far, Coulomb coefficient."""

    mass: float
    radius: float
    law: Callable[[float, float, float], Numbers]
    friction: float
    largest: float = 0.0
    loading: bool = True

    def _at(self, y: Array) -> tuple[Array, Array, float, float, float, float]:
        """Normal, tangent, arm, overlap, its rate, tangential velocity; y: place, velocity of the second less the first, sum of spins, f, works."""
        r, v = y[0:2], y[2:4]
        length = math.hypot(*r)
        n = r / length
        t = np.array([-n[1], n[0]])
        arm = 0.5 * length
        return n, t, arm, 2.0 * self.radius - length, -float(n @ v), float(t @ v) - arm * float(y[4])

    def _tangential(self, y: Array, mode: int) -> tuple[float, float, Numbers]:
        """Force T, its limit, and the numbers of the law."""
        _, _, _, delta, rate, slip = self._at(y)
        now = self.law(max(delta, 0.0), rate, max(self.largest, delta))
        limit = self.friction * max(now.phi, 0.0)
        return (0.0 if mode == LOOSE else mode * limit if mode else float(y[5]) + now.ct * slip), limit, now

    def rates(self, y: Array, mode: int) -> Array:
        """Rate of the state; the last two numbers are the works of the normal damper and of the normal force."""
        n, t, arm, _, rate, slip = self._at(y)
        tangential, _, now = self._tangential(y, mode)
        force = -now.phi * n + tangential * t
        moment = 0.4 * self.mass * self.radius**2
        return np.array([
            *y[2:4], *(-2.0 * force / self.mass), 2.0 * arm * tangential / moment, 0.0 if mode else now.kt * slip,
            (now.phi - now.elastic) * rate, now.phi * rate,
        ])  # fmt: skip

    def _stuck(self, y: Array, mode: int) -> Array:
        """The state of a contact that slides with its spring as it is where it begins to stick, a rounding below the limit."""
        tangential, _, now = self._tangential(y, mode)
        return np.array([*y[:5], (1.0 - 1e-9) * tangential - now.ct * self._at(y)[5], *y[6:]])

    def _spare(self, y: Array, mode: int, tiny: float) -> float:
        """How much faster the limit rises than the force of a contact that sticks from now on, in the sense of the sliding."""
        stuck = self._stuck(y, mode)
        rate = self.rates(stuck, STICK)
        (ahead, rise, _), (behind, fall, _) = (self._tangential(stuck + e * tiny * rate, STICK) for e in (1.0, -1.0))
        return ((rise - fall) - mode * (ahead - behind)) / (2.0 * tiny)

    def _events(self, mode: int, scale: float) -> list[Callable[[float, Array], float]]:
        """What ends a phase, as functions that become negative: overlap, spare friction, rate while the overlap grows, normal force afterwards."""

        def overlap(_: float, y: Array) -> float:
            return self._at(y)[3]

        def spare(_: float, y: Array) -> float:
            if mode == LOOSE:
                return 1.0
            if mode == STICK:
                tangential, limit, _ = self._tangential(y, STICK)
                return limit - abs(tangential)
            return -self._spare(y, mode, 1e-6 * scale)

        def rate(_: float, y: Array) -> float:
            return self._at(y)[4] if self.loading else 1.0

        def force(_: float, y: Array) -> float:
            return 1.0 if self.loading or mode == LOOSE else self._tangential(y, mode)[2].phi

        events: list[Callable[[float, Array], float]] = [overlap, spare, rate, force]
        for event in events:
            event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
        return events

    def _after(self, ended: int, mode: int, y: Array) -> tuple[int, Array]:
        """The mode and the state after an event."""
        if ended == 2:
            self.largest, self.loading = self._at(y)[3], False
            return mode, y
        if ended == 3:
            return LOOSE, y
        if mode == STICK:
            return (SLIP_UP if self._tangential(y, STICK)[0] > 0.0 else SLIP_DOWN), y
        return STICK, self._stuck(y, mode)

    def run(self, place: Array, velocity: Array, spins: tuple[float, float], scale: float) -> tuple[Array, list[int]]:
        """State after the collision, which begins at touch; ``scale``: about its duration (s). Also the modes on the way."""
        y = np.array([*place, *velocity, sum(spins), 0.0, 0.0, 0.0])
        size = np.linalg.norm(velocity)
        atol = 1e-12 * np.array([size * scale] * 2 + [size] * 2 + [size / self.radius, self.mass * size / scale] + [self.mass * size**2] * 2)
        self.largest, self.loading = 0.0, True
        t, moment, modes = 0.0, 1e-9 * scale, []
        y = y + moment * self.rates(y, STICK)
        drag, limit, _ = self._tangential(y, STICK)
        mode = STICK if abs(drag) < limit else SLIP_UP if drag > 0.0 else SLIP_DOWN
        if mode and self._spare(y, mode, 0.1 * moment) > 0.0:
            y, mode = self._stuck(y, mode), STICK
        while len(modes) < 50:
            if modes[-1:] != [mode]:
                modes.append(mode)
            done = solve_ivp(
                lambda _, y, mode=mode: self.rates(y, mode), (t, t + 5.0 * scale), y, "DOP853", events=self._events(mode, scale), rtol=1e-10,
                atol=atol, max_step=0.02 * scale,
            )  # fmt: skip
            t, y = float(done.t[-1]), done.y[:, -1]
            ended = next(k for k, times in enumerate(done.t_events) if len(times))
            if ended == 0:
                return y, modes
            mode, y = self._after(ended, mode, y)
        raise RuntimeError(f"the contact goes on changing its mode: {modes}")
