"""What is done with an entry: a table of all outcomes, and pairs of entries over days."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import product
from typing import Any

import pytest
from lxml.etree import fromstring

from woo_harvester.record import Herkomst, Oorzaak
from woo_harvester.sitemaps.decide import (
    Decision,
    Depth,
    EntryFacts,
    EntryOutcome,
    KnownDocument,
    OtherSitemap,
    SitemapListing,
    StateUpdate,
    Terms,
    decide,
    find_loc_problem,
)
from woo_harvester.sitemaps.reader import Entry, entry_of
from woo_harvester.utils.dates import parse_datetime, to_microseconds

LOC = "https://www.a.nl/besluit.pdf"
EARLIER, BEFORE, LATER = "2024-04-01T10:00:00Z", "2024-04-02T10:00:00Z", "2024-04-03T10:00:00Z"
ZONE, DAY, FUTURE, TYPO = "2024-04-02T12:00:00+02:00", "2024-04-02", "2042-04-02T10:00:00Z", "gisteren"
LATEST = FUTURE.replace("2042", "2043")
NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
SECONDS, WEEK = int(NOW.timestamp()), 7 * 86_400
HERE, THERE = 1, 2

NEW, CHANGED, REPUBLISHED, AGAIN, UNCHANGED, OLDER, OFFERED, PASSED, REFUSED, UNUSABLE = EntryOutcome


def at(text: str) -> int:
    return to_microseconds(parse_datetime(text))


SEEN = KnownDocument(LOC, 7, HERE, None, None, None, None, None)
KNOWN = SEEN._replace(
    lastmod=at(BEFORE),
    published="2024-03-01",
    harvested=SECONDS - 2 * WEEK,
    cause="wijziging",
    number=3,
    depth=Depth.FILE,
)
UNDATED = KNOWN._replace(lastmod=None)
#: Harvested two weeks ago with a lastmod that was in the future then.
AHEAD = KNOWN._replace(lastmod=at(FUTURE))
CORRECTED, CHANGED_SINCE = "2024-05-18T11:59:59Z", "2024-05-18T12:00:01Z"
GONE = KNOWN._replace(withdrawn=SECONDS - WEEK)
MARKED, RESTORED = KNOWN._replace(again=True), GONE._replace(again=True)
SHORT = KNOWN._replace(depth=Depth.HEADERS)
FAULTY: dict[str, Any] = {"fault": "format.onbekend", "fault_seen": "x/y", "fault_since": SECONDS - 5}
FAILED = KNOWN._replace(**FAULTY)
LEFT = KNOWN._replace(**FAULTY, refused_at=SECONDS - 5, refused_lastmod=at(LATER))
NEVER = SEEN._replace(**FAULTY, refused_at=SECONDS - 5, refused_lastmod=at(BEFORE), depth=Depth.FILE)

WANTS = Terms(refused_interval=WEEK, depth=Depth.FILE)
TEXT = Terms(refused_interval=WEEK, depth=Depth.TEXT)
ALL = Terms(refused_interval=WEEK, depth=Depth.FILE, delivers_all=True)


def source(*, here: bool = True, own: bool = True, listed: bool = True, read: bool = False) -> dict[str, Any]:
    host = "www.a.nl" if here else "www.b.nl"
    return {"elsewhere": OtherSitemap(f"https://{host}/t.xml", host, here, own, listed, read)}


BESIDE, BESIDE_READ, DROPPED = source(), source(read=True), source(listed=False)
ELSEWHERE, OTHERS = source(here=False), source(here=False, own=False)
OWNED: dict[str, Any] = {"is_own": False, "owner": "www.a.nl"}
LISTED: dict[str, Any] = {"is_named": True}
DELIVERED: dict[str, Any] = {"is_delivered": True}

#: The known document, the lastmod of the entry, further facts, the terms, and the outcome.
TABLE: list[tuple[KnownDocument | None, str | None, dict[str, Any], Terms, EntryOutcome]] = [
    (SEEN, BEFORE, {}, WANTS, NEW),
    (SEEN, None, {}, ALL, NEW),
    (SEEN, BEFORE, BESIDE, WANTS, NEW),
    (NEVER, LATER, {}, WANTS, NEW),
    (NEVER, BEFORE, {}, TEXT, NEW),
    (NEVER, BEFORE, {}, WANTS, REFUSED),
    (KNOWN, LATER, {}, WANTS, CHANGED),
    (UNDATED, EARLIER, {}, WANTS, CHANGED),
    (KNOWN, FUTURE, {}, WANTS, CHANGED),
    (AHEAD, CHANGED_SINCE, {}, WANTS, CHANGED),
    (KNOWN, LATER, BESIDE_READ, WANTS, CHANGED),
    (KNOWN, LATER, OTHERS, WANTS, CHANGED),
    (KNOWN, EARLIER, OTHERS, WANTS, CHANGED),  # the owner's appears
    (KNOWN, LATER, LISTED, WANTS, CHANGED),  # a newer one, after one that did not count as a record
    (GONE, LATER, {}, WANTS, REPUBLISHED),
    (RESTORED, EARLIER, {}, WANTS, REPUBLISHED),
    (RESTORED, None, {}, WANTS, REPUBLISHED),
    (GONE, BEFORE, {}, WANTS, OFFERED),
    (GONE, EARLIER, {}, ALL, OFFERED),
    (GONE, None, {}, TEXT, OFFERED),
    (KNOWN, BEFORE, {}, WANTS, UNCHANGED),
    (KNOWN, ZONE, {}, WANTS, UNCHANGED),
    (KNOWN, None, {}, WANTS, UNCHANGED),
    (KNOWN, TYPO, {}, WANTS, UNCHANGED),
    (UNDATED, None, {}, WANTS, UNCHANGED),
    (AHEAD, FUTURE, {}, WANTS, UNCHANGED),
    (AHEAD, CORRECTED, {}, WANTS, UNCHANGED),
    (KNOWN, BEFORE, BESIDE, WANTS, UNCHANGED),  # the other may just have lost it
    (KNOWN, BEFORE, DROPPED, WANTS, UNCHANGED),
    (FAILED, BEFORE, {}, WANTS, UNCHANGED),
    (AHEAD, LATEST, DROPPED, WANTS, CHANGED),
    (AHEAD, LATEST, BESIDE, WANTS, PASSED),
    (AHEAD, CORRECTED, BESIDE, WANTS, PASSED),
    (KNOWN, None, BESIDE, WANTS, PASSED),
    (KNOWN, TYPO, ELSEWHERE, ALL, PASSED),
    (UNDATED, None, BESIDE, WANTS, UNCHANGED),
    (KNOWN, EARLIER, {}, WANTS, OLDER),
    (KNOWN, EARLIER, DROPPED, WANTS, OLDER),
    (AHEAD._replace(harvested=SECONDS + WEEK), LATEST, {}, WANTS, OLDER),  # the clock has been set back
    (MARKED, BEFORE, {}, WANTS, AGAIN),
    (MARKED, EARLIER, {}, WANTS, AGAIN),
    (MARKED, LATER, {}, WANTS, CHANGED),
    (SHORT, BEFORE, {}, WANTS, AGAIN),
    (SHORT, BEFORE, {}, Terms(), UNCHANGED),
    (KNOWN, None, {}, TEXT, AGAIN),
    (KNOWN, BEFORE, {}, ALL, AGAIN),
    (KNOWN, BEFORE, ELSEWHERE, ALL, AGAIN),
    (KNOWN, BEFORE, {**LISTED, **DELIVERED}, ALL, PASSED),
    (KNOWN, BEFORE, DELIVERED, ALL, PASSED),
    (SEEN, LATER, DELIVERED, WANTS, PASSED),
    (KNOWN, LATER, DELIVERED, WANTS, PASSED),
    (KNOWN, BEFORE, LISTED, WANTS, PASSED),
    (KNOWN, BEFORE, BESIDE_READ, WANTS, PASSED),
    (KNOWN, EARLIER, BESIDE, WANTS, PASSED),
    (KNOWN, BEFORE, ELSEWHERE, WANTS, PASSED),
    (AHEAD, FUTURE, LISTED, WANTS, PASSED),
    (SEEN, BEFORE, OWNED, WANTS, PASSED),
    (KNOWN, LATER, OWNED, WANTS, PASSED),
    (RESTORED, LATER, OWNED, ALL, PASSED),
    (LEFT, LATER, {}, WANTS, REFUSED),
    (LEFT, "2024-04-04", {}, WANTS, CHANGED),
    (LEFT, LATER, {}, TEXT, CHANGED),
    (LEFT, LATER, {}, Terms(refused_interval=5, depth=Depth.FILE), CHANGED),
    (LEFT, LATER, OTHERS, WANTS, CHANGED),
    (LEFT._replace(refused_at=SECONDS + 9), LATER, {}, WANTS, CHANGED),  # ahead of the clock
    (None, BEFORE, {"problem": "loc.geen-https"}, WANTS, UNUSABLE),
    (KNOWN, LATER, {"problem": "loc.niet-geregistreerd"}, ALL, UNUSABLE),
]


def facts_of(known: KnownDocument | None, lastmod: str | None, more: dict[str, Any]) -> EntryFacts:
    given = {"digest": b"d", "listing": SitemapListing(7), "known": known, **more}
    return EntryFacts(Entry(LOC, lastmod, 3, None), **given)


def made(known: KnownDocument | None, lastmod: str | None = BEFORE, **more: Any) -> Decision:
    return decide(facts_of(known, lastmod, more), WANTS, NOW)


def test_each_entry_has_its_outcome_and_its_sitemap_is_read_again_if_it_should_have_counted() -> None:
    for number, (known, lastmod, more, terms, outcome) in enumerate(TABLE):
        found = decide(facts_of(known, lastmod, more), terms, NOW)
        assert found.outcome is outcome, number
        assert (found.version is None) is (outcome.cause is None), number
        is_ahead = lastmod in (LATER, FUTURE, LATEST)
        may_count = outcome in (PASSED, OLDER) and is_ahead and "owner" not in more
        is_second = outcome.cause is not None and "is_named" in more
        assert found.must_reread is (outcome in (OFFERED, UNUSABLE) or may_count or is_second), number
    assert {row[-1] for row in TABLE} == set(EntryOutcome)


def test_another_host_whose_entry_counts_is_named_and_no_finding_is_about_the_entry() -> None:
    for more, host in ((OWNED, "www.a.nl"), (ELSEWHERE, "www.b.nl"), (BESIDE_READ, None), (LISTED, None)):
        found = made(KNOWN, **more)
        assert (found.outcome, found.left_to) == (PASSED, host)
        assert [one.code for one in found.findings] == ([] if host else ["loc.dubbel"])
    assert made(KNOWN, BEFORE, **OTHERS).left_to is None, "it takes over"
    taken = made(KNOWN, LATER, **ELSEWHERE, is_named=True, is_delivered=True)
    assert taken.left_to is None, "an entry of this host counts since this run, whatever counted before"


FINDINGS: list[tuple[KnownDocument | None, str | None, dict[str, Any], list[tuple[str, str | None]]]] = [
    (SEEN, BEFORE, {}, []),
    (SEEN, None, {}, [("lastmod.ontbreekt", None)]),
    (SEEN, TYPO, {}, [("lastmod.ongeldig", TYPO)]),
    (SEEN, "0001-01-01T00:00:00Z", {}, [("lastmod.onwaarschijnlijk", "0001-01-01T00:00:00Z")]),
    (SEEN, "0001", {}, [("lastmod.onwaarschijnlijk", "0001")]),
    (SEEN, "0001-01-01T00:00:00+14:00", {}, [("lastmod.onwaarschijnlijk", "0001-01-01T00:00:00+14:00")]),
    (SEEN, "1899-12-30", {}, [("lastmod.onwaarschijnlijk", "1899-12-30")]),
    (SEEN, "1989-12-31T23:59:59+01:00", {}, [("lastmod.onwaarschijnlijk", "1989-12-31T23:59:59+01:00")]),
    (SEEN, "1970-01-01T00:00:00Z", {}, [("lastmod.onwaarschijnlijk", "1970-01-01T00:00:00Z")]),
    (SEEN, "1990-01-01", {}, []),
    (KNOWN, FUTURE, {}, [("lastmod.toekomst", FUTURE)]),
    (KNOWN, EARLIER, {}, [("lastmod.ouder", EARLIER)]),
    (GONE, None, {}, [("lastmod.ontbreekt", None), ("lastmod.heraanbod", None)]),
    (LEFT, LATER, {}, [("format.onbekend", "x/y")]),
    (KNOWN, LATER, DELIVERED, [("loc.dubbel", LATER)]),
    (KNOWN, EARLIER, BESIDE, [("loc.dubbel", EARLIER)]),
    (KNOWN, LATER, {"problem": "loc.niet-geregistreerd"}, [("loc.niet-geregistreerd", "www.a.nl")]),
    (None, LATER, {"problem": "loc.geen-https"}, [("loc.geen-https", LOC)]),
]


def test_a_placeholder_in_lastmod_counts_as_an_absent_lastmod() -> None:
    version = made(SEEN, "1899-12-30").version
    assert version is not None
    assert (version.moment, version.lastmod_text) == (None, "1899-12-30")
    assert (version.published, version.is_dated_by_harvest) == (NOW.date(), True)


def test_a_loc_with_a_space_or_with_signs_around_it_is_read_with_a_finding() -> None:
    entry = Entry("\u200bhttps://www.a.nl/een twee.pdf\ufeff", LATER, 3, None)
    entry.tidy()
    found = decide(EntryFacts(entry, known=SEEN), WANTS, NOW).findings
    seen = "<U+200B>https://www.a.nl/een twee.pdf<U+FEFF>"
    action = "gelezen als https://www.a.nl/een%20twee.pdf"
    assert found == (("loc.tekens", "loc", seen, action),)


def test_a_second_lastmod_that_says_something_else_is_reported() -> None:
    for second, found in [(EARLIER, [EARLIER]), (LATER, []), ("", [])]:
        given = f"<url><loc>{LOC}</loc><lastmod/><lastmod>{LATER}</lastmod><lastmod>{second}</lastmod></url>"
        facts = EntryFacts(entry_of(fromstring(given)), known=SEEN)
        findings = decide(facts, WANTS, NOW).findings
        assert [one.seen for one in findings] == found, second


def test_what_is_wrong_is_reported() -> None:
    for number, (known, lastmod, more, expected) in enumerate(FINDINGS):
        assert [(one.code, one.seen) for one in made(known, lastmod, **more).findings] == expected, number
    assert [find_loc_problem(loc) for loc in ("", LOC)] == ["loc.ontbreekt", None]


def test_the_state_learns_only_what_it_does_not_know() -> None:
    row, other = SitemapListing(7), SitemapListing(7, 0, passed_over=True)
    assert made(KNOWN).update == StateUpdate(7, digest=b"d")
    assert made(KNOWN, listing=None).update == StateUpdate(7, row, digest=b"d")
    assert made(KNOWN, listing=SitemapListing(7, 2)).update == StateUpdate(7, row, digest=b"d")
    assert made(KNOWN, LATER).update == StateUpdate(7)
    assert made(KNOWN, **LISTED).update == StateUpdate(7), "it is listed here, and the other one counts"
    assert made(KNOWN, **BESIDE_READ).update == StateUpdate(7, other)
    assert made(KNOWN, **DROPPED).update == StateUpdate(7, None, is_moved=True, digest=b"d")
    assert made(KNOWN, EARLIER, **DROPPED).update == StateUpdate(7, None, is_moved=True)
    assert made(FAILED).update == StateUpdate(7, digest=b"d", ends_fault=True)
    assert made(KNOWN, problem="loc.niet-geregistreerd").update == StateUpdate(7, row)
    assert made(None, problem="loc.geen-https").update is None


#: A known document, the lastmod, further facts; and of the version the oorzaak, the openbaarmakingsdatum,
#: whether that is the day of the harvest, and the number.
VERSIONS: list[tuple[KnownDocument, str | None, dict[str, Any], tuple[Any, ...]]] = [
    (SEEN, EARLIER, {}, (Oorzaak.AANLEVERING, date(2024, 4, 1), False, 1)),
    (SEEN, None, {}, (Oorzaak.AANLEVERING, date(2024, 6, 1), True, 1)),
    (SEEN, FUTURE, {}, (Oorzaak.AANLEVERING, date(2024, 6, 1), True, 1)),
    (KNOWN, LATER, {}, (Oorzaak.WIJZIGING, date(2024, 3, 1), False, 4)),
    (KNOWN._replace(number=None), LATER, {}, (Oorzaak.WIJZIGING, date(2024, 3, 1), False, 2)),
    (KNOWN, EARLIER, OTHERS, (Oorzaak.WIJZIGING, date(2024, 4, 1), False, 4)),
    (GONE, LATER, {}, (Oorzaak.HERPUBLICATIE, date(2024, 3, 1), False, 4)),
    (MARKED, EARLIER, {}, (Oorzaak.WIJZIGING, date(2024, 3, 1), False, 3)),
]


def test_a_version_has_its_oorzaak_dates_and_number_and_is_later_than_each_record_before() -> None:
    for number, (known, lastmod, more, expected) in enumerate(VERSIONS):
        version = made(known, lastmod, **more).version
        assert version is not None
        found = version.cause, version.published, version.is_dated_by_harvest, version.number
        assert (found, version.recorded) == (expected, NOW), number
    for known in (KNOWN._replace(harvested=SECONDS + 3600), GONE._replace(withdrawn=SECONDS + 3600)):
        version = made(known, LATER).version
        assert version is not None
        assert version.recorded > NOW + timedelta(hours=1)


def test_a_version_that_comes_again_is_the_one_that_it_was() -> None:
    """The lastmod is as given today if it is the same moment, and that of the version if it is not."""
    for known, lastmod, text in (
        (MARKED, BEFORE, BEFORE),
        (MARKED, ZONE, ZONE),
        (MARKED, EARLIER, ZONE),
        (MARKED, None, ZONE),
        (MARKED._replace(lastmod=None), None, None),
    ):
        version = made(known, lastmod).version
        assert version is not None
        record = version.record(LOC, Herkomst())
        assert (record.herkomst.lastmod, version.cause) == (text, Oorzaak.WIJZIGING)
        assert (version.moment.at if version.moment else None) == known.lastmod
        assert record.herkomst.standaardwaarden == {}
    ahead = made(AHEAD._replace(again=True, cause="aanlevering"), FUTURE).version
    assert ahead is not None
    record = ahead.record(LOC, Herkomst())
    assert record.versies[0].mutatiedatumtijd == NOW - timedelta(weeks=2)
    assert set(record.herkomst.standaardwaarden) == {
        "versies.openbaarmakingsdatum",
        "versies.mutatiedatumtijd",
    }


LASTMODS = (None, DAY, EARLIER, BEFORE, LATER, ZONE, FUTURE, TYPO)


def rank(lastmod: str | None, now: datetime) -> int | None:
    """Return the moment with which a lastmod takes part in a comparison; None if it says nothing."""
    moment = parse_datetime(lastmod) if lastmod not in (None, TYPO) else None
    return None if moment is None else to_microseconds(min(moment, now))


@pytest.mark.parametrize("confirms_at_once", [True, False])
@pytest.mark.parametrize("is_reversed", [True, False])
@pytest.mark.parametrize("is_one_host", [True, False])
def test_two_entries_of_a_document_come_to_rest(
    *, confirms_at_once: bool, is_reversed: bool, is_one_host: bool
) -> None:
    """In two sitemaps of the owner that are read each day: two records at most, and quiet on day three."""
    for pair in product(LASTMODS, LASTMODS):
        known, listed_in, days = SEEN, set[int](), []
        for day in range(4):
            now, records, run = NOW + timedelta(days=day), 0, known
            listed = delivered = False
            read = set[int]()
            for sitemap in (THERE, HERE) if is_reversed and day % 2 else (HERE, THERE):
                facts = facts_of(run, pair[sitemap - 1], {})
                facts.is_named, facts.is_delivered = listed and is_one_host, delivered
                if run.sitemap_id != sitemap:
                    there = run.sitemap_id
                    host = "www.a.nl" if is_one_host else "open.a.nl"
                    is_read = there in read and is_one_host
                    facts.elsewhere = OtherSitemap("t", host, is_one_host, True, there in listed_in, is_read)
                found = decide(facts, WANTS, now)
                read.add(sitemap)
                listed_in.add(sitemap)
                listed = listed or found.outcome not in (PASSED, OLDER)
                if found.update is not None and found.update.is_moved:
                    known, run = known._replace(sitemap_id=sitemap), run._replace(sitemap_id=sitemap)
                if (version := found.version) is not None:
                    records, delivered = records + 1, True
                    known = known._replace(
                        sitemap_id=sitemap,
                        lastmod=version.moment.at if version.moment else None,
                        published=version.published.isoformat(),
                        harvested=int(version.recorded.timestamp()),
                        cause=version.cause.value,
                        number=version.number,
                        depth=Depth.FILE,
                    )
                    run = known if confirms_at_once else run
            days.append(records)
        assert days[0] == 1, pair
        assert days[1] <= 1, pair
        assert days[2:] == [0, 0], pair
        ranks = [one for one in (rank(lastmod, NOW) for lastmod in pair) if one is not None]
        newest = max(ranks, default=None)
        assert rank_of(known) == newest, pair


def rank_of(known: KnownDocument) -> int | None:
    """Return the moment of the known version, at most that of the first day."""
    return None if known.lastmod is None else min(known.lastmod, to_microseconds(NOW))
