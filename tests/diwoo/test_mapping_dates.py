"""Mapping the dates of a document, and its references to other documents."""

from __future__ import annotations

import pytest

from tests.diwoo.documents import mapped
from tests.diwoo.test_mapping import VASTSTELLING
from woo_harvester.diwoo.given import GivenMetadata, Handling, Relation, Value
from woo_harvester.record import json_value
from woo_harvester.utils.dates import parse_date


@pytest.mark.parametrize(
    ("text", "day"),
    [("2024-04-01", "2024-04-01"), ("2024-04-01Z", "2024-04-01"), ("2024-03-31T23:30:00Z", "2024-04-01")],
)
def test_a_creatiedatum_is_a_day(text: str, day: str) -> None:
    outcome = mapped(GivenMetadata(creatiedatum=text))
    assert outcome.document == {"creatiedatum": day}
    assert outcome.noted == []


@pytest.mark.parametrize(
    ("name", "text", "moment"),
    [
        ("begindatum", "2024-07-01T09:00:00", "2024-07-01T09:00:00+02:00"),
        ("begindatum", "2023-04-04T08:00:00Z", "2023-04-04T10:00:00+02:00"),
        ("begindatum", "2023-11-21T09:00:00T+01:00", "2023-11-21T09:00:00+01:00"),
        ("begindatum", "2024-01-01", "2024-01-01T00:00:00+01:00"),
        ("einddatum", "2023-04-04T08:00:00Z", "2023-04-04T10:00:00+02:00"),
        # An end that is only a day includes that day.
        ("einddatum", "2024-01-31", "2024-01-31T23:59:59+01:00"),
        ("einddatum", "2024-07-31", "2024-07-31T23:59:59+02:00"),
    ],
)
def test_a_geldigheid_has_date_times_with_the_dutch_offset(name: str, text: str, moment: str) -> None:
    assert mapped(GivenMetadata(**{name: text})).document == {"geldigheid": {name: moment}}  # type: ignore[arg-type]
    both = mapped(GivenMetadata(begindatum=text, einddatum=text))
    assert (both.document["geldigheid"][name], both.noted) == (moment, [])


@pytest.mark.parametrize(
    ("begin", "end", "kept"),
    [
        ("2024-12-31", "2024-05-01", ("2024-12-31T00:00:00+01:00", "2024-05-01T23:59:59+02:00")),
        (
            "2024-05-01T12:00:00+02:00",
            "2024-05-01T09:59:59Z",
            ("2024-05-01T12:00:00+02:00", "2024-05-01T11:59:59+02:00"),
        ),
    ],
)
def test_a_geldigheid_that_ends_first_is_kept(begin: str, end: str, kept: tuple[str, str]) -> None:
    outcome = mapped(GivenMetadata(begindatum=begin, einddatum=end))
    assert outcome.document == {"geldigheid": {"begindatum": kept[0], "einddatum": kept[1]}}
    [finding] = [f for f in outcome.findings if f.code == "geldigheid.omgekeerd"]
    assert (finding.element, finding.seen, finding.action) == (
        "geldigheid",
        f"{begin} – {end}",
        "bewaard zoals gegeven",
    )


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("2024-05-01T12:00:00+02:00", "2024-05-01T10:00:00Z"),
        ("2024-05-01T12:00:00", "2024-05-01"),
        ("2024-05-01", None),
        (None, "2024-05-01"),
        ("gisteren", "2024-05-01"),
    ],
)
def test_any_other_geldigheid_has_no_such_finding(begin: str | None, end: str | None) -> None:
    assert "geldigheid.omgekeerd" not in mapped(GivenMetadata(begindatum=begin, einddatum=end)).codes


@pytest.mark.parametrize("text", ["2024-04-03", "2042-04-01", "2024-04-02T23:00:00Z"])
def test_a_creatiedatum_in_the_future_is_kept_with_a_finding(text: str) -> None:
    outcome = mapped(GivenMetadata(creatiedatum=text))
    assert outcome.document == {"creatiedatum": parse_date(text).isoformat()}
    assert [(f.code, f.element, f.seen, f.action) for f in outcome.findings if f.seen] == [
        ("creatiedatum.toekomst", "creatiedatum", text, "bewaard zoals gegeven")
    ]


@pytest.mark.parametrize("text", ["2024-04-02", "2024-04-02T23:59:59", "2024-04-02T21:59:59Z", "2024-04-01"])
def test_a_creatiedatum_of_today_in_dutch_time_is_not_the_future(text: str) -> None:
    assert mapped(GivenMetadata(creatiedatum=text)).noted == []


