"""Messages whose aanmaakdatum is in the future, and when their files are read again."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from woo_harvester.demo.permit_messages import message
from woo_harvester.permits.links import RememberedFile
from woo_harvester.permits.messages import read_message
from woo_harvester.state.permits import PermitFile
from woo_harvester.tooi.lists import organisaties


@pytest.mark.parametrize(
    ("text", "now", "ahead"),
    [
        ("2026-05-02", "2026-05-01T21:59:59+00:00", True),
        ("2026-05-02", "2026-05-01T22:00:00+00:00", False),
        ("2026-05-02T10:00:00", "2026-05-02T07:54:59+00:00", True),
        ("2026-05-02T10:00:00", "2026-05-02T07:55:00+00:00", False),
        ("2026-05-02T10:00:00Z", "2026-05-02T09:54:59+00:00", True),
    ],
)
def test_a_file_is_read_again_exactly_when_its_date_is_no_longer_in_the_future(
    text: str, now: str, ahead: bool
) -> None:
    moment = datetime.fromisoformat(now)
    result = read_message([message(aanmaakdatum=text)], 10_000, organisaties(), moment)
    assert (result.message is None) is ahead
    faults = [{"code": "ipm.datum-toekomst", "seen": text}]
    assert PermitFile(RememberedFile("ab"), 0, faults=faults).is_due(moment) is not ahead


def test_only_a_file_that_is_too_early_is_ever_due() -> None:
    faults = [{"code": "ipm.datum", "seen": "2020-01-01"}]
    assert not PermitFile(RememberedFile("ab"), 0, faults=faults).is_due(datetime.now(UTC))
