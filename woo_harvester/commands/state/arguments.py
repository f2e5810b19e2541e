"""The arguments of ``scrapy state``, and their checks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from scrapy.exceptions import UsageError

from woo_harvester.commands.state.output import number
from woo_harvester.register.register import parse_shard
from woo_harvester.running.arguments import suggestion
from woo_harvester.utils.program import program
from woo_harvester.utils.urls import host_of

if TYPE_CHECKING:
    import argparse

    from woo_harvester.commands.state import Command

_OPTIONS = ("host", "shard", "format", "output", "withdrawn", "fix", "verbose", "remove", "fetch")


@dataclass(frozen=True, slots=True)
class Action:
    """An action of the command, such as ``export``."""

    run: Callable[[Command, list[str], argparse.Namespace], None]
    arguments: str
    """The arguments as the help shows them."""
    least: int
    """The minimum number of arguments."""
    most: int | None
    """The maximum number of arguments; None for any number."""
    options: frozenset[str] = frozenset()
    """The options that the action accepts."""


def action_of(
    args: Sequence[str], opts: argparse.Namespace, actions: Mapping[str, Action], default: Action
) -> Action:
    """Return the action that is typed, or *default* if none is. Raises UsageError for wrong arguments."""
    name = args[0] if args else ""
    if name and name not in actions:
        raise UsageError(f"unknown action {name}: {suggestion(name, actions)}")
    action = actions.get(name, default)
    usage = f"{program()} state {name} {action.arguments}".strip()
    if "" in args[1:]:
        raise UsageError(f"expected: {usage}; got an empty argument")
    for option in _OPTIONS:
        if getattr(opts, option) and option not in action.options:
            fitting = [each for each, other in actions.items() if option in other.options]
            raise UsageError(f"option --{option} belongs to {' and '.join(fitting)}, not to: {usage}")
    count = len(args) - 1 if args else 0
    if count < action.least or (action.most is not None and count > action.most):
        raise UsageError(f"expected: {usage}; got {number(count, 'argument')}")
    return action


def known_host(given: str, hosts: Sequence[str]) -> str:
    """Return the host in the state that *given* names, as a host or a URL. Raises UsageError."""
    try:
        host = host_of(given if "://" in given else f"https://{given}")
    except ValueError as error:
        raise UsageError(str(error)) from None
    is_page = re.search(r"[/?#]", given.rpartition("://")[2].rstrip("/"))
    if host not in hosts or is_page:
        close = get_close_matches(host, hosts, n=1, cutoff=0.8)
        meant = f": did you mean {close[0]}?" if close and not is_page else ""
        raise UsageError(f"the state does not know {given}{meant}")
    return host


def shard_given(given: str) -> tuple[int, int]:
    """Return the number of a shard and the number of shards. Raises UsageError."""
    try:
        return parse_shard(given)
    except ValueError as error:
        raise UsageError(f"option --shard: {error}") from None


def require_json_lines(given: str | None, path: Path | None) -> None:
    """Raise UsageError if the format is another one than that of an exported state."""
    if format_of(given, path) == "csv":
        raise UsageError("an exported state is JSON Lines, not CSV: name a file such as state.jsonl")


def format_of(given: str | None, path: Path | None) -> Literal["jsonl", "csv"]:
    """Return the format: *given*, or else from the name of the file. Raises UsageError."""
    name = given or (path.suffix.removeprefix(".").lower() if path else "")
    if name == "csv":
        return "csv"
    if given not in (None, "jsonl"):
        raise UsageError(f"expected --format jsonl or --format csv, got {given}")
    return "jsonl"
