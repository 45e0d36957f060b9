"""Until when ranks go on with their lists: lists that do not hold as long as was foretold, faults on several ranks, and what a step sends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from beds import VISCOUS, shaken
from mpi4py import MPI
from scenes import SPHERE, case_of, engine_of, fingerprint

from pardem.case import Case
from pardem.decomposition.ghosts import moving_numbers
from pardem.engine import Engine
from pardem.errors import BlowUpError
from pardem.integrators.phases import SCHEMES, follows
from pardem.stale import steps_left
from pardem.state.arrays import FAULT, FAULT_STEP

SKIN = 0.01
FAR = 4.0  # skin of lists that hold until faults have been voted on
COUNT = 24


def balls(*grains: tuple[float, float]) -> Case:
    """Balls of unit diameter on the x axis: where they are and how fast."""
    given = [{"species": "ball", "position": (x, 0.0, 0.0), "velocity": (v, 0.0, 0.0)} for x, v in grains]
    return case_of([SPHERE], VISCOUS, 1e-3, grain=given)


def released() -> Case:
    """Balls at rest, two of which overlap deeply: they part, and each meets another ball that is beyond the reach of its list."""
    places = [-0.3, 0.3, 1.3 + 1.5 * SKIN, -1.3 - 1.5 * SKIN, *(3.0 + 1.3 * np.arange(8)), *(-3.0 - 1.3 * np.arange(8))]
    return balls(*((float(x), 0.0) for x in places))


@pytest.mark.mpi(min_size=2)
@pytest.mark.parametrize("chunk", [2, 4, COUNT // 2])
def test_steps_are_repeated_where_lists_held_for_less_than_foretold(chunk: int) -> None:
    """Nothing moves when lists are made: they are foretold to hold for ever. Pairs are missed from the third step on, and ranks know later."""
    comm = MPI.COMM_WORLD

    def bits(on: MPI.Comm) -> tuple[str, list[int], Engine]:
        engine, _ = engine_of(released(), on, skin=SKIN, overlaps=True)
        contacts = []
        for _ in range(0, COUNT, chunk):
            engine.advance(chunk, observe=True)
            contacts.append(int(on.allreduce(int(engine.tally[3, 0]))))
        return fingerprint(engine), contacts, engine

    alone = comm.bcast(bits(MPI.COMM_SELF)[:2] if comm.rank == 0 else None)
    found, contacts, engine = bits(comm)
    assert (found, contacts) == alone
    assert max(contacts) == 3  # with the balls that were out of reach
    assert engine.counters.returns == 1
    assert engine.counters.steps == engine.step == COUNT


def struck(engine: Engine) -> BlowUpError:
    """The error with which an engine stops."""
    with pytest.raises(BlowUpError) as caught:
        engine.advance(60)
    return caught.value


@pytest.mark.mpi(min_size=2)
def test_the_first_fault_by_step_is_raised_though_a_lower_rank_has_one() -> None:
    """Two pairs of balls collide too fast, on the first rank two steps later than on the last one; both know of a fault when they stop."""
    comm = MPI.COMM_WORLD
    case = balls((-20.0, 100.0), (-18.2, -100.0), (20.0, 100.0), (21.4, -100.0))
    alone = comm.bcast(str(struck(engine_of(case)[0])) if comm.rank == 0 else None)
    engine, _ = engine_of(case, comm, skin=FAR)
    error = struck(engine)
    assert str(error) == alone
    assert "grain 2 and grain 3 overlap" in alone
    assert error.fault.step < engine.step
    faults = comm.allgather((int(engine.control[FAULT]), int(engine.control[FAULT_STEP])))
    assert faults[0] == (error.fault.code, error.fault.step + 2)
    assert faults[-1] == (error.fault.code, error.fault.step)


@pytest.mark.mpi(min_size=2)
def test_of_faults_in_one_step_that_of_the_lowest_rank_is_raised() -> None:
    comm = MPI.COMM_WORLD
    engine, _ = engine_of(balls((20.0, 100.0), (21.4, -100.0), (-20.0, 100.0), (-18.6, -100.0)), comm, skin=FAR)
    error = struck(engine)
    assert "grain 2 and grain 3 overlap" in str(error)
    assert {step for code, step in comm.allgather((int(engine.control[FAULT]), int(engine.control[FAULT_STEP]))) if code} == {error.fault.step}


@pytest.mark.mpi(min_size=2)
def test_a_fault_ends_the_chunk_in_which_it_occurs() -> None:
    """Also if it is found in its last step, by one rank alone: what is written after a chunk is sound."""
    comm = MPI.COMM_WORLD
    case = balls((-20.0, 0.0), (-17.0, 0.0), (20.0, 100.0), (21.4, -100.0))
    step = struck(engine_of(case, comm)[0]).fault.step
    engine, _ = engine_of(case, comm, skin=FAR)
    engine.advance(step - 1)
    with pytest.raises(BlowUpError):
        engine.advance(1)
    assert engine.step == step


@pytest.mark.mpi(min_size=2)
def test_a_ghost_takes_48_bytes_a_step() -> None:
    """Of spheres that touch with friction: velocity and spin; and nothing in the step in which ghosts are chosen."""
    comm = MPI.COMM_WORLD
    engine, _ = engine_of(shaken([SPHERE], 60, VISCOUS), comm)
    engine.advance(1)  # makes the lists
    channel, before = engine.rebuilder.channel, engine.counters.halo_bytes
    assert comm.allreduce(len(channel.halo.send_index)) > 0
    assert before == 0
    engine.advance(1)
    assert engine.rebuilder.channel is channel
    assert engine.counters.halo_bytes == 48 * len(channel.halo.send_index)


@pytest.mark.parametrize(
    ("scheme", "rotation", "spheres", "planar", "size"),
    [
        ("verlet", "splitting", True, False, 48), ("verlet", "splitting", False, False, 48), ("euler", "splitting", False, False, 48),
        ("verlet", "splitting", True, True, 24), ("verlet", "splitting", False, True, 24), ("verlet", "fincham", True, False, 48),
        ("verlet", "fincham", False, False, 104), ("gear4", "splitting", True, False, 72), ("gear4", "splitting", False, False, 104),
    ],
)  # fmt: skip
def test_bytes_of_a_ghost(scheme: str, rotation: str, spheres: bool, planar: bool, size: int) -> None:
    following = follows(SCHEMES[scheme].build(rotation), spheres)
    assert 8 * moving_numbers(spheres, following, planar).sum() == size


def settings(**given: float) -> Any:
    """The settings that the forecast needs, at rest and without gravity unless given."""
    from types import SimpleNamespace

    return SimpleNamespace(**{"gx": 0.0, "gy": 0.0, "gz": 0.0, "attraction": 0.0, "dt": 1e-3} | given)


@pytest.mark.parametrize(("way", "faster", "gravity"), [(1e-3, 0.0, 0.0), (1e-3, 1e-4, 0.0), (0.0, 0.0, 10.0), (3e-4, 2e-5, 9.8), (0.2, 0.0, 0.0)])
def test_a_distance_lasts_for_as_many_steps_as_a_sum_over_them_says(way: float, faster: float, gravity: float) -> None:
    left, growth = 0.1, faster + gravity * 1e-6
    steps = int(steps_left.py_func(left, way, faster, settings(gz=-gravity)))
    ways = way + growth * np.arange(1, steps + 2)
    assert ways[:steps].sum() <= left
    assert ways.sum() > left * (1.0 - 1e-8)
