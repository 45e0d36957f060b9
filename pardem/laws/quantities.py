"""What travels through the law and the friction of a contact, in groups. Each is a value: numbers, or vectors of the processor."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..compiled.jit import njit  # noqa: F401  (the layout of these tuples is part of the compiled code: this file belongs to the cache's hash)


class PairMaterial(NamedTuple):
    """What two bodies are made of.

    Attributes:
        numbers: the six ``coefficients`` of the pair's normal law.
        friction: Coulomb coefficient (1).
        mass: effective mass (kg).
        radius: effective radius (m).
    """

    numbers: Any
    friction: Any
    mass: Any
    radius: Any


class NormalForce(NamedTuple):
    """What a normal law says of one contact.

    Attributes:
        force: (N).
        kt: tangential stiffness (N/m).
        ct: tangential damping (N s/m).
        cn: damping coefficient of the normal motion (N s/m).
        damping: the part of the force that damps (N).
        plastic: plastic work of this step (J).
        stored: stored energy (J).
        memory: memory of the contact from now on.
    """

    force: Any
    kt: Any
    ct: Any
    cn: Any
    damping: Any
    plastic: Any
    stored: Any
    memory: Any


class Geometry(NamedTuple):
    """How two bodies touch.

    Attributes:
        overlap: (m), > 0.
        normal: unit normal, first body to second.
        middle: the normal in the middle of the step, where velocities belong.
        slope: d(overlap)/dt = -slope n . v: 1 for contacts of nearest points, at most 1 for ``regularised``.
    """

    overlap: Any
    normal: Any
    middle: Any
    slope: Any


class Motion(NamedTuple):
    """How two bodies move at their contact.

    Attributes:
        velocity: velocity of the second body's material point relative to the first's at the contact point, in the middle of the step (m/s).
        turn: the bodies' mean rotation about the middle normal in this step (rad).
        dt: time step (s).
        lag: time by which the middle lies before the end of the step (s): half a step; 0 with gear4.
    """

    velocity: Any
    turn: Any
    dt: Any
    lag: Any


class Past(NamedTuple):
    """What a contact remembers of the step before (``history``).

    Attributes:
        alive: whether it touched then; the rest means nothing otherwise.
        spring: elastic tangential force on the first body (N).
        memory: memory of the normal law.
        normal: unit normal.
        own: tangential vector that the law carries; zero where it has none.
    """

    alive: Any
    spring: Any
    memory: Any
    normal: Any
    own: Any


class Pull(NamedTuple):
    """What pulls at a contact along its tangent plane.

    Attributes:
        spring: elastic tangential force of the step before, taken to the new tangent plane (N).
        own: the vector that the law carries, likewise.
        more: growth of the spring in this step unless something yields (N).
        slip: tangential velocity (m/s).
        limit: Coulomb's limit (N).
        in_the_middle: whether velocities belong to the middle of the step.
    """

    spring: Any
    own: Any
    more: Any
    slip: Any
    limit: Any
    in_the_middle: Any


class Tangential(NamedTuple):
    """Tangential force of a contact.

    Attributes:
        drag: tangential force on the first body (N).
        spring: the elastic part of it (N).
        own: the vector that the law carries from now on.
    """

    drag: Any
    spring: Any
    own: Any


class Response(NamedTuple):
    """What normal law and slider give.

    Attributes:
        push: normal force of the law (N).
        drag: tangential force on the first body (N).
        spring: the elastic part of it (N).
        slip: tangential velocity (m/s).
        rate: rate of the overlap (m/s).
        grow: stiffness with which springs grow (N/m): the mean over the step, of which a contact that is born has seen a part.
        law: the ``NormalForce``.
        own: tangential vector that the law carries.
    """

    push: Any
    drag: Any
    spring: Any
    slip: Any
    rate: Any
    grow: Any
    law: Any
    own: Any


class Zone(NamedTuple):
    """Where a contact that is more than a point bears.

    Attributes:
        lever: half-length (m); 0: a point, without couples.
        middle: half-length in the middle of the step (m).
        axis: unit axis of rocking in the tangent plane; zero: any tangential axis.
    """

    lever: Any
    middle: Any
    axis: Any


class PairFriction(NamedTuple):
    """Friction of a pair of materials, by which the couples of a contact are limited.

    Attributes:
        coulomb: coefficient of sliding friction (1).
        torsion: 1 where torsional friction acts, else 0.
        rocking: 1 where the rocking damper acts, else 0.
    """

    coulomb: Any
    torsion: Any
    rocking: Any


class Couple(NamedTuple):
    """Torsional friction and rocking damper of a contact.

    Attributes:
        moment: couple on the first body (N m).
        twist: elastic torsional part of it (N m).
        work: work of this step (J).
    """

    moment: Any
    twist: Any
    work: Any
