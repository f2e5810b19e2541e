from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.sitemaps.decide import decide
from woo_harvester.sitemaps.facts import (
    Decision,
    EntryFacts,
    KnownDocument,
    KnownVersion,
    OtherEntry,
    Terms,
    is_future,
    is_newer,
    moment_compared,
    newest_first,
    own_listing,
)
from woo_harvester.sitemaps.facts import EntryOutcome as Outcome
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.utils.dates import parse_datetime, to_microseconds

HARVEST = datetime(2026, 3, 2, 8, tzinfo=UTC)
NEXT_DAY = HARVEST + timedelta(days=1)
READ_AT = int(HARVEST.timestamp())
SLACK = timedelta(minutes=5)
SECOND = timedelta(seconds=1)
TYPO = datetime(2042, 3, 1, tzinfo=UTC)

MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2050, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


def newer(lastmod: datetime | None, known: datetime | None, now: datetime = NEXT_DAY) -> bool | None:
    """Compare with a version that was harvested with the lastmod *known*."""
    return is_newer(lastmod, None if known is None else to_microseconds(known), READ_AT, now)


LOC = "https://a.nl/besluit.pdf"
HERE, THERE = 1, 2
URL, OTHER_URL = "https://a.nl/s.xml", "https://a.nl/t.xml"
NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
SECONDS = int(NOW.timestamp())
OLDER, BEFORE, NEWER = "2024-04-01T10:00:00Z", "2024-04-02T10:00:00Z", "2024-04-03T10:00:00Z"
FUTURE = "2042-04-02T10:00:00Z"
TITLE, CATEGORY = 1, 2

SEEN = KnownDocument(LOC, 7, HERE, None, None, None, None, None)


def known(lastmod: str | None = BEFORE, **values: Any) -> KnownDocument:
    """Return a document that was harvested a week ago with this lastmod."""
    moment = to_microseconds(parse_datetime(lastmod)) if lastmod else None
    return SEEN._replace(
        **{"lastmod": moment, "published": "2024-04-02", "harvested": SECONDS - 604_800, **values}
    )


def other(
    lastmod: str | None, *, read: int = SECONDS - 60, fields: int = 0, line: int | None = None
) -> OtherEntry:
    """Return another entry, in another sitemap; with a *line* it is one of the same batch."""
    moment = to_microseconds(parse_datetime(lastmod)) if lastmod else None
    entry = Entry(LOC, lastmod, line, None) if line is not None else None
    url, sitemap = (URL, HERE) if line is not None else (OTHER_URL, THERE)
    return OtherEntry(sitemap, 1, url, None, moment, read, fields, entry=entry)


def decided(lastmod: str | None, **facts: Any) -> Decision:
    """Return the decision on an entry of a document that its sitemap has listed before."""
    given = {"sitemap_id": HERE, "listing": own_listing(7), "digest": b"d", "known": known(), **facts}
    return decide(EntryFacts(Entry(LOC, lastmod, 3, None), **given), Terms(), NOW)


def actions(decision: Decision) -> list[str | None]:
    return [finding.action for finding in decision.findings if finding.code == "loc.dubbel"]


@pytest.mark.parametrize(
    ("text", "moment", "code"),
    [
        (None, None, "lastmod.ontbreekt"),
        ("gisteren", None, "lastmod.ongeldig"),
        ("2026-03-02T08:05:01Z", HARVEST + SLACK + SECOND, "lastmod.toekomst"),
        ("2026-03-02T08:05:00Z", HARVEST + SLACK, None),
    ],
)
def test_what_is_wrong_with_a_lastmod_is_named(
    text: str | None, moment: datetime | None, code: str | None
) -> None:
    facts = EntryFacts(Entry("https://a.nl/b.pdf", text, 3, None))
    assert facts.moment == moment
    findings = decide(facts, Terms(), HARVEST).findings
    assert [finding.code for finding in findings] == ([code] if code else [])
    assert all(finding.seen == text for finding in findings)


def test_a_lastmod_is_in_the_future_beyond_what_clocks_differ() -> None:
    assert not is_future(None, HARVEST)
    assert not is_future(HARVEST + SLACK, HARVEST)
    assert is_future(HARVEST + SLACK + SECOND, HARVEST)


def test_a_known_lastmod_that_was_in_the_future_counts_as_the_moment_at_which_it_was_read() -> None:
    within = to_microseconds(HARVEST + SLACK)
    assert moment_compared(within, READ_AT) == within
    assert moment_compared(within + 1, READ_AT) == to_microseconds(HARVEST)
    assert moment_compared(within + 1, None) == within + 1
    assert moment_compared(None, READ_AT) is None


