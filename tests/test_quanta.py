"""Fixed-point quanta: what they resolve, wide sums where one limb does not reach, and what happens at the end of their range."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scenes import CUBE, booked, case_of, engine_of

from pardem.compiled.fixedpoint import COLUMNS, LIMIT, MOST, SPLIT, WIDE_LIMIT, deposit_nearest, split, total
from pardem.compiled.jit import njit
from pardem.errors import BlowUpError, CaseError
from pardem.setup.contact_spans import FAINT, Span, Spans
from pardem.setup.quanta import ASKED, FULLEST, LEAST, WEIGHT, choose_quanta, weight_notes

BEAD = {"name": "bead", "shape": "sphere", "radius": 0.5e-3, "density": 7800.0}
STEEL = {"law": "hertz", "young": 2.1e11, "poisson": 0.3, "restitution": 0.8, "friction": 0.2, "reference_speed": 1.0}


def spans(largest: float, least: float, longest: float, shortest: float) -> Spans:
    """Forces between ``largest`` and ``least`` (N) on levers between ``longest`` and ``shortest`` (m)."""
    force = Span("N", largest, least, "species 'big'", "species 'small'", longest / shortest, 1)
    torque = Span("N m", largest * longest, least * shortest, "species 'big'", "species 'small'", longest / shortest, 2)
    return Spans(force, torque, least * FAINT * shortest)


def test_soft_contacts_get_the_range_of_full_overlap() -> None:
    quanta = choose_quanta(spans(1e3, 1.0, 0.3, 0.1), 5.0, 0.1, 12.0)
    assert not quanta.wide
    assert 1e3 <= quanta.force * LIMIT <= 4e3
    assert 5.0 / quanta.force >= 2.0**30
    assert quanta.torque == quanta.energy == 0.5 * quanta.force


@pytest.mark.parametrize(
    ("largest", "least", "weight"), [(1e9, 1e6, 1e-5), (1e9, 1e-4, 0.0), (1e9, 1e6, 1e-15)], ids=["weight", "small grains", "faint weight"]
)
def test_what_one_limb_does_not_resolve_makes_sums_wide(largest: float, least: float, weight: float) -> None:
    quanta = choose_quanta(spans(largest, least, 0.3, 0.1), weight, 0.1, 12.0)
    assert quanta.wide
    assert largest <= quanta.force * WIDE_LIMIT
    assert 0.3 * largest <= quanta.torque * WIDE_LIMIT
    one_limb = 4.0 * largest / LIMIT
    asked = min(least / ASKED, weight / WEIGHT or one_limb, one_limb)
    assert quanta.force <= max(asked, 4.0 * largest / WIDE_LIMIT)
    assert quanta.torque <= max(0.1 * asked, 4.0 * 0.3 * largest / WIDE_LIMIT)
    assert quanta.force * 2.0 > min(asked, 2.0 * largest / LIMIT)  # no finer than that
    assert least >= LEAST * quanta.force
    assert quanta.energy >= 0.3 * largest / FULLEST  # leaves range for long sums of the budget
    assert quanta.energy <= least * FAINT * 0.1 / 2.0**20


def test_many_contributions_make_sums_wide() -> None:
    span = spans(1e3, 1.0, 0.3, 0.1)
    assert not choose_quanta(span, 0.0, 0.1, MOST - 1.0).wide
    assert choose_quanta(span, 0.0, 0.1, float(MOST)).wide


def test_forces_too_far_apart_are_an_error() -> None:
    words = r"contacts of species 'big' can reach 1e\+20 N.* those of species 'small'.*choose sizes or stiffnesses that differ less"
    with pytest.raises(CaseError, match=words):
        choose_quanta(spans(1e20, 1e-4, 0.3, 1e-6), 0.0, 1e-6, 12.0)


def test_forces_less_than_any_number_are_an_error() -> None:
    with pytest.raises(CaseError, match="this ratio of inf, only "):
        choose_quanta(spans(1e4, 0.0, 0.3, 1e-6), 0.0, 1e-6, 12.0)


def test_a_field_that_is_not_resolved_is_an_error_and_a_faint_weight_a_note() -> None:
    quanta = choose_quanta(spans(1e9, 1e6, 0.3, 0.1), 1e-15, 0.1, 12.0)
    assert weight_notes(quanta, 1.0, 1.0, "it") == []
    assert "it weighs 1e-15 N" in weight_notes(quanta, 1e-15, 0.0, "it")[0]
    with pytest.raises(CaseError, match=r"attraction\.strength: the field pulls it with 1e-15 N"):
        weight_notes(quanta, 0.0, 1e-15, "it")


@njit
def _summed(values: np.ndarray) -> np.ndarray:
    """Upper and lower limb of the sum of whole numbers, and that sum as the integrator reads it."""
    ft = np.zeros((1, 2 * COLUMNS), np.int64)
    for value in values:
        high, low = split(value)
        ft[0, 1] += low
        ft[0, COLUMNS + 1] += high
    return ft[0, COLUMNS + 1], ft[0, 1], total(ft, 0, 1, True)


@settings(deadline=None)  # the first one compiles
@given(some.lists(some.floats(-(2.0**79), 2.0**79), min_size=1, max_size=100))
def test_a_wide_sum_is_that_of_the_integers(values: list[float]) -> None:
    whole = sum(round(Fraction(v)) for v in values)
    high, low, value = _summed(np.array(values))
    assert int(high) * int(1.0 / SPLIT) + int(low) == whole
    assert value == pytest.approx(float(whole), rel=1e-15, abs=2.0**27)


def pair(speed: float, width: float = 0.502e-3) -> list[dict[str, Any]]:
    return [{"species": "bead", "position": (x, 0, 0), "velocity": (v, 0, 0)} for x, v in ((-width, speed), (width, -speed))]


def test_steel_beads_bounce_with_their_restitution() -> None:
    """Real moduli: the force at full overlap is 10^9 times the weight."""
    engine, setup = engine_of(case_of([BEAD], STEEL, 2e-8, gravity=(0, 0, -9.81), grain=pair(0.5)))
    assert setup.scene.settings.wide
    assert setup.catalogue.mass[0] * 9.81 / setup.scene.settings.force >= 2.0**30
    engine.advance(1000)
    v = engine.grains.v[np.argsort(engine.grains.gid), 0]
    assert v[1] - v[0] == pytest.approx(0.8, rel=0.01)


def test_forces_that_one_limb_could_not_hold_are_summed() -> None:
    """Forces of more than 2^20 weights of the lightest grain: the heavy beads bounce as they do without the light one, and momentum is kept."""
    heavy = BEAD | {"name": "ball", "radius": 0.5e-1}
    grains = [g | {"species": "ball"} for g in pair(4.0, 0.0502)] + [{"species": "bead", "position": (0, 0, 0.1)}]
    engine, setup = engine_of(case_of([BEAD, heavy], STEEL, 1e-7, gravity=(0, 0, -9.81), grain=grains))
    s = setup.scene.settings
    most = 0.0
    for _ in range(700):
        engine.advance(5)
        g = engine.grains
        sums = [[int(v) for v in row] for row in g.ft[:, [0, COLUMNS]]]
        assert sum(low + (high << 40) for low, high in sums) == 0
        most = max(most, abs(float(sums[0][0]) + float(sums[0][1]) * 2.0**40))
    assert most > LIMIT
    assert most * s.force > 2.0**20 * setup.catalogue.mass[0] * 9.81
    order = np.argsort(engine.grains.gid)
    v = engine.grains.v[order, 0]
    assert v[1] - v[0] == pytest.approx(6.4, rel=0.02)
    assert abs(v[0] + v[1]) < 1e-12


def moved(scheme: dict[str, Any], wide: bool) -> np.ndarray:
    """Pose and velocities of a small heap after a while, its sums wide or not, the quanta the same."""
    ball = {"name": "ball", "shape": "sphere", "radius": 0.1, "density": 1000.0}
    rod = {"name": "rod", "shape": "spherocylinder", "length": 0.3, "radius": 0.1, "density": 1000.0}
    law = {"law": "viscoelastic", "restitution": 0.6, "contact_time": 2e-3, "friction": 0.4}
    grains = [{"species": ("ball", "rod")[k % 2], "position": (0.05 * k, 0.02 * k, 0.3 + 0.36 * k)} for k in range(6)]
    case = case_of([ball, rod, CUBE], law, 1e-4, time={"step": 1e-4} | scheme, gravity=(0, 0, -9.81), grain=grains,
                   wall=[{"name": "floor", "kind": "plane", "point": (0, 0, 0), "normal": (0, 0, 1)}])  # fmt: skip
    engine, _ = engine_of(case, wide=wide)
    engine.advance(3000)
    g = engine.grains.take(np.argsort(engine.grains.gid))
    return np.concatenate([g.x[:, :3], g.v[:, :3], g.w[:, :3], g.q], axis=1)


@pytest.mark.parametrize("scheme", [{"integrator": "verlet"}, {"integrator": "gear4"}], ids=["verlet", "gear4"])
def test_wide_sums_move_grains_as_narrow_ones_do(scheme: dict[str, Any]) -> None:
    """The same integers in one limb or two: the same bits."""
    assert np.array_equal(moved(scheme, False), moved(scheme, True))


def test_a_force_beyond_the_range_names_the_grains() -> None:
    """A dashpot at a speed of ten radii per natural time gives more than full overlap does."""
    law = {"law": "viscoelastic", "restitution": 0.05, "contact_time": 1e-4, "clamped": False}
    speed = 10.0 * np.pi / 1e-4 * BEAD["radius"]
    engine, _ = engine_of(case_of([BEAD], law, 1e-8, grain=pair(speed)))
    with pytest.raises(BlowUpError, match="force between grain 0 and grain 1 is out of range"):
        engine.advance(1000)


def test_more_contributions_than_a_sum_holds_name_the_grain() -> None:
    engine, setup = engine_of(case_of([BEAD], STEEL, 2e-8, grain=pair(0.0, 0.4999e-3)), overlaps=True)
    assert not setup.scene.settings.wide
    engine.evaluate()
    engine.grains.ft[np.argsort(engine.grains.gid)[1], 3] += MOST - 1
    with pytest.raises(BlowUpError, match="more forces act on grain 1"):
        engine.advance(1)


@njit
def _booked(values: np.ndarray) -> np.ndarray:
    limbs = np.zeros((1, 2), np.int64)
    for value in values:
        deposit_nearest(limbs, 0, value)
    return limbs


@settings(deadline=None)
@given(some.lists(some.floats(-(2.0**79), 2.0**79), min_size=1, max_size=100))
def test_books_are_rounded_to_nearest(values: list[float]) -> None:
    assert booked(_booked(np.array(values))[0]) == sum(round(Fraction(v)) for v in values)
