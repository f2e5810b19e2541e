from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime

import pytest

from tests.permits.reading import NOW, codes, faults, given, valid
from woo_harvester.demo.permit_messages import (
    CASE_URL,
    DOCUMENT_URL,
    MESSAGE_PREFIX,
    NO_PREFIX,
    PRODUCT,
    delete_message,
    document_message,
    message,
)
from woo_harvester.permits.messages import Message, Soort, Transactie
from woo_harvester.permits.schema import FAULTS_MAX, MESSAGE_NS

DCTERMS = "http://purl.org/dc/terms/"
REFUSED = "bericht niet verwerkt"
ISO_DAY = "verwacht: een datum als 2009-09-01"


def error(code: str, line: int, element: str, seen: str, expected: str) -> dict[str, object]:
    """Return a fault for which a message is refused."""
    found = {"code": code, "severity": "error", "line": line, "element": element, "seen": seen}
    return found | {"action": f"{REFUSED}; {expected}"}


def test_a_message_about_a_case_is_read() -> None:
    read = valid(message("U", transactie_id=" 17 ", aanmaakdatum="2026-04-15"))
    assert read == Message(
        soort=Soort.ZAAK,
        transactie=Transactie.UPDATE,
        transactie_id="17",
        volgnummer=0,
        aanmaakdatum=date(2026, 4, 15),
        identifier=CASE_URL,
        zaak=CASE_URL,
        gegevens=read.gegevens,
    )


def test_a_message_about_a_document_names_its_case() -> None:
    read = valid(document_message(volgnummer="3"))
    assert (read.soort, read.volgnummer) == (Soort.DOCUMENT, 3)
    assert (read.identifier, read.zaak) == (DOCUMENT_URL, CASE_URL)


def test_a_delete_needs_only_the_url_of_the_case_and_a_document_s_not_even_that() -> None:
    for content in (delete_message(), message("D")):
        read = valid(content)
        assert (read.transactie, read.identifier, read.zaak) == (Transactie.DELETE, CASE_URL, CASE_URL)
        assert read.gegevens is None
    assert valid(document_message("D", case=None)).zaak is None
    assert valid(document_message("D")).zaak == CASE_URL


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("C", "C"), ("c", "C"), ("Create", "C"), ("CREATE", "C"), (" C ", "C"), ("\n\tcreate\n", "C"),
        ("U", "U"), ("Update", "U"), ("uPDATE", "U"), ("D", "D"), ("d", "D"), ("Delete", "D"),
    ],
)  # fmt: skip
def test_a_transaction_is_known_by_its_letter_or_word_in_any_case(written: str, meant: str) -> None:
    assert valid(message(written)).transactie == meant


@pytest.mark.parametrize("written", ["", "X", "CU", "Creat", "Verwijderen", "C U", "1"])
def test_another_transaction_is_refused(written: str) -> None:
    expected = error("ipm.transactie", 6, "transactietype", written, "verwacht: C, U of D")
    assert faults(message(written)) == [expected]


@pytest.mark.parametrize(
    "written", ["2026-04-01", " 2026-04-01 ", "2026-04-01Z", "2026-04-01+02:00", "2026-04-01T00:00:00"]
)
def test_the_aanmaakdatum_is_a_day_with_or_without_a_time(written: str) -> None:
    assert valid(message(aanmaakdatum=written)).aanmaakdatum == date(2026, 4, 1)


@pytest.mark.parametrize(
    ("written", "moment"),
    [
        ("2026-04-01", None),
        ("2026-04-01+02:00", None),
        ("2026-04-01T09:30:00", datetime(2026, 4, 1, 7, 30, tzinfo=UTC)),
        ("2026-04-01T09:30:00Z", datetime(2026, 4, 1, 9, 30, tzinfo=UTC)),
    ],
)
def test_a_time_in_the_aanmaakdatum_is_kept_as_a_moment(written: str, moment: datetime | None) -> None:
    assert valid(message(aanmaakdatum=written)).aanmaakmoment == moment


@pytest.mark.parametrize("written", ["2026-11-01", "2026-11-01T13:04:59", "2026-11-01T12:04:59Z"])
def test_an_aanmaakdatum_of_today_or_of_a_clock_that_is_fast_is_not_in_the_future(written: str) -> None:
    assert valid(message(aanmaakdatum=written)).aanmaakdatum == NOW.date()


@pytest.mark.parametrize("written", ["2026-11-02", "2026-11-01T13:05:01", "2096-04-01"])
@pytest.mark.parametrize("make", [message, document_message, delete_message])
def test_an_aanmaakdatum_in_the_future_is_refused(written: str, make: Callable[..., bytes]) -> None:
    (fault,) = faults(make(aanmaakdatum=written))
    assert (fault["code"], fault["element"], fault["seen"]) == ("ipm.datum-toekomst", "aanmaakdatum", written)
    assert fault["action"] == REFUSED


