"""A plugin of pytest: a test that fails because an extra is not installed is skipped, but in CI.

It is no ``conftest.py``, since pytest asks none about a folder whose own ``conftest.py`` cannot be imported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

import pytest
from packaging.requirements import Requirement

#: Tests whose failure does not name the extra that they need, by the beginning of their node id.
SILENT = {
    "tests/commands/test_demo.py::test_the_demo_fits": "portal",
    "tests/commands/test_demo.py::test_the_demo_of_permits": "permits",
    "tests/commands/test_demo.py::test_the_record_and_the_finding": "text",
    "tests/integration/test_own_errors.py::test_an_audit_of_permits": "permits",
    "tests/integration/test_own_side.py::test_entry_pages_of_permits": "permits",
    "tests/integration/test_vergunningen_report.py::": "permits",
    "tests/simulation/test_histories.py::test_what_is_promised_holds[permits]": "permits",
    "tests/tools/reference/test_main.py::test_the_page_in_docs": "speed",
    "tests/tools/reference/test_settings.py::test_every_changed_setting": "speed",
}

_NAMED = re.compile(r"^E .*(?:No module named '|woo-harvester\[)(\w+)", re.MULTILINE)
_Report = TypeVar("_Report", pytest.CollectReport, pytest.TestReport)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip a file, or a folder, that imports a package of an extra."""
    return _skipped((yield), collector.path)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip a test that imports one, or whose run says which extra it needs."""
    return _skipped((yield), item.path)


def _skipped(report: _Report, path: Path) -> _Report:
    """Make a failure for want of an extra a skip that says so; in CI it stays a failure."""
    if report.failed and os.environ.get("CI") != "true":
        named = _NAMED.findall(report.longreprtext)
        named += [extra for start, extra in SILENT.items() if report.nodeid.startswith(start)]
        for extra in filter(None, map(_missing().get, named)):
            report.outcome = "skipped"
            report.longrepr = (str(path), 0, f"Skipped: needs the extra {extra}")
    return report


@cache
def _missing() -> dict[str, str]:
    """Return the extra of each module that is not installed, and of each extra that lacks one."""
    missing: dict[str, str] = {}
    for line in metadata.requires("woo-harvester") or ():
        asked = Requirement(line)
        module = asked.name.replace("-", "_")
        if (extra := re.search('extra == "(.+?)"', str(asked.marker))) and not find_spec(module):
            missing |= dict.fromkeys((module, extra[1]), extra[1])
    return missing
