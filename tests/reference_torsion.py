"""The contact of ``reference_contact`` with torsional friction: a torque tau about the normal n, on the first body along it, on the second against.

With l the half-length of the contact zone and M = 2/3 mu phi s l the limit,

    tau' = k_t l^2/2 n.(w2 - w1) while |tau| < M, and (sign tau) M' while it slides, until the spring would no longer follow.

Both frictions stick and slide by themselves, so a mode is that of the tangential force and that of the torque. Rates of the limit are differences of
fourth order along the motion. What is lost is what the energy of the bodies and springs has become less by; the torsional spring keeps nothing.
"""

from __future__ import annotations

import numpy as np
from reference_contact import APART, SLIP, STICK, Body, Contact, Plane
from scipy.integrate import solve_ivp

Modes = tuple[int, int]


class TwistedContact(Contact):
    """A state is that of `Contact`, then tau."""

    def lever(self, t: float, y: np.ndarray) -> float:
        """Half-length of the zone of a rod on a plane or of two rods that cross (docs/theory/laws.md)."""
        a, b = self.first, self.second
        delta = max(0.0, self.geometry(t, y[:-1])[1])
        if isinstance(b, Plane):
            rise = abs(b.normal @ y[6:9])  # sine of the tilt
            height = (y[0:3] - b.point(t)) @ b.normal
            within = height * rise <= a.half * (rise * rise + a.eps**2)
            return a.half if within else min(a.half, delta / rise)
        cosine = y[6:9] @ y[18:21]
        effective = a.radius * b.radius / (a.radius + b.radius)
        return min(a.half, b.half, float(np.sqrt(effective * delta / (1.0 - cosine**2))))

    def cap(self, t: float, y: np.ndarray) -> float:
        return 2.0 / 3.0 * self._limit(t, y[:-1]) * self.lever(t, y)

    def rates(self, t: float, y: np.ndarray, modes: Modes) -> tuple[np.ndarray, float, float]:
        """State's rate; by how much the force and the torque would have to be cut while they slide."""
        lateral, twist = modes
        part, slip = self._rates(t, y[:-1], lateral)
        out = np.append(part, 0.0)
        if lateral == APART:
            return out, 0.0, 0.0
        wall = isinstance(self.second, Plane)
        n, delta, _, _ = self.geometry(t, y[:-1])
        w1 = self._spin(self.first, y)
        w2 = self.second.spin if isinstance(self.second, Plane) else self._spin(self.second, y[12:24])
        out[9:12] += y[-1] * n
        if not wall:
            out[21:24] -= y[-1] * n
        out[-1] = 0.5 * self.law.kt(delta) * self.lever(t, y) ** 2 * (n @ (w2 - w1))
        if twist == STICK:
            return out, slip, 0.0
        tiny = 2e-4 * self.scale
        caps = [self.cap(t + e * tiny, y + e * tiny * out) for e in (1, -1, 2, -2)]
        growth = (8 * (caps[0] - caps[1]) - (caps[2] - caps[3])) / (12 * tiny)
        sign = 1.0 if y[-1] >= 0.0 else -1.0
        excess = sign * out[-1] - growth
        out[-1] = sign * growth
        return out, slip, excess

    def energy(self, t: float, y: np.ndarray) -> float:
        """Kinetic, of the normal spring (linear) and of the tangential one (J)."""
        total = 0.0
        for k, body in enumerate(b for b in (self.first, self.second) if isinstance(b, Body)):
            state = y[12 * k : 12 * k + 12]
            total += 0.5 * body.mass * float(state[3:6] @ state[3:6]) + 0.5 * float(state[9:12] @ self._spin(body, state))
        delta = self.geometry(t, y[:-1])[1]
        if delta <= 0.0:
            return total
        return total + 0.5 * self.law.phi(delta) * delta + 0.5 * float(y[-4:-1] @ y[-4:-1]) / self.law.kt(delta)

    def follow(self, y: np.ndarray, end: float, scale: float) -> tuple[np.ndarray, list[Modes]]:
        """State at a time of bodies that are apart at first, and the modes on the way; ``scale``: duration of a contact (s)."""
        self.scale, t, mode, seen = scale, 0.0, (APART, APART), []
        y = np.concatenate([y, np.zeros(4)])
        assert self.geometry(t, y[:-1])[1] <= 0.0
        while t < end * (1.0 - 1e-14):
            seen.append(mode)
            lateral, twist = mode
            events = [lambda t, y: self.geometry(t, y[:-1])[1]]
            events[0].direction = 1.0 if lateral == APART else -1.0  # type: ignore[attr-defined]
            if lateral == STICK:
                events.append(lambda t, y: float(np.sqrt(y[-4:-1] @ y[-4:-1])) - self._limit(t, y[:-1]))
            elif lateral == SLIP:
                events.append(lambda t, y, mode=mode: -self.rates(t, y, mode)[1])
            if twist == STICK:
                events.append(lambda t, y: abs(y[-1]) - self.cap(t, y))
            elif twist == SLIP:
                events.append(lambda t, y, mode=mode: -self.rates(t, y, mode)[2])
            for event in events:
                event.terminal = True  # type: ignore[attr-defined]
            for event in events[1:]:
                event.direction = 1.0  # type: ignore[attr-defined]
            size = np.maximum(np.abs(y), 1e-2 * np.abs(y[:-4]).max())
            away = y[3:6] if isinstance(self.second, Plane) else y[3:6] - y[15:18]
            size[-4:] = 0.1 * self.first.mass * np.abs(away).max() / scale
            done = solve_ivp(
                lambda t, y, mode=mode: self.rates(t, y, mode)[0],
                (t, end), y, "DOP853", events=events, rtol=1e-10, atol=1e-10 * size, max_step=0.05 * scale,
            )  # fmt: skip
            t, y = done.t[-1], done.y[:, -1]
            if done.status == 0:
                break
            fired = [len(times) > 0 for times in done.t_events]
            if lateral == APART:
                t, y, mode = self._start(t, y)
            elif fired[0]:
                y[-4:], mode = 0.0, (APART, APART)
            else:
                lateral, twist = (STICK + SLIP - m if hit else m for m, hit in zip(mode, fired[1:], strict=True))
                y[-4:-1] *= 1.0 - 1e-9 * (fired[1] and lateral == STICK)  # or rounding has it slip again at once
                y[-1] *= 1.0 - 1e-9 * (fired[2] and twist == STICK)
                mode = (lateral, twist)
            if len(seen) > 50:
                raise RuntimeError(f"the contact goes on changing its mode: {seen}")
        return y, seen

    def _start(self, t: float, y: np.ndarray) -> tuple[float, np.ndarray, Modes]:
        """A moment after touch, when spring and limit of either friction have begun to grow; the faster decides."""
        later, part, lateral = self._born(t, y[:-1])
        y = np.append(part, 0.0)
        torque, cap = self.rates(later, y, (STICK, STICK))[0][-1] * (later - t), self.cap(later, y)
        y[-1] = min(cap, max(-cap, torque))
        return later, y, (lateral, STICK if abs(torque) <= cap else SLIP)


class LevelCube(TwistedContact):
    """A cube that stays level on a plane at rest through the origin: the regularised point is the middle of its face; ``half``: half its side."""

    def geometry(self, t: float, y: np.ndarray) -> tuple[np.ndarray, float, float, np.ndarray]:
        up = np.array([0.0, 0.0, 1.0])
        below = y[2] - self.first.half
        d = float(np.hypot(below, self.first.eps * self.first.half))
        overlap = self.first.radius - d
        return -up, overlap, below / d, y[0:3] - up * (self.first.half + self.first.radius - 0.5 * overlap)

    def lever(self, t: float, y: np.ndarray) -> float:
        """Half of the longest diagonal of the face."""
        return self.first.half * np.sqrt(2.0)
