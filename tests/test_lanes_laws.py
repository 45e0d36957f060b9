"""Laws and friction in lanes give the bits of single contacts, on this processor and on other instruction sets."""

from __future__ import annotations

import numpy as np
import pytest

from pardem.compiled.jit import inlined, kernel
from pardem.compiled.lanes.memory import load, store
from pardem.compiled.lanes.types import WIDTH
from pardem.laws.elastic import Elastic
from pardem.laws.hertz import Hertz
from pardem.laws.law import coefficients as law_numbers
from pardem.laws.lennard_jones import LennardJones
from pardem.laws.quantities import Geometry, Motion, PairMaterial, Past
from pardem.laws.slider import spring_and_slider
from pardem.laws.viscoelastic import Viscoelastic
from pardem.laws.walton import Walton
from pardem.laws.walton_tangential import WaltonTangential

RNG, COUNT, RESULTS = np.random.default_rng(7), 800, 18


def _table(value: float) -> np.ndarray:
    return np.full((2, 2), value)


ZERO, ONE = _table(0.0), _table(1.0)
LAWS = {
    "elastic": Elastic(_table(1e4), _table(3e3), _table(0.4), ZERO, ZERO, ONE),
    "viscoelastic": Viscoelastic(_table(1e4), _table(20.0), _table(3e3), _table(10.0), _table(0.4), ONE, ZERO, ZERO, ZERO),
    "walton": Walton(_table(1e4), _table(2e4), _table(3e3), _table(10.0), _table(0.4), ZERO, ZERO, ZERO),
    "walton_tangential": WaltonTangential(_table(1e4), _table(2e4), _table(1.5e3), _table(3e3), _table(0.4), ZERO, ZERO, ZERO),
    "hertz": Hertz(_table(3e6), _table(1e6), _table(0.2), _table(0.2), _table(0.4), ONE, ZERO, ZERO),
    "lennard-jones": LennardJones(_table(2e3), ONE, _table(2.5), _table(1.5), _table(-1.0), _table(0.1), ZERO, ZERO, ZERO),
}
# rows of the inputs: six numbers of the law, overlap, slope, old normal, middle normal, normal, velocity, turn, mass, radius, alive, spring, memory,
# vector of the law's own


@inlined
def _respond(law, c):
    numbers, geometry = (c[0], c[1], c[2], c[3], c[4], c[5]), Geometry(c[6], (c[14], c[15], c[16]), (c[11], c[12], c[13]), c[7])
    past = Past(c[23] > 0.0, (c[24], c[25], c[26]), c[27], (c[8], c[9], c[10]), (c[28], c[29], c[30]))
    r = spring_and_slider(law, PairMaterial(numbers, 0.4, c[21], c[22]), geometry, Motion((c[17], c[18], c[19]), c[20], 1e-3, 5e-4), past)
    return r.push, *r.drag, *r.spring, *r.slip, *r.own, r.rate, r.grow, r.law.memory, r.law.stored + 0.0 * c[0], r.law.plastic + 0.0 * c[0]


@kernel(cache=False)
def _respond_singly(law, s, out):
    for n in range(s.shape[1]):
        c = (
            s[0, n], s[1, n], s[2, n], s[3, n], s[4, n], s[5, n], s[6, n], s[7, n], s[8, n], s[9, n], s[10, n], s[11, n], s[12, n], s[13, n],
            s[14, n], s[15, n], s[16, n], s[17, n], s[18, n], s[19, n], s[20, n], s[21, n], s[22, n], s[23, n], s[24, n], s[25, n], s[26, n],
            s[27, n], s[28, n], s[29, n], s[30, n],
        )  # fmt: skip
        made = _respond(law, c)
        for k in range(len(made)):
            out[k, n] = made[k]


@kernel(cache=False)
def _respond_together(law, s, out):
    m = s.shape[1]
    for n in range(0, m, WIDTH):
        c = (
            load(s, n), load(s, m + n), load(s, 2 * m + n), load(s, 3 * m + n), load(s, 4 * m + n), load(s, 5 * m + n), load(s, 6 * m + n),
            load(s, 7 * m + n), load(s, 8 * m + n), load(s, 9 * m + n), load(s, 10 * m + n), load(s, 11 * m + n), load(s, 12 * m + n),
            load(s, 13 * m + n), load(s, 14 * m + n), load(s, 15 * m + n), load(s, 16 * m + n), load(s, 17 * m + n), load(s, 18 * m + n),
            load(s, 19 * m + n), load(s, 20 * m + n), load(s, 21 * m + n), load(s, 22 * m + n), load(s, 23 * m + n), load(s, 24 * m + n),
            load(s, 25 * m + n), load(s, 26 * m + n), load(s, 27 * m + n), load(s, 28 * m + n), load(s, 29 * m + n), load(s, 30 * m + n),
        )  # fmt: skip
        made = _respond(law, c)
        for k in range(len(made)):
            store(out, k * m + n, made[k])


def inputs(name: str) -> np.ndarray:
    """What some contacts ask of a law: a column for each of them."""
    s = RNG.normal(size=(31, COUNT))
    s[:6] = np.array(law_numbers(LAWS[name], 0, 1))[:, None]
    s[6], s[7] = RNG.uniform(1e-4, 2.0 if name == "lennard-jones" else 0.05, COUNT), 1.0
    for c in (8, 11, 14):  # three normals that differ little
        s[c : c + 3] = s[8:11] + 1e-3 * s[c : c + 3]
        s[c : c + 3] /= np.linalg.norm(s[c : c + 3], axis=0)
    s[20] *= 1e-3
    s[21:23] = RNG.uniform(0.2, 2.0, (2, COUNT))
    s[24:27] *= 20.0
    s[27] = RNG.uniform(0.0, 0.01, COUNT)
    s[28:] *= 5.0
    return s


@pytest.mark.parametrize("name", LAWS)
def test_laws_and_friction_on_lanes(name: str) -> None:
    one, many = (np.full((RESULTS, COUNT), fill) for fill in (7.0, 8.0))
    s = inputs(name)
    _respond_singly(LAWS[name], s, one)
    _respond_together(LAWS[name], s, many)
    assert np.isfinite(one).all()
    np.testing.assert_array_equal(many.view(np.int64), one.view(np.int64))
