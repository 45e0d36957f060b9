"""Fixed-point quanta: what they resolve, and what happens at the end of their range."""

from __future__ import annotations

import numpy as np
import pytest
from scenes import case_of, engine_of

from pardem.errors import BlowUpError, CaseError
from pardem.fixedpoint import LIMIT, choose_quanta

BEAD = {"name": "bead", "shape": "sphere", "radius": 0.5e-3, "density": 7800.0}
STEEL = {"law": "hertz", "young": 2.1e11, "poisson": 0.3, "restitution": 0.8, "friction": 0.2, "reference_speed": 1.0}


def test_soft_contacts_get_the_range_of_full_overlap() -> None:
    quanta = choose_quanta(1e3, 0.3, 5.0, 7.0)
    assert quanta.force * LIMIT >= 1e3
    assert 5.0 / quanta.force >= 2.0**30
    assert quanta.torque == 0.5 * quanta.force


def test_stiff_contacts_resolve_the_lightest_weight_all_the_same() -> None:
    quanta = choose_quanta(1e9, 0.3, 5.0, 7.0)
    assert 5.0 / quanta.force >= 2.0**30
    assert quanta.force * LIMIT >= 1000 * 7.0


def test_weights_too_far_apart_are_an_error() -> None:
    with pytest.raises(CaseError, match="narrow the range of sizes"):
        choose_quanta(1e9, 0.3, 1e-5, 7.0)


def test_steel_beads_bounce_with_their_restitution() -> None:
    """Real moduli: the force at full overlap is 10^9 times the weight."""
    grains = [{"species": "bead", "position": (x, 0, 0), "velocity": (v, 0, 0)} for x, v in ((-0.502e-3, 0.5), (0.502e-3, -0.5))]
    case = case_of([BEAD], STEEL, 2e-8, gravity=(0, 0, -9.81), grain=grains)
    engine, setup = engine_of(case)
    assert setup.catalogue.mass[0] * 9.81 / setup.scene.settings.force >= 2.0**30
    engine.advance(1000)
    v = engine.grains.v[np.argsort(engine.grains.gid), 0]
    assert v[1] - v[0] == pytest.approx(0.8, rel=0.01)


def test_a_force_beyond_the_range_names_the_grains() -> None:
    grains = [{"species": "bead", "position": (x, 0, 0), "velocity": (v, 0, 0)} for x, v in ((-0.52e-3, 200.0), (0.52e-3, -200.0))]
    engine, _ = engine_of(case_of([BEAD], STEEL, 2e-8, gravity=(0, 0, -9.81), grain=grains))
    with pytest.raises(BlowUpError, match="force between grain 0 and grain 1 is out of range"):
        engine.advance(2000)
