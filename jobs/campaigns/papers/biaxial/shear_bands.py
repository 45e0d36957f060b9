"""Finds the shear bands of biaxial tests, and holds their angles against those of Roscoe and of Mohr and Coulomb.

python jobs/campaigns/papers/biaxial/shear_bands.py dense_disks.h5 [loose_disks.h5 ...] [--width 1.0] [--strain 0.04] -o shear_bands.png

The shear strain of each result is that between the frames next to the largest stress ratio and next to a strain later. Angles are measured from the
direction of the smaller stress, the horizontal: Roscoe's is 45 + psi/2 degrees with the dilatancy psi, that of Mohr and Coulomb 45 + phi/2 with the
friction angle phi at the largest stress ratio.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.signal import find_peaks

STEP = 0.5  # degrees between two directions
CONTRAST = 0.05  # least share of the scatter that a band explains
APART = 20.0  # degrees between two bands


class Band(NamedTuple):
    """A direction along which a field changes little, and across which it changes much.

    Attributes:
        angle: of the band to the x axis (degrees, -90 to 90).
        contrast: share of the field's variance that lies between strips along the band (1).
    """

    angle: float
    contrast: float


def greatest_shear(strain: np.ndarray) -> np.ndarray:
    """Difference of the principal strains in the plane.

    Args:
        strain: (..., 2, 2) strain tensors.

    Returns:
        (...) differences, at least 0.
    """
    return np.asarray(np.hypot(strain[..., 0, 0] - strain[..., 1, 1], strain[..., 0, 1] + strain[..., 1, 0]))


def find_bands(x: np.ndarray, y: np.ndarray, field: np.ndarray) -> list[Band]:
    """Find the directions of bands in a field on a regular grid.

    For every direction the grid is cut into strips along it, as wide as a cell. The share of the variance that lies between the means of the strips,
    less that which strips of uncorrelated numbers would have, has a peak at the direction of each band.

    Args:
        x: (nx,) coordinates (m).
        y: (ny,) coordinates (m).
        field: (nx, ny) values; those that are not finite are left out.

    Returns:
        At most two bands, that of the larger contrast first; none in a field without direction.
    """
    good = np.isfinite(field)
    across, up = (grid[good] for grid in np.meshgrid(x, y, indexing="ij"))
    values = field[good] - field[good].mean()
    total = float((values * values).sum())
    if len(values) < 3 or total == 0.0:
        return []
    angles = np.arange(-90.0, 90.0, STEP)
    size = max(float(np.diff(x).mean()), float(np.diff(y).mean()))
    shares = np.array([_between_strips(np.cos(a) * up - np.sin(a) * across, values, size) for a in np.radians(angles)]) / total
    wide = len(angles)
    peaks, _ = find_peaks(np.tile(shares, 3), height=CONTRAST, distance=APART / STEP)
    peaks = peaks[(peaks >= wide) & (peaks < 2 * wide)] - wide
    best = peaks[np.argsort(-shares[peaks], kind="stable")][:2]
    return [Band(float(angles[p] + STEP * _vertex(*shares[(p + np.array([-1, 0, 1])) % wide])), float(shares[p])) for p in best]


def _between_strips(height: np.ndarray, values: np.ndarray, size: float) -> float:
    """Sum of squares between strips, less what chance gives; heights across the strips (m), centred values, width of a strip (m)."""
    strip = np.floor((height - height.min()) / size).astype(np.int64)
    number = np.bincount(strip)
    sums = np.bincount(strip, values)[number > 0]
    number = number[number > 0]
    between, within = float((sums**2 / number).sum()), float((values**2).sum())
    free = len(values) - len(number)
    return between - (len(number) - 1) * (within - between) / free if free > 0 else 0.0


def _vertex(before: float, peak: float, after: float) -> float:
    """Where the parabola through three values, a step apart, is highest, in steps from the middle one."""
    bend = before - 2.0 * peak + after
    return 0.5 * (before - after) / bend if bend < 0.0 else 0.0


def friction_angle(stress_ratio: float) -> float:
    """Mobilised friction angle phi (degrees).

    Args:
        stress_ratio: (s1 - s3)/(s1 + s3), its sine.
    """
    return float(np.degrees(np.arcsin(stress_ratio)))


def dilatancy_angle(axial: np.ndarray, void_ratio: np.ndarray) -> float:
    """Angle of dilatancy psi (degrees) from the slope of a volume over an axial strain.

    Its sine is -(de1 + de3)/(de1 - de3) with the principal strain increments, positive in compression.

    Args:
        axial: (n,) axial strains, positive in compression.
        void_ratio: (n,) void ratios.
    """
    slope = np.polyfit(axial, np.log1p(void_ratio), 1)[0]  # of the volume, positive in extension
    return float(np.degrees(np.arcsin(slope / (2.0 + slope))))


def band_dilatancy(strain: np.ndarray) -> float:
    """Angle of dilatancy psi (degrees) of the mean of strain tensors, for instance of those in a band.

    Args:
        strain: (n, 2, 2) strains, positive in extension.
    """
    mean = strain.mean(axis=0)
    return float(np.degrees(np.arcsin(np.clip(np.trace(mean) / greatest_shear(mean), -1.0, 1.0))))


def bounds(phi: float, psi: float) -> tuple[float, float]:
    """Angles of a band to the direction of the smaller stress (degrees): Roscoe's, and that of Mohr and Coulomb.

    Args:
        phi: friction angle (degrees).
        psi: angle of dilatancy (degrees).
    """
    return 45.0 + 0.5 * psi, 45.0 + 0.5 * phi


def main() -> None:
    """Draw the shear strain of each result, and print its angles."""
    from figure import WINDOW, plt, read, smooth

    import pardem

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--width", type=float, default=1.0, help="of the smoothing kernel (m)")
    parser.add_argument("--strain", type=float, default=0.04, help="between the two frames")
    parser.add_argument("-o", type=Path, default=Path("shear_bands.png"))
    given = parser.parse_args()
    figure, panels = plt.subplots(1, len(given.files), figsize=(4.5 * len(given.files), 4.5), squeeze=False)
    for path, panel in zip(given.files, panels[0], strict=True):
        title, axial, ratio, void, _ = read(path)
        peak = int(np.nanargmax(smooth(axial, ratio)))
        near = np.abs(axial - axial[peak]) <= WINDOW
        phi, psi = friction_angle(float(smooth(axial, ratio)[peak])), dilatancy_angle(axial[near], void[near])
        result = pardem.open(path)
        time = result.series.times[-len(axial) :]
        frames = [int(np.argmin(np.abs(np.interp(result.times, time, axial) - e))) for e in (axial[peak], axial[peak] + given.strain)]
        if frames[0] == frames[1]:
            raise SystemExit(f"{path} has one frame over a strain of {given.strain}: write more of them (output.frame_interval)")
        fields = result[frames[1]].coarse_grained(given.width, since=result[frames[0]])
        shear = greatest_shear(fields.strain.values)
        inside = np.where(fields.solid_fraction.values > 0.5, shear, np.nan)  # not where kernels reach beyond the sample
        bands = find_bands(fields.x.values, fields.y.values, inside)
        roscoe, coulomb = bounds(phi, psi)
        found = ", ".join(f"{abs(band.angle):.1f} (contrast {band.contrast:.2f})" for band in bands) or "none"
        print(f"{title}: phi {phi:.1f}, psi {psi:.1f}; bands at {found} degrees, Roscoe {roscoe:.1f}, Mohr-Coulomb {coulomb:.1f}")
        image = panel.pcolormesh(fields.x, fields.y, inside.T, cmap="magma")
        figure.colorbar(image, ax=panel, label="greatest shear strain")
        panel.set(title=title, aspect="equal", xlabel="x (m)", ylabel="y (m)")
    figure.tight_layout()
    figure.savefig(given.o, dpi=120)


if __name__ == "__main__":
    main()
