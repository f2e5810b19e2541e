"""The version of a record that is decided on an entry."""

from __future__ import annotations

from datetime import UTC, date, datetime

from tests.sitemaps.facts_of_entries import (
    BEFORE,
    EARLIER,
    FROM_OTHERS,
    HARVESTED,
    LATER,
    LOC,
    NOW,
    REFUSED,
    SAID_SAME,
    SECONDS,
    SEEN,
    TERMS,
    TYPO,
    entry,
    others,
)
from woo_harvester.record import Herkomst, Oorzaak
from woo_harvester.sitemaps.decide import decide
from woo_harvester.sitemaps.facts import EntryFacts, NewVersion, Terms
from woo_harvester.sitemaps.facts import EntryOutcome as Outcome
from woo_harvester.utils.dates import from_microseconds, parse_datetime
from woo_harvester.utils.urls import record_id


def version_of(facts: EntryFacts) -> NewVersion:
    version = decide(facts, TERMS, NOW).version
    assert version is not None
    return version


def test_the_first_version_is_published_on_the_dutch_day_of_its_lastmod() -> None:
    facts = entry("2024-04-01T22:30:00Z", known=SEEN)
    assert version_of(facts) == NewVersion(
        cause=Oorzaak.AANLEVERING,
        lastmod=datetime(2024, 4, 1, 22, 30, tzinfo=UTC),
        lastmod_text="2024-04-01T22:30:00Z",
        published=date(2024, 4, 2),
        at=NOW,
        takes_over=False,
    )


def test_a_version_without_lastmod_is_published_today_which_is_a_default() -> None:
    for known in (None, SEEN):
        version = version_of(entry(None, known=known))
        assert (version.lastmod, version.lastmod_text, version.published) == (None, None, date(2024, 6, 1))
        record = version.record(LOC, Herkomst())
        assert record.versies[0].mutatiedatumtijd is None
        assert record.herkomst.standaardwaarden == {"versies.openbaarmakingsdatum": "oogstdatum"}


def test_a_version_with_a_lastmod_in_the_future_is_of_the_moment_of_the_harvest() -> None:
    version = version_of(entry(TYPO, known=SEEN))
    assert (version.published, version.lastmod) == (date(2024, 6, 1), parse_datetime(TYPO))
    record = version.record(LOC, Herkomst())
    assert record.versies[0].mutatiedatumtijd == NOW
    assert record.herkomst.lastmod == TYPO
    assert record.herkomst.standaardwaarden == {
        "versies.openbaarmakingsdatum": "oogstdatum",
        "versies.mutatiedatumtijd": "oogstdatum",
    }


def test_a_later_version_in_the_future_keeps_its_openbaarmakingsdatum() -> None:
    version = version_of(entry(TYPO, known=HARVESTED))
    assert version.published == date(2024, 3, 1)
    record = version.record(LOC, Herkomst())
    assert record.versies[0].mutatiedatumtijd == NOW
    assert record.herkomst.standaardwaarden == {"versies.mutatiedatumtijd": "oogstdatum"}


def test_a_later_version_keeps_the_openbaarmakingsdatum_and_comes_after_the_one_before() -> None:
    version = version_of(entry(LATER, known=HARVESTED._replace(harvested=SECONDS + 60)))
    assert (version.cause, version.published) == (Oorzaak.WIJZIGING, date(2024, 3, 1))
    assert version.at.timestamp() == SECONDS + 61
    assert not version.takes_over


def test_a_version_takes_over_that_of_another_and_only_the_owners_has_a_day_of_its_own() -> None:
    version = version_of(entry(EARLIER, known=HARVESTED, version=FROM_OTHERS))
    assert (version.published, version.takes_over) == (date(2024, 4, 1), True)
    version = version_of(others(LATER, known=HARVESTED))
    assert (version.published, version.takes_over) == (date(2024, 3, 1), True)
    assert not version_of(entry(known=SEEN, version=FROM_OTHERS)).takes_over


def test_a_recheck_keeps_the_lastmod_that_was_harvested() -> None:
    version = version_of(entry(None, known=SAID_SAME))
    assert version.cause is Oorzaak.WIJZIGING
    assert version.lastmod == from_microseconds(SAID_SAME.lastmod or 0)
    assert version.lastmod_text == "2024-04-02T12:00:00+02:00"
    assert version_of(entry(known=SAID_SAME)).lastmod_text == BEFORE
    without = version_of(entry(None, known=SAID_SAME._replace(lastmod=None)))
    assert (without.lastmod, without.lastmod_text) == (None, None)


def test_without_an_interval_nothing_is_rechecked_or_left_alone() -> None:
    assert decide(entry(known=SAID_SAME), Terms(), NOW).outcome is Outcome.UNCHANGED
    assert decide(entry(LATER, known=REFUSED), Terms(), NOW).outcome is Outcome.CHANGED


def test_a_bare_record_says_who_what_and_when() -> None:
    record = version_of(entry(known=SEEN)).record(LOC, Herkomst(sitemap="https://www.a.nl/s.xml"))
    assert record.id == record_id(LOC)
    assert record.document.weblocatie == LOC
    (version,) = record.versies
    assert (version.oorzaak, version.openbaarmakingsdatum) == (Oorzaak.AANLEVERING, date(2024, 4, 2))
    assert version.mutatiedatumtijd == parse_datetime(BEFORE)
    assert record.herkomst == Herkomst(sitemap="https://www.a.nl/s.xml", lastmod=BEFORE)


def test_only_what_was_decided_on_a_document_is_counted() -> None:
    assert {outcome.name.lower() for outcome in Outcome if outcome.is_counted} == {
        "new",
        "changed",
        "republished",
        "rechecked",
        "supplied",
        "supplemented",
        "unchanged",
        "unchanged_again",
        "older",
        "older_again",
        "offered_again",
        "foreign",
        "refused",
    }


def test_versions_are_counted_from_1_by_what_outputs_have() -> None:
    changed = entry(LATER, known=HARVESTED._replace(number=4))
    assert version_of(entry(LATER, known=None)).number == 1
    assert version_of(entry(LATER, known=SEEN)).number == 1  # also if a killed run wrote it before
    assert version_of(changed).number == 5
    assert version_of(entry(LATER, known=HARVESTED._replace(number=None))).number == 2
    back = HARVESTED._replace(number=4, withdrawn=SECONDS)
    assert version_of(entry(LATER, known=back)).number == 5
    assert version_of(changed).record(LOC, Herkomst()).versies[0].nummer == 5
