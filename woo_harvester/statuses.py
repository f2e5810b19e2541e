"""The statuses of HTTP answers that this project distinguishes (RFC 9110, section 15)."""

from __future__ import annotations

#: Statuses of a complete file (RFC 9110, 15.3.1 and 15.3.4). The other statuses of 2xx bring nothing, a part
#: of the file, or something about it.
COMPLETE = frozenset({200, 203})

#: Statuses that a callback receives beside a complete file: "not modified", and a publisher's error pages,
#: which become findings.
ANSWERS = (304, *range(400, 600))


def is_complete(status: int) -> bool:
    """Return whether an answer with this status is the complete file that was asked for."""
    return status in COMPLETE
