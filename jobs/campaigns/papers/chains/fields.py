"""Strain, rotation and stress fields of a biaxial test (001, section 4), by coarse graining: a picture, and what they say as numbers.

python jobs/campaigns/papers/papers.py run chains/fields               # a row in fields.csv: of the test of chains/pictures
python jobs/campaigns/papers/chains/fields.py dense_disks.h5 -o fields.png

The case needs output.contacts with point and force, and orientations. Increments are those between the last two frames.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bulk"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "biaxial"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from biaxial_measures import curves, smooth
from page import FIGURES
from pictures import result_of
from shear_bands import find_bands, greatest_shear
from table_rows import append_row, read_rows

import pardem

PICTURE = "biaxial_fields.png"
WIDTH, CELL = 1.0, 0.5  # of the smoothing kernel: a diameter of the grains; of a cell of the grid (m)
SOLID = 0.5  # least solid fraction of what counts as sample: kernels reach beyond it
SIZE, DPI = (9.0, 6.4), 100  # of the picture (inches); points of an inch


class Told(NamedTuple):
    """What the fields of a test say.

    Attributes:
        strain: axial strain between the two frames (1).
        mass: mass of the field over that of the grains, less one (1).
        momentum: difference of the momenta of field and grains over the sum of the magnitudes of those of the grains (1).
        ratio: stress ratio (s1 - s3)/(s1 + s3) of the sum of the contact stress over the grid (1).
        wall_ratio: that of the forces on the walls, mean over a hundredth of strain about that time (1).
        band: angle of the strongest band of the shear strain to the horizontal (degrees); not a number without a band.
        half: share of the sample in which half of the shear strain takes place (1).
        rolling: rotation of the grains beyond that of the medium: root of its mean square, where the shear strain is above its median (rad).
        rolling_outside: the same elsewhere (rad).
    """

    strain: float
    mass: float
    momentum: float
    ratio: float
    wall_ratio: float
    band: float
    half: float
    rolling: float
    rolling_outside: float


def fields_of(result: pardem.Result) -> Any:
    """The fields of the last frame, and of the motion since the one before (``xarray.Dataset``).

    Args:
        result: of the test.
    """
    frame = result[-1]
    reach = frame.position[:, :2].min(axis=0) - 2.0 * WIDTH, frame.position[:, :2].max(axis=0) + 2.0 * WIDTH
    return frame.coarse_grained(WIDTH, np.ceil((reach[1] - reach[0]) / CELL).astype(int).tolist(), since=result[-2])


def told_of(result: pardem.Result, fields: Any) -> Told:
    """What the fields say.

    Args:
        result: of the test.
        fields: of its last frame, see `fields_of`.
    """
    frame, volume = result[-1], fields.attrs["cell_volume"]
    momentum = frame.mass[:, None] * frame["velocity"][:, :2]
    difference = fields.momentum.values.sum(axis=(0, 1)) * volume - momentum.sum(axis=0)
    inside, shear = _inside(fields), greatest_shear(fields.strain.values)
    values = np.sort(shear[inside])[::-1]
    beyond = (fields.grain_rotation.values - fields.rotation.values)[inside] ** 2
    much = shear[inside] > np.median(shear[inside])
    bands = find_bands(fields.x.values, fields.y.values, np.where(inside, shear, np.nan))
    curve = curves(result)
    strain = np.interp((result[-2].time, frame.time), curve.time, curve.strain)
    return Told(
        strain=float(strain[1] - strain[0]),
        mass=float(fields.density.values.sum() * volume / frame.mass.sum() - 1.0),
        momentum=float(np.linalg.norm(difference) / np.linalg.norm(momentum, axis=1).sum()),
        ratio=_ratio(fields.contact_stress.values.sum(axis=(0, 1))),
        wall_ratio=float(np.interp(frame.time, curve.time, smooth(curve.strain, curve.ratio))),
        band=abs(bands[0].angle) if bands else float("nan"),
        half=float(np.searchsorted(np.cumsum(values), 0.5 * values.sum()) + 1) / len(values),
        rolling=float(beyond[much].mean() ** 0.5),
        rolling_outside=float(beyond[~much].mean() ** 0.5),
    )


def _inside(fields: Any) -> np.ndarray:
    """Which cells belong to the sample."""
    return np.asarray((fields.solid_fraction.values > SOLID) & np.isfinite(fields.strain.values).all(axis=(-1, -2)))


def _ratio(stress: np.ndarray) -> float:
    """Difference of the principal stresses over their sum."""
    return float(greatest_shear(stress) / np.trace(stress))


def drawn(fields: Any, target: Path) -> None:
    """Draw four fields: shear strain, rotation of the grains beyond that of the medium, mean stress, stress ratio.

    Args:
        fields: see `fields_of`.
        target: the picture.
    """
    inside, stress = _inside(fields), fields.contact_stress.values
    trace = np.trace(stress, axis1=-2, axis2=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(trace > 0.0, greatest_shear(stress) / trace, np.nan)
    turned = np.degrees(fields.grain_rotation.values - fields.rotation.values)
    most = float(np.quantile(np.abs(turned[inside]), 0.99))
    panels = [
        ("difference of the principal strains", greatest_shear(fields.strain.values), {"cmap": "magma"}),
        ("rolling of grains (degrees)", turned, {"cmap": "RdBu", "vmin": -most, "vmax": most}),
        ("mean stress of contacts (N/m)", 0.5 * trace, {"cmap": "viridis"}),
        ("stress ratio", ratio, {"cmap": "viridis", "vmin": 0.0, "vmax": 1.0}),
    ]
    figure = Figure(figsize=SIZE, layout="constrained")
    for axes, (name, values, look) in zip(figure.subplots(2, 2).flat, panels, strict=True):
        image = axes.pcolormesh(fields.x, fields.y, np.where(inside, values, np.nan).T, **look)
        axes.autoscale(tight=True)
        figure.colorbar(image, ax=axes, shrink=0.8)
        axes.set(title=name, aspect="equal", xlabel="x (m)", ylabel="y (m)")
    figure.savefig(target, dpi=DPI)


def fill(table: Path) -> None:
    """Append the row of the test whose force chains are drawn, unless it is there, and draw its fields.

    Args:
        table: made if need be.
    """
    if read_rows(table):
        return
    with pardem.open(result_of("biaxial", table.with_name("pictures.csv"))) as result:
        fields = fields_of(result)
        told = told_of(result, fields)
    drawn(fields, FIGURES / PICTURE)
    append_row(table, Told._fields, [f"{value:.4g}" for value in told])


def main() -> None:
    """Draw the fields of a result, and print what they say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("-o", type=Path, default=Path("fields.png"))
    given = parser.parse_args()
    with pardem.open(given.file) as result:
        fields = fields_of(result)
        for name, value in told_of(result, fields)._asdict().items():
            print(f"{name} = {value:.4g}")
    drawn(fields, given.o)


if __name__ == "__main__":
    main()
