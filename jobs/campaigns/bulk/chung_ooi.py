"""The eight benchmark tests of Chung and Ooi (``chung_ooi_impacts``): done, compared, and reported.

python jobs/campaigns/bulk/chung_ooi.py          # all eight: table, figure and text in docs/
"""

from __future__ import annotations

from chung_ooi_impacts import DAMPED, NORMAL, SLIPPING, normal, restitutions, slipping
from chung_ooi_report import report


def main() -> None:
    """Do all eight tests; write table, figure and text."""
    report(
        [normal(test, material, make()) for test, material, make in NORMAL],
        {name: restitutions(material) for name, material in DAMPED},
        [slipping(test, material, make()) for test, material, make in SLIPPING],
    )


if __name__ == "__main__":
    main()
