"""Units of what a result holds."""

from __future__ import annotations

FIELDS = {
    "position": "m", "unwrapped": "m", "image": "1", "velocity": "m/s", "angular_velocity": "rad/s", "orientation": "1", "axes": "1", "force": "N",
    "torque": "N m", "local_fraction": "1", "outflow": "1", "present": "1", "species": "1", "ids": "1", "scale": "1", "radius": "m", "mass": "kg",
    "time": "s", "step": "1",
}  # fmt: skip

CONTACTS = {
    "bodies": "1", "first": "1", "second": "1", "sub": "1", "point": "m", "normal": "1", "overlap": "m", "force": "N", "couple": "N m",
    "normal_force": "N", "tangential_force": "N", "branch": "m", "walls": "1", "with_wall": "1",
}  # fmt: skip

OBSERVABLES = {
    "energy": "J", "stress": "Pa", "fill_height": "m", "height": "m", "mean_angle": "degree", "mean_angle_layers": "degree", "wall_force": "N",
    "wall_torque": "N m", "wall_displacement": "m", "wall_turn": "rad", "outflow/mass": "kg",
}  # fmt: skip

VECTORS = ("nematic_director", "wall_force", "wall_torque", "wall_displacement")


def is_vector(observable: str) -> bool:
    """Whether an observable has components along x, y and z.

    Args:
        observable: its name.
    """
    return observable.partition("/")[0] in VECTORS


def unit_of(observable: str) -> str:
    """The SI unit of an observable, ``1`` of a pure number.

    Args:
        observable: its name, ``energy/kinetic_rotational`` for instance.
    """
    return OBSERVABLES.get(observable) or OBSERVABLES.get(observable.partition("/")[0], "1")
