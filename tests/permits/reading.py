"""Reads messages from bytes, as the spider does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from woo_harvester.permits.messages import Message, read_message
from woo_harvester.record import json_value
from woo_harvester.tooi.lists import organisaties

MAXSIZE = 20_000_000
NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)


def valid(content: bytes) -> Message:
    """Return the message of a valid file without findings."""
    message, findings = read_message([content], MAXSIZE, organisaties(), NOW)
    assert findings == []
    assert message is not None
    return message


def given(content: bytes) -> dict[str, Any]:
    """Return the metadata of a message, as a record has them."""
    metadata: dict[str, Any] = json_value(valid(content).gegevens)
    return metadata


def noted(content: bytes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the metadata of a valid message, and its findings, which are only warnings."""
    message, findings = read_message([content], MAXSIZE, organisaties(), NOW)
    assert message is not None
    return json_value(message.gegevens), [finding.as_dict() for finding in findings]


def faults(content: bytes, maxsize: int = MAXSIZE) -> list[dict[str, Any]]:
    """Return the findings about a file without a valid message."""
    message, findings = read_message([content], maxsize, organisaties(), NOW)
    assert message is None
    return [finding.as_dict() for finding in findings]


def codes(content: bytes) -> list[str]:
    """Return the codes of the findings about a file without a valid message."""
    return [fault["code"] for fault in faults(content)]
