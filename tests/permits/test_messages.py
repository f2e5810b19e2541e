from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime

from tests.permits.reading import NOW, codes, faults, given, noted, valid
from woo_harvester.permits.demo_messages import (
    CASE_URL,
    DOCUMENT_URL,
    PRODUCT,
    delete_message,
    document_message,
    message,
)
from woo_harvester.permits.messages import Message, Soort, Transactie, read_message
from woo_harvester.permits.schema import FAULTS_MAX, MESSAGE_NS
from woo_harvester.tooi.lists import organisaties

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


def test_a_transaction_is_known_by_its_letter_or_word_in_any_case() -> None:
    for written, meant in [
        ("C", "C"),
        ("c", "C"),
        ("Create", "C"),
        ("CREATE", "C"),
        (" C ", "C"),
        ("\n\tcreate\n", "C"),
        ("U", "U"),
        ("Update", "U"),
        ("uPDATE", "U"),
        ("D", "D"),
        ("d", "D"),
        ("Delete", "D"),
    ]:
        assert valid(message(written)).transactie == meant, written


def test_another_transaction_is_refused() -> None:
    for written in ["", "X", "CU", "Creat", "Verwijderen", "C U", "1"]:
        expected = error("ipm.transactie", 6, "transactietype", written, "verwacht: C, U of D")
        assert faults(message(written)) == [expected], written


def test_the_aanmaakdatum_is_a_day_and_its_time_is_kept_as_a_moment() -> None:
    for written, moment in (
        *((day, None) for day in ("2026-04-01", " 2026-04-01 ", "2026-04-01Z", "2026-04-01+02:00")),
        ("2026-04-01T09:30:00", datetime(2026, 4, 1, 7, 30, tzinfo=UTC)),
        ("2026-04-01T09:30:00Z", datetime(2026, 4, 1, 9, 30, tzinfo=UTC)),
    ):
        read = valid(message(aanmaakdatum=written))
        assert (read.aanmaakdatum, read.aanmaakmoment) == (date(2026, 4, 1), moment), written


def test_an_aanmaakdatum_of_today_or_of_a_clock_that_is_fast_is_not_in_the_future() -> None:
    for written in ["2026-11-01", "2026-11-01T13:04:59", "2026-11-01T12:04:59Z"]:
        assert valid(message(aanmaakdatum=written)).aanmaakdatum == NOW.date(), written


def test_an_aanmaakdatum_in_the_future_is_refused() -> None:
    cases_written: list[str] = ["2026-11-02", "2026-11-01T13:05:01", "2096-04-01"]
    cases_make: list[Callable[..., bytes]] = [message, document_message, delete_message]
    for written in cases_written:
        for make in cases_make:
            (fault,) = faults(make(aanmaakdatum=written))
            assert (fault["code"], fault["element"], fault["seen"]) == (
                "ipm.datum-toekomst",
                "aanmaakdatum",
                written,
            ), (written, make)
            assert fault["action"] == REFUSED, (written, make)


def test_a_date_that_cannot_be_read_is_refused_with_its_place() -> None:
    for written in (
        *("", "gisteren", "01-04-2026", "2026-02-30", "2026-4-1", "20260401", "2026", "0000-01-01"),
        *("12026-04-01", "-0044-03-15"),
    ):
        found = faults(message(aanmaakdatum=written))
        assert found == [error("ipm.datum", 9, "aanmaakdatum", written, ISO_DAY)], written
        if written:  # an empty end is absent
            period = f"<dcterms:temporal><start>2026-04-01</start><end>{written}</end></dcterms:temporal>"
            expected = error("ipm.datum", 18, "owmskern/temporal/end", written, ISO_DAY)
            assert faults(message(kern=period)) == [expected], written
            assert codes(message(modified=written)) == ["ipm.datum"], written


