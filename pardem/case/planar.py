"""Cases in two dimensions: what may be left out in the plane x-y is filled in before the case is validated, so that all vectors have three numbers.

A vector of two numbers gets z = 0, the corners of boxes get z = -0.5 and 0.5 m: a domain is one metre thick, so that densities and stresses by volume
are those by area. A rotation is an angle about z. What would lead out of the plane is an error.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from typing import Any

from ..case_values import LARGEST
from ..errors import CaseError
from .annotations import models_in, tag_of
from .any_species import AnySpecies
from .planar_grains import PlanarSpecies
from .sentences import item_key
from .walls import TABLES

HALF = 0.5
"""Half the thickness of domains, boxes and regions (m)."""
GRAVITY = (0.0, -9.81, 0.0)
_INSTEAD = {
    "sphere": "disk", "spherocylinder": "rice", "spherotriangle": "pebble", "polyhedron": "polygon", "cube": "regular_polygon",
    "polyline": "planar_polyline", "compound": "planar_compound",
}  # fmt: skip
_INSTEAD |= {planar: solid for solid, planar in _INSTEAD.items()}

_PLANAR_SHAPES = {tag_of(model) for model in models_in(PlanarSpecies)}
_SHAPES = {tag_of(model) for model in models_in(AnySpecies)}

Rewrite = Callable[[str, Any], Any]


class _Wrong(Exception):
    """A sentence about a value."""


def resolve(data: dict[str, Any]) -> dict[str, Any]:
    """Convert the keys of a two-dimensional case to those of the model; those of three dimensions are left unchanged.

    Args:
        data: keys of a case.

    Returns:
        The keys for the model.

    Raises:
        CaseError: a shape of the other dimension, or a value that leads out of the plane; each line is a sentence.
    """
    dimension = data.get("dimension", 3)
    if isinstance(dimension, bool) or not isinstance(dimension, int) or dimension not in (2, 3):
        return data  # the model says so
    planar = dimension == 2
    problems = list(_wrong_shapes(data, planar))
    if planar:
        data = copy.deepcopy(data)
        data.setdefault("gravity", GRAVITY)
        problems += _rewrite(data)
    if problems:
        raise CaseError("\n".join(problems))
    return data


def _wrong_shapes(data: dict[str, Any], planar: bool) -> Iterator[str]:
    for key, species in _tables(data, "species"):
        shape = species.get("shape")
        if isinstance(shape, str) and shape in _SHAPES and (shape in _PLANAR_SHAPES) != planar:
            instead = f"; use '{_INSTEAD[shape]}'" if shape in _INSTEAD else ""
            here, there = ("three", "two") if planar else ("two", "three")
            yield f"{key}.shape = '{shape}' is a shape in {here} dimensions, but the case has {there} (dimension = {2 if planar else 3}){instead}"


def _rewrite(data: dict[str, Any]) -> Iterator[str]:
    """Fill in missing third components in place; return a sentence for each value that leads out of the plane."""
    places: list[tuple[str, Any, str, Rewrite]] = [("", data, "gravity", _vector), ("domain", data.get("domain"), "periodic", _periodic)]
    places.append(("domain", data.get("domain"), "outflow", _faces))
    places.append(("attraction", data.get("attraction"), "center", _vector))
    boxes = [("domain", data.get("domain"))]
    for key, species in _tables(data, "species"):
        places += [(key, species, "vertices", _vertices), (key, species, "pieces", _pieces)]
    for key, grain in _tables(data, "grain"):
        places += [(key, grain, name, _vector) for name in ("position", "velocity")]
        places += [(key, grain, "orientation", _orientation), (key, grain, "angular_velocity", _spin)]
    for key, pour in _tables(data, "pour"):
        places.append((key, pour, "velocity", _vector))
    regions = [(f"{key}.region", table.get("region")) for name in ("insert", "pour") for key, table in _tables(data, name)]
    regions.append(("start.without_region", _below(data, "start", "without_region")))
    for key, region in regions:
        if isinstance(region, dict) and region.get("kind") == "cylinder":
            region.setdefault("lower", -HALF)
            region.setdefault("upper", HALF)
            places += [(key, region, "center", _vector), (key, region, "axis", _axis_z), (key, region, "lower", _end), (key, region, "upper", _end)]
        elif isinstance(region, dict):
            boxes.append((key, region))
    boxes += _tables(data, "voronoi")
    for key, wall in _tables(data, "wall"):
        places += [(key, wall, name, _vector) for name in ("point", "center", "normal")]
        places += [(key, wall, "position", _vector), (key, wall, "orientation", _orientation)]
        table = TABLES.get(str(wall.get("kind")))
        if table is not None and table.axis_in_plane:
            wall.setdefault("axis", (0.0, 1.0, 0.0))
            places.append((key, wall, "axis", _vector))
        else:
            places.append((key, wall, "axis", _upright))
        boxes.append((key, wall))
        for at, motion in _motions(key, wall):
            if motion.get("kind") == "sinusoidal":
                motion.setdefault("direction", (0.0, 1.0, 0.0))
            places += [(at, motion, name, _vector) for name in ("direction", "velocity", "center")]
            places.append((at, motion, "axis", _turning))
    for key, stage in _tables(data, "stage"):
        if stage.get("kind") == "vibrate":
            stage.setdefault("direction", (0.0, 1.0, 0.0))
            places.append((key, stage, "direction", _vector))
    layers = _below(data, "output", "observables", "layers")
    if isinstance(layers, dict):
        layers.setdefault("axis", "y")
        places.append(("output.observables.layers", layers, "axis", _axis_xy))
    places.append(("parallel", data.get("parallel"), "grid", _grid))
    places += [(key, box, name, rewrite) for key, box in boxes for name, rewrite in (("lower", _lower), ("upper", _upper))]
    for key, table, name, rewrite in places:
        if isinstance(table, dict) and table.get(name) is not None:
            try:
                table[name] = rewrite(f"{key}.{name}".lstrip("."), table[name])
            except _Wrong as wrong:
                yield str(wrong)


def _tables(data: dict[str, Any], name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the entries of a list of tables with their keys."""
    entries = data.get(name)
    for i, entry in enumerate(entries if isinstance(entries, list | tuple) else ()):
        if isinstance(entry, dict):
            yield f"{name}.{item_key(entry) or i}", entry


