"""Results do not change unless a change of code means them to: states and observables of many beds against those on file."""

from __future__ import annotations

import pytest
from beds import USUAL, reference
from fingerprints import FILE, kept, machine


@pytest.mark.parametrize("scene", USUAL)
def test_the_result_is_that_on_file(scene: str) -> None:
    on_file, found = kept().get(machine()), reference(scene)  # which the tests on several ranks need anyway
    if on_file is None:
        pytest.skip(f"{FILE.name} is of a machine that rounds otherwise; compare two versions here with `python tests/fingerprints.py`")
    assert found == on_file[scene], f"`python tests/fingerprints.py '{scene}' --renew` puts the new result on file"
