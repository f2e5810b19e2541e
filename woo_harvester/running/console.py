"""The command ``woo-harvester``: this project's commands, also outside a Scrapy project.

Outside a Scrapy project the settings are those of this package. In a Scrapy project it does what ``scrapy``
does there, with the settings of that project.
"""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, NoReturn

import scrapy
from scrapy import cmdline
from scrapy.commands import ScrapyCommand
from scrapy.utils.conf import init_env
from scrapy.utils.misc import walk_modules_iter
from scrapy.utils.project import ENVVAR, get_project_settings

from woo_harvester.running.causes import cause_of
from woo_harvester.running.streams import to_stdout, write_stderr
from woo_harvester.utils.program import NAME, VERSION, program, suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

#: The settings outside a Scrapy project.
SETTINGS_MODULE = "woo_harvester.settings"

_OVERVIEW = """\
{name} {version}

Usage:
  {program} <command> [options] [arguments]

Commands:
{commands}

Commands of Scrapy: {of_scrapy}

"{program} <command> -h" shows the options of a command."""


class _Parser(cmdline.ScrapyArgumentParser):
    """Scrapy's parser of options, with the name of this command in the line of usage."""

    def __init__(self, *, usage: str, **kwargs: Any) -> None:
        super().__init__(usage=f"{program()} {usage.removeprefix('scrapy ')}", **kwargs)


def main() -> NoReturn:
    """Run the command in ``sys.argv``, and exit with its status.

    The status is 2 for an unknown command, and 1 if the settings of the project cannot be read.
    """
    given = sys.argv[1:]
    if given in (["--version"], ["version"]):
        _print(f"{NAME} {VERSION} (Scrapy {scrapy.__version__}, Python {platform.python_version()})")
    commands = _commands()
    name = next((each for each in given if not each.startswith("-")), None)
    if name is None:
        _print(_overview(commands))
    if name not in commands:
        _refuse(f"unknown command {name}: {suggestion(name, commands)}")
    cmdline.ScrapyArgumentParser = _Parser  # type: ignore[assignment,misc]  # no other place for it
    cmdline.execute()
    raise SystemExit(0)  # not reached: execute() exits


def _commands() -> Mapping[str, ScrapyCommand]:
    """Return the commands that the settings give: those of the project, else those of this package."""
    try:
        init_env(os.environ.get("SCRAPY_PROJECT", "default"))
        os.environ.setdefault(ENVVAR, SETTINGS_MODULE)  # processes that are started here need it too
        own = get_project_settings()["COMMANDS_MODULE"]
        found = {one.name: one.load()() for one in entry_points(group="scrapy.commands")}
        for package in filter(None, ("scrapy.commands", own)):
            for module in walk_modules_iter(package):
                if (command := _command_in(module)) is not None and module.__name__ != package:
                    found[module.__name__.rpartition(".")[2]] = command()
    except Exception as error:
        write_stderr(f"{program()}: error: the settings {os.environ.get(ENVVAR)}: {cause_of(error)}")
        raise SystemExit(1) from error
    return found


def _command_in(module: ModuleType) -> type[ScrapyCommand] | None:
    """Return the command that a module defines, or None."""
    classes = (each for each in vars(module).values() if isinstance(each, type))
    mine = (each for each in classes if each.__module__ == module.__name__)
    return next((each for each in mine if issubclass(each, ScrapyCommand)), None)


def _overview(commands: Mapping[str, ScrapyCommand]) -> str:
    """Return the help of the command as a whole."""
    of_scrapy = [name for name, command in commands.items() if type(command).__module__.startswith("scrapy.")]
    own = {name: command for name, command in sorted(commands.items()) if name not in of_scrapy}
    return _OVERVIEW.format(
        name=NAME,
        version=VERSION,
        program=program(),
        commands="\n".join(f"  {name:<14} {command.short_desc()}" for name, command in own.items()),
        of_scrapy=", ".join(sorted(of_scrapy)),
    )


def _print(text: str) -> NoReturn:
    """Print a text, and exit."""
    try:
        with to_stdout():
            print(text)
    except OSError as error:
        write_stderr(f"{program()}: error: {cause_of(error)}")
        raise SystemExit(1) from error
    raise SystemExit(0)


def _refuse(message: str) -> NoReturn:
    """Write a line of error about a wrong argument, and exit with status 2."""
    write_stderr(f"{program()}: error: {message}")
    raise SystemExit(2)
