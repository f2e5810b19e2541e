"""Reads messages as the spider does."""

from __future__ import annotations

from typing import Any

from woo_harvester.permits.messages import Message, read_message
from woo_harvester.record import json_value

MAXSIZE = 20_000_000


def valid(body: bytes) -> Message:
    """The message in a file that has one, without a finding."""
    message, findings = read_message([body], MAXSIZE)
    assert findings == []
    assert message is not None
    return message


def given(body: bytes) -> dict[str, Any]:
    """The metadata of a message, as they are written."""
    metadata: dict[str, Any] = json_value(valid(body).gegevens)
    return metadata


def noted(body: bytes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The metadata of a message that is valid, with the findings that are only warnings."""
    message, findings = read_message([body], MAXSIZE)
    assert message is not None
    return json_value(message.gegevens), [finding.as_dict() for finding in findings]


def faults(body: bytes, maxsize: int = MAXSIZE) -> list[dict[str, Any]]:
    """What is wrong with a file that has no message."""
    message, findings = read_message([body], maxsize)
    assert message is None
    return [finding.as_dict() for finding in findings]


def codes(body: bytes) -> list[str]:
    """The codes of what is wrong."""
    return [fault["code"] for fault in faults(body)]