def _motions(key: str, wall: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the motions of a wall that are tables, with their keys."""
    if isinstance(wall.get("motion"), dict):
        yield f"{key}.motion", wall["motion"]
    then = wall.get("then")
    for i, motion in enumerate(then if isinstance(then, list | tuple) else ()):
        if isinstance(motion, dict):
            yield f"{key}.then.{i}", motion


def _below(data: Any, *names: str) -> Any:
    for name in names:
        data = data.get(name) if isinstance(data, dict) else None
    return data


def _numbers(value: Any) -> list[Any] | None:
    """Return the entries of a list or array of numbers; None for anything else, which the model rejects."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple) and all(map(_is_number, value)):
        return list(value)
    return None


def _is_number(value: Any) -> bool:
    """Tell whether a value is a number that can be used in computations; the model rejects all others."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def _with_z(key: str, value: Any, z: float) -> Any:
    found = _numbers(value)
    if found is None or len(found) not in (2, 3):
        return value
    if len(found) == 3 and found[2] != z:
        raise _Wrong(f"{key} = {found} leads out of the plane: in two dimensions give x and y only")
    return [*found[:2], z]


def _vector(key: str, value: Any) -> Any:
    return _with_z(key, value, 0.0)


def _lower(key: str, value: Any) -> Any:
    return _with_z(key, value, -HALF)


def _upper(key: str, value: Any) -> Any:
    return _with_z(key, value, HALF)


def _vertices(key: str, value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [_vector(f"{key}.{i}", vertex) for i, vertex in enumerate(value)] if isinstance(value, list | tuple) else value


def _pieces(key: str, value: Any) -> Any:
    return [_vertices(f"{key}.{i}", piece) for i, piece in enumerate(value)] if isinstance(value, list | tuple) else value


def _end(key: str, value: Any) -> Any:
    if _is_number(value) and abs(value) != HALF:
        raise _Wrong(f"{key} = {value!r} leads out of the plane: in two dimensions the region is a disk; remove lower and upper")
    return value


def _axis_z(key: str, value: Any) -> Any:
    if value in ("x", "y"):
        raise _Wrong(f"{key} = '{value}' lies in the plane: in two dimensions the axis of a cylinder is z, which gives a disk; remove this key")
    return value


def _axis_xy(key: str, value: Any) -> Any:
    if value == "z":
        raise _Wrong(f"{key} = 'z' leads out of the plane: in two dimensions give 'x' or 'y'")
    return value


def _grid(key: str, value: Any) -> Any:
    found = _numbers(value)
    if found is None or len(found) not in (2, 3):
        return value
    if len(found) == 3 and found[2] not in (0, 1):
        raise _Wrong(f"{key} = {found} cuts the plane itself: in two dimensions give the numbers of parts along x and y only")
    return [*found[:2], 1]


def _upright(key: str, value: Any) -> Any:
    found = _numbers(value)
    if found is not None and (len(found) != 3 or found[0] != 0.0 or found[1] != 0.0):
        raise _Wrong(
            f"{key} = {found} is not perpendicular to the plane: in two dimensions the axis of a cylinder is z, which gives a circle; remove this key"
        )
    return value


def _turning(key: str, value: Any) -> Any:
    found = _numbers(value)
    if found is not None and (len(found) != 3 or found[0] != 0.0 or found[1] != 0.0):
        raise _Wrong(f"{key} = {found} rotates out of the plane: in two dimensions walls rotate about z; remove this key")
    return value


def _periodic(key: str, value: Any) -> Any:
    if isinstance(value, list | tuple) and len(value) == 2:
        return [*value, False]
    if isinstance(value, list | tuple) and len(value) == 3 and value[2] is True:
        raise _Wrong(f"{key} = {list(value)} leads out of the plane: in two dimensions give x and y only")
    return value


def _faces(key: str, value: Any) -> Any:
    for face in value if isinstance(value, list | tuple) else ():
        if face in ("lower-z", "upper-z"):
            raise _Wrong(f"{key} = '{face}' leads out of the plane: in two dimensions name faces perpendicular to x or y")
    return value


def _orientation(key: str, value: Any) -> Any:
    if _is_number(value):
        return [math.cos(0.5 * value), 0.0, 0.0, math.sin(0.5 * value)]
    found = _numbers(value)
    if found is not None and len(found) == 4 and (found[1] != 0.0 or found[2] != 0.0):
        raise _Wrong(f"{key} = {found} rotates out of the plane: in two dimensions give the angle about z (rad)")
    return value


def _spin(key: str, value: Any) -> Any:
    if _is_number(value):
        return [0.0, 0.0, value]
    found = _numbers(value)
    if found is not None and len(found) == 3 and (found[0] != 0.0 or found[1] != 0.0):
        raise _Wrong(f"{key} = {found} rotates out of the plane: in two dimensions give the rate about z (rad/s)")
    return value
