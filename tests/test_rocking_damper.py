"""The rocking damper of a regularised contact against an independent integration of a rod and of a cube that rock on a floor.

In the plane of the rocking, with the height h of the centre, the tilt a and the point X = (x, z) of the core at the place s of its lower side,

    m h'' = phi s_n - m g,    I a'' = x phi s_n - M,    M = min(c l^2 |a'|, l phi s_n / 10) sign a',

where phi = max(0, k delta + c delta'), delta = r - d, s_n = (h + z)/d is the slope, delta' = -s_n (h' + x a') and l the half-length of the contact:
of the rod (delta/sin a where it is tilted so far that it stands on its end), or half the diagonal of the face.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scenes import CUBE, FLOOR, ROD, case_of, engine_of, turned
from scipy.integrate import solve_ivp

EPS, GRAVITY = 0.1, 9.81
TC = 0.02
K, C = 4e6, 6e3  # stiffness (N/m), damping (N s/m)
# half of the lower side, depth of that below the centre, half-length of the contact, sphero-radius (m)
BODIES: dict[str, tuple[dict[str, Any], float, float, float]] = {
    "rod": (ROD, 0.5 * ROD["length"], 0.0, 0.5 * ROD["length"]),
    "cube": (CUBE, 0.5 * CUBE["side"], 0.5 * CUBE["side"], 0.5 * math.sqrt(2.0) * CUBE["side"]),
}


def rates(y: np.ndarray, half: float, depth: float, lever: float, radius: float, mass: float, inertia: float) -> np.ndarray:
    """Of height, tilt, and their rates."""
    height, tilt, rise, turn = y
    sine, cosine = math.sin(tilt), math.cos(tilt)
    along = -(height - depth * cosine) * sine / (sine**2 + EPS**2)
    on_its_end = abs(along) > half
    if on_its_end:
        assert depth == 0.0  # of a rod; the half-length of a cube's edge would be another one
        along = math.copysign(half, along)
    x, z = along * cosine + depth * sine, along * sine - depth * cosine
    d = math.sqrt((height + z) ** 2 + EPS**2 * (along**2 + depth**2))
    slope, overlap = (height + z) / d, radius - d
    if overlap <= 0.0:
        return np.array([rise, turn, -GRAVITY, 0.0])
    if on_its_end:
        lever = min(lever, overlap / abs(sine))
    phi = max(0.0, K * overlap - C * slope * (rise + x * turn))
    rocking = math.copysign(min(C * lever**2 * abs(turn), 0.1 * lever * phi * slope), turn)
    return np.array([rise, turn, phi * slope / mass - GRAVITY, (x * phi * slope - rocking) / inertia])


@pytest.mark.parametrize(("body", "tilt", "turn"), [("rod", 0.03, 0.0), ("rod", 0.005, 0.3), ("cube", 0.01, 0.0)])
def test_a_body_rocks_as_the_equations_say(body: str, tilt: float, turn: float) -> None:
    """Velocities at 20 times, on landing, on either end and while the tilt dies away: of first order in the step, as dampers are."""
    species, half, depth, lever = BODIES[body]
    radius = species["radius"]
    height = radius + depth * math.cos(tilt) + half * math.sin(tilt)
    pose = turned((0, 1, 0), (0.5 * math.pi if body == "rod" else 0.0) - tilt)
    grain = {"species": body, "position": (0, 0, height), "orientation": pose, "angular_velocity": (0, -turn, 0)}
    contact = {"law": "viscoelastic", "normal_stiffness": K, "normal_damping": C, "eps": EPS, "interaction": "regularised"}
    times = np.linspace(0.0, 20.0 * TC, 21)
    exact, errors = np.zeros((4, 21)), []
    for steps in (200, 800):
        engine, _ = engine_of(case_of([species], contact, TC / steps, gravity=(0, 0, -GRAVITY), grain=[grain], wall=[FLOOR]), overlaps=True)
        if not errors:
            sizes = half, depth, lever, radius, float(engine.grains.v[0, 3]), float(engine.scene.shapes.inertia[engine.grains.species[0], 0])
            exact = solve_ivp(
                lambda _, y, sizes=sizes: rates(y, *sizes), (0.0, times[-1]), [height, tilt, 0.0, turn], "DOP853", t_eval=times, rtol=1e-9,
                atol=1e-12, max_step=TC / 100,
            ).y  # fmt: skip
        worst = 0.0
        for k in range(1, 21):
            engine.advance(steps)
            worst = max(worst, abs(engine.grains.w[0, 1] + exact[3, k]), abs(engine.grains.v[0, 2] - exact[2, k]) / half)
        errors.append(worst)
    assert np.abs(exact[3]).max() > 0.3
    assert errors[0] < 5e-3
    assert errors[0] / errors[1] > 3.0, errors
