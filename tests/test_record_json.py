"""Each line of JSON is the same as Python's ``json`` writes of the plain values of the record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.diwoo.documents import completed
from tests.test_record import LOC, MOMENT, RECORDS, WAARDEN, full
from woo_harvester.demo.publishers import Demo
from woo_harvester.demo.server import Page
from woo_harvester.diwoo.given import given_metadata
from woo_harvester.permits.record import PermitRecord, Vergunning
from woo_harvester.record import (
    Document,
    Documenthandeling,
    Geldigheid,
    Herkomst,
    Oorzaak,
    Record,
    Versie,
    Waarde,
    bare_record,
    json_line,
    json_value,
)
from woo_harvester.sitemaps.reader import OtherRootError
from woo_harvester.sitemaps.repairing_reader import RepairingReader
from woo_harvester.sitemaps.xml_stream import SitemapError

_MAXSIZE = 10_000_000

#: Texts that look like what is left out of a record, or that JSON must escape.
HOSTILE = (
    '"',
    '""',
    "{}",
    "[]",
    '": ""',
    "a\\",
    '\\"\\"',
    "\x00\x01\x1f\x7f\x80",
    "\b\f\n\r\t",
    "\u2028\u2029\ufeff\U0010ffff",
    "Één “kade” 🛶",
    "</script><!--",
    ", : ,: {a: [1 ,2]}",
    "1e400",
)


def expected(record: Record | PermitRecord) -> bytes:
    """Return the line that Python's own library writes."""
    return json.dumps(json_value(record), ensure_ascii=False).encode() + b"\n"


def sitemaps(folder: Path) -> Iterator[bytes]:
    """Return all files of the fictional publishers that may be sitemaps."""
    with Demo(folder, documents=200) as demo:
        pages = [page for site in demo.sites for page in site.pages.values() if isinstance(page, Page)]
        bodies = [b"".join(page.chunks()) for page in pages]
    return (body for body in bodies if b"loc>" in body)


def test_the_line_of_each_record_of_the_fictional_publishers(tmp_path: Path) -> None:
    records = []
    for body in sitemaps(tmp_path):
        with suppress(SitemapError, OtherRootError):
            for batch in RepairingReader(lambda body=body: [body], "urlset", _MAXSIZE):  # type: ignore[misc]
                records += [completed(given_metadata(each), loc=each.loc or LOC).record for each in batch]
    for record in records:
        record.herkomst.opgehaald = record.versies[0].mutatiedatumtijd
    assert len(records) > 200
    assert [json_line(record) for record in records] == [expected(record) for record in records]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_of_a_publisher_stays_what_it_was(text: str) -> None:
    record = full()
    record.document.titelcollectie.officieleTitel = text
    record.document.classificatiecollectie.trefwoorden = [text, ""]
    record.document.publisher = Waarde(text, text, text, text)
    record.herkomst.standaardwaarden = {text: text}
    assert json_line(record) == expected(record)
    assert json.loads(json_line(record))["document"]["titelcollectie"]["officieleTitel"] == text


def test_what_is_empty_is_absent_wherever_it_stands() -> None:
    record = bare_record(
        LOC, Versie(Oorzaak.INTREKKING, date(2024, 4, 2), MOMENT), Herkomst(index="", lastmod="")
    )
    record.document.geldigheid = Geldigheid()
    record.document.publisher = Waarde("", "", "")
    record.document.documenthandelingen = [Documenthandeling(Waarde("", None))]
    record.herkomst.standaardwaarden = {"document.format": ""}
    assert json_line(record) == expected(record)
    assert set(json.loads(json_line(record))["document"]) == {"weblocatie", "documenthandelingen"}


@given(RECORDS)
def test_the_line_of_any_record(record: Record) -> None:
    assert json_line(record) == expected(record)


@given(st.lists(WAARDEN), st.text(), st.dictionaries(st.text(), st.text()), st.none() | st.text())
def test_the_line_of_any_values_and_texts(
    waarden: list[Waarde], title: str, defaults: dict[str, str], lastmod: str | None
) -> None:
    document = Document(LOC, hasParts=waarden, naamOpsteller=title, identifiers=[title, title])
    record = Record("1", document, herkomst=Herkomst(lastmod=lastmod, standaardwaarden=defaults))
    assert json_line(record) == expected(record)


ZONES = st.timedeltas(timedelta(hours=-14), timedelta(hours=14)).map(
    lambda offset: timezone(timedelta(minutes=offset // timedelta(minutes=1)))
)


@given(st.timedeltas(timedelta(days=-700_000), timedelta(days=2_900_000)).map(MOMENT.__add__), ZONES)
def test_a_moment_has_the_dutch_offset_whatever_its_zone(moment: datetime, zone: timezone) -> None:
    moment = moment.astimezone(zone)
    version = Versie(Oorzaak.AANLEVERING, None, moment)
    record = Record("1", Document(LOC, geldigheid=Geldigheid(moment, moment)), versies=[version])
    assert json_line(record) == expected(record)
    assert version.mutatiedatumtijd == moment
    assert datetime.fromisoformat(json_value(version)["mutatiedatumtijd"]) == moment


def test_an_hour_that_occurs_twice_keeps_both_its_moments() -> None:
    before, after = (datetime(2024, 10, 27, hour, 30, tzinfo=UTC) for hour in (0, 1))
    one, other = Versie(Oorzaak.AANLEVERING, None, before), Versie(Oorzaak.AANLEVERING, None, after)
    assert one != other
    assert json_value(one)["mutatiedatumtijd"] == "2024-10-27T02:30:00+02:00"
    assert json_value(other)["mutatiedatumtijd"] == "2024-10-27T02:30:00+01:00"


def test_a_text_that_utf_8_cannot_write_is_an_error_as_before() -> None:
    record = Record("1", Document(LOC, naamOpsteller="\ud800"))
    with pytest.raises(UnicodeEncodeError):
        expected(record)
    with pytest.raises(UnicodeEncodeError):
        json_line(record)


def test_the_line_of_a_permit() -> None:
    record = PermitRecord("1", Vergunning(identifier="https://a.nl/zaken/1", title='Kap ""'))
    assert json_line(record) == expected(record)
