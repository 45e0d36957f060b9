"""Compilation is said while it lasts and counted apart, and not a word is lost on what is quick."""

from __future__ import annotations

import io
import time

import pytest
from numba.core import event

from pardem import compiling
from pardem.compiling import SENTENCE, Compilation


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def compile_for(seconds: float, nested: bool = False) -> None:
    """What numba tells of a function that takes so long, and of another that it calls."""
    with event.trigger_event("numba:compile"):
        end = time.process_time() + seconds
        while time.process_time() < end:
            sum(range(1000))
        if nested:
            compile_for(seconds)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "PATIENCE", 0.05)


def test_it_is_said_once_and_counted() -> None:
    stream, log = io.StringIO(), io.StringIO()
    with Compilation(0, stream, log) as watch:
        compile_for(0.2, nested=True)
        compile_for(0.2)
        time.sleep(0.2)  # this is not compilation
    assert stream.getvalue() == log.getvalue() == SENTENCE + "\n"
    assert watch.cpu_seconds == pytest.approx(0.6, abs=0.15)
    compile_for(0.1)
    assert watch.cpu_seconds == pytest.approx(0.6, abs=0.15)


def test_a_bar_moves_on_a_terminal_and_is_taken_away() -> None:
    stream = Terminal()
    with Compilation(0, stream) as watch:
        compile_for(1.5)
        watch.say_no_more()
        length = len(stream.getvalue())
        compile_for(0.2)
    shown = stream.getvalue()
    assert len(shown) == length
    assert shown.count(SENTENCE) > 3  # drawn anew as time goes on
    assert "0:00:01" in shown


def test_where_another_display_is_on_that_one_tells() -> None:
    stream, said = Terminal(), []
    with Compilation(0, stream) as watch:
        watch.say = said.append
        compile_for(0.2)
    assert said == [SENTENCE]
    assert not stream.getvalue()


@pytest.mark.parametrize(("rank", "seconds"), [(1, 0.2), (0, 0.001)])
def test_other_ranks_and_quick_kernels_say_nothing(rank: int, seconds: float) -> None:
    stream = io.StringIO()
    with Compilation(rank, stream) as watch:
        compile_for(seconds)
    assert not stream.getvalue()
    if seconds > 0.1:  # a millisecond may be none of the time that the system counts
        assert watch.cpu_seconds > 0.0
