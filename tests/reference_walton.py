"""A ball on a floor by Walton's tangential law, integrated phase by phase: loading, elastic, slack, sliding. Nothing here is shared with the kernels.

The floor's normal is fixed and the normal spring linear, so the tangential displacement xi is a vector of the plane with xi' = c, the velocity of the
ball's material point at the contact, and the force on the ball is -phi xi/|xi|. With s = |xi| and p = s - phi/k2

    loading: phi = k1 s;    elastic: p constant;    slack: phi = 0;    sliding: phi = L = mu k delta, with p constant or, where L grows, phi = k1 s

(thesis eq 2.14 and 2.9). Phases end at events of scipy's DOP853.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

LOADING, ELASTIC, SLACK, SLIDING, SLIDING_AND_LOADING = range(5)
Event = tuple[Callable[[np.ndarray], float], int]


@dataclass
class BallOnFloor:
    """Mass (kg), radius (m), moment (kg m^2), normal stiffness (N/m), tangential ones while loading and unloading, Coulomb coefficient."""

    mass: float
    radius: float
    moment: float
    k: float
    k1: float
    k2: float
    friction: float
    p: float = 0.0

    def _parts(self, y: np.ndarray) -> tuple[float, np.ndarray, np.ndarray, float]:
        """Overlap, velocity of the contact point, direction of the displacement, its length; y: height, its rate, velocity, spin, displacement."""
        delta, (wx, wy), xi = self.radius - y[0], y[4:6], y[6:8]
        arm = self.radius - 0.5 * delta
        c = y[2:4] + arm * np.array([-wy, wx])
        s = float(np.hypot(*xi))
        return delta, c, xi / s if s > 0.0 else c / np.hypot(*c), s

    def _limit(self, y: np.ndarray) -> tuple[float, float]:
        """Coulomb's limit and its rate."""
        return self.friction * self.k * (self.radius - y[0]), -self.friction * self.k * y[1]

    def _force(self, phase: int, y: np.ndarray) -> float:
        s = self._parts(y)[3]
        if phase == LOADING:
            return self.k1 * s
        if phase == ELASTIC:
            return self.k2 * (s - self.p)
        return 0.0 if phase == SLACK else self._limit(y)[0]

    def _rates(self, phase: int, y: np.ndarray) -> np.ndarray:
        delta, c, u, _ = self._parts(y)
        f = -self._force(phase, y) * u
        arm = self.radius - 0.5 * delta
        moved = c
        if phase >= SLIDING:  # the displacement turns as it would, but its length follows the limit
            growth = self._limit(y)[1] / (self.k2 if phase == SLIDING else self.k1)
            moved = c - (c @ u - growth) * u
        turned = arm * np.array([f[1], -f[0]]) / self.moment
        return np.concatenate([[y[1], self.k * delta / self.mass], f / self.mass, turned, moved])

    def _events(self, phase: int) -> list[Event]:
        """What ends a phase, as functions that become negative, and the phase that follows."""

        def speed(y: np.ndarray) -> float:
            return float(self._parts(y)[1] @ self._parts(y)[2])

        def below_limit(y: np.ndarray) -> float:
            return self._limit(y)[0] - self._force(phase, y)

        if phase == LOADING:
            return [(speed, ELASTIC), (below_limit, SLIDING_AND_LOADING)]
        if phase == ELASTIC:
            below_line: Event = (lambda y: self.k1 * self._parts(y)[3] - self._force(ELASTIC, y), LOADING)
            return [below_line, (lambda y: self._force(ELASTIC, y), SLACK), (below_limit, SLIDING)]
        if phase == SLACK:
            return [(lambda y: -speed(y), ELASTIC)]
        if phase == SLIDING:
            spare: Event = (lambda y: self.p - self._limit(y)[0] * (1.0 / self.k1 - 1.0 / self.k2), SLIDING_AND_LOADING)
            return [(lambda y: speed(y) - self._limit(y)[1] / self.k2, ELASTIC), spare]
        return [(lambda y: speed(y) - self._limit(y)[1] / self.k1, LOADING), (lambda y: self._limit(y)[1], SLIDING)]

    def run(self, y: np.ndarray, duration: float) -> tuple[np.ndarray, list[int]]:
        """State after some time from the first touch, and the phases on the way."""
        _, c, _, _ = self._parts(y)
        phase = LOADING if self.k1 * np.hypot(*c) < self._limit(y)[1] else SLIDING_AND_LOADING
        t, seen = 0.0, [phase]
        while t < duration:
            ends = self._events(phase)
            events = []
            for value, _ in ends:

                def event(_: float, y: np.ndarray, value: Callable[[np.ndarray], float] = value) -> float:
                    return value(y)

                event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
                events.append(event)
            run = solve_ivp(
                lambda _, y, phase=phase: self._rates(phase, y), (t, duration), y, "DOP853", events=events, rtol=1e-11, atol=1e-13
            )  # fmt: skip
            t, y = float(run.t[-1]), run.y[:, -1]
            if run.status == 0:
                break
            s, limit = self._parts(y)[3], self._limit(y)[0]
            self.p = {
                LOADING: (1.0 - self.k1 / self.k2) * s, ELASTIC: self.p, SLACK: s, SLIDING: self.p,
                SLIDING_AND_LOADING: limit * (1.0 / self.k1 - 1.0 / self.k2),
            }[phase]  # fmt: skip
            phase = ends[next(k for k, found in enumerate(run.t_events) if len(found))][1]
            seen.append(phase)
        return y, seen
