"""The choice of the quanta of a run: from the forces and levers of its weakest contacts to those of its strongest (docs/theory/motion.md)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from ..compiled.fixedpoint import COLUMNS, LIMIT, MOST, WIDE_LIMIT
from ..errors import CaseError
from .contact_spans import Span, Spans

if TYPE_CHECKING:
    from ..state.saved import RunState

FINE, LEAST = 2.0**20, 2.0**16  # counts of the force at a faint overlap: one limb should give the first, two limbs must give the second
ASKED = 2.0**30  # counts of it that two limbs give where they can
WEIGHT = 2.0**30  # counts of the lightest weight that one limb should give, and two limbs give where they can
ENERGY = 2.0**30  # counts of the energy of such a contact
COARSER = 4.0  # by how much the quanta of another run, whose grains were chosen from a wider range of sizes, may be coarser
FULLEST = 2.0**76  # counts that the largest energy may have, so that long sums of it stay in range


class Quanta(NamedTuple):
    """The quanta of a run.

    Attributes:
        force: N per count.
        torque: N m per count.
        energy: J per count.
        wide: whether the sums of bodies have two limbs.
    """

    force: float
    torque: float
    energy: float
    wide: bool

    def or_coarser(self, others: tuple[float, float, float]) -> Quanta:
        """Take other quanta if none is finer than these, which leaves no room, and none much coarser.

        Args:
            others: quanta of force, torque and energy.

        Returns:
            These or the others.
        """
        fit = all(own <= other <= COARSER * own for own, other in zip(self[:3], others, strict=True))
        return Quanta(*others, self.wide) if fit else self


def held_quanta(state: RunState | None) -> Quanta | None:
    """The quanta in which a run that is resumed counts, which another version of pardem may have chosen.

    Args:
        state: its state; None if the run begins.

    Returns:
        The quanta, or None where the case is to say them.
    """
    if state is None or len(state.header.quanta) != 3:
        return None
    return Quanta(*state.header.quanta, state.grains.ft.shape[1] > COLUMNS)


def power_of_two_above(value: float) -> float:
    """Find the smallest power of two that is not below a value.

    Args:
        value: a positive number.

    Returns:
        The power of two.
    """
    mantissa, exponent = math.frexp(value)
    return math.ldexp(1.0, exponent - 1 if mantissa == 0.5 else exponent)


def choose_quanta(spans: Spans, lightest_weight: float, lightest_lever: float, contributions: float) -> Quanta:
    """Choose the quanta from the largest and smallest forces and torques of a run.

    A single limb is used if its range covers the largest values and its quantum resolves the weakest contacts and the lightest weight; otherwise sums
    take two limbs, with quanta that resolve these as far as the range allows.

    Args:
        spans: ranges of the forces, torques and energies.
        lightest_weight: smallest weight of a grain (N); 0 without gravity.
        lightest_lever: smallest sphero-radius (m).
        contributions: estimate of the number of forces that may act on one body at once.

    Returns:
        The quanta.

    Raises:
        CaseError: the largest force is not a positive number, or even two limbs cannot span the range.
    """
    if not (spans.force.largest > 0.0 and math.isfinite(spans.force.largest)):
        value = spans.force.largest
        raise CaseError(f"The largest contact force comes out as {value} N; check the stiffnesses and radii in [contact] and [[species]].")
    force, torque = (2.0 * power_of_two_above(span.largest) / LIMIT for span in spans[:2])
    fine = spans.force.least >= FINE * force and spans.torque.least >= FINE * torque and not 0.0 < lightest_weight < WEIGHT * force
    if fine and contributions < MOST:
        return Quanta(force, torque, torque, False)
    energy = min(spans.energy, lightest_weight * lightest_lever or math.inf) / ENERGY
    energy = min(torque, max(power_of_two_above(energy), power_of_two_above(spans.torque.largest) / FULLEST))
    finest_force, finest_torque = (2.0 * power_of_two_above(span.largest) / WIDE_LIMIT for span in spans[:2])
    for span, quantum in ((spans.force, finest_force), (spans.torque, finest_torque)):
        if span.least < LEAST * quantum:
            raise CaseError(_too_far_apart(span, quantum))
    # no finer than asked for, so that the lower limb alone holds most contributions
    asked = min(spans.force.least / ASKED, lightest_weight / WEIGHT or math.inf, force)
    force = max(finest_force, power_of_two_above(0.5 * asked))
    torque = max(finest_torque, power_of_two_above(0.5 * min(spans.torque.least / ASKED, asked * lightest_lever, torque)))
    return Quanta(force, torque, energy, True)


def _too_far_apart(span: Span, quantum: float) -> str:
    """The sentence that refuses a run whose forces or torques lie too far apart."""
    asked = span.largest / span.least if span.least > 0.0 else math.inf  # of sizes so small that their force is less than any number
    held = span.largest / (LEAST * quantum)
    sizes = span.sizes * (held / asked) ** (1.0 / span.power) if span.power else 0.0
    remedy = f"with this law the radii may differ by a factor of {_floor(sizes):.3g}, not {span.sizes:.4g}; " if sizes > 1.0 else ""
    return (
        f"contacts of {span.big} can reach {span.largest:.3g} {span.unit}, while those of {span.small} must be resolved down to {span.least:.3g} "
        f"{span.unit}: sums cannot represent this ratio of {asked:.2g}, only {held:.2g}; {remedy}choose sizes or stiffnesses that differ less"
    )


def _floor(value: float) -> float:
    """``value`` rounded down to three digits."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    return math.floor(value / unit) * unit


def weight_notes(quanta: Quanta, weight: float, field: float, label: str) -> list[str]:
    """Warn of a lightest grain whose weight is poorly resolved by the quanta.

    Args:
        quanta: quanta of the run.
        weight: weight by gravity (N).
        field: weight by the field towards a point (N), which is summed with the contact forces.
        label: name of the grain.

    Returns:
        Sentences for the user.

    Raises:
        CaseError: the field is not resolved.
    """
    if 0.0 < field < LEAST * quanta.force:
        raise CaseError(
            f"attraction.strength: the field pulls {label} with {field:.3g} N, but forces are summed in counts of {quanta.force:.3g} N; make it at "
            f"least {LEAST * quanta.force / field:.2g} times as strong, or narrow the range of sizes"
        )
    if 0.0 < weight < LEAST * quanta.force:
        return [
            f"gravity is weak against the contacts: {label} weighs {weight:.3g} N, {weight / quanta.force:.2g} counts of the forces' quantum; "
            "free fall is exact, but support and friction at rest are not resolved better than that"
        ]
    return []
