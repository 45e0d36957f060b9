"""Hertz-Mindlin law: phi = (4/3) E* sqrt(R delta) delta with a damper that gives a restitution independent of speed.

Damping c = 2 beta sqrt(5/6) sqrt(S m_eff), S = 2 E* sqrt(R delta) (Tsuji, Tanaka, Ishida 1992; Antypov and Elliott 2011); tangential stiffness
8 G* sqrt(R delta) (Mindlin), incremental.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..compiled.choices import root, select
from ..compiled.jit import inlined
from . import parameters as p
from .kind import Form, Key, LawInput, LawKind, Numbers, Values
from .linear import RESTITUTION, TANGENTIAL_RESTITUTION, complete_restitution
from .quantities import NormalForce


class Hertz(NamedTuple):
    """Tables ((m, m) float64 each, by species or wall material) of the Hertz-Mindlin law.

    Attributes:
        e_star: effective Young's modulus (Pa).
        g_star: effective shear modulus (Pa).
        damping: damping over sqrt(half-width of the contact times effective mass), 2 beta sqrt((5/3) E*) (N s/m over sqrt(m kg)).
        damping_t: the same for the tangential motion, 2 beta_t sqrt((20/3) G*).
        friction: Coulomb coefficient.
        clamped: 1: the force never attracts.
        rocking: 1 where the rocking damper acts, else 0.
        torsion: 1 where torsional friction acts, else 0.
    """

    e_star: np.ndarray
    g_star: np.ndarray
    damping: np.ndarray
    damping_t: np.ndarray
    friction: np.ndarray
    clamped: np.ndarray
    rocking: np.ndarray
    torsion: np.ndarray


@inlined
def coefficients(law, a, b):
    """The six numbers that ``normal_force`` needs for a pair of species: E*, G*, both dampings, clamped."""
    return law.e_star[a, b], law.g_star[a, b], law.damping[a, b], law.damping_t[a, b], law.clamped[a, b], 0.0


@inlined
def normal_force(law, numbers, overlap, rate, mass, radius, memory):
    """Normal force of one contact; ``memory`` is a = sqrt(R delta) (m). Arguments and result as of ``elastic.normal_force``."""
    e_star, g_star, per_root, per_root_t, clamped, _ = numbers
    half_width = root(radius * overlap)
    spring = (4.0 / 3.0) * e_star * half_width * overlap
    both = root(half_width * mass)  # one root serves both dampers
    cn, ct = per_root * both, per_root_t * both
    damping = cn * rate
    damping = select((clamped != 0.0) & (spring + damping < 0.0), -spring, damping)
    return NormalForce(spring + damping, 8.0 * g_star * half_width, ct, cn, damping, 0.0, 0.4 * spring * overlap, half_width)


@inlined
def mean_stiffness(law, numbers, normal, memory):
    """Mean of 8 G* a over the overlaps from that of the step before to this one (N/m), a = sqrt(R delta): the mean of a square root.

    Args:
        law: tables of the law.
        numbers: see ``coefficients``.
        normal: ``quantities.NormalForce`` of this step, which holds a.
        memory: a in the step before (m); zero where the contact is born.
    """
    together = normal.memory + memory
    return (16.0 / 3.0) * numbers[1] * (together - normal.memory * memory / together)


def effective_young(c: Values) -> Numbers:
    """E* (Pa): 1/E* = (1 - nu_1^2)/E_1 + (1 - nu_2^2)/E_2; the exact E/(2 (1 - nu^2)) where the bodies are alike.

    Args:
        c: parameters of pairs of materials.
    """
    (e1, e2), (n1, n2) = c.of_bodies("young"), c.of_bodies("poisson")
    alike = e1 / (2.0 * (1.0 - n1**2))
    return np.where((e1 == e2) & (n1 == n2), alike, 1.0 / ((1.0 - n1**2) / e1 + (1.0 - n2**2) / e2))


def effective_shear(c: Values) -> Numbers:
    """G* (Pa): 1/G* = (2 - nu_1)/G_1 + (2 - nu_2)/G_2 with G = E/(2 (1 + nu)).

    Args:
        c: parameters of pairs of materials.
    """
    (e1, e2), (n1, n2) = c.of_bodies("young"), c.of_bodies("poisson")
    alike = e1 / (4.0 * (1.0 + n1) * (2.0 - n1))
    return np.where((e1 == e2) & (n1 == n2), alike, 0.5 / ((1.0 + n1) * (2.0 - n1) / e1 + (1.0 + n2) * (2.0 - n2) / e2))


def _ratio(c: Values) -> float:
    """Damping ratio of the normal motion, -ln e / sqrt(pi^2 + ln^2 e)."""
    return (p.hertz_ratio_clamped if c.number("clamped") else p.hertz_ratio)(c.number("restitution"))


def _fill(given: LawInput) -> Hertz:
    grid = given.grid
    return Hertz(
        grid(effective_young), grid(effective_shear),
        grid(lambda c: 2.0 * _ratio(c) * np.sqrt(5.0 / 3.0 * effective_young(c))),
        grid(lambda c: 2.0 * p.hertz_ratio(c.number("tangential_restitution")) * np.sqrt(20.0 / 3.0 * effective_shear(c))),
        grid(lambda c: c.number("friction")),
        grid(lambda c: c.number("clamped")), given.rocking, given.torsion,
    )  # fmt: skip


# (4/5) sqrt(pi) Gamma(2/5)/Gamma(9/10): duration over (largest overlap / impact speed) of a Hertzian impact
_DURATION = 0.8 * math.sqrt(math.pi) * math.gamma(0.4) / math.gamma(0.9)


def hertz_contact_time(mass: Any, radius: Any, modulus: Any, speed: float) -> Any:
    """Duration of a Hertzian impact, 2.868 (m^2/(R E*^2 v))^(1/5) (Landau and Lifshitz, Theory of Elasticity, section 9).

    Args:
        mass: effective mass (kg).
        radius: effective radius (m).
        modulus: effective modulus E* (Pa).
        speed: speed of the impact (m/s).
    """
    overlap = (15.0 * mass * speed * speed / (16.0 * np.sqrt(radius) * modulus)) ** 0.4
    return _DURATION * overlap / speed


def _durations(c: Values, mass: Any, radius: Any, multiplicity: Any) -> tuple[Any, Any]:
    seconds = 1.0 / np.sqrt(multiplicity) * hertz_contact_time(mass, radius, effective_young(c), c.number("reference_speed"))
    return seconds, seconds


def _spring_force(law, a, b, mass, radius, overlap):
    return np.asarray(4.0 / 3.0 * law.e_star[a, b] * np.sqrt(radius * overlap) * overlap)


def _damping(law, a, b, mass):
    return law.damping[a, b] / np.sqrt(5.0 / 3.0 * law.e_star[a, b])


def _power(law, a, b, dimension):
    return 2


KIND = LawKind(
    name="hertz",
    table=Hertz,
    keys={
        "young": Key("law `hertz`: Young's modulus of both bodies (Pa)"),
        "poisson": Key("law `hertz`: Poisson's ratio of both bodies (1)", above=-1.0, most=0.5),
        "reference_speed": Key("law `hertz`: highest impact speed to be expected (m/s); the duration of such an impact limits the time step"),
        "restitution": RESTITUTION,
        "tangential_restitution": TANGENTIAL_RESTITUTION,
    },
    forms=(Form("hertz", ("young", "poisson", "reference_speed"), ("restitution", "tangential_restitution"), complete_restitution),),
    fill=_fill,
    durations=_durations,
    spring_force=_spring_force,
    damping=_damping,
    power=_power,
    coefficients=coefficients,
    normal_force=normal_force,
    mean_stiffness=mean_stiffness,
    of_material={"young": "Young's modulus (Pa), for law `hertz`", "poisson": "Poisson's ratio (1), for law `hertz`"},
    usual={"young": 1e6, "poisson": 0.3, "reference_speed": 1.0, "restitution": 0.5},
)
