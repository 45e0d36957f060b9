"""What contacts of spheres take: instructions by kind, divisions and bytes, the limit of the processor, and how far from it the compiled loop is.

    python jobs/benchmarks/contact_instructions.py [--document]      # needs gdb; one core with AVX-512

The bed is the settled one of ``jobs/benchmarks/lammps_spheres``, which that script leaves in the cache. The loop over its contacts
(``sphere_contacts``) is timed, then followed instruction by instruction in the debugger until it has done some groups of contacts;
of these the shortest is taken, in which no contact slides. With --document the figures become a table in docs/performance.md. The limits are
those of Zen 4: six instructions a cycle; four pipes of 256 bits for arithmetic, comparisons and shuffles; a divider that
a division of eight numbers occupies for 9 cycles and a square root for 16 (both measured).
"""

from __future__ import annotations

import argparse
import collections
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- instructions -->\n", "<!-- end of instructions -->"
STATE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "pardem" / "settled-spheres.npz"
STEPS = 14_000  # instructions that are followed
GROUP = 8  # contacts
DIVIDE, ROOTS = 9, 16  # cycles of the divider
BYTES_READ = 2 * (32 + 32 + 32) + 64 + 4 + 4 + 4 + 1  # of a contact: rows of place, velocity and spin of both grains, history, lists, flag
BYTES_CHANGED = 64 + 2 * 64  # history, sums of both grains
BYTES_OF_GRAIN = 3 * 32 + 64  # rows that its motion reads and writes


def follow() -> None:
    """Time the loop over contacts; then stop for the debugger, and go through the loop once more. Runs in a process of its own."""
    import numpy as np
    from mpi4py import MPI

    from pardem.bench.beds import from_state
    from pardem.compiled.jit import njit
    from pardem.contacts.pair_loop import PairLoop
    from pardem.contacts.sphere_pairs import sphere_contacts

    @njit(cache=False)
    def chain(n: int) -> Any:
        x = np.uint64(3)
        for _ in range(n):
            x = x * x  # three cycles, one after the other
        return x

    engine = from_state(MPI.COMM_SELF, STATE)[1]
    engine.advance(1000)
    state, physics = engine.state, engine._physics(engine.scene.integrator)
    loop = PairLoop(
        state.pairs, state.grains, physics.interaction, physics.law, physics.settings, state.owned, engine.control, engine.tally, 0.0,
    )  # fmt: skip
    rows = len(state.pairs.row)

    def best(count: int, call: Any) -> float:
        """Shortest time of some calls (s)."""
        took = []
        for _ in range(count):
            begin = time.perf_counter()
            call()
            took.append(time.perf_counter() - begin)
        return min(took)

    chain(1)
    cycle = best(50, lambda: chain(200_000)) / 600_000
    state.grains.ft[:] = 0
    whole, nothing = best(300, lambda: sphere_contacts(0, rows, loop)), best(300, lambda: sphere_contacts(0, 0, loop))
    made = next(iter(sphere_contacts.overloads.values()))
    address = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
    touch = np.count_nonzero(state.pairs.touch)
    sys.stdout.write(f"FOUND {address} {touch} {len(state.pairs.col)} {rows} {cycle} {whole - nothing}\n")
    sys.stdout.flush()
    state.grains.ft[:] = 0
    os.kill(os.getpid(), signal.SIGUSR1)
    sphere_contacts(0, rows, loop)


def in_the_debugger(gdb: Any) -> None:
    """What gdb does when it reads this file: run ``follow``, and write the instructions of the loop, one a line."""
    said, followed = os.environ["PARDEM_SAID"], os.environ["PARDEM_FOLLOWED"]
    for command in ("set pagination off", "handle SIGUSR1 stop print nopass", "handle SIGSEGV nostop noprint pass"):
        gdb.execute(command)
    gdb.execute(f"run {Path(__file__).name} --follow > {said}", to_string=True)
    address = next(line.split()[1] for line in Path(said).read_text().splitlines() if line.startswith("FOUND"))
    gdb.Breakpoint(f"*{address}")
    gdb.execute("continue", to_string=True)
    with open(followed, "w") as file:
        for _ in range(STEPS):
            frame = gdb.selected_frame()
            text = frame.architecture().disassemble(frame.pc())[0]["asm"]
            file.write(f"{frame.pc():x} {text}\n")
            gdb.execute("stepi", to_string=True)
    gdb.execute("kill")


