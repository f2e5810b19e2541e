"""The page ``docs/commands.md``: each command with its options and exit statuses, and the spiders' arguments.

Names, options and their help are those that ``--help`` shows.
"""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from scrapy.settings import Settings

from tools.reference.markdown import code
from woo_harvester import commands
from woo_harvester.commands.state import ACTIONS
from woo_harvester.operating.actions import StateActions
from woo_harvester.running.command import GLOBAL_GROUP, ProjectCommand

#: The commands that the page has first.
_FIRST = ("crawl", "audit")

_DOCS = Path(__file__).parents[2] / "docs"

#: A page that a help text names.
_PAGE = re.compile(r"docs/([\w/-]+\.md)")


def values() -> dict[str, Any]:
    """Return the commands, and the options that all of them have."""
    known = load_commands()
    return {
        "overview": [(f"[{code(name)}](#{name})", each.short_desc()) for name, each in known.items()],
        "commands": [
            {
                "name": name,
                "syntax": each.syntax(),
                "description": _description(each),
                "tables": _tables(each),
            }
            for name, each in known.items()
        ],
        "shared_options": _options(known["crawl"], of_all=True),
    }


def load_commands() -> dict[str, ProjectCommand]:
    """Return the project's own commands by name, in the order of the page."""
    modules = (import_module(f"{commands.__name__}.{each.name}") for each in iter_modules(commands.__path__))
    made = [module.Command() for module in modules if issubclass(module.Command, ProjectCommand)]
    by_name = {command.name: command for command in sorted(made, key=lambda command: command.name)}
    return {name: by_name[name] for name in dict.fromkeys((*_FIRST, *by_name))}


def _description(command: ProjectCommand) -> str:
    """Return what ``--help`` says of a command beyond the sentence that the overview has."""
    description = command.long_desc()
    return "" if description == command.short_desc() else f"{_linked(description).removesuffix('.')}."


def _tables(command: ProjectCommand) -> Iterator[tuple[tuple[str, str], Iterable[tuple[str, str]]]]:
    """Yield the heads and the rows of each table of a command."""
    if command.name == "state":
        actions = (
            (code(f"{name} {action.arguments}".strip()), _summary(getattr(StateActions, action.method)))
            for name, action in ACTIONS.items()
        )
        yield ("action", "what it does"), actions
    if options := list(_options(command)):
        yield ("option", "meaning"), options


def _options(command: ProjectCommand, *, of_all: bool = False) -> Iterator[tuple[str, str]]:
    """Return a row for each option of the command itself, or of all commands."""
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    command.settings = Settings()
    command.add_options(parser)
    for group in parser._action_groups:
        for action in group._group_actions:
            if action.dest != "help" and (group.title == GLOBAL_GROUP) is of_all:
                yield _names(action), _linked(action.help or "")


def _names(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else f" {action.metavar or action.dest.upper()}"
    more = "…" if action.nargs == "+" else ""
    return code(f"{', '.join(action.option_strings)}{value}{more}")


def _linked(text: str) -> str:
    """Return a help text with a link for each page that it names."""
    return _PAGE.sub(lambda page: f"[{_title(page[1])}]({page[1]})", text)


def _title(page: str) -> str:
    """Return the title of a page in ``docs/``."""
    return (_DOCS / page).read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def _summary(function: Callable[..., object]) -> str:
    return " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].replace("``", "`").split())
