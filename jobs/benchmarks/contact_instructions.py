"""What the contacts of the benchmark scenes take: instructions by kind, the limit of the processor, and how far from it the compiled loops are.

    python jobs/benchmarks/contact_instructions.py measure [SCENE...]       # needs gdb and an idle core; some minutes a scene
    python jobs/benchmarks/contact_instructions.py page                     # docs/performance.md from contact_instructions.csv

The loop over contacts of a settled bed (``pardem bench``) is timed, then followed instruction by instruction in the debugger over some neighbouring
rows of its list. These are chosen so that groups of contacts are whole; what they do besides (candidates that do not touch, contacts that are born
or treated alone) belongs to it. The limits are those of Zen 3 and 4: six instructions a cycle; four pipes of 256 bits for arithmetic, comparisons
and shuffles; a divider that a division of four numbers occupies for 4.5 cycles and a square root for 8 (measured on Zen 4, with eight: 9 and 16).
"""

from __future__ import annotations

import argparse
import collections
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

TABLE = Path(__file__).resolve().with_name("contact_instructions.csv")
PART = ("<!-- instructions -->\n", "<!-- end of instructions -->")
SCENES = ("spheres", "rods", "tetrahedra", "cubes", "tetrahedra-superposed", "cubes-superposed", "disks", "62-gons", "clumps")
WANTED = 32  # contacts that are followed
DIVIDE, SQUARE_ROOT = 4.5, 8.0  # cycles of the divider, for 256 bits
KINDS = ("integers, addresses and jumps", "arithmetic and comparisons", "shuffles and moves", "loads and stores of vectors", "prefetches")
DIVISIONS = "divisions and square roots"
NAMES = (
    "contacts, candidates a grain", "instructions", *(f"- {kind}" for kind in KINDS), "- divisions, square roots",
    "least cycles: to issue the instructions; in the pipes; in the divider", "cycles, ns as measured", "cycles over the largest of the least",
)  # fmt: skip
COLUMNS = ("call", "version", "processor", "lanes", "scene", *NAMES)


class Window(NamedTuple):
    """Neighbouring rows of the list of candidates.

    Attributes:
        first: the first row.
        last: the row after the last.
        contacts: how many pairs of bodies touch there.
    """

    first: int
    last: int
    contacts: int


