"""What grains are coloured by on a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pardem.errors import FileError

from ..analysis.frame import Frame
from ..analysis.result import Result

SPECIES_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
SCALE = "viridis"
NAMES = ("species", "speed", "force", "angular velocity", "id", "angle", "contacts")
ASKED_FOR = ("velocity", "angular_velocity", "force", "torque", "local_fraction", "stress", "coordination")  # fields that a case may leave out
MOST_SPECIES = 20  # that a legend lists

_FIELDS = {"speed": "velocity", "pressure": "stress"}
_TITLES = {"velocity": "speed (m/s)", "force": "force (N)", "angular_velocity": "angular velocity (rad/s)", "torque": "torque (N m)",
           "id": "id", "angle": "angle to the horizontal (degrees)", "contacts": "contacts", "local_fraction": "local volume fraction",
           "stress": "pressure (Pa)"}  # fmt: skip


@dataclass(frozen=True)
class Colouring:
    """What grains are coloured by.

    Attributes:
        name: ``species``, ``id``, ``angle``, ``contacts``, or a field of frames, whose magnitude is shown; of the stress the pressure.
        limits: values at the ends of the colour scale; None for ``species``.
    """

    name: str
    limits: tuple[float, float] | None = None

    @property
    def title(self) -> str:
        """What the legend says."""
        return _TITLES.get(self.name, self.name.replace("_", " "))

    def values(self, frame: Frame) -> np.ndarray:
        """A number for each grain, (n,): the row of its species, or what the scale shows; NaN where it has none.

        Args:
            frame: frame of a result.
        """
        result = frame.result
        if self.name == "species":
            return result.species_rows
        if self.name == "id":
            return result.ids
        if self.name == "contacts":
            return frame.contact_number
        if self.name == "angle":
            return angle_to_ground(frame)
        if self.name == "stress":
            return frame.pressure
        values = frame[self.name]
        return np.asarray(np.linalg.norm(values, axis=1) if values.ndim > 1 else values)

    def colours(self, frame: Frame) -> np.ndarray:
        """A colour for each grain, (n, 3) in [0, 1].

        Args:
            frame: frame of a result.
        """
        from matplotlib import colormaps
        from matplotlib.colors import to_rgb

        values = self.values(frame)
        if self.limits is None:
            return np.array([to_rgb(colour) for colour in SPECIES_COLOURS])[values % len(SPECIES_COLOURS)]
        low, high = self.limits
        share = np.clip((values - low) / (high - low), 0.0, 1.0)
        known = np.isfinite(share)
        return np.where(known[:, None], colormaps[SCALE](np.where(known, share, 0.0))[:, :3], 0.75)

    def legend(self, frame: Frame) -> list[tuple[str, str]]:
        """Names and colours of the species that are shown; nothing where there is a single one, or too many, or a scale.

        Args:
            frame: frame of a result.
        """
        used = np.unique(frame.result.species_rows[frame.present])
        if self.limits is not None or not 1 < len(used) <= MOST_SPECIES:
            return []
        return [(frame.result.species_names[k], SPECIES_COLOURS[k % len(SPECIES_COLOURS)]) for k in used]


def colouring(result: Result, name: str | None, frames: Sequence[int]) -> Colouring:
    """What to colour by, with a scale that serves some frames.

    Args:
        result: which is drawn.
        name: one of ``NAMES`` or a field of frames, or None for the angle where all grains are elongated, else the species.
        frames: numbers of the frames.

    Raises:
        FileError: the result does not hold the quantity.
    """
    if name is None:
        return Colouring(*(("angle", (0.0, 90.0)) if result.dimension == 3 and _has_axis(result).all() else ("species",)))
    field = name.strip().lower().replace("-", "_").replace(" ", "_")
    field = _FIELDS.get(field, field)
    if field == "species":
        return Colouring(field)
    if field == "angle":
        if not _has_axis(result).any():
            names = ", ".join(result.species_names[k] for k in np.unique(result.species_rows))
            raise FileError(f"--colour angle needs elongated grains, and {names} have no longest axis: leave --colour out, or give another")
        return Colouring(field, (0.0, 90.0))
    if field not in ("id", "contacts") and field not in result.fields:
        if field in result.units and field in ASKED_FOR:
            raise FileError(f"{result.path} holds no {field} of grains, which --colour {name} shows: put '{field}' into output.fields of the case")
        there = ", ".join(dict.fromkeys([*NAMES, *(other for other in result.fields if other not in ("position", "image", "orientation"))]))
        raise FileError(f"--colour {name} is unknown: give one of {there}")
    shown = Colouring(field)
    low, high = 0.0, 0.0
    for k in frames:
        frame = result[k]
        values = shown.values(frame)[frame.present]
        values = values[np.isfinite(values)]
        if len(values):
            low, high = min(low, float(values.min())), max(high, float(values.max()))
    return Colouring(field, (low, high if high > low else low + 1.0))


def angle_to_ground(frame: Frame) -> np.ndarray:
    """Angles between the longest axes of grains and the horizontal plane (degrees), (n,); NaN of grains that have no such axis.

    Args:
        frame: frame of a result.
    """
    result = frame.result
    has, out = _has_axis(result), np.full(len(frame), np.nan)
    body = _long_axes(result)[result.species_rows[has]]
    along = np.einsum("nic,ni->nc", frame.axes[has], body)
    out[has] = np.degrees(np.arcsin(np.clip(np.abs(along @ result.up), 0.0, 1.0)))
    return out


def _long_axes(result: Result) -> np.ndarray:
    """(ns, 3) unit vectors along which species are longest, zero of those that have none."""
    return np.asarray(result.catalogue.get("long_axis", np.zeros((len(result.catalogue["kind"]), 3))))


def _has_axis(result: Result) -> np.ndarray:
    """Whether grains have a longest axis, (n,) bool."""
    return (_long_axes(result) != 0.0).any(axis=1)[result.species_rows]
