"""Units of what a result holds and of what follows from it: of fields here, of observables as these declare them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pardem.observables.observable import Quantity

FIELDS = {
    "position": "m", "unwrapped": "m", "image": "1", "velocity": "m/s", "angular_velocity": "rad/s", "orientation": "1", "axes": "1", "force": "N",
    "torque": "N m", "local_fraction": "1", "outflow": "1", "inflow": "1",
    "present": "1", "species": "1", "ids": "1", "scale": "1", "radius": "m", "mass": "kg",
    "time": "s", "step": "1", "contact_number": "1", "stress": "Pa", "pressure": "Pa", "coordination": "1",
}  # fmt: skip

CONTACTS = {
    "bodies": "1", "first": "1", "second": "1", "sub": "1", "point": "m", "normal": "1", "overlap": "m", "force": "N", "couple": "N m",
    "normal_force": "N", "tangential_force": "N", "branch": "m", "walls": "1", "with_wall": "1",
}  # fmt: skip

GRID = {
    "density": "kg/m^3", "solid_fraction": "1", "momentum": "kg/(m^2 s)", "velocity": "m/s", "kinetic_stress": "Pa", "contact_stress": "Pa",
    "wall_force_density": "N/m^3", "displacement": "m", "strain": "1", "rotation": "rad", "grain_rotation": "rad",
}  # fmt: skip


def is_vector(observable: str) -> bool:
    """Whether an observable has components along x, y and z.

    Args:
        observable: its name.
    """
    found = _quantity(observable)
    return found is not None and found.shape == (3,)


def unit_of(observable: str) -> str:
    """The SI unit of an observable as it declares it, ``1`` of a pure number and of what no observable is called.

    Args:
        observable: its name, ``energy/kinetic_rotational`` for instance.
    """
    found = _quantity(observable)
    return "1" if found is None else found.unit


def _quantity(observable: str) -> Quantity | None:
    from pardem.observables.registry import quantity_of  # brings kernels along, which readers of arrays need not wait for

    return quantity_of(observable)
