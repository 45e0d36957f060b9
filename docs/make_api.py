"""Write ``api.md``, the reference of the Python API, from the docstrings of the package: ``python docs/make_api.py``.

The sources are read with griffe, which also parses the Google-style sections of the docstrings; this file only says what is public and how a page
looks in Markdown.
"""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import Any

import griffe
from griffe import DocstringSectionKind as Kind

PAGE = Path(__file__).with_name("api.md")

INTRODUCTION = """# Python API

The names on this page are public and will stay; anything else may change between versions. Units are SI, axes are right-handed, and quaternions are
written (w, x, y, z). Import the package as `import pardem`, and the names below `pardem.io` from their modules. Examples of use are in
[the guide](guide.md#from-python).

This page is generated from the docstrings by `python docs/make_api.py`.
"""

CASE = """The keys and their meanings are those of [the case file](case-file.md). A table is given as a dict and read as an attribute; a list of
tables is given as a list.
"""

OBSERVABLES = """The names, units and definitions of the observables are in [theory/observables.md](theory/observables.md).
"""

TRIANGULATIONS = """The triangulation can be used without the rest of the program. How it is built and maintained is described in
[theory/triangulation.md](theory/triangulation.md).
"""

ERRORS = """All error classes are in `pardem.errors`.
"""

SHAPE = (
    "sphere", "spherocylinder", "spherotriangle", "spherotetrahedron", "polyhedron", "cube", "polyline", "yermis", "skeleton", "compound",
    "from_mesh", "disk", "rice", "peanut", "pebble", "regular_polygon", "polygon", "planar_polyline", "planar_compound", "cow",
    "mass_properties", "mass_properties_monte_carlo",
)  # fmt: skip
TRIANGULATION = (
    "points", "weights", "present", "hidden", "tetrahedra", "counts", "edges", "volumes", "move", "insert", "delete", "check",
)  # fmt: skip

SIMULATION = (
    "proceed", "steps_done", "time", "step", "every", "write", "grains", "contacts", "observables", "kinetic_energy_per_grain", "left", "share_left",
)  # fmt: skip

RESULT = (
    "finished", "case", "case_hash", "steps", "times", "fields", "precision", "read", "contact_fields", "observables", "series", "dataset", "grains",
    "ids", "species", "species_rows", "species_names", "catalogue", "scale", "radius", "mass", "box", "dimension", "close",
)  # fmt: skip
CONTACTS = ("first", "second", "with_wall", "walls", "normal_force", "tangential_force", "table")

# Each part of the page: its heading, and its content in order: the public name of a function or class (with its public members), or a paragraph.
PARTS: dict[str, list[str | tuple[str, tuple[str, ...]]]] = {
    "Cases": [
        "pardem.read_case",
        ("pardem.Case", ("located", "materials", "contact_between", "eps", "max_steps", "tap_period", "hash", "to_toml")),
        CASE,
    ],
    "Shapes": [
        ("pardem.Shape", SHAPE),
        "pardem.shapes.MassProperties",
        "pardem.shapes.MassEstimate",
        "pardem.shapes.voronoi_packing",
        "pardem.shapes.Rounding",
        ("pardem.shapes.Packing", ("dimension", "void_ratio", "sphericity", "core", "faces", "shape", "shapes", "save", "load")),
        "pardem.shapes.dilation",
        "pardem.shapes.erosion",
        "pardem.shapes.opening",
        ("pardem.shapes.geometry.minkowski.Rounded", ("outline", "shape")),
    ],
    "Runs": [
        ("pardem.Simulation", SIMULATION),
        OBSERVABLES,
        ("pardem.live.LiveGrains", ("gathered",)),
        ("pardem.live.LiveContacts", ("gathered",)),
        ("pardem.files.RunFiles", ("checkpoint", "close")),
        "pardem.run_case",
        "pardem.RunOptions",
        "pardem.events.RunEvent",
    ],
    "Results": [
        "pardem.open",
        ("pardem.Result", RESULT),
        ("pardem.io.analysis.grain_arrays.GrainArrays", ("unwrapped", "axes", "pressure", "present", "columns", "table")),
        ("pardem.io.analysis.frame.Frame", ("contacts", "stage", "contact_number", "walls", "coarse_grained", "mesh")),
        ("pardem.io.analysis.contact_arrays.ContactArrays", CONTACTS),
    ],
    "Files": [
        "pardem.io.views.compare.compare",
        "pardem.io.views.compare.Difference",
        "pardem.io.views.info.info",
        "pardem.io.results.assemble.assemble",
    ],
    "Triangulations": [
        TRIANGULATIONS,
        ("pardem.triangulation.Triangulation", TRIANGULATION),
        "pardem.triangulation.Counts",
        "pardem.triangulation.flip_path",
        "pardem.triangulation.Flip",
    ],
}


