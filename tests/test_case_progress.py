"""Progress lines and the final summary."""

from __future__ import annotations

import io

import pytest

from pardem.io.views.progress import Countdown, Progress, summary


class Clock:
    """A clock that the test moves."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("pardem.io.views.progress.time", clock)
    return clock


def test_lines_are_sparse_and_carry_an_eta(clock: Clock) -> None:
    out = io.StringIO()
    with Progress(1000, stream=out) as progress:
        progress.stage("settle", 0)
        for step in range(1, 1001):
            clock.now += 0.5
            progress.update(step, "3.1 contacts per grain")
    lines = out.getvalue().splitlines()
    assert lines[0] == "stage 'settle' begins at step 0"
    assert lines[1] == "[25 s] settle: step 50 of 1000 (5 %), 7 min 55 s left, 3.1 contacts per grain"
    assert len(lines) == 21


def test_a_fast_run_prints_at_most_every_ten_seconds(clock: Clock) -> None:
    out = io.StringIO()
    progress = Progress(1000, stream=out)
    for step in range(1000):
        clock.now += 0.025
        progress.update(step)
    assert len(out.getvalue().splitlines()) == 2


def test_a_slow_run_still_speaks(clock: Clock) -> None:
    out = io.StringIO()
    progress = Progress(10**9, stream=out)
    for step in range(300):
        clock.now += 1.0
        progress.update(step)
    assert len(out.getvalue().splitlines()) == 5


def test_an_early_end_of_a_stage_shortens_the_total(clock: Clock) -> None:
    progress = Progress(1000, stream=io.StringIO())
    clock.now = 10.0
    progress.stage("vibrate", 100, remaining=300)
    assert progress.total == 400
    assert progress.eta(100) == pytest.approx(30.0)


def test_resumed_run_counts_its_own_steps(clock: Clock) -> None:
    progress = Progress(1000, done=500, stream=io.StringIO())
    assert progress.eta(500) is None
    clock.now = 10.0
    assert progress.eta(600) == pytest.approx(40.0)


def test_other_ranks_are_silent(clock: Clock) -> None:
    out = io.StringIO()
    progress = Progress(10, rank=1, stream=out)
    progress.stage("x", 0)
    clock.now = 1e6
    progress.update(9)
    progress.message("hello")
    summary({"steps": 1}, rank=1, stream=out)
    assert out.getvalue() == ""


def test_terminal_bar() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    with Progress(10, stream=out) as progress:
        progress.stage("settle", 0)
        progress.update(5, "note")
        progress.close()
    assert "stage 'settle' begins at step 0" in out.getvalue()
    assert "5/10" in out.getvalue()


def test_summary() -> None:
    out = io.StringIO()
    values = {
        "steps": 100, "cundall": 1.234e6, "contacts_per_grain": 3.4,
        "shares": {"contacts": 0.7, "output": 0.013}, "energy": {"kinetic": 2.0, "residual": 1e-9},
    }  # fmt: skip
    summary(values, stream=out)
    lines = [" ".join(line.split()) for line in out.getvalue().splitlines()]
    assert lines == [
        "steps 100",
        "Cundall number (particle steps per CPU second) 1.234e+06",
        "contacts per grain 3.4",
        "share of contacts 70.0 %",
        "share of output 1.3 %",
        "energy: kinetic 2 J",
        "energy: residual 1e-09 J (5.0e-10 of the largest)",
    ]


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def test_pieces_of_work_are_counted(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line now and then, and at the end."""
    out = io.StringIO()
    monkeypatch.setattr("sys.stderr", out)
    with Countdown("frame", 30) as show:
        for k in range(30):
            clock.now += 1.0
            show(k + 1)
    assert out.getvalue().splitlines() == ["frame 10 of 30", "frame 20 of 30", "frame 30 of 30"]


def test_a_terminal_shows_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    out = Terminal()
    monkeypatch.setattr("sys.stderr", out)
    with Countdown("frame", 3) as show:
        for k in range(3):
            show(k + 1)
    assert "frames" in out.getvalue()
    assert "3/3" in out.getvalue()
