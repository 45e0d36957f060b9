"""Species of a case as shapes."""

from __future__ import annotations

from typing import Any

import pytest
from case_scene import changed

from pardem.case import Case
from pardem.errors import ShapeError


# volumes of PHYSICS.md's reference bodies; the cube of side 2 and the triangle of circumradius 1 by their other keys
@pytest.mark.parametrize(
    ("keys", "volume"),
    [
        ({"shape": "spherocylinder", "length": 2.0, "radius": 1.0}, 10.47197551196598),
        ({"shape": "spherotriangle", "circumradius": 1.0, "radius": 1.0}, 14.94896355519369),
        ({"shape": "spherotriangle", "edge": 3**0.5, "radius": 1.0}, 14.94896355519369),
        ({"shape": "spherotetrahedron", "circumradius": 1.0, "radius": 0.25}, 2.318360188910281),
        ({"shape": "spherotetrahedron", "edge": (8 / 3) ** 0.5, "radius": 0.25}, 2.318360188910281),
        ({"shape": "cube", "side": 2.0, "radius": 0.3}, 17.00955736846772),
        (
            {"shape": "polyhedron", "radius": 0.3, "vertices": [[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]},
            17.00955736846772,
        ),
    ],
)
def test_volume(keys: dict[str, Any], volume: float) -> None:
    case = Case(**changed("species.1", {"name": "rod", "density": 1.0, **keys}))
    assert case.species[1].make_shape().mass_properties().volume == pytest.approx(volume, rel=1e-12)


def test_degenerate_shape_names_the_species() -> None:
    flat = {
        "name": "rod",
        "density": 1.0,
        "radius": 0.1,
        "shape": "polyhedron",
        "vertices": [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]],
    }
    case = Case(**changed("species.1", flat))
    with pytest.raises(ShapeError, match=r"^species\.rod: "):
        case.species[1].make_shape()
