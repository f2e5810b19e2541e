"""The project's own settings: their names, defaults, units and reasons.

Each module has the settings of one subject. A new setting is written there and nowhere else. ``make docs``
makes ``docs/settings.md`` of them, and the list of known settings of scrapy-lint in ``pyproject.toml``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from woo_harvester.default_settings.elasticsearch import ELASTICSEARCH
from woo_harvester.default_settings.fetching import FETCHING
from woo_harvester.default_settings.monitoring import MONITORING
from woo_harvester.default_settings.portal import PORTAL
from woo_harvester.default_settings.reporting import REPORTING
from woo_harvester.default_settings.setting import Setting
from woo_harvester.default_settings.state import STATE
from woo_harvester.default_settings.text import TEXT

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

#: The prefix of settings of Spidermon, whose monitors ``scrapy monitor`` runs.
_MONITORING_PREFIX = "SPIDERMON_"

#: The settings by subject, in the order of the page.
SUBJECTS: dict[str, tuple[Setting, ...]] = {
    "Register, value lists, state and withdrawals": STATE,
    "Fetching": FETCHING,
    "Text of documents": TEXT,
    "Elasticsearch": ELASTICSEARCH,
    "Portal": PORTAL,
    "Report and progress": REPORTING,
    "Monitoring": MONITORING,
}

SETTINGS: tuple[Setting, ...] = tuple(setting for group in SUBJECTS.values() for setting in group)


def from_environment(given: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that stand in the environment *given*; one that is empty there is not set.

    These are the project's own settings, and those of Spidermon for mail and Slack (``SPIDERMON_…``). This
    is the best way to give a password: everybody on the machine can read the arguments of a command, and
    Scrapyd shows those of its jobs.
    """
    names = [setting.name for setting in SETTINGS]
    names += [name for name in given if name.startswith(_MONITORING_PREFIX)]
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