def test_an_unreadable_date_is_a_finding_with_its_text() -> None:
    handling = Handling(Value("vaststelling", None), "gisteren", None)
    outcome = mapped(
        GivenMetadata(
            creatiedatum="1 april 2024",
            begindatum="PLACEHOLDER",
            einddatum="2024-02-30",
            handelingen=[handling],
        )
    )
    assert outcome.document == {
        "documenthandelingen": [{"soortHandeling": {"id": VASTSTELLING, "label": "vaststelling"}}]
    }
    assert [(f.element, f.seen, f.action) for f in outcome.findings if f.code == "datum.ongeldig"] == [
        ("creatiedatum", "1 april 2024", "openbaarmakingsdatum overgenomen"),
        ("geldigheid/begindatum", "PLACEHOLDER", "weggelaten"),
        ("geldigheid/einddatum", "2024-02-30", "weggelaten"),
        ("documenthandelingen/documenthandeling/atTime", "gisteren", "weggelaten"),
    ]
    assert set(outcome.codes) == {"datum.ongeldig"}


def test_a_reference_to_a_document_is_kept_as_it_is() -> None:
    given = GivenMetadata(
        is_part_of=Value("PLACEHOLDER", "javascript:x"),
        has_parts=[Value("deel", None), Value(None, "deel 2")],
        relaties=[Relation(None, Value("ander", "urn:ander"))],
    )
    outcome = mapped(given)
    assert outcome.document == {
        "isPartOf": {"id": "javascript:x", "label": "PLACEHOLDER"},
        "hasParts": [{"label": "deel"}, {"id": "deel 2"}],
    }
    record = json_value(outcome.record)
    assert record["documentrelaties"] == [{"relation": "urn:ander", "titel": "ander"}]
    assert "documentrelaties" not in record["herkomst"]  # nothing of the relation is left out
    assert outcome.noted == []


@pytest.mark.parametrize(
    "value", [Value("geheel", "http://www.a.nl/1.pdf"), Value("HTTP://www.a.nl/1.pdf", None)]
)
def test_a_reference_with_http_is_kept_with_a_finding(value: Value) -> None:
    relation = Relation(Value("verwijst naar", None), value)
    outcome = mapped(GivenMetadata(is_part_of=value, has_parts=[value, value], relaties=[relation]))
    seen = "geheel (http://www.a.nl/1.pdf)" if value.uri else "HTTP://www.a.nl/1.pdf"
    assert [(f.code, f.element, f.seen, f.action) for f in outcome.findings if f.seen] == [
        ("verwijzing.geen-https", "isPartOf", seen, "bewaard zoals gegeven"),
        ("verwijzing.geen-https", "hasParts/hasPart", seen, "2 verwijzingen bewaard zoals gegeven"),
        (
            "verwijzing.geen-https",
            "documentrelaties/documentrelatie/relation",
            seen,
            "bewaard zoals gegeven",
        ),
    ]
    kept = {"label": value.label, **({"id": value.uri} if value.uri else {})}
    assert outcome.document == {"isPartOf": kept, "hasParts": [kept, kept]}


def test_ten_thousand_references_with_http_are_one_finding() -> None:
    parts = [Value(None, f"http://www.a.nl/{number}.pdf") for number in range(10_000)]
    outcome = mapped(GivenMetadata(has_parts=[Value("deel 0", None), *parts]))
    assert outcome.noted == [("verwijzing.geen-https", "http://www.a.nl/0.pdf")]
    assert len(outcome.document["hasParts"]) == 10_001


@pytest.mark.parametrize(
    "uri",
    [
        "https://www.a.nl/1.pdf",
        "http://publications.europa.eu/resource/authority/language/NLD",
        "http://Publications.Europa.eu:80/resource/authority/language/NLD",
        "http://standaarden.overheid.nl/owms/terms/Amsterdam",
        "http://identifier.overheid.nl/tooi/id/gemeente/gm0363",
        "urn:http://www.a.nl/1.pdf",
        "dossier http://www.a.nl/1.pdf",
    ],
)
def test_a_reference_with_https_or_the_uri_of_a_value_list_has_no_finding(uri: str) -> None:
    value = Value(uri, uri)
    outcome = mapped(GivenMetadata(is_part_of=value, has_parts=[value], relaties=[Relation(None, value)]))
    assert outcome.noted == []


@pytest.mark.parametrize(
    "host", ["publications.europa.eu.a.nl", "a.nl/publications.europa.eu/", "overheid.nl"]
)
def test_a_host_that_only_resembles_that_of_a_value_list_is_any_other(host: str) -> None:
    outcome = mapped(GivenMetadata(is_part_of=Value(None, f"http://{host}/1")))
    assert outcome.noted == [("verwijzing.geen-https", f"http://{host}/1")]
