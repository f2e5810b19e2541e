"""Waits for what another process or thread does, as long as it takes on a busy machine."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Seconds after which a test counts as stuck. Nothing is measured with it.
STUCK = 120


def wait_until(condition: Callable[[], object], what: str, alive: Callable[[], bool] = lambda: True) -> None:
    """Return when *condition* holds; fail, naming *what* was waited for, if it never does.

    Fail at once when what should make it hold is no longer *alive*.
    """
    end = time.monotonic() + STUCK
    while not condition():
        assert alive(), f"it ended before {what}"
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.01)
