from __future__ import annotations

from threading import Event

import pytest

from tests.utils.waiting import wait_until
from woo_harvester.portal.watching import Watcher
from woo_harvester.search.engine import EngineError


def test_it_looks_again_and_again_until_it_is_closed() -> None:
    looks: list[int] = []
    watcher = Watcher(lambda: looks.append(1), interval=0)
    wait_until(lambda: len(looks) > 2, "three looks")
    watcher.close()
    number = len(looks)
    assert not Event().wait(0.01)
    assert len(looks) == number


def test_a_fault_is_logged_once_while_it_stays_and_does_not_end_the_watching(
    caplog: pytest.LogCaptureFixture,
) -> None:
    faults = ["disk full", "disk full", "", "disk full", "away"]

    def look() -> None:
        fault = faults.pop(0) if faults else ""
        if fault:
            raise EngineError(fault)

    watcher = Watcher(look, interval=0)
    wait_until(lambda: not faults, "all looks")
    watcher.close()
    assert [record.getMessage() for record in caplog.records] == [
        "new records cannot be read: disk full",
        "new records cannot be read: disk full",
        "new records cannot be read: away",
    ]