def test_a_typo_does_not_block_a_later_correction() -> None:
    assert newer(TYPO, TYPO) is None
    assert newer(HARVEST - SECOND, TYPO) is None
    assert newer(HARVEST, TYPO) is None
    assert newer(HARVEST + SECOND, TYPO) is True


def test_a_lastmod_in_the_future_is_newer_than_one_that_was_not_and_than_another_in_the_future() -> None:
    assert newer(TYPO, HARVEST) is True
    assert newer(TYPO, None) is True
    assert newer(TYPO + SECOND, TYPO) is True
    assert newer(TYPO - SECOND, TYPO) is True


def test_without_a_lastmod_nothing_is_new() -> None:
    assert newer(None, None) is None
    assert newer(None, HARVEST) is None
    assert newer(HARVEST - SECOND, HARVEST) is False
    assert newer(HARVEST, None) is True


@given(MOMENTS, st.integers(0, 40_000))
def test_the_same_lastmod_is_never_new_also_when_it_is_past_by_then(lastmod: datetime, hours: int) -> None:
    assert newer(lastmod, lastmod, HARVEST + timedelta(hours=hours)) is None


@given(MOMENTS, MOMENTS, st.integers(0, 100_000))
def test_what_changed_after_the_harvest_is_always_new(known: datetime, changed: datetime, wait: int) -> None:
    now = HARVEST + SLACK + timedelta(seconds=1 + wait)
    lastmod = min(changed, now)
    if lastmod > HARVEST + SLACK and lastmod != known:
        assert newer(lastmod, known, now) is True


# Fields, as bits.
def test_of_one_batch_the_newest_counts_in_whatever_order() -> None:
    assert decided(OLDER, known=SEEN, beside=[other(NEWER, line=9)]).outcome is Outcome.DUPLICATE
    assert decided(NEWER, known=SEEN, beside=[other(OLDER, line=9)]).outcome is Outcome.NEW
    assert decided(None, known=SEEN, beside=[other(OLDER, line=9)]).outcome is Outcome.DUPLICATE
    assert decided(NEWER, known=SEEN, beside=[other(None, line=9)]).outcome is Outcome.NEW


def test_of_equal_entries_of_one_batch_the_first_counts() -> None:
    assert decided(BEFORE, known=SEEN, beside=[other(BEFORE, line=9)]).outcome is Outcome.NEW
    second = decided(BEFORE, known=SEEN, beside=[other(BEFORE, line=1)], is_listed=True, is_expected=True)
    assert second.outcome is Outcome.DUPLICATE
    assert actions(second) == ["overgeslagen: de vermelding op regel 1 telt"]


def test_an_entry_that_is_newer_than_the_known_version_is_not_held_back_by_what_the_state_has() -> None:
    assert decided(NEWER, others=[other("2024-05-01")]).outcome is Outcome.CHANGED
    assert decided(NEWER, beside=[other("2024-05-01", line=9)]).outcome is Outcome.DUPLICATE
    withdrawn = known(withdrawn=SECONDS - 60)
    assert decided(NEWER, known=withdrawn, others=[other("2024-05-01")]).outcome is Outcome.REPUBLISHED


def test_the_known_version_is_the_repeated_one_while_a_newer_entry_is_listed() -> None:
    beaten = decided(BEFORE, others=[other(NEWER)])
    assert beaten.outcome is Outcome.DUPLICATE
    assert actions(beaten) == [f"overgeslagen: de nieuwere vermelding in {OTHER_URL} telt"]
    assert beaten.must_reread
    assert decided(BEFORE, others=[other(OLDER)]).outcome is Outcome.UNCHANGED
    assert decided(BEFORE, others=[other(BEFORE)]).outcome is Outcome.UNCHANGED


def test_an_entry_beside_that_of_the_known_version_is_the_repeated_one_unless_it_is_newer() -> None:
    for lastmod in (OLDER, BEFORE, None):
        decision = decided(lastmod, source_url=OTHER_URL)
        assert decision.outcome is Outcome.DUPLICATE
        assert actions(decision) == [f"overgeslagen: de vermelding in {OTHER_URL} telt"]
        assert [finding.code for finding in decision.findings] == ["loc.dubbel"]
    assert decided(NEWER, source_url=OTHER_URL).outcome is Outcome.CHANGED


