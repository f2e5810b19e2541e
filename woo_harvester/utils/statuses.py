"""The statuses of answers (RFC 9110, 15): a complete file, a part of one, an error, a request to pause."""

from __future__ import annotations

#: Statuses of a complete file (RFC 9110, 15.3.1 and 15.3.4). An answer with another 2xx status has no body,
#: or only a part of the file, or data about the file.
_COMPLETE = frozenset({200, 203})

#: A part of a file (RFC 9110, 15.3.7).
PARTIAL_CONTENT = 206

#: Statuses with which a host requests a pause; Retry-After says how long (RFC 9110, 10.2.3).
ASKS_FOR_PAUSE = (429, 503)

#: Other statuses that a callback receives: "not modified", and error pages, which become findings.
ANSWERS = (304, *range(400, 600))


def is_complete(status: int) -> bool:
    """Return whether an answer with this status is the complete file that was asked for."""
    return status in _COMPLETE
