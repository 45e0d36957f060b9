"""What may go wrong in a run, foreseen from its case: `pardem check` prints it before a step is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..setup.insert_fraction import filling_warnings, require_room
from ..setup.insert_regions import insert_regions
from ..setup.preparation import Setup
from .behind_walls import region_warnings
from .confinement import held_together
from .ground import faces_of
from .growth import growth_warnings
from .impacts import impact_warnings
from .leaps import leap_warnings
from .loads import load_warnings
from .openings import opening_warnings
from .periods import period_warnings
from .possible_impacts import ExtremeGrains
from .speeds import impacts
from .starts import starts_of

if TYPE_CHECKING:
    from ..case import Case


def forecast(case: Case, setup: Setup) -> list[str]:
    """Sentences on what may go wrong, each with key, value and remedy; none where nothing is to be feared.

    Args:
        case: validated case.
        setup: the same case prepared.

    Raises:
        InsertionError: the grains of an insert cannot fit into their region.
        CaseError: grains start behind a wall.
    """
    regions = insert_regions(case)
    require_room(case, setup.catalogue, regions)
    bodies, starts, faces = ExtremeGrains(case, setup), starts_of(case, setup), faces_of(case, setup)
    return [
        *filling_warnings(case, setup.catalogue, regions),
        *region_warnings(case, starts, faces),
        *period_warnings(case, faces),
        *growth_warnings(case, setup),
        *leap_warnings(case),
        *opening_warnings(case, starts, faces),
        *impact_warnings(case, bodies, impacts(case, setup, held_together(case, starts, faces), faces)),
        *load_warnings(case, bodies, faces),
    ]