def test_an_entry_that_the_run_has_delivered_already_by_another_is_reported_so() -> None:
    decision = decided(NEWER, known=SEEN, is_expected=True, is_listed=True, source_url=OTHER_URL)
    assert decision.outcome is Outcome.DUPLICATE
    assert actions(decision) == [
        f"overgeslagen: de vermelding in {OTHER_URL} is eerder gelezen; "
        "is deze nieuwer, dan telt zij vanaf de volgende oogst"
    ]
    later = decided(NEWER, known=SEEN, is_expected=True, is_listed=True, place=1)
    assert "eerder in deze sitemap" in str(actions(later))


def test_a_withdrawn_document_is_reported_once_and_the_other_entry_is_repeated() -> None:
    withdrawn = known(withdrawn=SECONDS - 60)
    first = decided(OLDER, known=withdrawn, others=[other(BEFORE)])
    assert first.outcome is Outcome.OFFERED_AGAIN
    assert (
        decided(BEFORE, known=withdrawn, others=[other(OLDER)], is_listed=True).outcome is Outcome.DUPLICATE
    )


def test_a_field_that_only_another_entry_gives_is_delivered_once() -> None:
    others = [other(OLDER, fields=TITLE | CATEGORY)]
    assert decided(BEFORE, fields=TITLE, others=others).outcome is Outcome.SUPPLEMENTED
    taken = known(supplemented=CATEGORY)
    assert decided(BEFORE, fields=TITLE, others=others, known=taken).outcome is Outcome.UNCHANGED
    assert decided(BEFORE, fields=TITLE | CATEGORY, others=others).outcome is Outcome.UNCHANGED
    assert decided(BEFORE, fields=0, others=others, known=taken).outcome is Outcome.SUPPLEMENTED
    assert decided(BEFORE, beside=[other(OLDER, fields=TITLE, line=9)]).outcome is Outcome.SUPPLEMENTED


def test_a_field_of_another_entry_is_no_change_of_an_entry_that_does_not_count() -> None:
    gives = {"others": [other(NEWER, fields=CATEGORY)]}
    assert decided(BEFORE, **gives).outcome is Outcome.DUPLICATE
    copy = KnownVersion(is_own=True, is_here=False, host="b.nl")
    assert decided(BEFORE, others=[other(OLDER, fields=CATEGORY)], version=copy).outcome is Outcome.UNCHANGED
    assert decided(OLDER, others=[other(None, fields=CATEGORY)]).outcome is Outcome.OLDER


def test_a_change_by_another_entrys_field_keeps_the_lastmod() -> None:
    gives = {"others": [other(None, fields=CATEGORY)]}
    version = decided(None, **gives).version
    assert version is not None
    assert (version.lastmod, version.lastmod_text) == (parse_datetime(BEFORE), "2024-04-02T12:00:00+02:00")
    version = decided(BEFORE, **gives).version
    assert version is not None
    assert (version.lastmod_text, str(version.published)) == (BEFORE, "2024-04-02")


def test_a_lastmod_in_the_future_counts_as_the_moment_at_which_it_was_first_read() -> None:
    """So it does not come back each day before an entry that changed after that."""
    yesterday = SECONDS - 86_400
    typo = other(FUTURE, read=yesterday)
    changed = (NOW - timedelta(hours=2)).isoformat()
    mine = known(changed, harvested=SECONDS - 3600, sitemap_id=THERE)
    again = decided(FUTURE, known=mine, stored=typo, source_url=OTHER_URL, others=[other(changed)])
    assert again.outcome is Outcome.DUPLICATE
    assert decided(FUTURE, known=mine, source_url=OTHER_URL).outcome is Outcome.CHANGED
    assert decided(changed, known=known(changed), others=[typo]).outcome is Outcome.UNCHANGED


def test_a_repeated_entry_says_nothing_of_its_lastmod() -> None:
    decision = decided(None, known=SEEN, beside=[other(NEWER, line=9)])
    assert [finding.code for finding in decision.findings] == ["loc.dubbel"]


@pytest.mark.parametrize("order", list(permutations((OLDER, NEWER, FUTURE, None))))
def test_the_order_of_entries_does_not_depend_on_that_of_the_run(order: tuple[str | None, ...]) -> None:
    entries = [other(lastmod) for lastmod in order]
    moments = [moment_compared(one.lastmod, one.first_read) for one in newest_first(entries)]
    assert moments == sorted(moments, key=lambda moment: -(moment or 0))
    assert moments[-1] is None
