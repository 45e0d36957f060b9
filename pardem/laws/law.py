"""Static choice of the law: kernels call ``normal_force(law, ...)`` and are compiled for the type of ``law``, so no branch is left at run time."""

from __future__ import annotations

from ..compiled.jit import njit  # noqa: F401  (what is chosen here is compiled: this file belongs to the cache's hash)
from ..compiled.static import by_type
from .history import OWN_WIDTH
from .kind import LawTables
from .registry import KINDS, kernels, kind_of
from .tangential import damped_spring


@by_type(kernels("coefficients"))
def coefficients(law, a, b):
    """The six numbers of a pair of materials that the law's ``normal_force`` needs.

    Args:
        law: tables of the law.
        a: row of the first material.
        b: row of the second material.
    """
    raise NotImplementedError


@by_type(kernels("normal_force"))
def normal_force(law, numbers, overlap, rate, mass, radius, memory):
    """Normal force of one contact by the law's own ``normal_force`` (see ``elastic.normal_force``)."""
    raise NotImplementedError


def _those_there_are(law, count, at_once):
    return count


@by_type({kind.table: _those_there_are for kind in KINDS.values() if kind.one_by_one})
def served(law, count, at_once):
    """How many contacts the law is evaluated for: so many at once that some need not be there, unless it is given those alone that there are.

    Args:
        law: for its type only.
        count: number of contacts that there are.
        at_once: number of contacts in registers and beside them.
    """
    return at_once


@by_type(kernels("tangential"))
def tangential(law, numbers, normal, pull):
    """Tangential force of one contact by the law's own ``tangential``, else that of a linear spring with a damper.

    Args:
        law: for its type only.
        numbers: see ``coefficients``.
        normal: ``quantities.NormalForce`` of the contact.
        pull: ``quantities.Pull``.

    Returns:
        the ``quantities.Tangential``.
    """
    return damped_spring(normal, pull)


@by_type(kernels("touching_overlap"))
def touching_overlap(law, numbers):
    """Overlap (m) at which two surfaces just touch: that of the larger radii which a law with a range gives to grains, else 0.

    Args:
        law: for its type only.
        numbers: see ``coefficients``.
    """
    return 0.0


@by_type(kernels("mean_stiffness"))
def mean_stiffness(law, numbers, normal, memory):
    """Mean tangential stiffness in the step (N/m): the law's own ``mean_stiffness``, else that at its end.

    Args:
        law: for its type only.
        numbers: see ``coefficients``.
        normal: ``quantities.NormalForce`` of the contact.
        memory: of the normal law, in the step before; zero where the contact is born.
    """
    return normal.kt


def _nothing(law, a, b, reach, mass, radius):
    return 0.0


@by_type(dict.fromkeys(kernels("touching_overlap"), _nothing))
def secant_stiffness(law, a, b, reach, mass, radius):
    """Force over overlap (N/m) without motion; 0 for a law with a range, whose force diverges by itself.

    Args:
        law: tables of the law.
        a: row of the first material.
        b: row of the second material.
        reach: the overlap (m).
        mass: effective mass (kg).
        radius: effective radius (m).
    """
    return normal_force(law, coefficients(law, a, b), reach, 0.0, mass, radius, 0.0).force / reach


def _yes(law):
    return True


@by_type({kind.table: _yes for kind in KINDS.values() if kind.carried})
def carries(law):
    """Whether contacts remember a tangential vector of the law's own (``LawKind.carried``); a constant of the compiled code.

    Args:
        law: for its type only.
    """
    return False


def own_columns(law: LawTables) -> int:
    """Number of columns of a contact's history that the law needs for itself.

    Args:
        law: tables of the law.
    """
    return OWN_WIDTH if kind_of(law).carried else 0
