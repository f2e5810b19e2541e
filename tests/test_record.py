"""The record, and its form in JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct, structs

from woo_harvester.record import (
    Bestand,
    Classificatiecollectie,
    Document,
    Documenthandeling,
    Documentrelatie,
    ExtraMetadata,
    Geldigheid,
    Herkomst,
    Oorzaak,
    Record,
    Relatierol,
    Titelcollectie,
    Veld,
    Versie,
    Waarde,
    bare_record,
    json_keys,
    json_value,
)
from woo_harvester.utils.dates import parse_date, parse_datetime
from woo_harvester.utils.urls import record_id

LOC = "https://www.gemeente.nl/besluit.pdf"
MOMENT = datetime(2024, 4, 2, 8, tzinfo=UTC)
GEMEENTE = Waarde("gemeente", "https://identifier.overheid.nl/tooi/id/gemeente/gm0363", "gemeente Amsterdam")

#: Records with every part present or absent, as a publisher may fill them.
WAARDEN = st.builds(Waarde, *[st.none() | st.text(min_size=1)] * 4)
RECORDS = st.builds(
    Record,
    id=st.uuids().map(str),
    document=st.builds(
        Document,
        weblocatie=st.just(LOC),
        creatiedatum=st.none() | st.dates(),
        geldigheid=st.none() | st.builds(Geldigheid, st.none() | st.datetimes(timezones=st.just(UTC))),
        identifiers=st.lists(st.text(min_size=1)),
        publisher=st.none() | WAARDEN,
        documenthandelingen=st.lists(st.builds(Documenthandeling, st.none() | WAARDEN)),
        extraMetadata=st.lists(st.builds(ExtraMetadata, velden=st.lists(st.builds(Veld, st.none())))),
    ),
    versies=st.lists(st.builds(Versie, st.sampled_from(Oorzaak), bestanden=st.lists(st.builds(Bestand)))),
)


def full() -> Record:
    """Return a record in which no field is empty."""
    waarde = Waarde("gemeente", "urn:a", "A", "a")
    return Record(
        id="9f",
        document=Document(
            weblocatie=LOC,
            creatiedatum=date(2024, 4, 1),
            geldigheid=Geldigheid(MOMENT, MOMENT),
            identifiers=["i"],
            publisher=waarde,
            verantwoordelijke=waarde,
            medeverantwoordelijken=[waarde],
            opsteller=waarde,
            naamOpsteller="n",
            language=waarde,
            format=waarde,
            omschrijvingen=["o"],
            titelcollectie=Titelcollectie("t", ["v"], ["a"]),
            classificatiecollectie=Classificatiecollectie([waarde], [waarde], [waarde], ["trefwoord"]),
            aggregatiekenmerk="g",
            isPartOf=waarde,
            hasParts=[waarde],
            documenthandelingen=[Documenthandeling(waarde, MOMENT, waarde)],
            extraMetadata=[ExtraMetadata("urn:x", "x", [Veld("k", ["v"])])],
        ),
        documentrelaties=[Documentrelatie("urn:d", "urn:r", "Ander")],
        versies=[
            Versie(
                Oorzaak.AANLEVERING,
                date(2024, 4, 2),
                MOMENT,
                2,
                "reden",
                [Bestand(LOC, "application/pdf", "besluit.pdf", 20480, "00ff", 3, "Tekst", "nl", "00/00ff")],
            )
        ],
        herkomst=Herkomst(
            "i",
            "s",
            "2024",
            MOMENT,
            "urn:o",
            {"document.publisher": "register"},
            ["x.y"],
            "Titel",
            [Relatierol("urn:d", waarde)],
            waarde,
            "1899-12-30",
            "Caf&eacute;",
        ),
    )


def values(output: Any) -> Iterator[Any]:
    """Yield every value in the output, at any depth."""
    if isinstance(output, dict | list):
        for part in output.values() if isinstance(output, dict) else output:
            yield part
            yield from values(part)


def test_every_field_that_is_not_empty_is_written() -> None:
    def check(value: Any, output: Any) -> None:
        if isinstance(value, Struct):
            assert list(output) == [key for _, key in json_keys(type(value))]
            for name, key in json_keys(type(value)):
                check(getattr(value, name), output[key])
        elif isinstance(value, list):
            assert len(output) == len(value)
            for part, written in zip(value, output, strict=True):
                check(part, written)

    check(full(), json_value(full()))


def test_only_mime_type_has_another_key_than_its_name() -> None:
    kinds = [Record, Document, Versie, Bestand, Herkomst, Waarde, Veld, ExtraMetadata, Documenthandeling]
    others = [(name, key) for kind in kinds for name, key in json_keys(kind) if name != key]

    assert others == [("mime_type", "mime-type")]


def test_a_part_with_only_absent_parts_is_absent() -> None:
    document = Document(LOC, geldigheid=Geldigheid(), publisher=Waarde())

    assert json_value(document) == {"weblocatie": LOC}


def test_a_number_that_is_zero_is_not_absent() -> None:
    assert json_value(Bestand(LOC, grootte=0)) == {"url": LOC, "grootte": 0}


@given(RECORDS)
def test_nothing_that_is_absent_is_written_below_a_key(record: Record) -> None:
    output = json_value(record)
    keyed = [value for part in [output, *values(output)] if isinstance(part, dict) for value in part.values()]

    assert not [value for value in keyed if value is None or value in ("", [], {})]


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("2024-04-02T08:00:00Z", "2024-04-02T10:00:00+02:00"),
        ("2024-11-21T09:00:00", "2024-11-21T09:00:00+01:00"),
        ("2024-04-02", "2024-04-02T00:00:00+02:00"),
        ("2024-09-25T14:30:00.5000000+02:00", "2024-09-25T14:30:00.500000+02:00"),
    ],
)
def test_a_moment_is_written_with_its_dutch_offset(given: str, written: str) -> None:
    assert json_value(Versie(Oorzaak.WIJZIGING, mutatiedatumtijd=parse_datetime(given))) == {
        "oorzaak": "wijziging",
        "mutatiedatumtijd": written,
    }


@given(st.timedeltas(timedelta(days=-28_000), timedelta(days=2_000_000)).map(MOMENT.__add__))
def test_a_moment_that_is_written_is_read_back_as_the_same(moment: datetime) -> None:
    assert parse_datetime(json_value(moment)) == moment


@given(st.dates())
def test_a_date_is_written_as_year_month_and_day(day: date) -> None:
    assert parse_date(json_value(day)) == day
    assert len(json_value(day)) == len("2024-04-02")


def test_each_oorzaak_is_written_as_a_plain_text() -> None:
    written = [json_value(Versie(oorzaak))["oorzaak"] for oorzaak in Oorzaak]

    assert written == ["aanlevering", "wijziging", "intrekking", "herpublicatie"]
    assert {type(text) for text in written} == {str}


def test_the_output_of_a_record_is_not_shared() -> None:
    first, second = json_value(full()), json_value(full())
    shared = Document(LOC, publisher=GEMEENTE, verantwoordelijke=GEMEENTE)

    first["document"]["publisher"]["label"] = "changed"
    first["herkomst"]["bevindingen"].append("changed")
    json_value(shared)["publisher"].clear()

    assert second == json_value(full())
    assert (
        json_value(shared)["publisher"]
        == json_value(shared)["verantwoordelijke"]
        == json_value(GEMEENTE)
        != {}
    )


def test_a_change_of_the_record_after_it_was_written_is_written_the_next_time() -> None:
    record = full()
    json_value(record)

    record.document.titelcollectie.officieleTitel = "another"
    record.herkomst.standaardwaarden["document.format"] = "extensie"

    assert json_value(record)["document"]["titelcollectie"]["officieleTitel"] == "another"
    assert json_value(record)["herkomst"]["standaardwaarden"]["document.format"] == "extensie"


def test_a_value_that_records_share_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        GEMEENTE.label = "another"  # type: ignore[misc]


def test_values_are_compared_by_their_content() -> None:
    again = Waarde(*structs.astuple(GEMEENTE))
    json_value(GEMEENTE)

    assert again == GEMEENTE
    assert len({again, GEMEENTE}) == 1


@pytest.mark.parametrize("value", ["text", 3, 2.5, True, {"a": "b"}, ["a", 1]])
def test_what_is_plain_already_stays_as_it_is(value: object) -> None:
    assert json_value(value) == value


@dataclass
class OneField:
    """A dataclass with one field."""

    name: str | None = None


def test_a_part_with_one_field_is_written_like_any_other() -> None:
    assert json_value(OneField("Dorp")) == {"name": "Dorp"}
    assert json_value(OneField()) == {}


def test_a_bare_record_has_a_document_a_version_and_an_origin_only() -> None:
    version, origin = Versie(Oorzaak.INTREKKING), Herkomst(sitemap="https://a.nl/sitemap.xml")
    record = bare_record(LOC, version, origin)
    assert record == Record(record_id(LOC), Document(LOC), versies=[version], herkomst=origin)
