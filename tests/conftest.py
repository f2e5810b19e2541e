"""What the tests share: only how they deal with what a machine may lack."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def skip_or_fail(reason: str) -> NoReturn:
    """Skips the test on a user's machine; fails it in CI (``CI=true``), where nothing may be missing."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason} (never skipped in CI)")
    pytest.skip(reason)
