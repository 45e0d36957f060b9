"""Until when all ranks go on with their lists, and how they learn of faults: the messages beside the halo.

A vote finds the least over ranks of three steps: the first at which the lists of a rank may be stale, that of its first fault, and that at which its
lists turned out to be stale before their time. It begins at some step and is read 4 or 8 steps later, so a rank may fall behind by as many before
all others wait for it. The lists are made anew at the step that was foretold last, the same on all ranks.

A vote is begun only if lists were foretold to hold until it is read, and says whether they hold for as long again. No vote is under way when lists
are made anew, nor between two chunks of steps: a chunk ends with a vote that is read at once. Where there are servo walls, whose reactions are summed
in every step, the vote travels with these and concerns the next step.

What was foretold may be wrong, since a contact can make grains fast at any time. But every rank knows in every step whether its own lists are stale
(``stale.lists_stale``). If they are, at a step at which lists are not made anew, pairs may have been missed from then on: all ranks learn of it by
the next vote, return to the state that was kept when lists were last made (``going_back``), and repeat the steps while they vote closely, once in
each step, on what is and not on what will be. A fault counts only if it comes before that.
"""

from __future__ import annotations

from .compiled.jit import spliced
from .decomposition.halo import finish_vote, start_vote
from .stale import holds_until, lists_stale
from .state.arrays import CLOSELY, DUE, ERROR, FAULT, GO_BACK, HOLDS, LATE, NEVER, REBUILD, STATUS, STEP

SHORT, LONG = 4, 8  # steps from a vote to its result


@spliced
def must_stop(physics, state, control):
    """Whether lists are stale or something went wrong, on any rank, as far as that is known here. Sets the status.

    Args:
        physics: `Physics`.
        state: `RankState`.
        control: (CONTROL,) int64.
    """
    halo, stale, step = state.halo, lists_stale(physics, state, control), control[STEP]
    if halo.parallel[0] == 0:
        control[HOLDS] = step if stale else NEVER
    elif control[CLOSELY] != 0:
        start_vote(halo, step if stale else NEVER, control)
        finish_vote(halo)
        control[HOLDS] = halo.agreed[0]
    else:
        if control[DUE] == step:
            finish_vote(halo)
            control[HOLDS], control[DUE] = halo.agreed[0], 0
        if stale and step < control[HOLDS] and control[LATE] == 0:
            control[LATE] = step
    if something_wrong(halo, control):
        return True
    if step >= control[HOLDS]:
        control[STATUS] = REBUILD
        return True
    return False


@spliced
def something_wrong(halo, control):
    """Whether a fault or stale lists are known of by all ranks; whichever comes first sets the status.

    Args:
        halo: `Halo`.
        control: (CONTROL,) int64.
    """
    if halo.parallel[0] == 0:
        fault, late = 0 if control[FAULT] != 0 else NEVER, NEVER
    else:
        fault, late = halo.agreed[1], halo.agreed[2]
    if late != NEVER and late <= fault:
        control[STATUS] = GO_BACK
    elif fault != NEVER:
        control[STATUS] = ERROR
    return late != NEVER or fault != NEVER


@spliced
def begin_vote(physics, state, control, to_come):
    """Begin a vote, unless one is under way, or lists are made anew or the chunk of steps ends before it could be read.

    Args:
        physics: `Physics`.
        state: `RankState`.
        control: (CONTROL,) int64.
        to_come: number of steps that follow this one without a pause.
    """
    if state.halo.parallel[0] != 0 and not physics.settings.servo and control[CLOSELY] == 0 and control[DUE] == 0:
        ahead = control[HOLDS] - control[STEP]
        length = LONG if ahead > 2 * LONG else SHORT
        if length < ahead and length <= to_come:
            start_vote(state.halo, holds_until(physics, state, control, 2 * length), control)
            control[DUE] = control[STEP] + length


@spliced
def close_vote(physics, state, control):
    """Agree at the end of a chunk of steps, so that nothing that went wrong in it is unknown to a rank. Sets the status."""
    halo = state.halo
    if halo.parallel[0] != 0 and not physics.settings.servo:
        start_vote(halo, holds_until(physics, state, control, 2 * SHORT), control)
        finish_vote(halo)
        control[HOLDS] = halo.agreed[0]
    something_wrong(halo, control)
