"""The page ``docs/settings.md``: the project's own settings, and the Scrapy settings that it changes.

The reason for a change is taken from the comment above it in ``settings.py`` or ``addon.py``.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from scrapy.settings import default_settings
from scrapy.utils.misc import load_object

from woo_harvester import addon
from woo_harvester import settings as project
from woo_harvester.default_settings import SUBJECTS
from woo_harvester.default_settings.setting import MB, Setting
from woo_harvester.reference.markdown import code, head, table

_INTRODUCTION = """\
Give a setting in `settings.py`, or with `-s NAME=VALUE` on the command line. A project that uses the add-on
(`ADDONS = {"woo_harvester.Addon": 500}`) gives it in its own settings, which win.

The settings that begin with `WOO_` can also be environment variables of the same name
(`WOO_STATE_URL=… scrapy crawl woo`). Servers and containers keep there what differs between machines, and
passwords, which everybody could see on a command line. An empty variable does not count, and `-s` wins.
A project that uses the add-on adds this line to its settings for the same effect:
`globals().update(woo_harvester.default_settings.from_environment(os.environ))`.
"""

#: A line that gives a setting its value: in a module, or as a key of a dict.
_ASSIGNMENT = re.compile(r'"?([A-Z][A-Z0-9_]+)(?: = |": )')

#: Scrapy's own value at the start of a comment; the page has it in a column instead.
_SCRAPYS_VALUE = re.compile(r"^Scrapy: .+?(?:\. |$)")

#: Settings that only identify the project, so that the page leaves them out.
IDENTITY = {"BOT_NAME", "SPIDER_MODULES", "COMMANDS_MODULE", "ADDONS"}


def render() -> str:
    """Return the page as Markdown."""
    return "\n".join(
        [
            head("woo_harvester/default_settings/, settings.py and addon.py", "Settings"),
            _INTRODUCTION,
            "## The project's own\n",
            *_own(),
            "## Scrapy's settings that have another value\n",
            "Set in `woo_harvester/settings.py`, so they apply to this project only:\n",
            *table(("setting", "here", "Scrapy", "why"), _changes(project, vars(project))),
            "Set by the add-on, since its components need them:\n",
            *table(("setting", "here", "Scrapy", "why"), _changes(addon, addon.SETTINGS)),
            "## Components\n",
            "In running order. A component that a project places itself stays where it is.\n",
            *table(("setting", "place", "component", "what it does"), _components()),
        ]
    )


def reasons(source: str) -> dict[str, str]:
    """Return the reason for each setting in *source*: the comment above it, or above its group."""
    found: dict[str, str] = {}
    comment: list[str] = []
    previous = ""
    for line in map(str.strip, source.splitlines()):
        if line.startswith("#"):
            comment = [*comment, line.lstrip("#: ")] if previous.startswith("#") else [line.lstrip("#: ")]
        elif match := _ASSIGNMENT.match(line):
            found[match[1]] = _SCRAPYS_VALUE.sub("", " ".join(comment))
        else:
            comment = []
        previous = line
    return found


def _own() -> Iterator[str]:
    for subject, settings in SUBJECTS.items():
        yield f"### {subject}\n"
        yield from table(("setting", "default", "unit", "what it does"), map(_row, settings))


def _row(setting: Setting) -> tuple[str, ...]:
    return code(setting.name), _default(setting), setting.unit, setting.why


def _default(setting: Setting) -> str:
    if setting.default is None:
        return "unset"
    if setting.unit.startswith("bytes"):
        return f"{code(str(setting.default))} ({setting.default // MB} MB)"
    return code(str(setting.default))


def _changes(module: ModuleType, values: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, why in reasons(inspect.getsource(module)).items():
        if name in values and name not in IDENTITY:
            value = values[name]
            shown = f"{value.__module__}.{value.__name__}" if isinstance(value, type) else repr(value)
            yield code(name), code(shown), code(_scrapys(name)), why


def _scrapys(name: str) -> str:
    return repr(getattr(default_settings, name, None))


def _components() -> Iterator[tuple[str, ...]]:
    for setting, components in addon.COMPONENTS.items():
        for path, place in components.items():
            does = "" if place is None else _first_line(path)
            yield code(setting), "off" if place is None else str(place), code(path), does
    for scheme, path in addon.DOWNLOAD_HANDLERS.items():
        yield code("DOWNLOAD_HANDLERS"), scheme, code(path), _first_line(path)


def _first_line(path: str) -> str:
    return (inspect.getdoc(load_object(path)) or "").partition("\n")[0].replace("``", "`")
