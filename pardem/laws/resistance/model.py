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
    """Make a function for compiled code that is ``off`` where there is no resistance; its first argument is the resistance's tables."""
    return by_type({NoResistance: off})


@switched(lambda resistance: False)
def resists(resistance):
    """Whether there is any; a constant of the compiled code."""
    return True


@static(lambda resistance: _MODULE[resistance].SPRINGS)
def springs_of(resistance):
    """Columns of the history that hold the springs of a model; a constant of the compiled code."""


@static(lambda resistance: _MODULE[resistance].coefficients)
def coefficients(resistance, a, b):
    """What the model's ``torques`` needs to know of a pair of materials (see ``constant.coefficients``)."""


@static(lambda resistance: _MODULE[resistance].torques)
def torques(resistance, numbers, load, turning, springs):
    """Torques of one contact by the model's own ``torques`` (see ``constant.torques``)."""