ONE = message()
BODY = ONE.partition(b"?>")[2]
CASE = ONE[ONE.index(b"<zaak:vergunningzaak>") : ONE.index(b"</overheidvg:message>")]
DC = "http://purl.org/dc/elements/1.1/"
#: Code, element and what was there; and the files that have only that.
WRONG: dict[tuple[str, str | None, str | None], list[bytes]] = {
    ("ipm.schema", "volgnummer", "-1"): [message(volgnummer="-1")],
    ("ipm.schema", "volgnummer", "1.5"): [message(volgnummer="1.5")],
    ("ipm.schema", "volgnummer", "99999999999"): [message(volgnummer="99999999999")],
    ("ipm.schema", "transactieID", ""): [message(transactie_id=" ")],
    ("ipm.schema", "transactieID", "x" * 256): [message(transactie_id="x" * 256)],
    ("ipm.schema", "volgnummer", "<volgnummer>"): [re.sub(rb"<overheidvg:transactieID.*", b"", ONE)],
    **{
        ("ipm.identifier", "owmskern/identifier", written): [message(identifier=written)]
        for written in ("2026-1", "www.a.nl/1", "/zaken/1", "ftp://a.nl/1", "https://")
    },
    **{
        ("ipm.identifier", "owmskern/identifier", written): [message(identifier=written)]
        for written in ("https://a:b.nl/", "urn:zaak:1", "https://a.nl/" + "x" * 2100)
    },
    ("ipm.identifier", "owmskern/identifier", "ontbreekt"): [message(identifier="")],
    ("ipm.identifier", "owmskern/identifier", f"{CASE_URL} en {CASE_URL}-2"): [
        message(kern=f"<dcterms:identifier>{CASE_URL}-2</dcterms:identifier>")
    ],
    ("ipm.identifier", "meta", "ontbreekt"): [re.sub(rb"<dcterms:identifier.*", b"", ONE)],
    ("ipm.identifier", "owmsmantel/isPartOf", "2026-1"): [document_message(case="2026-1")],
    ("ipm.schema", "owmsmantel/isPartOf", "ontbreekt"): [document_message(case=None)],
    ("ipm.schema", "vergunningenmeta/product/producttype", "ontbreekt"): [
        message(meta=meta) for meta in ("", "<zaak:product/>", PRODUCT.replace("kapvergunning", ""))
    ],
    ("ipm.schema", "owmskern/title", "ontbreekt"): [ONE.replace(b"dcterms:title", b"dcterms:titles")],
    **{
        ("ipm.schema", "message", f"<message> in naamruimte {space or '(geen)'}"): [
            ONE.replace(f'"{MESSAGE_NS}"'.encode(), f'"{space}"'.encode())
        ]
        for space in (MESSAGE_NS.replace("4.0", "3.0"), MESSAGE_NS.rstrip("/"), "https://elders.nl/")
    },
    ("ipm.schema", "owmskern/identifier", f"<identifier> in naamruimte {DC}"): [
        ONE.replace(DCTERMS.encode(), DC.encode())
    ],
    ("ipm.ongeldig", None, "Extra content at the end of the document"): [BODY + BODY],
    ("ipm.schema", "messages", "<messages> in naamruimte (geen)"): [b"<messages>" + BODY + b"</messages>"],
    ("ipm.schema", "message", "<message>"): [
        ONE.replace(b"</overheidvg:message>", BODY + b"</overheidvg:message>")
    ],
    ("ipm.schema", "vergunningzaak", "<vergunningzaak>"): [ONE.replace(CASE, CASE * 2)],
    ("ipm.schema", "message", "<message> is niet volledig"): [f'<message xmlns="{MESSAGE_NS}"/>'.encode()],
    ("ipm.datum", "aanmaakdatum", "april-01"): [delete_message().replace(b"2026-04-", b"april-")],
}


def test_what_is_wrong_is_reported_with_its_element_and_what_was_there() -> None:
    for expected, contents in WRONG.items():
        for content in contents:
            (fault,) = faults(content)
            assert (fault["code"], fault.get("element"), fault["seen"][:100]) == (
                *expected[:2],
                str(expected[2])[:100],
            )
            assert fault["action"].startswith(REFUSED)
    (fault,) = faults(message().replace(DCTERMS.encode(), DC.encode()))
    assert fault["action"].endswith(f"(naamruimte {DCTERMS})")
    assert valid(message(volgnummer=" 007 ", transactie_id="2026-A/1")).volgnummer == 7


