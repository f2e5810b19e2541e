"""``scrapy state``: shows, checks and corrects what is known of hosts and documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from woo_harvester.running.command import ProjectCommand
from woo_harvester.utils.program import counted, program, suggestion

if TYPE_CHECKING:
    import argparse

_OPTIONS = ("format", "output", "withdrawn", "fix", "verbose")


@dataclass(frozen=True, slots=True)
class Action:
    """An action of the command, such as ``forget``."""

    method: str
    """Its method of ``StateActions``."""
    arguments: str
    """The arguments as the help shows them."""
    least: int
    """The minimum number of arguments."""
    most: int | None
    """The maximum number of arguments; None for any number."""
    options: frozenset[str] = frozenset()
    """The options that the action accepts."""


_FILES, _HOSTS = "FILE...", "HOST..."
ACTIONS = {
    "forget": Action("forget", "HOST|URL...", 1, None),
    "confirm": Action("confirm", _HOSTS, 1, None),
    "restore": Action("restore", _HOSTS, 1, None),
    "again": Action("again", "HOST|URL...", 1, None),
    "check": Action("check", _FILES, 1, None, frozenset({"fix", "verbose"})),
    "latest": Action("latest", _FILES, 1, None, frozenset({"output", "withdrawn", "format"})),
    "documents": Action("documents", "FOLDER [FILE...]", 1, None),
}


class Command(ProjectCommand):
    """Shows, checks and corrects the state.

    Exit status 1 if it failed, or ``check`` found something, and 2 for a wrong argument.
    """

    name = "state"
    arguments = "[ACTION] [ARGUMENTS] [options]"
    summary = "Show, check and correct what is known of hosts and documents"
    description = (
        "Without an action: a table of hosts. Actions: "
        + "; ".join(f"{name} {action.arguments}".strip() for name, action in ACTIONS.items())
        + ". See docs/how-to/state.md."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--format",
            metavar="jsonl|csv|csv-nl",
            help="latest: default by the file's name; csv-nl is for Excel in Dutch",
        )
        parser.add_argument("-O", "--output", metavar="FILE", help="latest: write to this file")
        parser.add_argument("--withdrawn", action="store_true", help="latest: withdrawn documents too")
        parser.add_argument(
            "--fix", action="store_true", help="check: let the state take over what only the files have"
        )
        parser.add_argument("-v", "--verbose", action="store_true", help="check: list each difference")

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the action that *args* names."""
        from woo_harvester.operating.actions import StateActions

        action = _action_of(args, opts)
        StateActions(self).perform(action.method, args[1:], opts)


def _action_of(args: Sequence[str], opts: argparse.Namespace) -> Action:
    """Return the action that is typed, or the table if none is. Raises UsageError for wrong arguments."""
    name = args[0] if args else ""
    if name and name not in ACTIONS:
        raise UsageError(f"unknown action {name}: {suggestion(name, ACTIONS)}")
    action = ACTIONS.get(name, _TABLE)
    usage = f"{program()} state {name} {action.arguments}".strip()
    for given in args[1:]:
        if not given or (action.arguments == _HOSTS and "/" in given):
            raise UsageError(f"expected: {usage}; got {given or 'an empty argument'}")
    for option in _OPTIONS:
        if getattr(opts, option) and option not in action.options:
            fitting = [each for each, other in ACTIONS.items() if option in other.options]
            raise UsageError(f"option --{option} belongs to {' and '.join(fitting)}, not to: {usage}")
    count = len(args) - 1 if args else 0
    if count < action.least or (action.most is not None and count > action.most):
        raise UsageError(f"expected: {usage}; got {counted(count, 'argument')}")
    return action


_TABLE = Action("show_hosts", "", 0, 0)
