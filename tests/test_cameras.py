"""Cameras of pictures: what they show, and views by name and by angles."""

from __future__ import annotations

import numpy as np
import pytest

from pardem.errors import FileError


@pytest.mark.parametrize("view", ["front", "back", "left", "right", "top", "bottom", "corner", "-40,65"])
@pytest.mark.parametrize("aspect", [0.5, 2.0])
def test_cameras_show_everything_and_no_more(view: str, aspect: float) -> None:
    """All corners of a box are in the picture, between the legend and the time, and one of them is near its edge."""
    from pardem.io.views.camera import ANGLE, LEGEND, MARGIN, TITLE, axes_of, fitted

    corners = np.array([[1.0, -2.0, 0.5], [4.0, 1.0, 9.5]])
    axes = axes_of(view, np.array([0.0, 0.0, 1.0]))
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1.0)
    assert axes[1, 2] >= 0.0 or view == "bottom"
    camera = fitted(corners, axes, aspect, flat=False)
    points = np.array([[x, y, z] for x in corners[:, 0] for y in corners[:, 1] for z in corners[:, 2]]) - camera.eye
    right, up, toward = (points @ axis for axis in axes)
    assert (toward < 0.0).all()
    slope = np.tan(np.radians(0.5 * ANGLE))
    across, above = right / -toward / (slope * aspect), up / -toward / slope
    assert max(np.abs(across).max(), above.max() / (1.0 - 2.0 * TITLE), (-above / (1.0 - 2.0 * LEGEND)).max()) <= 1.0 + 1e-9
    reach = max(np.abs(across).max(), np.abs(above - (LEGEND - TITLE)).max() / (1.0 - LEGEND - TITLE))
    assert reach > 0.99 / MARGIN**2


def test_views_by_name_and_by_angles() -> None:
    from pardem.io.views.camera import axes_of

    up = np.array([0.0, 0.0, 1.0])
    np.testing.assert_allclose(axes_of("0,0", up)[2], [0.0, -1.0, 0.0], atol=1e-12)  # the front is that of y = 0
    np.testing.assert_allclose(axes_of("90,0", up)[2], [1.0, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(axes_of("top", up), np.eye(3), atol=1e-12)
    np.testing.assert_allclose(axes_of("0,0", np.array([0.0, 1.0, 0.0])), np.eye(3), atol=1e-12)  # gravity along -y
    for wrong in ("above", "10", "10,100", "1e9,0", "a,b"):
        with pytest.raises(FileError, match=r"--view .* is unknown: give front, right"):
            axes_of(wrong, up)
