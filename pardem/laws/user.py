"""A law given by the user: a function, compiled by Numba, for the normal force, with the tangential spring of the linear laws.

The function has the signature ``f(delta, rate, m_eff, r_eff, parameters) -> force`` (N), compiled with ``numba.njit``; ``parameters`` is a row of
float64. It must return zero at delta = 0 and nothing else may remember: history belongs to the tangential spring only.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..compiled.cache import LAW_NAME
from ..compiled.choices import larger
from ..compiled.jit import inlined
from ..errors import CaseError
from . import given, linear
from .kind import Form, Key, LawInput, LawKind, Values
from .quantities import NormalForce


class UserLaw(NamedTuple):
    """A user's normal force with tables ((m, m) float64 each) for the tangential part.

    Attributes:
        function: the compiled normal force.
        parameters: (m, m, k) float64, a row for each pair of species.
        kt: tangential stiffness (N/m).
        ct: tangential damping (N s/m).
        friction: Coulomb coefficient (1).
        rocking: 1 where the rocking damper acts, else 0.
        torsion: 1 where torsional friction acts, else 0.
        force_scale: the largest force that the law can give (N): it sets the quanta.
    """

    function: Callable[..., float]
    parameters: np.ndarray
    kt: np.ndarray
    ct: np.ndarray
    friction: np.ndarray
    rocking: np.ndarray
    torsion: np.ndarray
    force_scale: float


@inlined
def coefficients(law, a, b):
    """The six numbers that ``normal_force`` needs for a pair of species: kt, ct and the pair itself."""
    return law.kt[a, b], law.ct[a, b], float(a), float(b), 0.0, 0.0


# Gauss-Legendre nodes on (0, 1) and weights that sum to 2
NODES = (0.5 - 0.4530899229693320, 0.5 - 0.2692346550528416, 0.5, 0.5 + 0.2692346550528416, 0.5 + 0.4530899229693320)
WEIGHTS = (0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665, 0.2369268850561891)


@inlined
def normal_force(law, numbers, overlap, rate, mass, radius, memory):
    """Normal force of one contact. What the user's force does beyond its own rate-free part is counted as damping work.

    The stored energy is the integral of the rate-free force over the overlap, by Gauss' rule with five points in t = sqrt(overlap / delta): exact for
    sums of delta^(k/2) up to delta^4, so for linear and Hertzian springs.

    Arguments and result are those of ``elastic.normal_force``; the damping coefficient, and with it the rocking damper, is zero.
    """
    row, overlap = law.parameters[int(numbers[2]), int(numbers[3])], larger(overlap, 0.0)  # grains that come apart have none
    force = law.function(overlap, rate, mass, radius, row)
    elastic = law.function(overlap, 0.0, mass, radius, row)
    stored = 0.0
    for k in range(5):
        t = NODES[k]
        stored += WEIGHTS[k] * t * law.function(overlap * t * t, 0.0, mass, radius, row)
    return NormalForce(force, numbers[0], numbers[1], 0.0, force - elastic, 0.0, stored * overlap, memory)


def load_user_law(directory: Path, where: str) -> Any:
    """The compiled function that ``path/file.py:function`` names, or the one that a program has handed over under this name.

    Raises:
        CaseError: the file or function is missing, or is not a function.

    Args:
        directory: folder that relative paths refer to.
        where: ``path/file.py:function``, as in the case file, or the name of a function that was handed over.
    """
    import numba
    from numba.core.dispatcher import Dispatcher

    function, home = _handed_over(where) if given.was_given(where) else _from_file(directory, where)
    if any(function is known for known in _known.values()):  # loaded from a file, and handed over by the program
        return function
    name = where.rpartition(":")[2]
    options = {"nopython": True, **(function.targetoptions if isinstance(function, Dispatcher) else {}), "error_model": "numpy"}
    compiled = numba.jit(getattr(function, "py_func", function), **options)  # a division by zero is a force without bound, found as such
    number = numba.types.float64
    signature = (number, number, number, number, number[::1])  # the kernels' call
    try:
        compiled.compile(signature)
        returned = compiled.overloads[signature].signature.return_type
    except (numba.core.errors.NumbaError, TypeError) as error:
        raise CaseError(
            f"contact.user_law = '{where}': '{name}' in {home} does not compile as f(delta, rate, m_eff, r_eff, parameters) ({_one_line(error)})"
        ) from None
    if not isinstance(returned, numba.types.Float | numba.types.Integer):
        raise CaseError(f"contact.user_law = '{where}': '{name}' in {home} must return the force as a number, not {returned}")
    return _as_known(compiled, signature, kept=not given.was_given(where))


def _handed_over(where: str) -> tuple[Any, str]:
    """The function that a Python program has given to the case, and where it is from."""
    function = given.given_function(where)
    if function is None:
        raise CaseError(
            f"contact.user_law = '{where}' is a function of the Python program that made the case, which this process has not been given: run the "
            "case from that program, or put the function into a file and give 'path/file.py:function'"
        )
    return function, "the program"


def _from_file(directory: Path, where: str) -> tuple[Any, Path]:
    """The function that a case file names, and its file."""
    path, _, name = where.rpartition(":")
    file = Path(directory) / path
    if not os.path.isfile(file):  # False for names that are too long, too
        raise CaseError(f"contact.user_law = '{where}': there is no file {file}; give the path relative to the case file")
    text = file.read_bytes()
    spec = importlib.util.spec_from_file_location(f"pardem_user_law_{hashlib.sha256(text).hexdigest()[:16]}", file)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    try:
        exec(compile(text, file, "exec", dont_inherit=True), vars(module))  # bytecode on disk may be that of a text of the same second and length
    except (Exception, SystemExit) as error:  # whatever the user's code may raise
        raise CaseError(f"contact.user_law = '{where}': {file} cannot be loaded ({type(error).__name__}: {_one_line(error)})") from None
    sys.modules[spec.name] = module  # kernels that are read from disk ask for it
    function = getattr(module, name, None)
    if not callable(function):
        raise CaseError(f"contact.user_law = '{where}': {file} has no function '{name}'")
    return function, file


_known: dict[str, Any] = {}


def _as_known(compiled: Any, signature: tuple[Any, ...], kept: bool) -> Any:
    """The law that this process has loaded before, if it is the same to the last instruction, so that no kernel is compiled twice for it.

    A law of a file that is new is named after its instructions, by which the kernel cache knows it. Kernels with a function that a program has handed
    over are not kept there: another process could not ask for its module.

    Args:
        compiled: the function, as numba has compiled it.
        signature: numba's types of its arguments.
        kept: whether kernels with the law are kept on disk.

    Returns:
        The function to hand to kernels.
    """
    # without what numba counts from the start of the process, and the lengths of texts that hold it
    code = re.sub(r"B\d+v\d+|\[\d+ x i8\]", "", compiled.inspect_llvm(signature))
    name = (LAW_NAME if kept else "") + hashlib.sha256(code.encode()).hexdigest()
    if name not in _known:
        if kept:
            compiled._set_uuid(name)
        _known[name] = compiled
    return _known[name]


def _one_line(error: BaseException) -> str:
    """The beginning of an error's text."""
    text = " ".join(str(error).split())
    return text if len(text) <= 300 else text[:297] + "..."


