"""The differences between the state and the files that runs wrote."""

from __future__ import annotations

from enum import StrEnum


class Difference(StrEnum):
    """A difference between the files and the state."""

    MISSING = "missing"
    """A document or case that was delivered by the state, but that the files do not have."""
    OLDER = "older"
    """A document or case of which the files have only an earlier version."""
    EXTRA = "extra"
    """A document, case or version that only the files have. It may be delivered again."""
