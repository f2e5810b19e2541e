"""The machinery of the simulation: a history replays, a failure is shrunk and printed, faults are found."""

from __future__ import annotations

import subprocess
import sys
from random import Random

import pytest

from tests.simulation.faults import FAULTS, planted
from tests.simulation.play import Simulation, Step, shrink, simulate
from tests.utils.command import ROOT


class _Counting:
    """A world that fails once there are three of a kind."""

    def __init__(self, random: Random) -> None:
        self.story: list[str] = []
        self.closed = False

    def do(self, kind: str, random: Random) -> None:
        self.story.append(f"{kind} {random.randrange(100)}")
        assert sum(line.startswith("bad") for line in self.story) < 3, "three are too many"

    def end(self) -> None:
        assert not self.closed

    def close(self) -> None:
        self.closed = True


COUNTING = Simulation("counting", _Counting, {"good": 3, "bad": 1}, 40)


def test_a_step_does_the_same_when_others_are_left_out() -> None:
    steps = COUNTING.steps(7)
    worlds = [_Counting(Random(0)), _Counting(Random(0))]
    for step in steps[:10]:
        worlds[0].do("good", Random(step.seed))
    for step in steps[5:10]:
        worlds[1].do("good", Random(step.seed))
    assert worlds[0].story[5:] == worlds[1].story
    assert steps == COUNTING.steps(7)


def test_a_failure_is_shrunk_and_printed_with_its_number() -> None:
    with pytest.raises(AssertionError, match="three are too many") as failure:
        simulate(COUNTING, 5)
    first, *story, last = failure.value.__notes__
    assert first == "3 of 40 steps are enough:"
    assert len(story) == 3
    assert all(line.startswith("bad") for line in story)
    assert "make simulate ONLY=counting SEED=" in last


def test_shrinking_ends_in_time() -> None:
    steps = [Step("bad", number) for number in range(10)]
    assert shrink(lambda fewer: True, steps, seconds=-1) == steps
    assert shrink(lambda fewer: Step("bad", 3) in fewer, steps) == [Step("bad", 3)]


def test_the_place_of_each_fault_is_in_the_code() -> None:
    for fault in FAULTS:
        with planted(fault):
            pass


@pytest.mark.parametrize(
    "name", ["one host that lacks it suffices", "what is no message is never asked for again"]
)
def test_the_simulation_finds_a_fault(name: str) -> None:
    command = [sys.executable, "-m", "tests.simulation.faults", "60", name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.startswith(f"| {name} |"), done.stderr
    assert "not in" not in done.stdout
