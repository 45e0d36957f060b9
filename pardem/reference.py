"""The reference of the Python API, generated from docstrings: ``python -m pardem.reference > docs/api.md``."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from typing import Any

import pardem
from pardem import errors
from pardem.io.results.assemble import assemble
from pardem.io.views.compare import Difference, compare
from pardem.io.views.info import info
from pardem.shapes import MassEstimate, MassProperties, Packing, dilation, erosion, opening, voronoi_packing
from pardem.shapes.geometry.minkowski import Rounded
from pardem.triangulation import Counts, Flip, Triangulation, flip_path

INTRODUCTION = """# Python API

What is listed here is public and stays; everything else may change. SI units, right-handed axes, quaternions as (w, x, y, z). The package is imported
as `import pardem`; names below `pardem.io` by their module. Examples: [guide.md](guide.md#from-python).

This page is generated from docstrings (`python -m pardem.reference > docs/api.md`).
"""

CASE = """The keys and their meaning are those of [the case file](case-file.md); a table is a dict or an attribute, a list of tables a list.
"""

OBSERVABLES = """The names, units and definitions of what `Simulation.observables` gives are in [theory/observables.md](theory/observables.md).
"""

TRIANGULATIONS = """For use without the rest of the program; how they are made and kept up is in [theory/triangulation.md](theory/triangulation.md).
"""

_CASE_MEMBERS = ("located", "materials", "contact_between", "eps", "max_steps", "tap_period", "hash", "to_toml")
_SIMULATION_MEMBERS = ("proceed", "steps_done", "time", "step", "observables", "kinetic_energy_per_grain")
_CONSTRUCTORS = (
    "sphere", "spherocylinder", "spherotriangle", "spherotetrahedron", "polyhedron", "cube", "polyline", "yermis", "skeleton", "compound",
    "from_mesh",
)  # fmt: skip
_PLANAR = ("disk", "rice", "peanut", "pebble", "regular_polygon", "polygon", "planar_polyline", "planar_compound", "cow")
_PACKING_MEMBERS = ("dimension", "void_ratio", "sphericity", "core", "faces", "shapes", "save", "load")
_TRIANGULATION_MEMBERS = (
    "points", "weights", "present", "hidden", "tetrahedra", "counts", "edges", "volumes", "move", "insert", "delete", "check",
)  # fmt: skip
_SECTION = re.compile(r"\n(Args|Returns|Raises|Attributes|Example):")


def reference() -> str:
    """The whole page in Markdown."""
    parts = [INTRODUCTION, "## Cases\n", *_entry("pardem.read_case", pardem.read_case), *_class("pardem.Case", pardem.Case, _CASE_MEMBERS), CASE]
    parts += ["## Shapes\n", *_class("pardem.Shape", pardem.Shape, (*_CONSTRUCTORS, *_PLANAR, "mass_properties", "mass_properties_monte_carlo"))]
    parts += [*_class("pardem.shapes.MassProperties", MassProperties, ()), *_class("pardem.shapes.MassEstimate", MassEstimate, ())]
    parts += _entry("pardem.shapes.voronoi_packing", voronoi_packing) + _class("pardem.shapes.Packing", Packing, _PACKING_MEMBERS)
    parts += [part for f in (dilation, erosion, opening) for part in _entry(f"pardem.shapes.{f.__name__}", f)]
    parts += _class("pardem.shapes.geometry.minkowski.Rounded", Rounded, ("outline", "shape"))
    parts += ["## Runs\n", *_class("pardem.Simulation", pardem.Simulation, _SIMULATION_MEMBERS), OBSERVABLES]
    parts += _entry("pardem.run_case", pardem.run_case)
    parts += ["## Files\n", *_entry("pardem.io.views.compare.compare", compare), *_class("pardem.io.views.compare.Difference", Difference, ())]
    parts += [*_entry("pardem.io.views.info.info", info), *_entry("pardem.io.results.assemble.assemble", assemble)]
    parts += ["## Triangulations\n", TRIANGULATIONS, *_class("pardem.triangulation.Triangulation", Triangulation, _TRIANGULATION_MEMBERS)]
    parts += [*_class("pardem.triangulation.Counts", Counts, ()), *_entry("pardem.triangulation.flip_path", flip_path)]
    parts += _class("pardem.triangulation.Flip", Flip, ())
    parts += ["## Errors\n", "All are in `pardem.errors`.\n", "| class | base | meaning |\n|---|---|---|\n" + "\n".join(_errors()) + "\n"]
    return "\n".join(parts).rstrip() + "\n"


def _errors() -> list[str]:
    """A row for each class of errors."""
    found = [c for c in vars(errors).values() if inspect.isclass(c) and issubclass(c, errors.PardemError)]
    return [f"| `{c.__name__}` | `{c.__bases__[0].__name__}` | {_flat(inspect.getdoc(c) or '')} |" for c in found]


def _class(name: str, thing: type, members: tuple[str, ...]) -> list[str]:
    """A class: its docstring, its constructor where it has one of its own, its members."""
    own = "__init__" in vars(thing) and not hasattr(thing, "__dataclass_fields__")
    out = _entry(name, thing, _signature(vars(thing)["__init__"]) if own else None)
    for member in members:
        value = inspect.getattr_static(thing, member)
        short = f"{name.rsplit('.', 1)[-1]}.{member}"
        if isinstance(value, property):
            out.append(f"#### `{short}`\n\n*{_result(value)}* {_body(value)}")
        else:
            out += _entry(short, getattr(thing, member), level=4)
    return out


def _entry(name: str, thing: Any, signature: str | None = "", level: int = 3) -> list[str]:
    """Heading, signature (None: left out) and docstring."""
    if signature == "":
        signature = _signature(thing)
    code = [f"```python\n{name.rsplit('.', 1)[-1] if level == 3 else name}{signature}\n```\n"] if signature else []
    return [f"{'#' * level} `{name}`\n", *code, _body(thing)]


def _signature(function: Callable[..., Any]) -> str:
    """Arguments and result, without the object itself and without the quotes of postponed annotations."""
    found = inspect.signature(function)
    kept = [p for p in found.parameters.values() if p.name != "self"]
    return str(found.replace(parameters=kept)).replace("'", "").removesuffix(" -> None")


def _result(member: property) -> str:
    return str(inspect.signature(member.fget).return_annotation).strip("'") + "." if member.fget is not None else ""


def _body(thing: Any) -> str:
    """A docstring as Markdown: its text, then its sections as lists; examples are left out (the guide has them)."""
    text, *sections = _SECTION.split("\n" + (inspect.getdoc(thing) or ""))
    out = [text.strip()]
    for title, content in zip(sections[::2], sections[1::2], strict=True):
        if title != "Example":
            out.append(f"**{title}**\n\n" + "\n".join(f"- {item}" for item in _items(title, content)))
    return "\n\n".join(out).replace("``", "`") + "\n"


def _items(title: str, content: str) -> list[str]:
    """The entries of a section: names with their texts, or its one text."""
    if title == "Returns":
        return [_flat(content)]
    # an entry begins a line of its own, or follows a full stop
    found = [_flat(part) for part in re.split(r"\n    (?=\S)|(?<=\.) (?=\w+(?:, \w+)*: )", content)]
    return [re.sub(r"^(\w+(?:, \w+)*): ", r"`\1`: ", item) for item in found if item]


def _flat(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    sys.stdout.write(reference())
