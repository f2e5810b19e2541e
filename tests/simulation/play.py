"""How histories are played: which, for how long, and what is shown of one that fails.

A history is plain data: the number that it begins with, and steps. Each step is something that a publisher,
an operator or a machine does, with a seed of its own. So a step may be left out, and the others do as before.
A history that fails is shrunk to few steps, and printed as a story.

``python -m tests.simulation.documents`` and ``python -m tests.simulation.permits`` play histories by these
variables. ``WOO_SIMULATE_EXAMPLES`` says how many; they are always the same, so that a change to the code is
what makes a test fail. ``WOO_SIMULATE_UNTIL`` (seconds since 1970) says until when instead; then each call
has others. ``WOO_SIMULATE_SEED`` plays one history again; the order of sets is part of it, so
``PYTHONHASHSEED`` must be what it was (``make`` sets it to 0). ``WOO_SIMULATE_STATE`` is the state's URL.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from secrets import randbits
from traceback import extract_tb
from typing import NamedTuple, Protocol

from tests.simulation.runs import web

EXAMPLES = int(os.environ.get("WOO_SIMULATE_EXAMPLES", "30"))
UNTIL = float(os.environ.get("WOO_SIMULATE_UNTIL", "0"))
SEED = os.environ.get("WOO_SIMULATE_SEED")
STATE = os.environ.get("WOO_SIMULATE_STATE", "")
#: The steps in which a run is killed. It is a process of its own then, which takes several times as long: one
#: history in so many has such steps.
KILLING = {"run_killed", "run_two_at_once"}
KILLS = 8
#: How long a history that fails is shrunk, in seconds.
SHRINKING = 60.0
_HASHES = os.environ.get("PYTHONHASHSEED", "random")


class Step(NamedTuple):
    """Something that somebody does."""

    kind: str
    seed: int


class World(Protocol):
    """What a history is played in; made with the random numbers of its beginning."""

    story: list[str]
    """What happened, a line each."""

    def do(self, kind: str, random: Random) -> None:
        """Do one step. Raises an error if a promise is broken."""

    def end(self) -> None:
        """Check what is true after all steps."""

    def close(self) -> None:
        """Release what the world has."""


@dataclass(frozen=True)
class Simulation:
    """What is simulated: how a world is made, what may happen in it and how often, and how much does."""

    name: str
    make: Callable[[Random], World]
    kinds: Mapping[str, int]
    length: int

    def steps(self, number: int) -> list[Step]:
        """Return the steps of a history.

        Each has kinds of its own that are frequent, and others that do not happen: what needs several rare
        steps together is found sooner.
        """
        random = Random(number)
        weights = [weight * random.choice((0, 1, 1, 4)) for weight in self.kinds.values()]
        if number % KILLS:
            weights = [
                weight * (kind not in KILLING) for kind, weight in zip(self.kinds, weights, strict=True)
            ]
        kinds = random.choices(list(self.kinds), weights if any(weights) else None, k=self.length)
        return [Step(kind, random.getrandbits(32)) for kind in kinds]

    def play(self, number: int, steps: Sequence[Step]) -> Failure | None:
        """Play a history; return how it fails, or None."""
        world = self.make(Random(number))
        try:
            for step in steps:
                world.do(step.kind, Random(step.seed))
            world.end()
        except Exception as error:
            return Failure(error, world.story)
        finally:
            world.close()
        return None


@dataclass(frozen=True)
class Failure:
    """An error, and what happened until then."""

    error: Exception
    story: Sequence[str]

    @property
    def place(self) -> tuple[str, str]:
        """The kind of the error and the check that found it: what stays the same while it is shrunk."""
        return type(self.error).__name__, extract_tb(self.error.__traceback__)[-1].name


def shrink(
    fails: Callable[[Sequence[Step]], bool], steps: Sequence[Step], seconds: float = SHRINKING
) -> list[Step]:
    """Return as few of the steps as still fail; leave out halves, then quarters, at last single ones."""
    until, kept = time.monotonic() + seconds, list(steps)
    size = max(1, len(kept) // 2)
    while size:
        before = len(kept)
        for start in range(max(0, len(kept) - size), -size, -size):
            fewer = kept[: max(0, start)] + kept[start + size :]
            if time.monotonic() > until:
                return kept
            if len(fewer) < len(kept) and fails(fewer):
                kept = fewer
        size = size if size == 1 and len(kept) < before else size // 2
    return kept


def simulate(simulation: Simulation, examples: int = EXAMPLES) -> int:
    """Play histories until the budget is spent; return how many. A failure is raised with its story."""
    if SEED is not None:
        assert _HASHES != "random", "Set PYTHONHASHSEED as it was printed, else the history is another one"
        _play_one(simulation, int(SEED))
        return 1
    gc.set_threshold(50_000)  # a history has few objects that live long: a fifth less of its time
    first, began = randbits(32) if UNTIL else 1, time.monotonic()
    number = first
    while time.time() < UNTIL if UNTIL else number < first + examples:
        _play_one(simulation, number)
        number += 1
    count, seconds = number - first, time.monotonic() - began
    line = f"{count} histories of {simulation.name} from {first} on, {seconds / count:.1f} seconds each"
    print(line, file=sys.__stderr__)
    return count


def _play_one(simulation: Simulation, number: int) -> None:
    steps = simulation.steps(number)
    if (failure := simulation.play(number, steps)) is None:
        return

    def fails(fewer: Sequence[Step]) -> bool:
        again = simulation.play(number, fewer)
        return again is not None and again.place == failure.place

    few, last = steps, failure
    if not STATE:  # a database is as the history has left it
        few = shrink(fails, steps)
        last = simulation.play(number, few) or failure
    for line in (
        f"{len(few)} of {len(steps)} steps are enough:",
        *last.story,
        f"All steps again: make simulate ONLY={simulation.name} SEED={number} (PYTHONHASHSEED={_HASHES})",
    ):
        last.error.add_note(line)
    raise last.error


def main(simulation: Simulation) -> None:
    """Play histories in this process, which has Scrapy's reactor from then on."""
    status = 0
    try:
        simulate(simulation)
    except AssertionError as failure:
        print(failure, *getattr(failure, "__notes__", []), sep="\n", flush=True)
        status = 1
    shutil.rmtree(web().folder)
    os._exit(status)  # threads of the reactor would wait for ever
