"""The page ``docs/commands.md``: each command with its options and exit statuses, and the spiders' arguments.

Names, options and their help are those that ``--help`` shows.
"""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import iter_modules

from scrapy.settings import Settings

from woo_harvester import commands
from woo_harvester.commands.state import ACTIONS
from woo_harvester.reference.markdown import code, head, table
from woo_harvester.running.command import GLOBAL_GROUP, ProjectCommand

_INTRODUCTION = """\
`woo-harvester NAME --help` shows the same. In a checkout the commands are also `.venv/bin/scrapy NAME`, and
in a Scrapy project [with the add-on](project.md) `scrapy NAME`. Scrapy's own commands (`shell`, `fetch`,
`list` …) are there too; [Scrapy's page](https://docs.scrapy.org/en/latest/topics/commands.html) has them.
"""

_EXIT = """\
A command ends with status 0 if it did its work, 1 if it could not or found what it is to warn of, and 2 for a
wrong argument, option or setting. Publishers' faults never change the status of a run. The last line on
stderr names the cause of a failure, and so does the last line of `LOG_FILE` where that is set and can be
written. A run ends with status 1 for:

- a register that cannot be fetched, without an earlier copy, or that has no usable URL;
- a state that is locked, damaged or newer than the program;
- a full disk, an output that could not be written, a document that Elasticsearch refuses;
- certificates that cannot be used, or nearly all hosts out of reach in the same way
  ([faults on your own side](how-to/trouble.md#faults-on-your-own-side));
- too little memory, threads or files;
- a stop that did not end in time, or a second signal.

The next run makes up for it.

### Stopping a run

A run that is stopped (SIGTERM, Ctrl-C, `CLOSESPIDER_*`) or killed withdraws nothing, and the next run goes on
where it ended. A stop takes at most `WOO_STOP_TIMEOUT` (20 s):

1. The run gives up at once the requests that wait for their turn, and after a quarter of that time those
   under way.
2. It closes outputs, state and report.

A document that was given up has no finding, and the next run requests it. If you stop runs from a program,
let it wait a little longer than that before it kills them. A second signal ends the run at once, as a kill
does. Do not set `JOBDIR`: a run refuses to start with it, since a resumed queue may lose documents without a
word.
"""

_ARGUMENTS = """\
An argument has `-a` before it: `woo-harvester crawl woo -a domains=www.gemeente.nl`.
"""

_REGISTER = (
    "the ROO export to read, a file or URL; the default is the public daily export (setting `WOO_REGISTER`)"
)
_SHARD = "only the hosts of shard 2 of 8, divided by a hash of the host"
_RESET = "forget what is known of these hosts first"

#: For each spider and argument: an example, and the meaning.
ARGUMENTS: dict[str, dict[str, tuple[str, str]]] = {
    "woo": {
        "domains": (
            "www.a.nl,open.b.nl:8443",
            "only these hosts: host, host:port, or a URL. A host that is not in the register counts as "
            "registered for this run, with a finding",
        ),
        "organisation": (
            "gm0363,Utrecht",
            "only the hosts of these organisations: TOOI URI, the code at the end of it, `systeemId` or "
            "name, in any letter case; or a kind, such as `provincie` or `waterschap`. `woo-harvester state"
            " hosts NAME` shows their hosts",
        ),
        "categories": (
            "014,convenanten",
            "only documents of these informatiecategorieën: number, label or URI "
            "([categories.md](categories.md)). [The rest stays unknown](how-to/harvest.md#some-of-the-"
            "documents): a later run delivers it",
        ),
        "since": (
            "2026-01-01",
            "only documents with that lastmod or a newer one. The rest stays unknown, as with `categories`",
        ),
        "documents": (
            "download",
            "what happens to each document: `download` fetches it (size, SHA-256, type by its bytes), "
            "`head` asks for its headers, and for [the beginning of a few](fetching.md#what-head-sees) "
            "whose headers do not show what they are, `none` makes no request and takes the file type from "
            "metadata and URL. The default is `head`, or `download` if `FILES_STORE` or `WOO_TEXT` is set",
        ),
        "register": ("FILE_OR_URL", _REGISTER),
        "shard": ("2/8", _SHARD),
        "deltafetch_reset": ("1", _RESET),
    },
    "vergunningen": {
        "entries": (
            "entries.csv",
            "required: URLs of entry pages with commas between, or a CSV file with the columns "
            "`organisatie,url`, as a path or a URL",
        ),
        "domains": ("www.a.nl", "only the entry pages on these hosts"),
        "register": ("FILE_OR_URL", _REGISTER),
        "shard": ("2/8", _SHARD),
        "deltafetch_reset": ("1", _RESET),
    },
}

#: What holds for a status of which a command says nothing.
_STATUSES = {0: "it did its work", 1: "it failed", 2: "a wrong argument, option or setting"}

#: The commands that the page has first.
_FIRST = ("crawl", "audit")

#: A page that a help text names.
_PAGE = re.compile(r"docs/([\w/-]+\.md)")


def render() -> str:
    """Return the page as Markdown."""
    known = load_commands()
    overview = ((f"[{code(name)}](#{name})", each.short_desc()) for name, each in known.items())
    return "\n".join(
        [
            head("woo_harvester/commands/", "Commands"),
            _INTRODUCTION,
            *table(("command", "what it does"), overview),
            "## Exit status\n",
            _EXIT,
            "## Arguments of the spiders\n",
            _ARGUMENTS,
            *_arguments(),
            *(line for command in known.values() for line in _command(command)),
            "## Options of all commands\n",
            "Every command has these options of Scrapy:\n",
            *table(("option", "meaning"), _options(known["crawl"], of_all=True)),
        ]
    )


def load_commands() -> dict[str, ProjectCommand]:
    """Return the project's own commands by name, in the order of the page."""
    modules = (import_module(f"{commands.__name__}.{each.name}") for each in iter_modules(commands.__path__))
    made = [module.Command() for module in modules if issubclass(module.Command, ProjectCommand)]
    by_name = {command.name: command for command in sorted(made, key=lambda command: command.name)}
    return {name: by_name[name] for name in dict.fromkeys((*_FIRST, *by_name))}


def _arguments() -> Iterator[str]:
    for spider, arguments in ARGUMENTS.items():
        yield f"### {code(f'crawl {spider}')}\n"
        rows = ((code(f"-a {name}={example}"), meaning) for name, (example, meaning) in arguments.items())
        yield from table(("argument", "meaning"), rows)


def _command(command: ProjectCommand) -> Iterator[str]:
    yield f"## {command.name}\n"
    yield f"    woo-harvester {command.name} {command.syntax()}\n"
    yield f"{_linked(command.long_desc()).removesuffix('.')}.\n"
    if command.name == "state":
        actions = (
            (code(f"{name} {action.arguments}".strip()), _summary(action.run))
            for name, action in ACTIONS.items()
        )
        yield from table(("action", "what it does"), actions)
    if options := list(_options(command)):
        yield from table(("option", "meaning"), options)
    statuses = {**_STATUSES, **command.exit_statuses}
    yield from table(("exit status", "when"), ((str(status), when) for status, when in statuses.items()))


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
    return _PAGE.sub(r"[\1](\1)", text)


def _summary(function: Callable[..., object]) -> str:
    return " ".join((inspect.getdoc(function) or "").partition("\n\n")[0].replace("``", "`").split())
