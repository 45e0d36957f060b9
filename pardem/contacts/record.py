"""What an observed step notes of each contact, for frames that show contacts: by candidate, so that the order in which they are met never shows."""

from __future__ import annotations

from ..compiled.jit import kernel
from ..compiled.vectors import put_columns

# Columns of a record: contact point relative to the first body's centre (m); unit normal, first body to second; overlap (m); force (N) and couple
# (N m) on the first body; what the hardening adds to the force (N) and to the torque about the first body's centre (N m); vector to the second
# body's centre where forces are evaluated (m), which need not be where the step ends
ARM, NORMAL, OVERLAP, FORCE, COUPLE, HARD_FORCE, HARD_TORQUE, BRANCH = 0, 3, 6, 7, 10, 13, 16, 19
RECORD = 22


@kernel
def record_contact(record, p, place, overlap, force, couple):
    """Note contact ``p``.

    Args:
        record: `Record` of its list.
        p: the candidate.
        place: vectors from the first body's centre to the second's and to the contact point (m); unit normal, first body to second.
        overlap: (m).
        force: force on the first body (N).
        couple: couple on the first body (N m).
    """
    values, (branch, arm, normal) = record.values, place
    put_columns(values, p, BRANCH, branch)
    put_columns(values, p, ARM, arm)
    put_columns(values, p, NORMAL, normal)
    values[p, OVERLAP] = overlap
    put_columns(values, p, FORCE, force)
    put_columns(values, p, COUPLE, couple)
    record.there[p] = 1


@kernel
def record_hardening(record, p, force, torque):
    """Note what the hardening adds to a contact.

    Args:
        record: `Record` of its list.
        p: the candidate.
        force: force on the first body (N).
        torque: about the first body's centre (N m).
    """
    put_columns(record.values, p, HARD_FORCE, force)
    put_columns(record.values, p, HARD_TORQUE, torque)
