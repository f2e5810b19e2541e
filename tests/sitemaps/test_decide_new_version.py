"""The version of a document that is delivered again, with content that its record lacked."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from woo_harvester.record import Herkomst, Oorzaak
from woo_harvester.sitemaps.decide import new_version
from woo_harvester.sitemaps.facts import EntryFacts, EntryOutcome, KnownDocument, NewVersion
from woo_harvester.sitemaps.reader import Entry
from woo_harvester.utils.dates import parse_datetime, to_microseconds

LOC = "https://www.a.nl/besluit.pdf"
LASTMOD, FUTURE = "2024-04-02T10:00:00Z", "2999-04-02T10:00:00Z"
NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
BEGAN = NOW - timedelta(days=14)
KNOWN = KnownDocument(
    LOC,
    7,
    1,
    to_microseconds(parse_datetime(LASTMOD)),
    "2024-04-02",
    int(BEGAN.timestamp()),
    None,
    None,
    cause="wijziging",
)


def supplied(known: KnownDocument = KNOWN, text: str | None = LASTMOD) -> NewVersion:
    facts = EntryFacts(Entry(LOC, text, 3, None), known=known)
    made = new_version(facts, EntryOutcome.SUPPLIED, NOW)
    assert made is not None
    return made


def test_it_has_the_oorzaak_and_the_dates_that_it_had() -> None:
    assert supplied() == NewVersion(
        cause=Oorzaak.WIJZIGING,
        lastmod=parse_datetime(LASTMOD),
        lastmod_text=LASTMOD,
        published=date(2024, 4, 2),
        at=NOW,
        takes_over=False,
        began_at=BEGAN,
    )


def test_its_record_is_later_than_each_record_before() -> None:
    ahead = int(NOW.timestamp()) + 3600
    assert supplied(KNOWN._replace(supplied_at=ahead)).at > datetime.fromtimestamp(ahead, UTC)
    assert supplied(KNOWN._replace(supplied_at=ahead)).began_at == BEGAN


def test_a_lastmod_that_is_gone_by_now_is_the_known_one() -> None:
    made = supplied(text=None)
    assert made.lastmod == parse_datetime(LASTMOD)
    assert parse_datetime(str(made.lastmod_text)) == made.lastmod


def test_a_lastmod_is_given_as_it_is_today_if_it_is_the_same_moment() -> None:
    assert supplied(text="2024-04-02T12:00:00+02:00").lastmod_text == "2024-04-02T12:00:00+02:00"


def test_a_version_without_lastmod_stays_without() -> None:
    made = supplied(KNOWN._replace(lastmod=None, published="2024-05-18", cause="aanlevering"), None)
    record = made.record(LOC, Herkomst())
    assert (made.lastmod, record.herkomst.lastmod, record.versies[0].mutatiedatumtijd) == (None, None, None)
    assert record.herkomst.standaardwaarden == {"versies.openbaarmakingsdatum": "oogstdatum"}


@pytest.mark.parametrize("text", [FUTURE, "2024-05-18T11:00:00Z"], ids=["still there", "corrected"])
def test_a_lastmod_that_was_in_the_future_gives_the_moment_of_the_first_record(text: str) -> None:
    known = KNOWN._replace(lastmod=to_microseconds(parse_datetime(FUTURE)), published="2024-05-18")
    made = supplied(known, text)
    record = made.record(LOC, Herkomst())
    assert record.versies[0].mutatiedatumtijd == BEGAN
    assert made.lastmod == parse_datetime(FUTURE)
    assert record.herkomst.standaardwaarden["versies.mutatiedatumtijd"] == "oogstdatum"


@pytest.mark.parametrize(
    ("published", "lastmod", "cause"),
    [
        ("2024-04-02", LASTMOD, Oorzaak.AANLEVERING),
        ("2024-03-01", LASTMOD, Oorzaak.WIJZIGING),
        ("2024-05-18", None, Oorzaak.AANLEVERING),
        ("2024-03-01", None, Oorzaak.WIJZIGING),
        ("2024-05-18", FUTURE, Oorzaak.AANLEVERING),
        ("2024-03-01", FUTURE, Oorzaak.WIJZIGING),
    ],
)
def test_an_oorzaak_that_the_state_does_not_have_is_likely_by_the_day_of_the_first_version(
    published: str, lastmod: str | None, cause: Oorzaak
) -> None:
    moment = to_microseconds(parse_datetime(lastmod)) if lastmod else None
    known = KNOWN._replace(lastmod=moment, published=published, cause=None)
    assert supplied(known, lastmod).cause is cause


def test_it_has_the_number_that_it_had() -> None:
    assert supplied(KNOWN._replace(number=3)).number == 3
    assert supplied(KNOWN._replace(number=None)).number == 1  # it was imported from a state without numbers
