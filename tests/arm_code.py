"""The code that LLVM makes of lanes for processors of ARM, on any processor: ``python tests/arm_code.py`` prints it as JSON, with ``contacts`` behind
it that of the loop over contacts of spheres, which takes longer to compile.

Of each compiled function it says how often each instruction occurs, with the arrangement of its first register (``fadd.2d``: two numbers at
once), and which functions are called. Numba must be told to compile for plain x86-64 (``NUMBA_CPU_NAME=x86-64``): lanes are then four numbers,
as on ARM.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import test_lanes
import test_lanes_laws
import test_lanes_memory
from beds import VISCOUS, shaken
from scenes import SPHERE, engine_of
from test_lanes_laws import COUNT, RESULTS

from pardem.compiled.jit import kernel
from pardem.contacts.pair_loop import PairLoop
from pardem.contacts.sphere_pairs import sphere_contacts

LAWS = ("viscoelastic", "hertz", "walton")
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


_contacts_of_spheres = kernel(cache=False)(sphere_contacts.py_func)  # one from the cache has no intermediate code any more


def _call_contacts() -> None:
    """Compile the loop over contacts of a bed of spheres."""
    engine, setup = engine_of(shaken([SPHERE], 8, VISCOUS))
    state, scene = engine.state, setup.scene
    loop = PairLoop(state.pairs, state.grains, scene.interaction, scene.law, scene.settings, state.owned, engine.control, engine.tally, 0.0)
    _contacts_of_spheres(0, 0, loop)


def instructions(dispatcher: Any, signature: Any, machine: Any) -> dict[str, Any]:
    """What a compiled function becomes on ARM.

    Args:
        dispatcher: compiled by Numba, and called before.
        signature: types of its arguments.
        machine: ``llvmlite.binding.TargetMachine``.

    Returns:
        ``instructions``: how often each occurs; ``calls``: names of functions.
    """
    module = llvm.parse_assembly(_portable(dispatcher.inspect_llvm(signature)))
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


def _lanes(machine: Any) -> dict[str, Any]:
    """Laws with friction, conversions, masks, and rows of arrays."""
    for name in LAWS:
        test_lanes_laws._respond_together(test_lanes_laws.LAWS[name], test_lanes_laws.inputs(name), np.empty((RESULTS, COUNT)))
    test_lanes.test_whole_numbers_up_to_the_edge()
    test_lanes.test_numbers_of_any_size()
    test_lanes.test_appending_under_a_mask(0.5)
    test_lanes_memory.test_rows_travel_there_and_back()
    signatures = zip(LAWS, test_lanes_laws._respond_together.signatures, strict=True)
    found = {f"_respond_together, {name}": instructions(test_lanes_laws._respond_together, one, machine) for name, one in signatures}
    for f in (test_lanes._to_whole, test_lanes._to_numbers, test_lanes._find, test_lanes_memory._move):
        found[f.__name__] = instructions(f, f.signatures[0], machine)
    return found


def _contacts(machine: Any) -> dict[str, Any]:
    """The loop over contacts of spheres."""
    _call_contacts()
    return {"contacts": instructions(_contacts_of_spheres, _contacts_of_spheres.signatures[0], machine)}


def main() -> None:
    """Compile, and print what comes out."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(cpu="generic", opt=3, reloc="pic")
    print(json.dumps(_contacts(machine) if sys.argv[1:] == ["contacts"] else _lanes(machine)))


if __name__ == "__main__":
    main()
