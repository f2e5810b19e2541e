"""Faults planted in the harvester, to measure whether the simulation finds them.

``faults.toml`` has them: each is a piece of the code and what stands there instead.
``python -m tests.simulation.faults 60`` plays histories with each for a minute of processor time at most, so
that a busy machine finds as many, and prints a table; words after the seconds choose some of them. Of the
first :data:`FIRST` histories those come first in which the steps are frequent that the fault needs.
"""

from __future__ import annotations

import math
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import NamedTuple

from tests.simulation.documents import documents
from tests.simulation.permits import permits
from tests.simulation.play import Simulation

FIRST = 1000
FILE = Path(__file__).with_suffix(".toml")


class Fault(NamedTuple):
    """A fault: its name, the module, a piece of its code, and what stands there instead."""

    name: str
    module: str
    right: str
    wrong: str
    simulation: str = "documents"
    """Which one is to find it."""
    steps: tuple[str, ...] = ()
    """The kinds of steps that it needs, if these are rare."""


SIMULATIONS: dict[str, Callable[[str, str], Simulation]] = {"documents": documents, "permits": permits}
FAULTS = [Fault(**each) for each in tomllib.loads(FILE.read_text(encoding="utf-8"))["faults"]]


@contextmanager
def planted(fault: Fault) -> Iterator[None]:
    """Have the harvester do a fault while the block runs."""
    module = import_module(f"woo_harvester.{fault.module}")
    source = Path(str(module.__file__)).read_text(encoding="utf-8")
    assert source.count(fault.right) == 1, (
        f"{fault.name}: its place in {fault.module} is not there, or not alone"
    )
    wrong = dict(_codes(compile(source.replace(fault.right, fault.wrong), str(module.__file__), "exec")))
    right = {function: function.__code__ for function in _functions(module)}
    try:
        for function in right:
            function.__code__ = wrong[function.__code__.co_qualname]
        yield
    finally:
        for function, code in right.items():
            function.__code__ = code


def _codes(code: CodeType) -> Iterator[tuple[str, CodeType]]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each.co_qualname, each
            yield from _codes(each)


def _functions(module: ModuleType) -> Iterator[FunctionType]:
    """The functions and methods of a module that its source has."""
    classes = [each for each in vars(module).values() if isinstance(each, type)]
    for owner in (module, *(each for each in classes if each.__module__ == module.__name__)):
        for each in vars(owner).values():
            function = getattr(each, "__func__", None) or getattr(each, "fget", None) or each
            function = getattr(function, "__wrapped__", function)
            if isinstance(function, FunctionType) and function.__code__.co_filename == module.__file__:
                yield function


def find(
    fault: Fault, simulation: Simulation, seconds: float = math.inf, histories: float = math.inf
) -> tuple[int, float, str]:
    """Play histories with a fault; return how many, their processor time in seconds, and what was found."""
    began, count, found = time.process_time(), 0, ""

    def lacks(number: int) -> int:
        return -sum(step.kind in fault.steps for step in simulation.steps(number))

    with planted(fault):
        for number in sorted(range(1, FIRST + 1), key=lacks):
            if found or count >= histories or time.process_time() - began > seconds:
                break
            count += 1
            if (failure := simulation.play(number, simulation.steps(number))) is not None:
                found = str(failure.error).partition("\n")[0]
    return count, time.process_time() - began, found


def main(arguments: Sequence[str]) -> None:
    """Print a table of the faults."""
    seconds, words = float(arguments[0]) if arguments else 60.0, arguments[1:]
    for fault in FAULTS:
        if not words or any(word in fault.name for word in words):
            simulation = SIMULATIONS[fault.simulation]("", fault.name)
            count, took, found = find(fault, simulation, seconds)
            print(
                f"| {fault.name} | {count if found else 'not in ' + str(count)} | {took:.0f} s | {found} |",
                flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1:])
    sys.stdout.flush()
