"""What a contact remembers from step to step: columns of its row in ``Contacts.hist``.

====  ==============================================================================
0-2   elastic tangential force on the first body (N), in the tangent plane
3     memory of the normal law
4-6   unit normal of the step before (first body to second)
7     elastic torsional torque on the first body about the normal (N m)
8-10  total tangential force of the step before (only with the energy budget; gear4: its power in 8)
11    stored tangential energy of the step before (only with the energy budget)
12    damping part of the normal force of the step before (only with the energy budget; gear4: its power)
====  ==============================================================================

Where cores are not points four more follow (``WITH_ARM``), of the step before: the arm of the contact point from the first body's centre (m), and
the half-length of the contact zone (m). A law that carries a tangential vector of its own (``kind.LawKind.carried``) has its three columns between
those of the energy budget and these.
"""

from __future__ import annotations

from ..compiled.jit import njit  # noqa: F401  (kernels use these constants: this file belongs to the cache's hash)

SPRING, MEMORY, NORMAL, TWIST, LAST_FORCE, LAST_STORED, LAST_DAMPING = 0, 3, 4, 7, 8, 11, 12
HISTORY = 8  # floats per contact
HISTORY_BUDGET = 13  # the same with the energy budget
OWN_WIDTH = 3  # more floats, for the carried vector of a law that has one
WITH_ARM = 4  # more floats, where cores are not points
