#!/usr/bin/env python
"""The same bits over random scenes on 1, 2, 3, 4, 7 and 16 ranks, on several grids, with both ways of detection and any skin.

    python jobs/campaigns/faults/bits.py [--scenes 100] [--opened] [--seed 0] [--ranks 1 2 3 4 7 16] [--out bits.jsonl]

Scene k (`drawn_scenes.py`) depends on the seed and k alone; it is drawn again until a run of it begins. With `--opened`, grains leave it and others
arrive (`opened_scenes.py`). As many ranks as are wanted at most take one scene after the other, of which some rest where fewer are wanted; where they
crash or hang, new ones come. Compared are the full state, which has all grains and contacts with their histories, and the observables; of a scene
that stops on an error, its sentence. A line of JSON is kept for each scene, so that the campaign goes on where it stopped. Exit status 1: bits
differ, or there was a crash, a traceback, or a scene took longer than its time.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any, NamedTuple

import launching
import numpy as np
from drawn_scenes import Table, by_triangulation, grids, is_convex, valid_scene
from mpi4py import MPI
from opened_scenes import opened
from trials import ALIKE, Row, command_line, go_on, table, verdict

NUMBERS = (1, 2, 3, 4, 7, 16)
CHECKED = os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0")  # indices, in kernels that take long to compile
PATIENCE = 3600.0 if CHECKED else 900.0  # seconds for a scene, for which kernels may be compiled
NAP = 5e-3  # seconds between two looks of ranks that rest


class Course(NamedTuple):
    """How long a scene is followed, and what its grains begin with.

    Attributes:
        steps: number of steps.
        speed: of random shoves along each axis, in the mean of squares (m/s).
    """

    steps: int
    speed: float


CLOSED, OPENED = Course(500, 3.0), Course(2000, 0.5)  # beds stay together, and flow out


def variants(case: Table, ranks: int, dice: random.Random) -> list[Table]:
    """Choose what must not show: grid, rebalancing, skin, way of detection.

    Args:
        case: the scene.
        ranks: number of ranks.
        dice: source of all choices.

    Returns:
        Tables ``parallel`` and ``detection``, one or more of each way of detection.
    """
    chosen = []
    for method in ("cells", "triangulation") if by_triangulation(case) else ("cells", "cells"):
        detection: Table = {"method": method}
        if dice.random() < 0.6:
            detection["skin"] = dice.choice((0.02, 0.05, 0.1, 0.3))
        elif method == "triangulation" and is_convex(case) and dice.random() < 0.3:
            detection["every_step"] = True
        chosen.append({"parallel": {"grid": dice.choice(grids(ranks, case["dimension"])), "rebalance": dice.random() < 0.8}, "detection": detection})
    return chosen


def bits_of(case: Table, comm: MPI.Comm, course: Course = CLOSED) -> tuple[str, str]:
    """Some steps of a scene with random shoves at its start. Collective.

    Args:
        case: the scene.
        comm: communicator.
        course: its steps and shoves.

    Returns:
        Hash of the state and of the observables, or of the sentence with which it stops; what happened.
    """
    from pardem.case import Case
    from pardem.errors import PardemError
    from pardem.run_state import full_state
    from pardem.simulation import Simulation

    try:
        sim = Simulation(Case(**case | {"stage": [{"name": "go", "kind": "run", "steps": course.steps}]}), comm)
        grains = sim.engine.grains
        shove = np.random.default_rng(case["seed"]).normal(size=(sim.grain_count, 3))
        shove[:, case["dimension"] :] = 0.0
        grains.v[:, :3] = course.speed * shove[grains.gid]
        with np.errstate(all="ignore"):
            sim.step(course.steps, observe=True)
            observables = sim.observables()
            state = full_state(sim)
    except PardemError as error:
        return hashlib.sha256(str(error).encode()).hexdigest()[:16], f"{type(error).__name__}: {error}"
    gathered = comm.gather((state.grains.gid, state.grains.fields, state.contacts))
    if gathered is None:
        return "", ""
    order = np.argsort(np.concatenate([gid for gid, _, _ in gathered]))
    arrays = [np.concatenate([fields[name] for _, fields, _ in gathered])[order] for name in sorted(state.grains.fields)]
    columns = [np.concatenate(column) for column in zip(*(tuple(rows) for _, _, rows in gathered), strict=True)]
    order = np.lexsort(columns[2::-1])
    arrays += [column[order] for column in columns] + [state.small[name] for name in sorted(state.small)]
    digest = hashlib.sha256(repr(state.header.table()).encode())
    for name in sorted(observables):
        digest.update(name.encode() + np.asarray(observables[name], dtype=float).tobytes())
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    gone = f", {sim.left} left, {sim.to_come} to come" * bool(sim.left or sim.to_come)
    return digest.hexdigest()[:16], f"{sim.grain_count} grains, {len(order)} contacts{gone}"


def is_refused(what: str) -> bool:
    """Whether a variant is refused before the first step, as a skin may be that a period is too short for, or covering spheres too coarse.

    Args:
        what: what happened, as ``bits_of`` returns it.
    """
    return what.startswith(("CaseError", "CoveringError"))


def work(seed: int, numbers: list[int], opens: bool) -> int:
    """The ranks: numbers of scenes come on the standard input of the first one, lines of JSON go to its standard output.

    Args:
        seed: of the campaign.
        numbers: of ranks on which each scene is run.
        opens: whether grains leave the scenes and others arrive.
    """
    comm = MPI.COMM_WORLD
    answers, sys.stdout = sys.stdout, sys.stderr
    try:
        while (line := comm.bcast(sys.stdin.readline() if comm.rank == 0 else None)).strip():
            row = _scene(int(line), f"{seed}/{line.strip()}", numbers, opens, comm)
            if comm.rank == 0:
                print(json.dumps(row), file=answers, flush=True)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        comm.Abort(1)
    return 0


def _scene(k: int, seed: str, numbers: list[int], opens: bool, comm: MPI.Comm) -> Row:
    """A scene on some numbers of ranks. Collective."""
    began, found, course = time.monotonic(), dict[str, Any](), OPENED if opens else CLOSED
    drawn = valid_scene(k, random.Random(seed), *[opened] * opens) if comm.rank == 0 else None
    _rest(comm)
    case, redrawn = comm.bcast(drawn)
    dice = random.Random(f"{seed}/variants")
    for ranks in numbers:
        chosen = variants(case, ranks, dice)
        part = comm.Split(int(comm.rank < ranks), comm.rank)
        for variant in chosen if comm.rank < ranks else ():
            found[f"{ranks} {variant['parallel']} {variant['detection']}"] = bits_of(case | variant, part, course)
        _rest(comm)
        part.Free()
    refused = [name for name, value in found.items() if is_refused(value[1])]
    found = {name: value for name, value in found.items() if name not in refused} or found
    kinds = {bits for bits, _ in found.values()}
    first = next(iter(found.values()), ("", ""))
    different = {name: value for name, value in found.items() if value[0] != first[0]}
    species = "+".join(one["name"] for one in case["species"])
    what = f"{species}, {case['contact']['law']}, {case['contact'].get('interaction', 'regularised')}, {case['time'].get('integrator', 'verlet')}"
    good = "same bits" if ":" not in first[1] else ALIKE if is_refused(first[1]) else "the same sentence"
    return {
        "case": k, "what": what, "outcome": good if len(kinds) == 1 else "differs", "found": first[1], "seconds": round(time.monotonic() - began, 1),
        "refused": refused, "redrawn": redrawn,
        "said": "" if len(kinds) == 1 else "\n".join(f"{name}: {value}" for name, value in different.items()),
    }  # fmt: skip


def _rest(comm: MPI.Comm) -> None:
    """Wait for all ranks without keeping a core busy."""
    request = comm.Ibarrier()
    while not request.Test():
        time.sleep(NAP)


class Ranks:
    """Ranks that take one scene after the other, as many as the largest number asks for; new ones come where they die.

    Args:
        seed: of the campaign.
        numbers: of ranks on which each scene is run.
        opens: whether grains leave the scenes and others arrive.
        log: file for what they print.
    """

    def __init__(self, seed: int, numbers: list[int], opens: bool, log: Path) -> None:
        options = ["--seed", str(seed), "--ranks", *map(str, numbers), "--worker", *["--opened"] * opens]
        self.command, self.log = ["mpirun", "-n", str(max(numbers)), sys.executable, __file__, *options], log
        self.process: subprocess.Popen[str] | None = None

    def __call__(self, k: int) -> Row:
        """The row of scene ``k``."""
        if self.process is None:
            with self.log.open("w") as err:
                pipe = subprocess.PIPE
                self.process = subprocess.Popen(
                    self.command, stdin=pipe, stdout=pipe, stderr=err, text=True, env=launching.ENVIRONMENT, start_new_session=True
                )
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{k}\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
        line = process.stdout.readline() if ready else ""
        if line:
            answer: Row = json.loads(line)
            return answer
        process.send_signal(signal.SIGTERM)  # mpirun takes its ranks with it
        process.wait()
        self.process, said = None, self.log.read_text(errors="replace")
        outcome = "too long" if not ready else "traceback" if "Traceback" in said else "crash"
        return {"case": k, "what": "", "outcome": outcome, "found": "", "said": said[-4000:], "seconds": PATIENCE}

    def close(self) -> None:
        """Let the ranks end."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.write("\n")
            self.process.stdin.close()
            self.process.wait()


def main() -> int:
    """Run the campaign or what is left of it."""
    parser = command_line(__doc__, "scenes", 100)
    parser.add_argument("--ranks", metavar="N", type=int, nargs="+", default=list(NUMBERS), help="numbers of ranks (default: all of the above)")
    parser.add_argument("--opened", action="store_true", help="scenes that grains leave and in which others arrive")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        return work(arguments.seed, arguments.ranks, arguments.opened)
    with tempfile.TemporaryDirectory() as name:
        ranks = Ranks(arguments.seed, arguments.ranks, arguments.opened, Path(name) / "log")
        rows = go_on(arguments, ranks)
        ranks.close()
    print(table(rows, "what"))
    return verdict(rows)


if __name__ == "__main__":
    sys.exit(main())