@pytest.mark.parametrize(
    "written",
    ["", "gisteren", "01-04-2026", "2026-02-30", "2026-4-1", "20260401", "2026", "0000-01-01"],
)
def test_a_date_that_cannot_be_read_is_refused_with_its_place(written: str) -> None:
    assert faults(message(aanmaakdatum=written)) == [error("ipm.datum", 9, "aanmaakdatum", written, ISO_DAY)]
    if written:  # an empty end is absent
        period = f"<dcterms:temporal><start>2026-04-01</start><end>{written}</end></dcterms:temporal>"
        expected = error("ipm.datum", 18, "owmskern/temporal/end", written, ISO_DAY)
        assert faults(message(kern=period)) == [expected]
        assert codes(message(modified=written)) == ["ipm.datum"]


@pytest.mark.parametrize("written", ["12026-04-01", "-0044-03-15"])
def test_a_year_that_no_calendar_has_is_refused(written: str) -> None:
    assert codes(message(aanmaakdatum=written)) == ["ipm.datum"]
    assert codes(message(modified=written)) == ["ipm.datum"]


@pytest.mark.parametrize("written", ["", "-1", "1.5", "een", "1e3", "99999999999"])
def test_a_volgnummer_that_is_not_a_number_is_refused(written: str) -> None:
    (fault,) = faults(message(volgnummer=written))
    assert (fault["code"], fault["element"], fault["seen"]) == ("ipm.schema", "volgnummer", written)


def test_a_volgnummer_of_thousands_of_digits_is_refused_too() -> None:
    assert codes(message(volgnummer="0" * 5000)) == ["ipm.schema"]
    assert valid(message(volgnummer=" 007 ")).volgnummer == 7


def test_a_transaction_id_is_any_text_that_is_not_empty() -> None:
    assert valid(message(transactie_id="2026-A/1")).transactie_id == "2026-A/1"
    assert codes(message(transactie_id=" ")) == ["ipm.schema"]
    assert codes(message(transactie_id="x" * 256)) == ["ipm.schema"]


@pytest.mark.parametrize(
    "url", ["http://www.a.nl/1", "https://a.nl:8443/x?y=z&a=b", "HTTPS://a.nl/é", "https://a.nl"]
)
def test_an_identifier_is_a_full_url(url: str) -> None:
    assert valid(message(identifier=url)).identifier == url
    assert valid(document_message(case=url)).zaak == url


@pytest.mark.parametrize(
    "written",
    ["", "2026-1", "www.a.nl/1", "/zaken/1", "ftp://a.nl/1", "https://", "https://a.nl/a b", "https://a:b.nl/",
     "urn:zaak:1", "https://a.nl/" + "x" * 2100],
)  # fmt: skip
def test_an_identifier_that_is_not_a_full_url_is_refused(written: str) -> None:
    (fault,) = faults(message(identifier=written))
    assert (fault["code"], fault["element"]) == ("ipm.identifier", "owmskern/identifier")
    assert fault["seen"][:20] == (written or "ontbreekt")[:20]


def test_a_message_without_an_identifier_is_refused() -> None:
    for content in (message("D"), message("C")):
        without = re.sub(rb"<dcterms:identifier>.*</dcterms:identifier>", b"", content)
        (fault,) = faults(without)
        assert (fault["code"], fault["seen"]) == ("ipm.identifier", "ontbreekt")


def test_a_document_needs_the_url_of_its_case() -> None:
    (fault,) = faults(document_message(case="2026-1"))
    expected = ("ipm.identifier", "owmsmantel/isPartOf", "2026-1")
    assert (fault["code"], fault["element"], fault["seen"]) == expected
    (fault,) = faults(document_message(case=None))
    assert (fault["code"], fault["element"]) == ("ipm.schema", "owmsmantel/isPartOf")


@pytest.mark.parametrize("transactie", ["C", "U"])
@pytest.mark.parametrize("name", ["title", "type", "creator", "modified"])
def test_no_element_that_is_required_may_be_absent_or_empty(transactie: str, name: str) -> None:
    content = message(transactie)
    absent = re.sub(rf"<dcterms:{name}.*</dcterms:{name}>".encode(), b"", content)
    empty = re.sub(rf"(<dcterms:{name}[^>]*>).*(</dcterms:{name}>)".encode(), rb"\1 \2", content)
    for without in (absent, empty):
        assert without != content
        expected = error("ipm.schema", 12, f"owmskern/{name}", "ontbreekt", "verplicht bij C en U")
        assert faults(without) == [expected]


def test_a_case_needs_its_producttype() -> None:
    for meta in ("", "<zaak:product/>", PRODUCT.replace("kapvergunning", "")):
        (fault,) = faults(message(meta=meta))
        assert fault["element"] == "vergunningenmeta/product/producttype"


