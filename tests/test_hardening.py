"""Regularised contacts below the distance at which their own force would collapse: the potential, its gradient, bounces that go there, the budget."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI
from scenes import AXES, CUBE, ELASTIC, ELL, FLOOR, booked, box, case_of, centre_of, energy, engine_of, fingerprint, grains_of, turned

from pardem.case import Case
from pardem.compiled.quaternions import matrix
from pardem.contacts.hardening import CLOSEST, GUARD, HEAVIER, LIGHTER, STEEPEST, collapsed, potential
from pardem.contacts.nearest.features import HalfSpace
from pardem.contacts.nearest.polytope_active import Core
from pardem.contacts.nearest.polytope_pair import TwoCores
from pardem.contacts.nearest.polytope_plane import regularised_plane
from pardem.contacts.nearest.regularised import regularised_polytopes
from pardem.contacts.rules.polytopes import WORK_SIZE
from pardem.engine import Engine
from pardem.errors import CaseError
from pardem.io.results.paths import parts_of
from pardem.io.state.checkpoint import write_checkpoint
from pardem.run_state import full_state, load_start
from pardem.setup.preparation import build_scene
from pardem.simulation import Simulation
from pardem.state.arrays import CONTACTS, STORED, WALL_CONTACTS

ROD = {"name": "rod", "shape": "spherocylinder", "length": 2.0, "radius": 0.25, "density": 1000.0}
BALL = {"name": "ball", "shape": "sphere", "radius": 0.1, "density": 1000.0}
SPECIES = {"rod": ROD, "cube": CUBE, "ball": BALL, "ell": ELL}
UP = (1.0, 0.0, 0.0, 0.0)
WORK = np.zeros(WORK_SIZE)


def start_of(b: float) -> float:
    """sigma_0/D where sqrt(B)/D is b."""
    return math.sqrt((b * b * (GUARD - (GUARD - 1.0) * b * b)) ** (2.0 / 3.0) - b * b)


def clamped(s: float, b: float, stiffness: float = 1.0) -> tuple[float, float]:
    """Energy and force of a linear law with hardening between two corners at the distance s; D = 1."""
    f, heavier, lighter = (s * s + q * b * b for q in (1.0, HEAVIER, LIGHTER))
    held, by_f, by_heavier, by_lighter, apart = potential(f, heavier, lighter, 1.0, stiffness)
    assert apart
    d = math.sqrt(f)
    return held + 0.5 * stiffness * (1.0 - d) ** 2, 2.0 * s * (0.5 * stiffness * (1.0 - d) / d - by_f - by_heavier - by_lighter)


def test_its_derivatives_are_those_of_the_potential() -> None:
    rng = np.random.default_rng(1)
    found = 0
    while found < 300:
        f, b2, share = rng.uniform(0.0, 1.0, 3)
        if f < b2:
            continue
        reach = rng.uniform(0.5, 2.0)
        minima = reach**2 * np.array([f, f + (HEAVIER - 1.0) * b2, (1.0 - LIGHTER) * (0.2 + 0.8 * share) * (f - b2) + LIGHTER * f])
        held, *slopes, apart = potential(*minima, reach, 3.0)
        if not apart or held < 1e-4 * reach**2:
            continue
        found += 1
        for slope, way in zip(slopes, 1e-7 * reach**2 * np.eye(3), strict=True):
            above, below = (potential(*(minima + c * way), reach, 3.0)[0] for c in (1.0, -1.0))
            assert (above - below) / (2e-7 * reach**2) == pytest.approx(slope, rel=1e-5, abs=1e-6)


def test_it_begins_below_the_guard_and_with_a_contact() -> None:
    """Whatever B is up to beta^2: nothing above the guard, nor where surfaces do not touch; and B up to D^2 has a distance to begin at."""
    rng = np.random.default_rng(2)
    for d, beta, share in rng.uniform(0.0, 1.0, (20000, 3)):
        b2 = share * beta**2
        if beta < d and not collapsed(d, beta**2, 1.0):
            assert potential(d * d, d * d + (HEAVIER - 1.0) * b2, d * d - beta**2, 1.0, 1.0)[0] == 0.0
    for b in np.linspace(1e-3, 1.0 - 1e-6, 500):
        assert b * b < start_of(b) ** 2 + b * b <= 1.0


@pytest.mark.parametrize("b", [0.12, 0.2, 0.3, 0.5, 0.7, 0.9])
def test_the_force_rises_until_the_cores_meet(b: float) -> None:
    """Tip on plane, tip on tip: at every distance, no faster than the time step is held against, and within four times that of the full overlap."""
    s = np.linspace(1.01 * CLOSEST * start_of(b), math.sqrt(1.0 - b * b), 3000)
    energies, forces = np.array([clamped(x, b) for x in s]).T
    slopes = -np.diff(forces) / np.diff(s)
    assert slopes.min() > 0.0
    assert slopes.max() < 1.0 / math.sqrt(b * b + 1.0 / STEEPEST**2) + 1.0 - 1.0 / GUARD
    assert forces.max() < 2.2
    kink = slopes.max() * (s[1] - s[0])  # by so much the trapezoidal rule may be out where the hardening begins
    assert np.abs(np.diff(energies) / np.diff(s) + 0.5 * (forces[1:] + forces[:-1])).max() < 0.2 * kink


def core(engine: Engine, k: int) -> np.ndarray:
    """Vertices of the core of grain ``k`` about its centre, world axes (m)."""
    g, shapes = grains_of(engine), engine.scene.shapes
    first, last = shapes.vertex_start[g.species[k] : g.species[k] + 2]
    return g.scale[k] * (shapes.vertices[first:last, :3] @ np.array(matrix(tuple(g.q[k]))).T)


def deepest(engine: Engine) -> float:
    """d^3 over GUARD D beta^2, of two convex grains or of one on the plane z = 0: below 1 the run would have stopped."""
    g, eps2 = grains_of(engine), engine.scene.interaction.eps2
    a, ea = core(engine, 0), eps2[g.species[0]]
    if len(g.gid) == 1:
        f, x, _, status = regularised_plane(HalfSpace((0.0, 0.0, 1.0), g.x[0, 2]), Core(a, 0, len(a)), ea, 0, WORK)
        beta2, reach = ea * float(np.square(x).sum()), g.x[0, 3]
    else:
        b, eb = core(engine, 1), eps2[g.species[1]]
        w = tuple(g.x[0, :3] - g.x[1, :3])
        f, x, y, _, status = regularised_polytopes(w, TwoCores(np.vstack([a, b]), 0, len(a), len(a), len(b)), (ea, eb), (0, 0), WORK)
        beta2 = ea * float(np.square(x).sum()) + eb * float(np.square(y).sum())
        reach = g.x[0, 3] + g.x[1, 3]
    assert status == 0
    return f**1.5 / (GUARD * reach * beta2)


def product(p: tuple[float, ...], q: tuple[float, ...]) -> tuple[float, ...]:
    a, u, b, v = p[0], np.array(p[1:]), q[0], np.array(q[1:])
    return (a * b - float(u @ v), *(a * v + b * u + np.cross(u, v)).tolist())


def at_rest(grains: list[dict[str, Any]], walls: list[dict[str, Any]], eps: float, law: dict[str, Any]) -> Engine:
    names = list(dict.fromkeys(g["species"] for g in grains))
    case = case_of([SPECIES[n] for n in names], law | {"eps": {n: 0.0 if n == "ball" else eps for n in names}}, 1e-4, grain=grains, wall=walls)
    engine, _ = engine_of(case, overlaps=True)
    engine.evaluate()
    return engine


def tip_on(rng: np.random.Generator, first: str, second: str, gap: tuple[float, float], tilt: float) -> list[dict[str, Any]]:
    """Two grains whose corners are apart by a random distance within ``gap``, the second one turned by up to ``tilt``."""
    corner = {"rod": (0, 0, 1.0), "cube": (0.4, 0.4, 0.4), "ball": (0, 0, 0)}
    lower, upper = np.array(corner[first]), -np.array(corner[second])
    turn = turned(tuple(rng.normal(size=3)), rng.uniform(-tilt, tilt))
    way = lower / np.linalg.norm(lower) + 0.3 * rng.normal(size=3)
    place = lower + rng.uniform(*gap) * way / np.linalg.norm(way) - np.array(matrix(tuple(turn))) @ upper
    return [
        {"species": first, "position": (0.0, 0.0, 0.0)},
        {"species": second, "position": tuple(place.tolist()), "orientation": turn},
    ]


def on_floor(rng: np.random.Generator, species: str, gap: tuple[float, float], tilt: float) -> list[dict[str, Any]]:
    turn = turned((*rng.normal(size=2), 0.0), rng.uniform(-tilt, tilt))
    vertices = np.array([(0, 0, -1.0), (0, 0, 1.0)] if species == "rod" else box((-0.4,) * 3, (0.4,) * 3))
    low = float((vertices @ np.array(matrix(tuple(turn))).T)[:, 2].min())
    return [{"species": species, "position": (0.1, 0.2, rng.uniform(*gap) - low), "orientation": turn}]


def on_ell(rng: np.random.Generator) -> list[dict[str, Any]]:
    """A ball at the far corner of one piece of an ell."""
    way = np.array((1.0, -0.5, 0.5)) + 0.2 * rng.normal(size=3)
    place = np.array((1.2, 0.0, 0.4)) - centre_of(ELL) + rng.uniform(0.03, 0.05) * way / np.linalg.norm(way)
    return [{"species": "ell", "position": (0.0, 0.0, 0.0)}, {"species": "ball", "position": tuple(place.tolist())}]


POSES: dict[str, Any] = {
    "rods": (lambda rng: tip_on(rng, "rod", "rod", (0.05, 0.2), 0.6), [], 0.2),
    "cubes": (lambda rng: tip_on(rng, "cube", "cube", (0.02, 0.06), 0.5), [], 0.17),
    "rod on cube": (lambda rng: tip_on(rng, "cube", "rod", (0.145, 0.18), 0.4), [], 0.17),
    "ball on cube": (lambda rng: tip_on(rng, "cube", "ball", (0.03, 0.07), 0.0), [], 0.17),
    "ball on ell": (on_ell, [], 0.15),
    "rod on plane": (lambda rng: on_floor(rng, "rod", (0.03, 0.1), 0.7), [FLOOR], 0.2),
    "cube on plane": (lambda rng: on_floor(rng, "cube", (0.005, 0.025), 0.7), [FLOOR], 0.13),
}
HERTZ = {"law": "hertz", "young": 1e6, "poisson": 0.3, "reference_speed": 1.0}


@pytest.mark.parametrize(("name", "law"), [*((name, ELASTIC) for name in POSES), pytest.param("rod on plane", HERTZ, marks=pytest.mark.slow)])
def test_forces_are_the_gradient_of_the_energy(name: str, law: dict[str, Any]) -> None:
    make, walls, eps = POSES[name]
    rng = np.random.default_rng(3)
    hardened = 0
    for _ in range(6):
        grains = make(rng)
        engine = at_rest(grains, walls, eps, law)
        hardened += name == "ball on ell" or deepest(engine) < 0.95
        settings = engine.scene.settings
        body = len(grains) - 1
        order = np.argsort(engine.grains.gid)
        force, torque = engine.grains.ft[order, :3] * settings.force, engine.grains.ft[order, 4:7] * settings.torque
        if body:
            assert not engine.grains.ft[:, :3].sum(axis=0).any()
            way = np.array(grains[1]["position"]) - np.array(grains[0]["position"])
            assert np.abs(torque.sum(axis=0) + np.cross(way, force[1])).max() < 8.0 * settings.torque

        def energy_at(place: np.ndarray, turn: tuple[float, ...], grains: Any = grains, body: int = body) -> float:
            moved = [*grains]
            moved[body] = grains[body] | {"position": tuple(place.tolist()), "orientation": turn}
            other = at_rest(moved, walls, eps, law)
            return booked(other.tally[STORED]) * other.scene.settings.energy

        place, turn = np.array(grains[body]["position"]), grains[body].get("orientation", UP)
        h = 1e-6
        for c, axis in enumerate(np.eye(3)):
            slope = (energy_at(place + h * axis, turn) - energy_at(place - h * axis, turn)) / (2.0 * h)
            assert -slope == pytest.approx(force[body, c], rel=1e-5, abs=1e-6 * np.abs(force).max())
            up, down = (product(turned(tuple(axis), side * h), turn) for side in (1.0, -1.0))
            slope = (energy_at(place, up) - energy_at(place, down)) / (2.0 * h)
            assert -slope == pytest.approx(torque[body, c], rel=1e-5, abs=1e-6 * np.abs(force).max())
    assert hardened >= 4


def flying(species: str, place: tuple[float, ...], velocity: tuple[float, ...], turn: tuple[float, ...] = UP) -> dict[str, Any]:
    return {"species": species, "position": place, "velocity": velocity, "orientation": turn}


TILTED = turned((1.0, 0.2, 0.0), 0.05)
CORNER_DOWN = turned((1.0, -1.0, 0.0), 0.7)
BOUNCES: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]], float]] = {
    "rod, tip on a base": ([flying("rod", (0, 0, 1.3), (0, 0, -25.0), turned((1, 0.3, 0), 0.2))], [FLOOR], 0.1),
    "rods, tip on tip": ([flying("rod", (0, 0, 0), (0, 0, 10.0)), flying("rod", (0.01, 0.02, 2.52), (0, 0, -10.0), TILTED)], [], 0.2),
    "cube, corner on a floor": ([flying("cube", (0, 0, 0.75), (0, 0, -5.0), turned((1, 0.4, 0), 0.6))], [FLOOR], 0.1),
    "cubes, corner on face": ([flying("cube", (0, 0, 0), (0, 0, 3.5)), flying("cube", (0.05, 0.02, 1.29), (0, 0, -3.5), CORNER_DOWN)], [], 0.15),
}


def bounce(name: str, step: float, speed: float = 1.0) -> tuple[float, float]:
    """Largest relative error of the energy in an elastic bounce, and the least of ``deepest``, looked at every 0.2 ms."""
    grains, walls, eps = BOUNCES[name]
    engine, _ = engine_of(case_of([SPECIES[grains[0]["species"]]], ELASTIC | {"eps": eps}, step, grain=grains, wall=walls))
    engine.advance(1, observe=True)
    start, worst, least, touched, every = energy(engine), 0.0, math.inf, 0, round(2e-4 / step)
    for _ in range(round(0.03 / step) // every):
        engine.advance(every, observe=True)
        touched += int(engine.tally[CONTACTS, 0] + engine.tally[WALL_CONTACTS, 0])
        worst, least = max(worst, abs(energy(engine) / start - 1.0)), min(least, deepest(engine))
    assert touched > 0
    return worst, least


@pytest.mark.parametrize("name", BOUNCES)
def test_energy_error_falls_with_the_square_of_the_step(name: str) -> None:
    (coarse, deep), (fine, _) = (bounce(name, step) for step in (2e-4, 1.25e-5))
    assert deep < 0.9
    assert coarse < 2e-2
    assert fine < coarse / 100.0  # a sixteenth of the step: 256 for an exact second order


@pytest.mark.parametrize("name", [name for name, scene in BOUNCES.items() if not scene[1]])
def test_a_free_collision_keeps_linear_and_angular_momentum(name: str) -> None:
    """Forces cancel as integers; angular momentum keeps to the rounding of torques to quanta and of kicks to floats."""
    grains, _, eps = BOUNCES[name]
    step, steps = 5e-5, 500
    engine, _ = engine_of(case_of([SPECIES[grains[0]["species"]]], ELASTIC | {"eps": eps}, step, grain=grains))
    settings = engine.scene.settings

    def momenta() -> tuple[np.ndarray, np.ndarray]:
        g = grains_of(engine)
        p = g.v[:, 3:] * g.v[:, :3]
        return p.sum(axis=0), np.cross(g.x[:, :3], p).sum(axis=0) + g.am[:, :3].sum(axis=0)

    before, least, spun = momenta(), math.inf, 0.0
    for _ in range(steps):
        engine.advance(1)
        assert not engine.grains.ft[:, :3].sum(axis=0).any()
        least, spun = min(least, deepest(engine)), max(spun, float(np.abs(engine.grains.am[:, :3]).max()))
    assert least < 0.9
    assert spun > 1.0
    g, after = grains_of(engine), momenta()
    size, reach = float((g.v[:, 3] * np.abs(g.v[:, :3]).max(axis=1)).sum()), float(np.abs(g.x[:, :3]).max())
    ulp = np.finfo(float).eps
    assert np.abs(after[0] - before[0]).max() < 4.0 * steps * ulp * size
    rounded = step * steps * (4.0 * settings.torque + 4.0 * reach * settings.force)
    assert np.abs(after[1] - before[1]).max() < rounded + 4.0 * steps * ulp * (size * reach + spun)


DISC = {"name": "base", "kind": "disc", "center": (0, 0, 0), "normal": (0, 0, 1), "radius": 6.0}
MOVES: dict[str, Any] = {
    "at constant velocity": FLOOR | {"motion": {"kind": "velocity", "velocity": (3.0, 0.0, 30.0)}},
    "turning": DISC | {"motion": {"kind": "rotation", "axis": (0.0, 1.0, 0.0), "center": (20.0, 0.0, 0.0), "rate": 1.5}},
}


@pytest.mark.parametrize("name", MOVES)
def test_the_work_of_a_wall_that_presses_a_tip_is_booked(name: str) -> None:
    residuals = []
    for step in (2e-4, 1.25e-5):
        steps = round(0.03 / step)
        case = case_of(
            [ROD], ELASTIC | {"eps": 0.1}, step, grain=[{"species": "rod", "position": (0, 0, 1.3), "orientation": turned((1, 0.3, 0), 0.2)}],
            wall=[MOVES[name]], stage=[{"name": "go", "kind": "run", "steps": steps}],
        )  # fmt: skip
        simulation = Simulation(case, MPI.COMM_SELF)
        simulation.observables()
        worst, most, values, every = 0.0, 0.0, {}, round(2e-4 / step)
        for _ in range(steps // every):
            simulation.step(every, observe=True)
            values = simulation.observables()
            worst, most = max(worst, abs(values["energy/residual"])), max(most, values["energy/elastic"])
        stiffness = float(simulation.engine.scene.law.kn[0, 0] * grains_of(simulation.engine).v[0, 3])
        assert most > 0.6 * stiffness * (0.25 - 0.1) ** 2  # the law alone holds at most half of that, where the tip meets the plane
        residuals.append(worst / values["energy/wall_work"])
    assert residuals[0] < 2e-3
    assert residuals[1] < residuals[0] / 100.0


def pressed(steps: int) -> Case:
    """Rods thrown on their tips at a floor and at each other, with friction and damping, across the cuts of the domain."""
    grains = []
    for k in range(6):
        tilt = turned((math.cos(k), math.sin(k), 0.0), 0.05 + 0.1 * k)
        grains.append(flying("rod", (2.0 * k - 5.0, 0.1 * k, 1.32), (0.3, 0.0, -18.0 - k), tilt))
        grains.append(flying("rod", (2.0 * k - 5.0, 0.1 * k, 4.0), (0.0, 0.0, -18.0 - k), tilt))
    return case_of(
        [ROD], {"law": "viscoelastic", "restitution": 0.8, "contact_time": 0.02, "friction": 0.4, "eps": 0.1}, 2e-4, grain=grains, wall=[FLOOR],
        domain={"lower": (-7, -7, -1), "upper": (7, 7, 12), "periodic": (True, False, False)},
        stage=[{"name": "go", "kind": "run", "steps": steps}],
    )  # fmt: skip


def deep_tips(engine: Engine) -> int:
    """How many of all tips are pressed into the floor to where the run would have stopped."""
    g, count = grains_of(engine), 0
    for k in range(len(g.gid)):
        f, x, _, _ = regularised_plane(HalfSpace((0.0, 0.0, 1.0), g.x[k, 2]), Core(core(engine, k), 0, 2), 0.01, 0, WORK)
        count += collapsed(math.sqrt(f), 0.01 * float(np.square(x).sum()), 0.25) and f < 0.25**2
    return count


CUT, END = 80, 160


@pytest.mark.mpi
@pytest.mark.parametrize("axis", AXES)
def test_any_number_of_ranks_gives_the_bits_of_one(axis: int) -> None:
    prints = []
    for comm in (MPI.COMM_SELF, MPI.COMM_WORLD):
        engine, _ = engine_of(pressed(END), comm, axis=axis)
        engine.advance(CUT)
        assert deep_tips(engine) > 1
        engine.advance(END - CUT)
        prints.append(fingerprint(engine))
    assert len(set(MPI.COMM_WORLD.allgather(prints[0])) | set(prints)) == 1


@pytest.mark.mpi
def test_a_run_goes_on_from_a_checkpoint_below_the_guard(mpi_tmp_path: Path) -> None:
    comm, case, out = MPI.COMM_WORLD, pressed(END), mpi_tmp_path / "cut.h5"
    whole = Simulation(case, comm)
    whole.step(END)
    first = Simulation(case, comm)
    first.step(CUT)
    assert deep_tips(first.engine) > 1
    write_checkpoint(comm, parts_of(out), full_state(first))
    again = Simulation(case, comm, load_start(comm, out, case)[0])
    assert again.steps_done == CUT
    again.step(END - CUT)
    assert fingerprint(again.engine) == fingerprint(whole.engine)


def test_eps_that_keeps_tips_from_touching_is_refused() -> None:
    def build(eps: float, walls: list[dict[str, Any]], step: float = 1e-4) -> list[str]:
        case = case_of([ROD], ELASTIC | {"eps": eps}, step, grain=[{"species": "rod", "position": (0, 0, 5)}], wall=walls)
        return build_scene(case, {"rod": 1.0}, {"rod": 1.0}).warnings

    assert not build(0.23, [FLOOR])  # r sqrt(8)/3 over the half-length of the core: 0.2357
    with pytest.raises(
        CaseError, match=r"eps = 0.24 is too large for species 'rod': its tips would touch wall 'floor' only when they overlap by 72%"
    ):
        build(0.24, [FLOOR])
    assert not build(0.33, [])
    with pytest.raises(CaseError, match=r"its tips would touch each other not at all; make it at most 0.33"):
        build(0.4, [])
    pressed_deep = "a tip of species 'rod' is pressed deep into wall 'floor'"
    assert any(pressed_deep in note for note in build(0.02, [FLOOR], 1.5e-3))  # kappa 9.9: 4.2 steps, of 13
    assert not any(pressed_deep in note for note in build(0.2, [FLOOR], 1.5e-3))
