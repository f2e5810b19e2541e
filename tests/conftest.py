"""What the tests share: how they deal with what a machine may lack."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

import pytest

#: The checkout, and the folder beside it with the official schemas, value lists and the register.
ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"


def pytest_xdist_auto_num_workers() -> int:
    """More processes than cores: much of their time tests wait, for a server to start or a delay to pass."""
    return (os.cpu_count() or 1) * 3 // 2


#: Files that take longest. They begin first, so that no process is left with one of them at the end.
LONGEST = (
    "test_deployment.py",
    "test_shards.py",
    "test_scrapyd.py",
    "test_faults.py",
    "test_permits.py",
    "test_kill.py",
    "test_progress.py",
    "test_postgresql.py",
    "test_index.py",
    "test_elasticsearch.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, the others as they come."""
    order = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.path.name, len(order)))


def skip_or_fail(reason: str) -> NoReturn:
    """Skips the test on a user's machine; fails it in CI (``CI=true``), where nothing may be missing."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason} (never skipped in CI)")
    pytest.skip(reason)


def shared_file(name: str) -> Path:
    """A file of the folder ``shared`` beside the checkout, such as ``data/roo/exportOO.xml``."""
    path = SHARED / name
    if not path.exists():
        skip_or_fail(f"needs shared/{name} beside the checkout")
    return path