@pytest.mark.parametrize("prefix", [MESSAGE_PREFIX, NO_PREFIX])
def test_elements_of_a_case_are_read_in_other_namespaces_that_software_writes(prefix: str) -> None:
    assert given(message(prefix=prefix)) == given(message())


def test_elements_may_stand_in_any_order() -> None:
    content = message(kern="<dcterms:temporal><end>2026-05-01</end></dcterms:temporal>").decode()
    title = "<dcterms:title>Kappen van twee eiken</dcterms:title>"
    moved = content.replace(title, "").replace("</zaak:owmskern>", title + "</zaak:owmskern>")
    assert given(moved.encode()) == given(content.encode())


@pytest.mark.parametrize(
    ("space", "shown"),
    [
        (MESSAGE_NS.replace("4.0", "3.0"), "<message> van versie 3.0, naamruimte "),
        (MESSAGE_NS.replace("4.0", "5.1"), "<message> van versie 5.1, naamruimte "),
        (MESSAGE_NS.replace("http:", "https:"), "<message> van versie 4.0, naamruimte "),
        (MESSAGE_NS.rstrip("/"), "<message> van versie 4.0, naamruimte "),
        ("https://elders.nl/", "<message> in naamruimte "),
    ],
)
def test_another_version_or_namespace_is_refused(space: str, shown: str) -> None:
    (fault,) = faults(message().replace(f'"{MESSAGE_NS}"'.encode(), f'"{space}"'.encode()))
    assert (fault["code"], fault["line"], fault["element"]) == ("ipm.schema", 5, "message")
    assert fault["seen"] == shown + space
    assert fault["action"] == f"{REFUSED}; verwacht: één <message> in naamruimte {MESSAGE_NS}"


def test_a_wrong_namespace_of_the_metadata_is_reported_with_the_right_one() -> None:
    (fault,) = faults(message().replace(DCTERMS.encode(), b"http://purl.org/dc/elements/1.1/"))
    assert (fault["code"], fault["line"], fault["element"]) == ("ipm.schema", 13, "owmskern/identifier")
    assert fault["seen"] == "<identifier> in naamruimte http://purl.org/dc/elements/1.1/"
    assert fault["action"].endswith(f"(naamruimte {DCTERMS})")


def test_two_messages_in_one_file_are_refused() -> None:
    one = message().partition(b"?>")[2]
    (fault,) = faults(one + one)
    assert (fault["code"], fault["seen"]) == ("ipm.ongeldig", "Extra content at the end of the document")
    (fault,) = faults(b"<messages>" + one + one + b"</messages>")
    assert (fault["code"], fault["seen"]) == ("ipm.schema", "<messages> in naamruimte (geen)")
    nested = message().replace(b"</overheidvg:message>", one + b"</overheidvg:message>")
    (fault,) = faults(nested)
    assert (fault["code"], fault["seen"]) == ("ipm.schema", "<message>")


def test_two_cases_in_one_message_are_refused() -> None:
    case = re.search(rb"<zaak:vergunningzaak>.*</zaak:vergunningzaak>", message(), re.DOTALL)
    assert case is not None
    assert codes(message().replace(case[0], case[0] * 2)) == ["ipm.schema"]


def test_an_empty_element_counts_as_absent() -> None:
    assert given(message(kern="<dcterms:title/>")) == given(message())


def test_a_finding_about_missing_control_elements_says_what_is_expected() -> None:
    content = message().replace(b"<overheidvg:transactieID>1</overheidvg:transactieID>", b"")
    (fault,) = faults(content)
    assert fault["seen"] == "<volgnummer>"
    assert fault["action"] == f"{REFUSED}; verwacht: transactieID (naamruimte {MESSAGE_NS})"


@pytest.mark.parametrize(
    ("content", "seen"),
    [
        (f'<message xmlns="{MESSAGE_NS}"/>', "<message> is niet volledig"),
        (f'<message xmlns="{MESSAGE_NS}">los</message>', "tekst in <message>"),
        ("<message/>", "<message> in naamruimte (geen)"),
        ("<urlset/>", "<urlset> in naamruimte (geen)"),
    ],
)
def test_xml_that_is_not_a_message_is_refused(content: str, seen: str) -> None:
    (fault, *_) = faults(content.encode())
    assert (fault["code"], fault["seen"]) == ("ipm.schema", seen)


def test_faults_of_one_message_are_reported_together_up_to_a_limit() -> None:
    assert codes(message("X", aanmaakdatum="nu", volgnummer="?")) == [
        "ipm.transactie",
        "ipm.schema",
        "ipm.datum",
    ]
    places = "".join(
        f"<zaak:coordinaten><zaak:x-waarde>x{n}</zaak:x-waarde></zaak:coordinaten>" for n in range(99)
    )
    assert len(faults(message(meta=f"{PRODUCT}<zaak:object>{places}</zaak:object>"))) == FAULTS_MAX
