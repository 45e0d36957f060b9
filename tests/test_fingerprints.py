"""Results do not change unless a change of code means them to: states and observables of many beds against those on file."""

from __future__ import annotations

import pytest
from beds import SCENES, USUAL, reference
from fingerprints import FILE, kept, machine, renewed


@pytest.mark.parametrize("scene", USUAL)
def test_the_result_is_that_on_file(scene: str) -> None:
    on_file, found = kept(), reference(scene)  # which the tests on several ranks need anyway
    renew = f"`python tests/fingerprints.py '{scene}' --renew` puts the new result on file"
    assert any(scene in results for results in on_file.values()), renew
    if scene not in on_file.get(machine(), {}):
        pytest.skip(f"{FILE.name} has it of machines only that round otherwise; compare two versions here with `python tests/fingerprints.py`")
    assert found == on_file[machine()][scene], renew


def test_other_machines_keep_what_has_not_changed_here() -> None:
    first, second = list(SCENES)[:2]
    old = {"this": {first: "a", second: "b"}, "other": {first: "c", second: "d", "a scene that is gone": "e"}}
    assert renewed(old, "this", {first: "a", second: "f"}) == {"this": {first: "a", second: "f"}, "other": {first: "c"}}
    assert renewed(old, "third", {first: "g"}) == {"this": old["this"], "other": {first: "c", second: "d"}, "third": {first: "g"}}
