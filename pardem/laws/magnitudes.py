"""How strong the contacts of a law can become, and how weak ones still count: what the quanta of a run are made for."""

from __future__ import annotations

import numpy as np

from . import parameters as p
from .elastic import Elastic
from .hertz import Hertz
from .law import Law
from .lennard_jones import LennardJones
from .user import UserLaw
from .viscoelastic import Viscoelastic
from .walton import Walton

_BOTTOM = 72.0 / 2.0 ** (1.0 / 3.0)  # Lennard-Jones: stiffness at the bottom of the potential, in depth/sigma^2


def strongest(law: Law, a: np.ndarray, b: np.ndarray, mass: np.ndarray, radius: np.ndarray, overlap: np.ndarray) -> np.ndarray:
    """Largest normal force (N) of contacts that never overlap by more than ``overlap``, with friction, dampers included.

    An impact on a spring k with the damping ratio z that ends at the overlap D is no faster than (1 + 2 z) D sqrt(k/m) (exact: exp(z atan(w/z)/w),
    w = sqrt(1 - z^2), which is below that for every z), so spring and damper together stay below k D (1 + 2 z (1 + 2 z)). For the Hertzian law
    the force F at the overlap takes the place of k D, and 2 beta of 2 z: its damper 2 beta sqrt(5/6) sqrt(S m) has S = 3/2 F/D, and the impact
    without damper is sqrt(4/5 F D/m) fast.

    Args:
        law: tables. a, b: rows of the tables. mass, radius: effective ones (kg, m). overlap: (m). All of one shape.
    """
    friction = 1.0 + law.friction[a, b]
    if isinstance(law, UserLaw):
        return np.asarray(friction * law.force_scale)
    if isinstance(law, LennardJones):
        return np.asarray(friction * p.lennard_jones(law.depth[a, b], law.sigma[a, b], p.DEEPEST * law.sigma[a, b])[1])
    spring = spring_force(law, a, b, mass, radius, overlap)
    twice = np.zeros_like(spring)  # 2 z
    if isinstance(law, Viscoelastic):
        scaled = np.where(law.mass_scaled[a, b] != 0.0, mass, 1.0)
        twice = law.cn[a, b] * scaled / np.sqrt(law.kn[a, b] * scaled * mass)
    elif isinstance(law, Hertz):
        twice = 2.0 * law.beta[a, b]
    return np.asarray(friction * spring * (1.0 + twice * (1.0 + twice)))


def spring_force(law: Law, a: np.ndarray, b: np.ndarray, mass: np.ndarray, radius: np.ndarray, overlap: np.ndarray) -> np.ndarray:
    """Normal force (N) at a small overlap without motion; Lennard-Jones: the overlap (m) times the stiffness at the bottom of the potential.

    Args:
        law ... overlap: as in ``strongest``. Where a user's function gives nothing that counts as a force the result is infinite.
    """
    if isinstance(law, UserLaw):
        return _user_force(law, a, b, mass, radius, overlap)
    if isinstance(law, LennardJones):
        return np.asarray(_BOTTOM * law.depth[a, b] / law.sigma[a, b] ** 2 * overlap)
    if isinstance(law, Hertz):
        return np.asarray(4.0 / 3.0 * law.e_star[a, b] * np.sqrt(radius * overlap) * overlap)
    stiffness = law.k1 if isinstance(law, Walton) else law.kn
    return np.asarray(stiffness[a, b] * np.where(law.mass_scaled[a, b] != 0.0, mass, 1.0) * overlap)


def _user_force(law: UserLaw, a: np.ndarray, b: np.ndarray, mass: np.ndarray, radius: np.ndarray, overlap: np.ndarray) -> np.ndarray:
    out = np.full(overlap.shape, np.inf)
    for k in np.ndindex(out.shape):
        force = abs(float(law.function(overlap[k], 0.0, mass[k], radius[k], law.parameters[a[k], b[k]])))
        if 0.0 < force < np.inf:
            out[k] = force
    return out


def power_of_size(law: Law, a: int, b: int, dimension: int) -> int:
    """The power of the grains' size with which the force of a pair grows, at the same overlap in radii."""
    if isinstance(law, UserLaw | LennardJones):
        return 0
    if isinstance(law, Hertz):
        return 2
    assert isinstance(law, Elastic | Viscoelastic | Walton)
    return 1 + dimension if law.mass_scaled[a, b] != 0.0 else 1