def kind_of(text: str) -> str:
    """What sort of instruction it is (AT&T syntax of gdb)."""
    name, rest = [*text.split(None, 1), ""][:2]
    wide = re.search(r"%[xyz]mm", rest) is not None
    if "prefetch" in name:
        return "prefetches"
    if not wide:
        return "integers, addresses and jumps"
    if re.match(r"v(div|sqrt)", name):
        return "divisions and square roots"
    if "(" in rest and re.match(r"v?mov|vpbroadcast|vbroadcast", name):
        return "loads and stores of vectors"
    if re.search(r"unpck|perm|shuf|insert|extract|blend|srldq|mov|broadcast", name):
        return "shuffles and moves"
    return "arithmetic and comparisons"


def shortest_between(lines: list[str], mark: str) -> list[str]:
    """The instructions of the shortest round of a loop: between two passes of the first instruction of some name that comes most often."""
    places: dict[str, list[int]] = {}
    for n, line in enumerate(lines):
        if line.split()[1].startswith(mark):
            places.setdefault(line.split()[0], []).append(n)
    best = max(places.values(), key=len)
    first, last = min(itertools.pairwise(best), key=lambda ends: ends[1] - ends[0])
    return [line.split(None, 1)[1] for line in lines[first:last]]


def measure() -> str:
    """Run all of it, and make the table."""
    with tempfile.TemporaryDirectory() as folder:
        said, followed = Path(folder, "said"), Path(folder, "followed")
        setting = os.environ | {"PARDEM_SAID": str(said), "PARDEM_FOLLOWED": str(followed), "OMP_NUM_THREADS": "1"}
        command = ["gdb", "-q", "-batch", "-x", __file__, sys.executable]
        subprocess.run(command, env=setting, cwd=Path(__file__).parent, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = next(line.split()[2:] for line in said.read_text().splitlines() if line.startswith("FOUND"))
        lines = followed.read_text().splitlines()
    touch, candidates, grains = (int(f) for f in found[:3])
    cycle, seconds = (float(f) for f in found[3:])
    group, search = shortest_between(lines, "prefetch"), shortest_between(lines, "vpcompress")
    kinds = collections.Counter(kind_of(text) for text in group)
    divisions, roots = (sum(text.startswith(name) and "zmm" in text for text in group) for name in ("vdiv", "vsqrt"))
    pipes = sum(2 if "zmm" in t else 1 for t in group if kind_of(t) in ("arithmetic and comparisons", "shuffles and moves")) / 4
    each = len(search) / GROUP * candidates / touch
    issue, divider = (len(group) / GROUP + each) / 6, (DIVIDE * divisions + ROOTS * roots) / GROUP
    took = seconds / touch / cycle
    least = max(issue, pipes / GROUP, divider)
    day, commit = datetime.now(UTC), subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    rows = [
        (f"instructions of a group of {GROUP} contacts that stick", f"{len(group)}"),
        *((f"- {kind}", f"{count}") for kind, count in kinds.most_common()),
        ("- of these divisions, square roots", f"{divisions}, {roots}"),
        (f"instructions to look at {GROUP} candidates", f"{len(search)}"),
        ("contacts, candidates a grain", f"{touch / grains:.2f}, {candidates / grains:.2f}"),
        ("bytes read, bytes changed by a contact", f"{BYTES_READ}, {BYTES_CHANGED}"),
        ("bytes read and written by the motion of a grain", f"{BYTES_OF_GRAIN}"),
        ("least cycles a contact: to issue the instructions; in the pipes; in the divider", f"{issue:.0f}; {pipes / GROUP:.0f}; {divider:.0f}"),
        ("cycles, ns a contact as measured, its share of the search included", f"{took:.0f}, {1e9 * seconds / touch:.1f} (x {took / least:.1f})"),
    ]
    head = f"**{day:%Y-%m-%d %H:%M} UTC**, {commit}, {grains} spheres, {1e-9 / cycle:.2f} GHz\n\n| spheres, eight lanes | |\n|---|---|\n"
    return head + "".join(f"| {name} | {value} |\n" for name, value in rows)


def main() -> None:
    """Read the arguments, measure, print, and document where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--document", action="store_true", help="put the table into docs/performance.md")
    parser.add_argument("--follow", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.follow:
        follow()
        return
    table = measure()
    sys.stdout.write(table)
    if given.document:
        before, behind = PAGE.read_text().split(BEGIN)
        PAGE.write_text(before + BEGIN + table + END + behind.split(END)[1])


if "gdb" in sys.modules:  # the debugger's own Python reads this file
    in_the_debugger(sys.modules["gdb"])
elif __name__ == "__main__":
    main()
