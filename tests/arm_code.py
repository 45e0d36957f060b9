"""The code that LLVM makes of lanes for processors of ARM, on any processor: ``python tests/arm_code.py`` prints it as JSON.

Of each compiled function it says how often each instruction occurs, with the arrangement of its first register (``fadd.2d``: two numbers at
once), and which functions are called. Numba must be told to compile for plain x86-64 (``NUMBA_CPU_NAME=x86-64``): lanes are then four numbers,
as on ARM.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import llvmlite.binding as llvm
import test_lanes
import test_lanes_laws
import test_lanes_memory

TRIPLE = "aarch64-unknown-linux-gnu"
CALLS = ("bl", "b")  # a jump to a name that is no label within the function is a call, too


def _portable(text: str) -> str:
    """Intermediate code without the bodies of functions that hold instructions of x86: those of Numba that count references."""
    parts = []
    for part in re.split(r"(?m)^(?=define )", text):
        if part.startswith("define") and "llvm.x86." in part:
            head, rest = part[: part.index("{")], part[part.index("\n}") + 2 :]
            parts.append(re.sub(r"linkonce_odr |dso_local |local_unnamed_addr|#\d+", "", head).replace("define", "declare") + rest)
        else:
            parts.append(part)
    return "".join(parts)


def instructions(dispatcher: Any, machine: Any) -> dict[str, Any]:
    """What a compiled function becomes on ARM.

    Args:
        dispatcher: compiled by Numba, and called before.
        machine: ``llvmlite.binding.TargetMachine``.

    Returns:
        ``instructions``: how often each occurs; ``calls``: names of functions.
    """
    module = llvm.parse_assembly(_portable(dispatcher.inspect_llvm(dispatcher.signatures[0])))
    module.triple, module.data_layout = TRIPLE, str(machine.target_data)
    count, calls = Counter[str](), set()
    for line in machine.emit_assembly(module).splitlines():
        found = re.match(r"\t([a-z][a-z0-9.]*)(?:\t(.*))?$", line)
        if found is None or found[1].startswith("."):
            continue
        operands = found[2] or ""
        if found[1] in CALLS and not operands.startswith(".L"):
            calls.add(operands)
        width = re.match(r"v\d+\.(\w+)", operands)
        count[found[1] + (f".{width[1]}" if width else "")] += 1
    return {"instructions": count, "calls": sorted(calls)}


def main() -> None:
    """Compile, and print what comes out."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu="generic", opt=3, reloc="pic")
    test_lanes_laws.test_laws_and_friction_on_lanes("viscoelastic")
    test_lanes.test_whole_numbers_up_to_the_edge()
    test_lanes.test_numbers_of_any_size()
    test_lanes.test_appending_under_a_mask(0.5)
    test_lanes_memory.test_rows_travel_there_and_back()
    functions = (test_lanes_laws._respond_together, test_lanes._to_whole, test_lanes._to_numbers, test_lanes._find, test_lanes_memory._move)
    print(json.dumps({f.__name__: instructions(f, machine) for f in functions}))


if __name__ == "__main__":
    main()