def _fill(values: LawInput) -> UserLaw:
    grid, general = values.grid, values.general
    return UserLaw(
        load_user_law(values.directory, str(general["user_law"])), values.lists("user_parameters"),
        grid(lambda c: c.number("tangential_stiffness")), grid(lambda c: c.number("tangential_damping")), grid(lambda c: c.number("friction")),
        values.rocking, values.torsion, float(general["force_scale"]),
    )  # fmt: skip


def _durations(c: Values, mass: Any, radius: Any, multiplicity: Any) -> tuple[Any, Any] | None:
    seconds = linear.nominal_duration(c, multiplicity)
    return (seconds, seconds) if c.number("contact_time") else None


def _spring_force(law, a, b, mass, radius, overlap):
    """Infinite where the function gives nothing that counts as a force."""
    out = np.full(overlap.shape, np.inf)
    for k in np.ndindex(out.shape):
        force = abs(float(law.function(overlap[k], 0.0, mass[k], radius[k], law.parameters[a[k], b[k]])))
        if 0.0 < force < np.inf:
            out[k] = force
    return out


def _bound(law, a, b):
    return law.force_scale


KIND = LawKind(
    name="user",
    table=UserLaw,
    keys={
        "user_parameters": Key("law `user`: parameters that are passed to the function (in its own units)", many=True),
        "contact_time": linear.CONTACT_TIME,
    }
    | linear.TANGENTIAL,
    forms=(Form("user", (), ("user_parameters", "contact_time", *linear.TANGENTIAL), linear.complete_raw),),
    fill=_fill,
    durations=_durations,
    spring_force=_spring_force,
    bound=_bound,
    coefficients=coefficients,
    normal_force=normal_force,
    one_by_one=True,
    general={
        "user_law": Key(
            "law `user`: the function, written `path/file.py:function`, the path relative to the case file; in Python also the function itself",
            pattern=r"^([^\x00]+\.py|<python [0-9a-f]{16}>):[A-Za-z_]\w*$", example=" = 'file.py:function'",
        ),
        "force_scale": Key(
            "law `user`: largest force that the function can return (N)", example=" (the largest force of the user's law, N)"
        ),
    },
)  # fmt: skip
