"""The project's own settings, as ``settings.toml`` has them, and their values in the environment.

A new setting is written there and nowhere else. ``make docs`` makes ``docs/settings.md`` of them,
and the list of known settings of scrapy-lint in ``pyproject.toml``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import TYPE_CHECKING

from scrapy.settings import default_settings

from woo_harvester.running.setting import Setting, shown

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

#: The prefix of settings of Scrapy's stores, which may stand in the environment.
_PREFIX_OF_OTHERS = "AWS_"

#: The settings by subject, in the order of the page.
SUBJECTS: dict[str, tuple[Setting, ...]] = {
    subject: tuple(Setting(name, **fields) for name, fields in settings.items())
    for subject, settings in tomllib.loads(
        files(__package__).joinpath("settings.toml").read_text(encoding="utf-8")
    ).items()
}

SETTINGS: tuple[Setting, ...] = tuple(setting for group in SUBJECTS.values() for setting in group)


#: The settings of Scrapy and of scrapy-deltafetch that are a number, or yes or no.
_OF_SCRAPY = {
    **{name: value for name, value in vars(default_settings).items() if isinstance(value, int | float)},
    "DELTAFETCH_ENABLED": True,
    "DELTAFETCH_RESET": False,
}


def from_environment(given: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that stand in the environment *given*; one that is empty there is not set.

    These are the project's own settings, and those of stores on other machines (``AWS_…``). This is the best
    way to give a password: everybody on the machine can read the arguments of a command, and Scrapyd shows
    those of its jobs.
    """
    names = [setting.name for setting in SETTINGS]
    names += [name for name in given if name.startswith(_PREFIX_OF_OTHERS)]
    return {name: given[name] for name in names if given.get(name)}


def complete(settings: BaseSettings) -> None:
    """Give each setting that is not set its default. Raises ValueError for a value that cannot be right."""
    for _, problem in wrong_values(settings):
        raise ValueError(problem)


def wrong_values(settings: BaseSettings) -> Iterator[tuple[Setting, str]]:
    """Give each setting that is not set its default; yield each one with a wrong value, and what is wrong."""
    for setting in SETTINGS:
        settings.setdefault(setting.name, setting.default, "default")
        value = settings[setting.name]
        if value is not None and (problem := setting.problem(value)):
            yield setting, problem
    for name, default in _OF_SCRAPY.items():
        is_flag = isinstance(default, bool) or name.endswith("_ENABLED")
        try:
            (settings.getbool if is_flag else settings.getfloat)(name)
        except (TypeError, ValueError):
            problem = f"{name}: expected {'0 or 1' if is_flag else 'a number'}, got {shown(settings[name])}"
            yield Setting(name, "", "", default), problem