def whole_groups(lines: Any, touch: Any, ptr: Any, width: int) -> Window:
    """Choose rows, from the middle of the list on, in which the candidates of every line fill groups.

    Args:
        lines: (n,) which line of groups a candidate waits in, from 1 on; 0: none.
        touch: (n,) whether it touches.
        ptr: (rows + 1,) first candidate of each row.
        width: candidates of a group.
    """
    import numpy as np

    rows = len(ptr) - 1
    counts = [np.concatenate(([0], np.cumsum(which)))[ptr] for which in (touch, *(lines == k for k in range(1, 1 + int(lines.max(initial=1)))))]
    for first in range(rows // 2, rows):
        for last in range(first + 1, rows + 1):
            contacts, *waiting = (int(count[last] - count[first]) for count in counts)
            if contacts >= WANTED and all(number % width == 0 for number in waiting):
                return Window(first, last, contacts)
            if contacts >= 3 * WANTED:
                break
    raise SystemExit("in no part of the list of this bed do contacts fill groups")


def group_lines(loop: Any) -> Any:
    """Say which line of groups each candidate waits in, from 1 on; 0: none. The loop is a ``PairLoop``."""
    import numpy as np

    from pardem.compiled.jit import njit
    from pardem.contacts.dispatch import line, rule_by_class

    @njit(cache=False)
    def lines_of(interaction: Any, g: Any, pairs: Any, found: Any) -> None:
        for p in range(len(found)):
            if pairs.touch[p] != 0:
                found[p] = line(interaction, g, pairs, np.uintp(p))

    pairs, g, rule = loop.pairs, loop.g, rule_by_class(type(loop.interaction))
    lines = (pairs.touch != 0).astype(np.int64)
    if rule.line is not None:
        lines_of(loop.interaction, g, pairs, lines)
    elif rule.closest_in_lanes is not None:
        lines[g.path[pairs.first] + g.path[pairs.col] >= pairs.free] = 1
    return lines


def shortest(count: int, call: Any) -> float:
    """Shortest time of some calls (s)."""
    took = []
    for _ in range(count):
        begin = time.perf_counter()
        call()
        took.append(time.perf_counter() - begin)
    return min(took)


def follow(scene: str) -> None:
    """Time the loop over contacts; then stop for the debugger, and go through some rows once more. Runs in a process of its own.

    Args:
        scene: name of the scene.
    """
    import numpy as np
    from mpi4py import MPI

    from pardem.bench.beds import settled
    from pardem.bench.scenes import bed_of
    from pardem.compiled.jit import njit
    from pardem.compiled.lanes.types import WIDTH
    from pardem.contacts.loop import contacts
    from pardem.contacts.pair_loop import PairLoop
    from pardem.stale import GONE

    @njit(cache=False)
    def chain(n: int) -> Any:
        x = np.uint64(3)
        for _ in range(n):
            x = x * x  # three cycles, one after the other
        return x

    @njit(cache=False)
    def rows_of_pairs(first: int, last: int, interaction: Any, loop: Any) -> None:
        contacts(interaction, first, last, loop)

    engine = settled(MPI.COMM_SELF, scene, bed_of(scene).grains)[1]
    engine.advance(1000)
    state, physics = engine.state, engine._physics(engine.scene.integrator)
    pairs, g, gone = state.pairs, state.grains, 2.0 * state.spare[GONE]
    loop = PairLoop(pairs, g, physics.interaction, physics.law, physics.settings, state.owned, engine.control, engine.tally, gone)
    touch, rows = pairs.touch != 0, len(pairs.row)
    window = whole_groups(group_lines(loop), touch, pairs.ptr, WIDTH)
    chain(1)
    cycle = shortest(50, lambda: chain(200_000)) / 600_000
    g.ft[:] = 0
    rows_of_pairs(0, 0, loop.interaction, loop)
    whole, nothing = (shortest(100, lambda last=last: rows_of_pairs(0, last, loop.interaction, loop)) for last in (rows, 0))
    made = next(iter(rows_of_pairs.overloads.values()))
    address = made.library.get_pointer_to_function(made.fndesc.llvm_func_name)
    figures = np.count_nonzero(touch), len(pairs.col), state.owned, cycle, whole - nothing, window.contacts
    sys.stdout.write(" ".join(map(str, ("FOUND", address, *figures))) + "\n")
    sys.stdout.flush()
    g.ft[:] = 0
    os.kill(os.getpid(), signal.SIGUSR1)
    rows_of_pairs(window.first, window.last, loop.interaction, loop)


def in_the_debugger(gdb: Any) -> None:
    """What gdb does when it reads this file: run ``follow``, and write the instructions of the loop, one a line."""
    said, followed, scene = (os.environ[name] for name in ("PARDEM_SAID", "PARDEM_FOLLOWED", "PARDEM_SCENE"))
    for command in ("set pagination off", "handle SIGUSR1 stop print nopass", "handle SIGSEGV nostop noprint pass"):
        gdb.execute(command)
    gdb.execute(f"run {Path(__file__).name} follow {scene} > {said}", to_string=True)
    address = next(line.split()[1] for line in Path(said).read_text().splitlines() if line.startswith("FOUND"))
    gdb.Breakpoint(f"*{address}")
    gdb.execute("continue", to_string=True)
    texts: dict[int, str] = {}
    frame = gdb.selected_frame()
    top = int(frame.read_register("rsp"))
    with open(followed, "w") as file:
        while int(frame.read_register("rsp")) <= top:
            place = frame.pc()
            if place not in texts:
                texts[place] = frame.architecture().disassemble(place)[0]["asm"]
            file.write(texts[place] + "\n")
            gdb.execute("stepi", to_string=True)
            frame = gdb.selected_frame()
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
        return DIVISIONS
    if "(" in rest and re.match(r"v?mov|vpbroadcast|vbroadcast", name):
        return "loads and stores of vectors"
    if re.search(r"unpck|perm|shuf|insert|extract|blend|srldq|mov|broadcast", name):
        return "shuffles and moves"
    return "arithmetic and comparisons"


def cells_of(scene: str) -> list[str]:
    """The column of a scene.

    Args:
        scene: its name.
    """
    with tempfile.TemporaryDirectory() as folder:
        said, followed = Path(folder, "said"), Path(folder, "followed")
        setting = os.environ | {"PARDEM_SAID": str(said), "PARDEM_FOLLOWED": str(followed), "PARDEM_SCENE": scene, "OMP_NUM_THREADS": "1"}
        command = ["gdb", "-q", "-batch", "-x", __file__, sys.executable]
        done = subprocess.run(command, env=setting, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
        found = next((line.split()[2:] for line in said.read_text().splitlines() if line.startswith("FOUND")), None) if said.exists() else None
        if found is None or not followed.exists():
            raise SystemExit(f"the contacts of {scene} could not be followed:\n{done.stderr[-2000:]}")
        texts = followed.read_text().splitlines()
    touch, candidates, grains = (int(f) for f in found[:3])
    cycle, seconds, contacts = float(found[3]), float(found[4]), int(found[5])
    kinds = collections.Counter(kind_of(text) for text in texts)
    double = collections.Counter(kind_of(text) for text in texts if "zmm" in text)
    pipes = sum(kinds[kind] + double[kind] for kind in KINDS[1:3]) / 4.0
    divisions, roots = ([text for text in texts if re.match(name, text)] for name in ("vdiv", "vsqrt"))
    divider = sum((2 if "zmm" in text else 1) * cycles for these, cycles in ((divisions, DIVIDE), (roots, SQUARE_ROOT)) for text in these)
    least = len(texts) / 6 / contacts, pipes / contacts, divider / contacts
    took = seconds / touch / cycle
    return [
        f"{touch / grains:.2f}, {candidates / grains:.2f}",
        f"{len(texts) / contacts:.0f}",
        *(f"{kinds[kind] / contacts:.1f}" for kind in KINDS),
        f"{len(divisions) / contacts:.2f}, {len(roots) / contacts:.2f}",
        f"{least[0]:.0f}; {least[1]:.0f}; {least[2]:.0f}",
        f"{took:.0f}, {1e9 * seconds / touch:.1f}",
        f"{took / max(least):.1f}",
    ]


def measure(scenes: list[str]) -> None:
    """Measure scenes and add rows to the table.

    Args:
        scenes: their names.
    """
    from pages import append_row
    from turns import ROOT, processor, version_of

    from pardem.compiled.lanes.types import WIDTH

    call, version = datetime.now(UTC).strftime("%Y-%m-%d %H:%M"), version_of(ROOT)  # rows that are added change the working copy
    for scene in scenes:
        row = [call, version, processor(), str(WIDTH), scene, *cells_of(scene)]
        append_row(TABLE, COLUMNS, row)
        sys.stdout.write(f"{', '.join(row)}\n")


def text(rows: list[dict[str, str]]) -> str:
    """The tables of the page, one for each number of lanes, of the newest row of each scene.

    Args:
        rows: those of contact_instructions.csv.
    """
    from pages import table_line

    parts = []
    for lanes in sorted({row["lanes"] for row in rows}, key=int):
        newest = {row["scene"]: row for row in rows if row["lanes"] == lanes}
        shown = [newest[scene] for scene in SCENES if scene in newest]
        calls = ", ".join(dict.fromkeys(f"{row['version']} ({row['call']} UTC)" for row in shown))
        head = ["a contact of", *(row["scene"] for row in shown)]
        lines = [head, ["---"] * len(head), *([name, *(row[name] for row in shown)] for name in NAMES)]
        parts.append(f"**{shown[0]['processor']}**, {calls}\n\n" + "\n".join(map(table_line, lines)) + "\n")
    return "\n".join(parts)


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "page", "follow"])
    parser.add_argument("scenes", nargs="*", default=list(SCENES), help="scenes of pardem bench (default: all)")
    given = parser.parse_args()
    if given.what == "follow":  # what `in_the_debugger` runs
        follow(*given.scenes)
    elif given.what == "measure":
        measure(given.scenes)
    else:
        from pages import PAGE, put_into_page, read_rows

        put_into_page(PAGE, PART, text(read_rows(TABLE)))


if "gdb" in sys.modules:  # the debugger's own Python reads this file
    in_the_debugger(sys.modules["gdb"])
elif __name__ == "__main__":
    main()
