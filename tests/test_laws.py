"""Collisions of two spheres under every law: restitution, contact time, friction."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scenes import SPHERE, case_of, engine_of

from pardem.contacts.batch import BATCH, NUMBERS, OVERLAP, PUSH, SCRATCH
from pardem.contacts.batch_forces import forces
from pardem.io.casefile import read_case
from pardem.laws.parameters import viscoelastic, viscoelastic_clamped, walton
from pardem.laws.user import UserLaw, load_user_law
from pardem.state.arrays import STORED

EXAMPLES = Path(__file__).parent.parent / "jobs" / "examples"
SPEED = 0.5


def collide(contact: dict[str, Any], step: float, tangential: float = 0.0, steps: int | None = None) -> tuple[np.ndarray, np.ndarray, float]:
    """Velocities and spins of two equal balls after a head-on collision along x, and how long they touched (s)."""
    grains = [
        {"species": "ball", "position": (-0.500001, 0.0, 0.0), "velocity": (0.5 * SPEED, 0.5 * tangential, 0.0)},
        {"species": "ball", "position": (0.500001, 0.0, 0.0), "velocity": (-0.5 * SPEED, -0.5 * tangential, 0.0)},
    ]
    engine, _ = engine_of(case_of([SPHERE], contact, step, grain=grains))
    touched, done = 0, 0
    while done < (steps or 100_000):
        engine.advance(1)
        done += 1
        if len(engine.contacts().key):
            touched += 1
        elif touched:
            break
    grains_now = engine.grains
    order = np.argsort(grains_now.gid)
    return grains_now.v[order, :3].copy(), grains_now.w[order, :3].copy(), touched * step


@pytest.mark.parametrize("clamped", [True, False])
@pytest.mark.parametrize("e", [0.3, 0.6, 0.9])
def test_viscoelastic_restitution_and_time(e: float, clamped: bool) -> None:
    tc = 1e-3
    errors = []
    for n in (100, 400):
        v, _, lasted = collide({"law": "viscoelastic", "restitution": e, "contact_time": tc, "clamped": clamped}, tc / n)
        errors.append(abs((v[1, 0] - v[0, 0]) / SPEED - e))
        if not clamped:
            assert lasted == pytest.approx(tc, abs=3 * tc / n)
    # the damper sees the half-step velocity, and the contact begins within a step: first order
    assert errors[0] < 0.02
    assert errors[1] < 0.005


@pytest.mark.parametrize("e", [0.3, 0.6, 0.9])
def test_walton_restitution_time_and_residual_overlap(e: float) -> None:
    """The force lasts for the contact time and ends at an overlap of 1 - e^2 of the largest one, which is v sqrt(m_eff/k1)."""
    tc, n = 1e-3, 400
    contact = {"law": "walton", "restitution": e, "contact_time": tc}
    grains = [{"species": "ball", "position": (sign * 0.5000001, 0, 0), "velocity": (sign * -0.5 * SPEED, 0, 0)} for sign in (-1, 1)]
    engine, _ = engine_of(case_of([SPHERE], contact, tc / n, grain=grains))
    overlaps, forces = [], []
    for _ in range(int(1.2 * n)):
        engine.advance(1)
        x = np.sort(engine.grains.x[:, 0])
        overlaps.append(1.0 - (x[1] - x[0]))
        forces.append(engine.grains.ft[0, 0] != 0)
    v = engine.grains.v[np.argsort(engine.grains.gid), 0]
    pushing = np.flatnonzero(forces)
    assert (v[1] - v[0]) / SPEED == pytest.approx(e, rel=4e-3)
    assert len(pushing) == pytest.approx(n, abs=2)
    largest = SPEED / (math.pi * (1.0 + e) / (2.0 * tc))
    assert max(overlaps) == pytest.approx(largest, rel=1e-3)
    # the force ends within a step, in which the bodies part by v e tc/n
    assert overlaps[pushing[-1]] == pytest.approx((1.0 - e**2) * largest, abs=1.01 * SPEED * e * tc / n)


@pytest.mark.parametrize("clamped", [True, False])
def test_hertz_restitution_does_not_depend_on_speed(clamped: bool) -> None:
    """Speeds a hundredfold apart; the duration goes as v^(-1/5), and the steps with it, so that their own error is the same."""
    found = []
    for speed, step in ((0.05, 1e-4), (5.0, 1e-4 * 0.01**0.2)):
        contact = {"law": "hertz", "young": 1e7, "poisson": 0.3, "reference_speed": speed, "restitution": 0.5, "clamped": clamped}
        gap = 1e-6 * (speed / 0.05) ** 0.8
        grains = [{"species": "ball", "position": (s * 0.5 * (1.0 + gap), 0, 0), "velocity": (-0.5 * s * speed, 0, 0)} for s in (-1, 1)]
        engine, _ = engine_of(case_of([SPHERE], contact, step, grain=grains))
        engine.advance(3000)
        v = engine.grains.v[np.argsort(engine.grains.gid), 0]
        found.append((v[1] - v[0]) / speed)
    assert found[0] == pytest.approx(0.5, rel=1e-2)
    assert found[1] == pytest.approx(found[0], rel=1e-4)


@pytest.mark.parametrize(("e", "clamped"), [(0.5, True), (0.5, False), (0.9, False)])
@pytest.mark.parametrize("slow", [1.0, 0.1])
def test_hertz_restitution_does_not_depend_on_stiffness(e: float, clamped: bool, slow: float) -> None:
    contact = {"law": "hertz", "young": 1e7 * slow, "poisson": 0.3, "reference_speed": 1.0, "restitution": e, "clamped": clamped}
    v, _, _ = collide(contact, 1e-5)
    assert (v[1, 0] - v[0, 0]) / SPEED == pytest.approx(e, rel=1.5e-2)


def test_elastic_conserves_energy() -> None:
    v, _, _ = collide({"law": "elastic", "contact_time": 1e-3}, 1e-5)
    assert (v[1, 0] - v[0, 0]) / SPEED == pytest.approx(1.0, rel=1e-4)


def test_sliding_collision_changes_spin_by_friction() -> None:
    """A grazing impact slips throughout, too short for the normal to turn: tangential impulse mu times the normal one; the spin follows."""
    mu, e = 0.1, 0.8
    contact = {"law": "viscoelastic", "restitution": e, "contact_time": 1e-5, "friction": mu, "clamped": True}
    v, w, _ = collide(contact, 2e-8, tangential=2.0)
    dn = (1.0 + e) * SPEED
    dt = (2.0 - (v[0, 1] - v[1, 1])) / 1.0
    assert dt == pytest.approx(mu * dn, rel=2e-3)
    # I dw = R m dv: for a solid ball w = (5/2) dv / R, each ball taking half of the change
    assert w[0, 2] == pytest.approx(w[1, 2], rel=1e-9)
    assert abs(w[0, 2]) == pytest.approx(2.5 * 0.5 * dt / 0.5, rel=2e-3)


def test_angular_and_linear_momentum_are_exact() -> None:
    """Impulses are whole quanta and act at one point on both balls: both momenta are conserved to rounding, though friction turns orbit into spin."""
    grains = [
        {"species": "ball", "position": (-0.45, 0.2, 0.1), "velocity": (1.0, 0.3, -0.2), "angular_velocity": (0.5, -1.0, 2.0)},
        {"species": "ball", "position": (0.46, -0.21, -0.1), "velocity": (-1.0, 0.1, 0.4), "angular_velocity": (1.0, 3.0, 0.5)},
    ]
    contact = {"law": "viscoelastic", "restitution": 0.5, "contact_time": 1e-3, "friction": 0.5}
    engine, _ = engine_of(case_of([SPHERE], contact, 1e-5, grain=grains))

    def momenta() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Linear momentum, orbital angular momentum about the origin, and spin, each by grain."""
        g = engine.grains
        mass = g.v[:, 3:4]
        return mass * g.v[:, :3], np.cross(g.x[:, :3], mass * g.v[:, :3]), 0.4 * mass * 0.5**2 * g.w[:, :3]

    before = momenta()
    while not len(engine.contacts().key):
        engine.advance(10)
    while len(engine.contacts().key):
        engine.advance(10)
    after = momenta()
    linear = sum(np.abs(m).sum() for m in (before[0], after[0]))
    assert np.abs(after[0] - before[0]).max() > 0.05 * linear
    assert np.abs((after[0] - before[0]).sum(axis=0)).max() < 1e-14 * linear
    turned = np.abs((after[2] - before[2]).sum(axis=0)).max()
    angular = np.abs(before[1]).sum() + np.abs(before[2]).sum()
    assert turned > 0.01 * angular
    assert np.abs((after[1] + after[2] - before[1] - before[2]).sum(axis=0)).max() < 1e-12 * angular


