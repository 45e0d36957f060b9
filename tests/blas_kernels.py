"""Import this before NumPy: fingerprints are taken with the same kernels of the linear-algebra library on all x86-64 processors.

OpenBLAS picks its kernels by the processor when it is loaded, and those for AVX-512 round otherwise than those for AVX2: eigenvectors and singular
vectors, from which shapes get their axes, differ in the last bits, and so does everything that follows. The choice below is only of which bits are
compared; runs are reproducible with either, on processors of one type.
"""

from __future__ import annotations

import os
from pathlib import Path

_ABOUT_THE_PROCESSOR = Path("/proc/cpuinfo")

if _ABOUT_THE_PROCESSOR.exists() and "avx2" in _ABOUT_THE_PROCESSOR.read_text():
    os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")
