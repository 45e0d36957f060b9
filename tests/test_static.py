"""Functions whose body is chosen by the type of an argument: from compiled code, from Python, and what is registered by hand."""

from __future__ import annotations

from typing import NamedTuple, get_args

import numpy as np
import pytest

from pardem.case.settings import Time
from pardem.compiled.jit import inlined, kernel, njit
from pardem.compiled.static import static
from pardem.integrators.phases import SCHEMES


class Square(NamedTuple):
    side: float


class Slots(NamedTuple):
    sizes: np.ndarray


@inlined
def _square(times, shape):
    return times * shape.side * shape.side


@kernel
def _slots(times, shape):
    return times * shape.sizes.sum()


AREA = {Square: _square, Slots: _slots}


@static(lambda shape: AREA[shape], on="shape")
def area(times, shape):
    """Area of some shapes."""


@static(lambda shape: shape is Square)
def is_square(shape):
    """Whether a shape is a square; a constant of the compiled code."""


@njit(cache=False)
def _from_compiled_code(shape):
    return area(2.0, shape), is_square(shape)


@pytest.mark.parametrize(("shape", "size", "square"), [(Square(3.0), 18.0, True), (Slots(np.array([1.0, 4.0])), 10.0, False)])
def test_the_type_of_an_argument_chooses(shape: Square | Slots, size: float, square: bool) -> None:
    assert _from_compiled_code(shape) == (size, square)
    assert (area(2.0, shape), is_square(shape)) == (size, square)
    assert area.__doc__ == "Area of some shapes."


def test_every_integrator_can_be_chosen_in_a_case() -> None:
    assert get_args(Time.model_fields["integrator"].annotation) == tuple(SCHEMES)
