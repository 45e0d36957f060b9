"""Static choice of the resistance to rolling and twisting: kernels are compiled for its type, so nothing of it is left where there is none.

A new model is a file with a NamedTuple of tables (with ``ball`` and ``stop``), ``SPRINGS``, ``coefficients`` and ``torques`` (signatures:
``constant.py``), a line in ``_MODULE`` and one in ``setup/resistance_tables.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...compiled.static import by_type, static
from . import constant, none, spring
from .none import NoResistance

Resistance = NoResistance | constant.ConstantTorque | spring.ElasticPlastic

_MODULE: dict[type, Any] = {NoResistance: none, constant.ConstantTorque: constant, spring.ElasticPlastic: spring}


def switched(off: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function for compiled code that does nothing where there is no resistance; its first argument is the resistance's tables.

    Args:
        off: plain function that takes its place there, with the same arguments.
    """
    return by_type({NoResistance: off})


@switched(lambda resistance: False)
def resists(resistance):
    """Whether contacts resist rolling and twisting; a constant of the compiled code.

    Args:
        resistance: tables of the resistance to rolling and twisting, for their type.
    """
    return True


@static(lambda resistance: _MODULE[resistance].SPRINGS)
def springs_of(resistance):
    """Number of columns of the history that hold the springs of a model; a constant of the compiled code.

    Args:
        resistance: tables of the resistance to rolling and twisting, for their type.
    """


@static(lambda resistance: _MODULE[resistance].coefficients)
def coefficients(resistance, a, b):
    """What the model's ``torques`` needs to know of a pair of materials (see ``constant.coefficients``).

    Args:
        resistance: tables of the resistance to rolling and twisting, for their type.
        a: row of the first material.
        b: row of the second material.
    """


@static(lambda resistance: _MODULE[resistance].torques)
def torques(resistance, numbers, load, turning, springs):
    """Torques of one contact by the model's own ``torques`` (see ``constant.torques``)."""
