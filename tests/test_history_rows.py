"""Rows of histories that only touching candidates have: given, given back, moved to the front, and none too many in a run."""

import numpy as np
import pytest
from beds import SCENES, moved
from mpi4py import MPI

from pardem.compiled.jit import njit
from pardem.contacts.history_rows import (
    FREE,
    USED,
    give_row_back,
    histories_from,
    moved_to_front,
    rows_for,
    rows_of_histories,
    set_touching,
    take_row,
)
from pardem.laws.history import NORMAL
from pardem.state.arrays import Contacts


def _list(candidates: int) -> Contacts:
    """A list of candidates none of which touches, all with room for a history of eight numbers."""
    hist = np.zeros((candidates + 3, 8))
    others = {name: np.zeros(0) for name in Contacts._fields if name != "record"}
    return Contacts(**others | {"hist": hist, "rows": rows_for(candidates, len(hist)), "touch": np.zeros(candidates, np.uint8)})


@njit
def _take(pairs, p):  # type: ignore[no-untyped-def]
    take_row(pairs, p)
    pairs.touch[p] = 1


@njit
def _give_back(pairs, p):  # type: ignore[no-untyped-def]
    give_row_back(pairs, p)
    pairs.touch[p] = 0


def _shuffled(seed: int, candidates: int = 40, changes: int = 200) -> tuple[Contacts, np.random.Generator]:
    """A list in which contacts have begun and ended at random; the history of each holds its number in all columns."""
    pairs, rng = _list(candidates), np.random.default_rng(seed)
    for p in rng.integers(0, candidates, changes):
        if pairs.touch[p]:
            _give_back(pairs, p)
        else:
            _take(pairs, p)
            assert not pairs.hist[pairs.rows.at[p]].any()
            pairs.hist[pairs.rows.at[p]] = p + 1
    return pairs, rng


def _is_sound(pairs: Contacts) -> None:
    """Each contact has its own row, with its own numbers, and the rest of those ever used are free."""
    touching = np.flatnonzero(pairs.touch)
    rows = rows_of_histories(pairs, touching)
    free = pairs.rows.given_back[: pairs.rows.counts[FREE]]
    assert sorted([*rows, *free]) == list(range(pairs.rows.counts[USED]))
    assert (pairs.hist[rows] == touching[:, None] + 1).all()


@pytest.mark.parametrize("seed", range(20))
def test_each_contact_has_a_row_of_its_own(seed: int) -> None:
    pairs, _ = _shuffled(seed)
    _is_sound(pairs)
    assert pairs.rows.counts[USED] <= 40


@pytest.mark.parametrize("seed", range(20))
def test_rows_move_to_the_front_in_the_order_of_the_list(seed: int) -> None:
    pairs, rng = _shuffled(seed)
    count = moved_to_front(pairs)
    touching = np.flatnonzero(pairs.touch)
    assert count == len(touching) == pairs.rows.counts[USED]
    assert list(rows_of_histories(pairs, touching)) == list(range(count))
    _is_sound(pairs)
    p = rng.choice(np.flatnonzero(pairs.touch == 0))
    _take(pairs, p)  # what lay there is gone
    assert not pairs.hist[pairs.rows.at[p]].any()


@pytest.mark.parametrize("seed", range(5))
def test_a_state_is_put_back(seed: int) -> None:
    pairs, rng = _shuffled(seed)
    wanted = rng.integers(0, 2, 40).astype(np.uint8)
    set_touching(pairs, np.arange(40), wanted)
    assert (pairs.touch == wanted).all()
    touching = np.flatnonzero(wanted)
    pairs.hist[rows_of_histories(pairs, touching)] = touching[:, None] + 1
    _is_sound(pairs)


def test_room_is_used_again_where_it_suffices() -> None:
    room = histories_from(np.ones((3, 8)), None, 10)
    assert len(room) >= 10
    assert (room[:3] == 1.0).all()
    assert not room[3:].any()
    assert histories_from(room[:3], room, len(room)) is room
    larger = histories_from(room[:3], room, len(room) + 1)
    assert len(larger) > len(room)
    assert (larger[:3] == 1.0).all()


@pytest.mark.parametrize("name", ["spheres", "spheres that leak", "balls that are sheared"])
def test_rows_are_as_many_as_contacts_after_a_run(name: str) -> None:
    _, engine = moved(SCENES[name](), MPI.COMM_SELF)
    assert engine.counters.rebuilds > 3
    for steps in (0, 7, 60):
        engine.advance(steps)
        pairs = engine.state.pairs
        touching = np.flatnonzero(pairs.touch)
        rows = rows_of_histories(pairs, touching)
        assert len(pairs.rows.at) == len(pairs.col)
        assert len(touching) > 4
        assert len(np.unique(rows)) == len(touching) == pairs.rows.counts[USED] - pairs.rows.counts[FREE]
        assert pairs.rows.counts[USED] < len(pairs.col)
        assert np.abs((pairs.hist[rows, NORMAL : NORMAL + 3] ** 2).sum(axis=1) - 1.0).max() < 1e-12
