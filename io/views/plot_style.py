"""How figures look: colours of curves, settings of matplotlib."""

from __future__ import annotations

from typing import Any

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")  # Okabe and Ito: told apart with colour blindness too
STYLE: dict[Any, Any] = {
    "grid.color": "#dddddd", "grid.linewidth": 0.6, "axes.spines.top": False, "axes.spines.right": False, "font.size": 11, "legend.frameon": False,
}  # fmt: skip
