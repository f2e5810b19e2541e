"""The page ``docs/settings.md``: the project's own settings, and the Scrapy settings that it changes.

The linter's list of settings in ``pyproject.toml`` is made here too.

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

from tools.reference.markdown import code
from woo_harvester import addon
from woo_harvester import settings as project
from woo_harvester.running.default_settings import SETTINGS, SUBJECTS
from woo_harvester.running.setting import Setting

#: A line that gives a setting its value: in a module, or as a key of a dict.
_ASSIGNMENT = re.compile(r'"?([A-Z][A-Z0-9_]+)(?: = |": )')

#: Scrapy's own value at the start of a comment; the page has it in a column instead.
_SCRAPYS_VALUE = re.compile(r"^Scrapy: .+?(?:\. |$)")

BEGIN = "# Begin of the list that `make docs` makes."
END = "# End of the list that `make docs` makes."

MB = 1024 * 1024

_LIST = re.compile(rf"({re.escape(BEGIN)}\n).*?(^ *{re.escape(END)}$)", re.DOTALL | re.MULTILINE)

#: Settings that only identify the project, so that the page leaves them out.
IDENTITY = {"BOT_NAME", "SPIDER_MODULES", "COMMANDS_MODULE", "ADDONS"}

#: Settings that the page has in its table of components.
PLACED = {*addon.COMPONENTS, *addon.BY_NAME, "FEED_EXPORTERS"}


def values() -> dict[str, Any]:
    """Return the rows of the tables of the page."""
    return {
        "subjects": {subject: map(_row, settings) for subject, settings in SUBJECTS.items()},
        "projects_changes": _changes(project, vars(project)),
        "addons_changes": _changes(addon, addon.SETTINGS),
        "components": _components(),
        "off": [path.rpartition(".")[2] for path, place in _placed() if place is None],
    }


def with_known_settings(text: str) -> str:
    """Return the text of a ``pyproject.toml`` with the list between the two marks made anew.

    scrapy-lint cannot read the settings from elsewhere: without this list, each would be written a second
    time. Raises ValueError for a text without the marks.
    """
    lines = "".join(f'    "{name}",\n' for name in sorted(setting.name for setting in SETTINGS))
    made, count = _LIST.subn(rf"\1{lines}\2", text)
    if count != 1:
        raise ValueError(f"expected one list between the lines {BEGIN!r} and {END!r}, got {count}")
    return made


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


def _row(setting: Setting) -> tuple[str, ...]:
    return code(setting.name), _default(setting), setting.why


def _default(setting: Setting) -> str:
    """Return the default of a setting with its unit, which a boolean does not need."""
    if setting.default is None:
        return f"unset ({setting.unit})"
    shown = code(str(setting.default))
    if setting.unit == "boolean":
        return shown
    if isinstance(setting.default, list | str):
        return f"{shown} ({setting.unit})"
    size = f" ({setting.default // MB} MB)" if setting.unit.startswith("bytes") else ""
    return f"{shown} {setting.unit}{size}"


def _changes(module: ModuleType, values: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, why in reasons(inspect.getsource(module)).items():
        if name in values and name not in IDENTITY | PLACED:
            value = values[name]
            shown = f"{value.__module__}.{value.__name__}" if isinstance(value, type) else repr(value)
            yield code(name), code(shown), code(_scrapys(name)), why


def _scrapys(name: str) -> str:
    return repr(getattr(default_settings, name, None))


def _placed() -> Iterator[tuple[str, int | None]]:
    """Return the components of all settings with their places; None for one that is off."""
    for setting in addon.COMPONENTS:
        yield from getattr(project, setting).items()


def _components() -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """Yield each setting of components with its rows."""
    for setting in addon.COMPONENTS:
        placed = getattr(project, setting).items()
        yield setting, [_component(place, path) for path, place in placed if place is not None]
    handlers = project.DOWNLOAD_HANDLERS
    yield "DOWNLOAD_HANDLERS", [_component(", ".join(handlers), path) for path in {*handlers.values()}]


def _component(place: int | str, path: str) -> tuple[str, str, str]:
    return str(place), code(path.removeprefix("woo_harvester.")), _first_line(path)


def _first_line(path: str) -> str:
    """Return what a component does, without the words for what it is: its table says that."""
    line = (inspect.getdoc(load_object(path)) or "").partition("\n")[0].replace("``", "`")
    return re.sub(r"^The (?:download handler for|\w+(?: \w+)? that) ", "", line)
