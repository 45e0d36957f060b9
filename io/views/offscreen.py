"""VTK without a display."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

from pardem.errors import FileError


def load_vtk() -> Any:
    """pyvista, set to draw without a display where there is none.

    Raises:
        FileError: VTK or pyvista is not installed.
    """
    if sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
        # VTK itself tries X first and complains; it dies where it is told to take a library that is missing
        for library, window in (("libEGL.so.1", "vtkEGLRenderWindow"), ("libOSMesa.so.8", "vtkOSOpenGLRenderWindow")):
            if _loadable(library):
                os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", window)
                break
    try:
        import pyvista
    except ImportError:
        raise FileError("pictures need VTK: pip install 'pardem[render]'") from None
    return pyvista


def _loadable(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