def test_stiffness_from_restitution_matches_the_formula() -> None:
    k, c = viscoelastic(0.4, 2.0)
    assert (k, c) == pytest.approx(((math.pi**2 + math.log(0.4) ** 2) / 4.0, -math.log(0.4)))
    k1, k2 = walton(0.5, 1.0)
    assert math.sqrt(k1) == pytest.approx(0.75 * math.pi)
    assert math.sqrt(k1 / k2) == pytest.approx(0.5)


@pytest.mark.parametrize(("nominal", "got"), [(0.1, 0.253), (0.2, 0.325), (0.4, 0.472), (0.6, 0.632), (0.8, 0.808), (0.9, 0.902)])
def test_a_force_clamped_at_zero_raises_the_restitution(nominal: float, got: float) -> None:
    """The damper of a nominal restitution gives a higher one where the force never attracts (errata of the thesis)."""
    k, c = viscoelastic(nominal, 1.0)
    ratio = c / (2.0 * math.sqrt(k))
    low, high = (clamped_ratio(got + slip) for slip in (6e-4, -6e-4))
    assert low < ratio < high


def clamped_ratio(restitution: float) -> float:
    """Damping ratio of the clamped law with a restitution."""
    k, c = viscoelastic_clamped(restitution, 1.0)
    return c / (2.0 * math.sqrt(k))