def test_an_identifier_is_a_full_url() -> None:
    for url in ["http://www.a.nl/1", "https://a.nl:8443/x?y=z&a=b", "HTTPS://a.nl/é", "https://a.nl"]:
        assert valid(message(identifier=url)).identifier == url, url
        assert valid(document_message(case=url)).zaak == url, url


def test_an_address_or_title_that_can_mean_one_thing_only_is_read_with_a_finding() -> None:
    for written, right, shown in (
        ("\u200bhttps://a.nl/1 2", "https://a.nl/1%202", "<U+200B>https://a.nl/1 2"),
        ("https://a.nl/1\xa0", "https://a.nl/1", "https://a.nl/1<U+00A0>"),
    ):
        for content, name in (
            (message(identifier=written), "identifier"),
            (document_message(case=written), "isPartOf"),
        ):
            metadata, (found,) = noted(content)
            assert metadata[name] == right or metadata[name]["id"] == right, written
            action = (found["code"], found["seen"], found["action"])
            assert action == ("ipm.tekens", shown, f"gelezen als {right}")
    metadata, (found,) = noted(message(title="Caf&eacute; &amp; R&D"))
    assert (metadata["title"], found["code"]) == ("Café & R&D", "ipm.entiteiten")


def test_an_aanmaakdatum_before_1990_is_a_placeholder() -> None:
    for written in (
        "0001-01-01",
        "0001-01-01T00:00:00",
        "0001-01-01T00:00:00+01:00",
        "1899-12-30",
        "1970-01-01",
    ):
        _, (found,) = noted(message(aanmaakdatum=written))
        assert (found["code"], found["seen"]) == ("ipm.datum-onwaarschijnlijk", written)
    old = "<dcterms:temporal><start>1985-01-01</start><end>1970-01-01</end></dcterms:temporal>"
    metadata, both = noted(message(modified="0001-01-01", kern=old))
    assert [(each["element"], each["seen"]) for each in both] == [
        ("owmskern/modified", "0001-01-01"),
        ("owmskern/temporal/end", "1970-01-01"),
    ]
    assert metadata["modified"] == "0001-01-01"


def test_no_element_that_is_required_may_be_absent_or_empty() -> None:
    for transactie in ["C", "U"]:
        for name in ["title", "type", "creator", "modified"]:
            content = message(transactie)
            absent = re.sub(rf"<dcterms:{name}.*</dcterms:{name}>".encode(), b"", content)
            empty = re.sub(rf"(<dcterms:{name}[^>]*>).*(</dcterms:{name}>)".encode(), rb"\1 \2", content)
            for without in (absent, empty):
                assert without != content, (transactie, name)
                expected = error("ipm.schema", 12, f"owmskern/{name}", "ontbreekt", "verplicht bij C en U")
                assert faults(without) == [expected], (transactie, name)


def test_elements_of_a_case_are_read_in_other_namespaces_that_software_writes() -> None:
    for prefix in (rb"overheidvg:", b""):
        content = re.sub(rb"(</?)zaak:(?!vergunning)(?!zaak)", rb"\1" + prefix, message())
        assert content != message()
        assert given(content) == given(message()), prefix


def test_elements_may_stand_in_any_order() -> None:
    content = message(kern="<dcterms:temporal><end>2026-05-01</end></dcterms:temporal>").decode()
    title = "<dcterms:title>Kappen van twee eiken</dcterms:title>"
    moved = content.replace(title, "").replace("</zaak:owmskern>", title + "</zaak:owmskern>")
    assert given(moved.encode()) == given(content.encode())


def test_an_empty_element_counts_as_absent() -> None:
    assert given(message(kern="<dcterms:title/>")) == given(message())


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


# Messages with elements that the model does not have, or that come twice.


OWMS = ("abstract", "rights", "audience", "source")


def test_an_element_of_owms_that_is_not_used_is_accepted_and_named() -> None:
    for group in ["kern", "mantel"]:
        for name in OWMS:
            content = message(**{group: f'<dcterms:{name} scheme="overheid:Gemeente">x</dcterms:{name}>'})
            metadata, (finding,) = noted(content)
            assert metadata == given(message()), (group, name)
            assert (finding["code"], finding["severity"]) == ("ipm.element-onbekend", "info"), (group, name)
            assert (finding["element"], finding["seen"], finding["action"]) == (
                name,
                name,
                "niet gebruikt",
            ), group