def page() -> str:
    """Return the whole page as Markdown."""
    parts = [INTRODUCTION]
    for heading, content in PARTS.items():
        parts.append(f"## {heading}\n")
        for item in content:
            name, members = (item, ()) if isinstance(item, str) else item
            parts += [item] if name.endswith("\n") else _entry(name, members)
    rows = [f"| `{name}` | `{base}` | {text} |" for name, base, text in _errors()]
    parts += ["## Errors\n", ERRORS, "\n".join(["| class | base | meaning |", "|---|---|---|", *rows]) + "\n"]
    return "\n".join(parts).rstrip() + "\n"


@cache
def _module(name: str) -> griffe.Module:
    """Read the source of a module."""
    path = Path(str(importlib.import_module(name).__file__))
    parser_options = {"returns_multiple_items": False, "returns_named_value": False, "warn_unknown_params": True}
    return griffe.visit(name, filepath=path, code=path.read_text(), docstring_parser="google", docstring_options=parser_options)


def _public(name: str) -> Any:
    """Import the object of a public name."""
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def _entry(name: str, members: tuple[str, ...]) -> list[str]:
    """Describe a function, or a class with its constructor and public members, under the name by which users import it."""
    thing = _public(name)
    source = _module(thing.__module__)[thing.__name__]
    short = name.rsplit(".", 1)[-1]
    out = [f"### `{name}`\n"]
    if not isinstance(source, griffe.Class):
        return [*out, _code(short, source), _body(source)]
    if "__init__" in source.members:
        out.append(_code(short, source["__init__"]))
    out.append(_body(source))
    for member in members:
        owner = next(c for c in thing.__mro__ if member in vars(c))
        found = _module(owner.__module__)[f"{owner.__name__}.{member}"]
        out.append(f"#### `{short}.{member}`\n")
        out += [f"*{found.annotation}*\n" if isinstance(found, griffe.Attribute) else _code(f"{short}.{member}", found), _body(found)]
    return out


def _errors() -> list[tuple[str, str, str]]:
    """Name, base class and meaning of each class of errors."""
    classes = [c for c in _module("pardem.errors").classes.values() if c.docstring is not None]
    return [(c.name, str(c.bases[0]), " ".join(str(c.docstring.value).split())) for c in classes if c.docstring is not None]


def _code(name: str, function: griffe.Object) -> str:
    """Show the signature without the object or class that the function belongs to."""
    assert isinstance(function, griffe.Function)
    shown = griffe.Function(function.name, parameters=griffe.Parameters(*(p for p in function.parameters if p.name not in ("self", "cls"))))
    shown.returns = function.returns if str(function.returns) != "None" else None
    return f"```python\n{shown.signature(return_type=True, name=name)}\n```\n"


def _body(thing: griffe.Object) -> str:
    """Render a docstring: its text, then its sections as lists. Examples are left out, for the guide has them."""
    if thing.docstring is None:
        return ""
    titles = {Kind.parameters: "Arguments", Kind.attributes: "Attributes", Kind.returns: "Returns", Kind.yields: "Yields", Kind.raises: "Raises"}
    out = []
    for section in thing.docstring.parsed:
        if section.kind is Kind.text:
            out.append(section.value)
        elif section.kind in titles:
            items = "\n".join(f"- {_item(section.kind, item)}" for item in section.value)
            out.append(f"**{titles[section.kind]}**\n\n{items}")
        elif section.kind is not Kind.examples:
            raise ValueError(f"{thing.path}: no rule for the section '{section.kind.value}' of its docstring")
    return "\n\n".join(out).replace("``", "`") + "\n"


def _item(kind: Kind, item: Any) -> str:
    """Render an argument, an attribute, an exception (with its name), or a result."""
    text = " ".join(item.description.split())
    if kind in (Kind.returns, Kind.yields):
        return text
    return f"`{item.annotation if kind is Kind.raises else item.name}`: {text}"


if __name__ == "__main__":
    PAGE.write_text(page())
