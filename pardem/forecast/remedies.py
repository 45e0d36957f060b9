"""Which key of a case makes a contact stiffer, and the value at which it is stiff enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..laws.registry import KINDS

if TYPE_CHECKING:
    from ..case import Case
    from ..case.contact_parameters import Resolved

STIFFNESSES = {"normal_stiffness": "N/m", "loading_stiffness": "N/m"}


def remedy(case: Case, first: str, second: str, deeper: float, power: float) -> str:
    """What to change so that the contacts of two materials overlap less under the same impact.

    Args:
        case: validated case.
        first: name of a material.
        second: name of the other.
        deeper: factor by which the overlap is too large.
        power: exponent with which the force grows with the overlap.

    Returns:
        Key, bound and unit, for instance "contact.contact_time at most 2.1e-4 s (time.step at most 1e-5 s)".
    """
    resolved = case.contact_between(first, second)
    if resolved.form == "restitution":
        shorter = resolved.number("contact_time") / deeper
        step = f" (and time.step at most {shorter / 20.0:.2g} s)" if case.time.step > 1.01 * shorter / 20.0 else ""
        return f"{_where(case, first, second, 'contact_time')} at most {shorter:.2g} s{step}"
    stiffer = deeper ** (power + 1.0)
    if "young" in KINDS[resolved.law].of_material:
        value = min(resolved.of_bodies("young")) * stiffer
        return f"{' and '.join(_softer(case, resolved, (first, second), value))} at least {value:.2g} Pa (then hold time.step against it)"
    key = next(key for key in STIFFNESSES if resolved.number(key) > 0.0)
    value = resolved.number(key) * stiffer
    return f"{_where(case, first, second, key)} at least {value:.2g} {STIFFNESSES[key]} (then hold time.step against it)"


def _where(case: Case, first: str, second: str, key: str) -> str:
    """The dotted key from which the two materials have a parameter."""
    pair = next((pair for pair in case.contact.pair if set(pair.between) == {first, second}), None)
    if pair is not None and getattr(pair, key) is not None:
        return f"contact.pair.{'-'.join(pair.between)}.{key}"
    return f"contact.{key}"


def _softer(case: Case, resolved: Resolved, names: tuple[str, str], value: float) -> list[str]:
    """The keys from which the bodies of a pair have a Young's modulus below a value (Pa)."""
    if not any(resolved.bodies):
        return [_where(case, *names, "young")]
    own = {material.name: material.young for material in case.material}
    keys = {name: f"material.{name}.young" if own.get(name) is not None else "contact.young" for name in names}
    given = {name: own.get(name) or resolved.number("young") for name in names}
    return list(dict.fromkeys(keys[name] for name in names if given[name] < value))
