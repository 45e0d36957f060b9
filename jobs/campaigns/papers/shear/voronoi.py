"""Writes the case of the shear band with Voronoi-Minkowski grains: each cell of a packing is a species of one grain.

python jobs/campaigns/papers/shear/voronoi.py [-o voronoi.toml]
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pardem.case import Case
from pardem.io.casefile import read_case
from pardem.shapes import voronoi_packing

GRAINS, WIDTH, HEIGHT = 102, 10.0, 12.0
BOTTOM = 1.0  # above the lower plate's teeth (m)
PENTAGONS = Path(__file__).resolve().with_name("pentagons.toml")


def voronoi_case(erosion: float = 0.22, radius: float = 0.2, seed: int = 1) -> Case:
    """The case of the pentagons with the cells of a packing in their place.

    Args:
        erosion: of the cells (m). radius: of the disk that rounds them (m); not above the erosion, so that they start without overlap.
    """
    packing = voronoi_packing(
        GRAINS, lower=(0.0, BOTTOM), upper=(WIDTH, BOTTOM + HEIGHT), periodic=(True, False), erosion=erosion, radius=radius, seed=seed, regularity=2
    )
    data: dict[str, Any] = read_case(PENTAGONS).model_dump(exclude_none=True)
    cells = [
        {"name": f"cell_{k}", "material": "grain", "shape": "polygon", "radius": packing.radius, "density": 1.0,
         "vertices": (packing.core(k) - packing.centres[k]).tolist()}
        for k in range(len(packing))
    ]  # fmt: skip
    plates = [species for species in data["species"] if species["name"] == "teeth"]
    walls = [wall | ({"position": (WIDTH, BOTTOM + HEIGHT + BOTTOM, 0.0)} if wall["name"] == "upper" else {}) for wall in data["wall"]]
    grains = [{"species": cell["name"], "position": tuple(map(float, centre))} for cell, centre in zip(cells, packing.centres, strict=True)]
    return Case(**data | {"title": "shear band of Voronoi grains", "species": [*plates, *cells], "insert": [], "grain": grains, "wall": walls})


def main() -> None:
    """Write the case file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", type=Path, default=Path("voronoi.toml"), help="the case file to write")
    target = parser.parse_args().o
    target.write_text(voronoi_case().to_toml())
    print(target)


if __name__ == "__main__":
    main()
