"""How many lanes a kernel treats at once."""

from __future__ import annotations

import functools
import os

from numba.core import config
from numba.core.codegen import get_host_cpu_features

from ...errors import CaseError

VARIABLE, WIDTHS = "PARDEM_LANES", (4, 8)


@functools.cache
def width() -> int:
    """Lanes that a kernel treats at once: eight on a processor with AVX-512, else four, or as many as ``PARDEM_LANES`` says.

    Whatever the answer, a kernel gives the same bits: LLVM makes several registers of lanes that do not fit into one. Those who change kernels
    can so look on any processor at what another one computes.

    Raises:
        CaseError: the variable asks for another number of lanes.
    """
    asked = os.environ.get(VARIABLE)
    if not asked:
        features = get_host_cpu_features() if config.CPU_FEATURES is None else config.CPU_FEATURES
        return 8 if {"+avx512dq", "+avx512vl"} <= set(features.split(",")) else 4
    if asked not in map(str, WIDTHS):
        raise CaseError(f"{VARIABLE} = '{asked}' is no number of lanes: set it to {' or '.join(map(str, WIDTHS))}, or unset it")
    return int(asked)
