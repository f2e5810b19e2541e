"""The order of the tests, and helpers for what a machine may lack."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import settings

# This part of Hypothesis writes a patch for a test that fails. It ends the process of the tests with an error
# about Twisted's interfaces, and the example that failed is not shown.
sys.modules["hypothesis.extra._patching"] = None  # type: ignore[assignment]

# On a busy machine any example may take longer than Hypothesis allows by default.
settings.register_profile("tests", settings(), deadline=None)
settings.load_profile("tests")

# A shell that starts the tests in the background has them ignore SIGINT, and all that they start would too.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

pytest_plugins = ("tests.utils.missing_extras",)

#: The checkout.
ROOT = Path(__file__).parents[1]


def pytest_xdist_auto_num_workers() -> int:
    """Return more processes than cores: some of the time tests wait for a server or a delay.

    Each process collects all tests, which takes ten seconds, and has servers of its own.
    """
    return (os.cpu_count() or 1) * 2


#: Files whose tests take twenty seconds or more together, by their path in this folder, the longest first.
#: ``make test`` leaves them out, ``make slow`` and ``.ci/run`` do not.
SLOW = (
    "docs/test_tutorials.py",
    "integration/test_deployment.py",
    "integration/test_scrapyd.py",
    "outputs/test_faults.py",
    "commands/test_index_killed.py",
    "integration/test_installed.py",
    "integration/test_stop_own_side.py",
    "integration/test_startup.py",
    "integration/test_report_page.py",
    "integration/test_vergunningen_kill.py",
    "integration/test_stop.py",
    "extensions/test_progress.py",
    "integration/test_portal_pages.py",
    "docs/test_site.py",
    "integration/test_overwriting.py",
    "integration/test_postgresql.py",
    "integration/test_project.py",
    "integration/test_text_bombs.py",
    "commands/test_index.py",
    "integration/test_operating.py",
    "pipelines/test_text.py",
    "integration/test_nothing_cut.py",
    "integration/test_state_move.py",
    "docs/test_how_to.py",
    "test_packaging.py",
    "integration/test_last_lines.py",
    "integration/test_portal_permits.py",
    "integration/test_outputs.py",
    "integration/test_room.py",
    "permits/test_search.py",
    "integration/test_host_budget.py",
    "outputs/test_elasticsearch.py",
    "integration/test_hostile_hosts.py",
    "documents/test_text_workers.py",
    "portal/test_elasticsearch.py",
    "integration/test_typed_twice.py",
    "integration/test_documents.py",
    "integration/test_audit_sample.py",
    "portal/embedded/test_filling.py",
    "audit/test_schema.py",
    "integration/test_audit.py",
    "integration/test_store.py",
    "integration/test_report.py",
    "portal/test_engine_changes.py",
)

#: The longest of the others. They begin first, so that no process is left with one of them at the end.
LONGEST = (
    "simulation/test_histories.py",
    "integration/test_kill.py",
    "integration/test_days.py",
    "integration/test_entry_pages.py",
    "extensions/test_politeness.py",
    "permits/test_listing.py",
    "sitemaps/test_reader_memory.py",
    "commands/test_demo.py",
    "crawl/test_withdrawals.py",
    "state/test_store.py",
)


@pytest.hookimpl(tryfirst=True)  # before -m chooses by the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow files, put the longest ones first, and leave the others in their order."""
    order = {Path(__file__).parent / name: place for place, name in enumerate((*SLOW, *LONGEST))}
    for item in items:
        if order.get(item.path, len(order)) < len(SLOW):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: order.get(item.path, len(order)))


def skip_or_fail(reason: str) -> NoReturn:
    """Skip the test on a user's machine; fail it in CI (``CI=true``), where nothing may be missing."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason} (never skipped in CI)")
    pytest.skip(reason)
