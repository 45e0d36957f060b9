"""Static choice of the resistance to rolling and twisting: kernels are compiled for its type, so nothing of it is left where there is none.

A new model is a file with a NamedTuple of tables (with ``ball`` and ``stop``), ``SPRINGS``, ``coefficients`` and ``torques`` (signatures:
``constant.py``), a line in ``_MODULE`` and one in ``setup/resistance_tables.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.extending import overload

from ...compiled.jit import INLINED
from . import constant, none, spring
from .none import NoResistance

Resistance = NoResistance | constant.ConstantTorque | spring.ElasticPlastic

_MODULE: dict[type, Any] = {NoResistance: none, constant.ConstantTorque: constant, spring.ElasticPlastic: spring}


def switched(off: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function for compiled code that is ``off`` where there is no resistance; its first argument is the resistance's tables."""

    def decorate(on: Callable[..., Any]) -> Callable[..., Any]:
        def switch(resistance: Resistance, *rest: Any) -> Any:
            return (off if isinstance(resistance, NoResistance) else on)(resistance, *rest)

        @overload(switch, strict=False, jit_options=INLINED)
        def _choose(resistance, *rest):  # type: ignore[no-untyped-def]
            return off if resistance.instance_class is NoResistance else on

        switch.__doc__ = on.__doc__
        return switch

    return decorate


@switched(lambda resistance: False)
def resists(resistance: Resistance) -> bool:
    """Whether there is any; a constant of the compiled code."""
    return True


def springs_of(resistance: Resistance) -> int:
    """Columns of the history that hold the springs of a model; a constant of the compiled code."""
    return int(_MODULE[type(resistance)].SPRINGS)


@overload(springs_of, jit_options=INLINED)
def _springs_of(resistance):  # type: ignore[no-untyped-def]
    number = _MODULE[resistance.instance_class].SPRINGS
    return lambda resistance: number


def coefficients(resistance, a, b):  # type: ignore[no-untyped-def]
    """The eight numbers of a pair of species that the model's ``torques`` needs."""
    return _MODULE[type(resistance)].coefficients(resistance, a, b)


@overload(coefficients, jit_options=INLINED)
def _coefficients(resistance, a, b):  # type: ignore[no-untyped-def]
    implementation = _MODULE[resistance.instance_class].coefficients
    return lambda resistance, a, b: implementation(resistance, a, b)


def torques(resistance, numbers, load, turning, springs):  # type: ignore[no-untyped-def]
    """Torques of one contact by the model's own ``torques`` (see ``constant.torques``)."""
    return _MODULE[type(resistance)].torques(resistance, numbers, load, turning, springs)


@overload(torques, jit_options=INLINED)
def _torques(resistance, numbers, load, turning, springs):  # type: ignore[no-untyped-def]
    implementation = _MODULE[resistance.instance_class].torques
    return lambda resistance, numbers, load, turning, springs: implementation(resistance, numbers, load, turning, springs)