def test_a_law_of_the_user_is_the_same_for_a_process_until_it_is_edited(tmp_path: Path) -> None:
    """So a process compiles the kernels of a law once, however often it loads it."""
    file = tmp_path / "law.py"
    file.write_text((EXAMPLES / "user_law.py").read_text())
    law = load_user_law(tmp_path, "law.py:stiffening")
    assert load_user_law(tmp_path, "law.py:stiffening") is law
    file.write_text(file.read_text().replace("delta * delta / s", "2.0 * delta * delta / s"))
    assert load_user_law(tmp_path, "law.py:stiffening") is not law


def test_a_law_of_the_user_is_asked_for_contacts_that_there_are_alone(tmp_path: Path) -> None:
    """Other laws are evaluated for whole batches, whatever is in the columns; a function of the user may raise errors."""
    (tmp_path / "law.py").write_text(
        "def picky(delta, rate, m_eff, r_eff, parameters):\n"
        "    if not 0.0 <= delta < 0.01 or parameters[0] != 3.0:\n"
        "        raise ValueError\n"
        "    return parameters[0] * delta\n"
    )
    table = np.zeros((1, 1))
    law = UserLaw(load_user_law(tmp_path, "law.py:picky"), np.full((1, 1, 1), 3.0), table, table, table, table, table, 1.0)
    s = np.ones(SCRATCH)
    s[NUMBERS : NUMBERS + 6 * BATCH].reshape(6, BATCH)[:, :2] = 0.0
    s[OVERLAP], s[OVERLAP + 1] = 0.002, -0.002
    forces(2, law, 1e-5, 5e-6, s)
    assert list(s[PUSH : PUSH + 3]) == [3.0 * 0.002, 0.0, 1.0]


def test_a_division_by_zero_in_a_law_of_the_user_is_no_error_of_python(tmp_path: Path) -> None:
    """It gives a force without bound, which ranks find and agree on as they do for all laws; with a decorator of numba in the file, too."""
    (tmp_path / "law.py").write_text("import numba\n@numba.njit\ndef f(delta, rate, m_eff, r_eff, parameters):\n    return delta / parameters[0]\n")
    assert load_user_law(tmp_path, "law.py:f")(1.0, 0.0, 1.0, 1.0, np.zeros(1)) == np.inf


def test_a_law_of_the_user_gives_the_overlap_that_energy_asks_for() -> None:
    """K (delta^2/2 + delta^3/(3 s)) = m_eff v^2/2 at the turning point, and elastic without its damper: from the example's own files."""
    case = read_case(EXAMPLES / "user_law.toml")
    engine, _ = engine_of(case)
    start = 0.5 * float((engine.grains.v[:, 3] * engine.grains.v[:, 0] ** 2).sum())
    k, s, _ = case.contact.user_parameters
    deepest, bound = 0.0, 0.0
    for _ in range(1500):
        engine.advance(1, observe=True)
        x = engine.grains.x[np.argsort(engine.grains.gid), 0]
        deepest = max(deepest, 0.1 - (x[1] - x[0]))
        kinetic = 0.5 * float((engine.grains.v[:, 3] * engine.grains.v[:, 0] ** 2).sum())
        stored = (int(engine.tally[STORED, 0]) + (int(engine.tally[STORED, 1]) << 32)) * engine.scene.settings.energy
        bound = max(bound, abs((kinetic + stored) / start - 1.0))
    assert bound < 1e-4  # the energy stored at full compression is the kinetic energy that is gone
    mass = engine.grains.v[0, 3]
    assert k * (deepest**2 / 2 + deepest**3 / (3 * s)) == pytest.approx(0.5 * (mass / 2) * 1.0, rel=1e-4)
    v = engine.grains.v[np.argsort(engine.grains.gid), 0]
    assert v[1] - v[0] == pytest.approx(1.0, rel=1e-4)
