"""What travels through a model of the resistance to rolling and twisting, in groups."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...compiled.jit import njit  # noqa: F401  (the layout of these tuples is part of the compiled code: this file belongs to the cache's hash)


class Load(NamedTuple):
    """What a contact bears, and what it moves.

    Attributes:
        push: normal force that acts, not negative (N).
        normal: normal stiffness, force over overlap without motion (N/m).
        tangential: tangential stiffness (N/m).
        radius: effective radius (m).
        inertia: one over the sum of 1/(m r^2) of the two bodies, with their masses and sphero-radii (kg m^2).
    """

    push: Any
    normal: Any
    tangential: Any
    radius: Any
    inertia: Any


class Turning(NamedTuple):
    """How the second body turns relative to the first.

    Attributes:
        rolling: relative spin in the tangent plane, in the middle of the step (rad/s).
        carried: the same, turned about the normal with the bodies until the end of the step, as springs are (rad/s).
        twisting: relative spin about the normal (rad/s).
        dt: how long the contact has lasted in this step (s).
    """

    rolling: Any
    carried: Any
    twisting: Any
    dt: Any


class Springs(NamedTuple):
    """Elastic torques on the first body, which a contact remembers.

    Attributes:
        rolling: rolling torque in the tangent plane (N m).
        twisting: about the normal (N m).
    """

    rolling: Any
    twisting: Any


class Resisting(NamedTuple):
    """How strongly a pair of materials resists rolling, or twisting.

    Attributes:
        cap: largest torque over normal force and effective radius (1).
        damping: dashpot over the critical one (1).
        normal: stiffness of the spring over normal stiffness and squared effective radius (1).
        tangential: stiffness over tangential stiffness and squared effective radius (1), which adds to the other.
    """

    cap: Any
    damping: Any
    normal: Any
    tangential: Any


class Resisted(NamedTuple):
    """What a contact's resistance did in one step, as its energy is accounted for.

    Attributes:
        torque: torque on the first body (N m).
        spin: angular velocity of the second body relative to the first, in the middle of the step; with gear4 at its end (rad/s).
        stored: energy of the springs (J).
    """

    torque: Any
    spin: Any
    stored: Any


class Torques(NamedTuple):
    """What a model gives.

    Attributes:
        rolling: torque on the first body in the tangent plane (N m).
        twisting: torque on the first body about the normal (N m).
        springs: the `Springs` from now on.
        stored: energy that they hold (J).
    """

    rolling: Any
    twisting: Any
    springs: Any
    stored: Any