def test_all_elements_that_are_not_used_are_in_one_finding() -> None:
    kern = "<overheid:organisationType>gemeente</overheid:organisationType>"
    mantel = "".join(f"<dcterms:{name}>x</dcterms:{name}>" for name in (*OWMS, *OWMS))
    _, (finding,) = noted(message(kern=kern, mantel=mantel))
    assert finding["seen"] == ", ".join(["organisationType", *OWMS])


def test_a_document_and_a_delete_may_have_them_too() -> None:
    for make in [document_message, delete_message]:
        content = make().replace(
            b"</dcterms:identifier>", b"</dcterms:identifier><dcterms:rights>x</dcterms:rights>"
        )
        assert [finding["code"] for finding in noted(content)[1]] == ["ipm.element-onbekend"], make


def test_an_element_within_the_metadata_of_the_case_may_be_unknown() -> None:
    meta = PRODUCT.replace(
        "</zaak:product>", "<zaak:nieuw><zaak:nummer>1</zaak:nummer></zaak:nieuw></zaak:product>"
    )
    metadata, (finding,) = noted(message(meta=meta + "<zaak:extra/>"))
    assert metadata == given(message())
    assert finding["seen"] == "nieuw, extra"


def test_a_field_of_one_group_may_stand_in_the_other() -> None:
    description = "<dcterms:description>Twee eiken</dcterms:description>"
    assert given(message(kern=description)) == given(message(mantel=description))
    place = '<dcterms:spatial scheme="overheid:Gemeente">Voorbeeldstad</dcterms:spatial>'
    assert given(message(mantel=place)) == given(message(kern=place))


def test_of_an_element_that_comes_twice_the_first_counts_and_another_value_is_named() -> None:
    twice = "<dcterms:temporal><start>2026-01-01</start><start>2026-01-02</start></dcterms:temporal>"
    assert noted(message(kern=twice))[1][0]["element"] == "owmskern/temporal/start"
    same = "<dcterms:modified>2026-04-01</dcterms:modified>"
    assert given(message(kern=same)) == given(message())
    for kern, mantel, meta, seen in [
        ("<dcterms:title>Anders</dcterms:title>", "", "", "Anders"),
        ('<dcterms:creator scheme="overheid:Gemeente">Dorp</dcterms:creator>', "", "", "Dorp"),
        ("<dcterms:modified>2026-04-02</dcterms:modified>", "", "", "2026-04-02"),
        ("", "", PRODUCT.replace("kapvergunning", "bouwvergunning"), "bouwvergunning"),
        ("", "<dcterms:title>Anders</dcterms:title>", "", "Anders"),
    ]:
        metadata, (found,) = noted(message(kern=kern, mantel=mantel, meta=PRODUCT + meta))
        assert (metadata, found["code"], found["seen"]) == (given(message()), "ipm.dubbel", seen)


def test_what_the_record_has_as_a_list_may_come_more_than_once() -> None:
    places = "".join(
        f'<dcterms:spatial scheme="overheid:Gemeente">{name}</dcterms:spatial>'
        for name in ("Aadorp", "Bedum")
    )
    assert [place["label"] for place in given(message(kern=places))["spatial"]] == ["Aadorp", "Bedum"]


def test_a_date_is_in_the_future_by_more_than_clocks_differ() -> None:
    for text, now, ahead in [
        ("2026-05-02", "2026-05-01T21:59:59+00:00", True),
        ("2026-05-02", "2026-05-01T22:00:00+00:00", False),
        ("2026-05-02T10:00:00", "2026-05-02T07:54:59+00:00", True),
        ("2026-05-02T10:00:00", "2026-05-02T07:55:00+00:00", False),
        ("2026-05-02T10:00:00Z", "2026-05-02T09:54:59+00:00", True),
    ]:
        moment = datetime.fromisoformat(now)
        result = read_message([message(aanmaakdatum=text)], 10_000, organisaties(), moment)
        assert (result.message is None) is ahead, (text, now)
