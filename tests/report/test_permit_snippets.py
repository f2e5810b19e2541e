"""The fix of a finding about a message is the sender's own element, as it should be."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from woo_harvester.demo.permit_messages import CASE_URL, MESSAGE, PRODUCT, document_message, message
from woo_harvester.findings import explanations
from woo_harvester.permits.messages import read_message
from woo_harvester.permits.parsing import with_own_xml
from woo_harvester.report.permit_snippets import PERMIT_MAKERS, OwnElement, own_element
from woo_harvester.report.snippets import snippet
from woo_harvester.tooi import bundled

MAXSIZE = 10**6
GOOD = message()
SPATIAL = '<dcterms:spatial scheme="{}">{}</dcterms:spatial>'


def fixes(body: bytes, **more: str) -> dict[str, tuple[str, str]]:
    """Return what each finding about a message has before and after the fix."""
    found = read_message([body], MAXSIZE, bundled().organisaties, datetime(2026, 11, 22, tzinfo=UTC)).findings
    rows = (finding.as_dict() for finding in with_own_xml(found, [body], MAXSIZE))
    made = ((row["code"], snippet({**row, "host": "www.a.nl", **more}, None)) for row in rows)
    return {code: (each.before, each.after) for code, each in made if each is not None}


def fix(code: str, body: bytes, **more: str) -> tuple[str, str]:
    return fixes(body, **more)[code]


@pytest.mark.parametrize(
    ("seen", "right"),
    [
        ("1-4-2026", "2026-04-01"),
        ("13/04/2026", "2026-04-13"),
        ("20260413", "2026-04-13"),
        ("2026-04-31", "2026-01-31"),
        ("gisteren", "2026-01-31"),
        ("12", "2026-01-31"),
        ("april 2026", "2026-01-31"),
    ],
)
def test_a_date_becomes_the_day_that_was_meant_or_an_example(seen: str, right: str) -> None:
    tag = "<dcterms:modified>{}</dcterms:modified>"
    assert fix("ipm.datum", message(modified=seen)) == (tag.format(seen), tag.format(right))


@pytest.mark.parametrize(
    ("seen", "right"), [("Wijziging", "U"), ("nieuw", "C"), ("verwijderen", "D"), ("1", "U")]
)
def test_a_transaction_becomes_a_letter(seen: str, right: str) -> None:
    tag = "<overheidvg:transactietype>{}</overheidvg:transactietype>"
    assert fix("ipm.transactie", message(seen)) == (tag.format(seen), tag.format(right))


def test_a_day_in_the_future_becomes_that_of_the_harvest() -> None:
    _, after = fix("ipm.datum-toekomst", message(aanmaakdatum="2030-01-01"), at="2026-11-22T10:00:00+01:00")
    assert after == "<overheidvg:aanmaakdatum>2026-11-22</overheidvg:aanmaakdatum>"


@pytest.mark.parametrize(
    ("seen", "right"),
    [
        ("www.b.nl/zaken/1", "https://www.b.nl/zaken/1"),
        ("/zaken/zaak 1", "https://www.a.nl/zaken/zaak%201"),
        ("", "https://www.a.nl/zaken/1"),
        ("ftp://www.b.nl/zaken/1", "https://www.a.nl/zaken/1"),
    ],
)
def test_an_identifier_becomes_a_full_address(seen: str, right: str) -> None:
    tag = "<dcterms:identifier>{}</dcterms:identifier>"
    assert fix("ipm.identifier", message(identifier=seen)) == (tag.format(seen), tag.format(right))


NUMBER = "<overheidvg:volgnummer>{}</overheidvg:volgnummer>"
PERIOD = "<dcterms:temporal><start>{}</start><end>{}</end></dcterms:temporal>"
APRIL, MAY = "2026-04-01", "2026-05-01"
SECOND = "<dcterms:identifier>https://www.a.nl/2</dcterms:identifier>"
#: What is wrong or absent: the code, the message, the element before and after the fix.
FIXES = {
    "the case of a document": (
        "ipm.identifier",
        document_message(case="zaak 1"),
        '<dcterms:isPartOf resourceIdentifier="zaak 1"/>',
        '<dcterms:isPartOf resourceIdentifier="https://www.a.nl/zaak%201"/>',
    ),
    "a second identifier": ("ipm.identifier", message(kern=SECOND), SECOND, ""),
    "a control element that lacks": (
        "ipm.schema",
        GOOD.replace(b"  <overheidvg:transactieID>1</overheidvg:transactieID>\n", b""),
        NUMBER.format("0"),
        f"<overheidvg:transactieID>2026-0001</overheidvg:transactieID>\n{NUMBER.format('0')}",
    ),
    "an element that is not in the schema": (
        "ipm.schema",
        GOOD.replace(b"</overheidvg:message>", b"<overheidvg:extra/></overheidvg:message>"),
        "<overheidvg:extra/>",
        "",
    ),
    "a wrong number": ("ipm.schema", message(volgnummer="een"), NUMBER.format("een"), NUMBER.format("0")),
    "no namespace": ("ipm.schema", b"<message/>", "<message/>", f'<message xmlns="{MESSAGE}"/>'),
    "a bare ampersand": (
        "ipm.ongeldig",
        GOOD.replace(b"Kappen van twee eiken", b"Eik &amp; beuk & els"),
        "<dcterms:title>Eik &amp; beuk & els</dcterms:title>",
        "<dcterms:title>Eik &amp; beuk &amp; els</dcterms:title>",
    ),
    "the days of a period": (
        "ipm.periode",
        message(kern=PERIOD.format(MAY, APRIL)),
        PERIOD.format(MAY, APRIL),
        PERIOD.format(APRIL, MAY),
    ),
}


@pytest.mark.parametrize(("code", "body", "before", "after"), FIXES.values(), ids=FIXES.keys())
def test_an_element_is_shown_before_and_after(code: str, body: bytes, before: str, after: str) -> None:
    assert fix(code, body) == (before, after)


def test_an_element_that_lacks_is_added_in_the_senders_own_prefixes() -> None:
    own = (
        GOOD.replace(b"dcterms:title", b"dcterms:titel").replace(b"dcterms", b"dct").replace(b"zaak:", b"z:")
    )
    before, after = fix("ipm.schema", own.replace(b"xmlns:zaak", b"xmlns:z"))
    first = f"  <dct:identifier>{CASE_URL}</dct:identifier>\n  …\n"
    assert before == f"<z:owmskern>\n{first}</z:owmskern>"
    assert after == f"<z:owmskern>\n{first}  <dct:title>Kappen van twee eiken</dct:title>\n</z:owmskern>"


@pytest.mark.parametrize(
    ("meta", "before", "after"),
    [
        (
            "",
            "<zaak:vergunningenmeta></zaak:vergunningenmeta>",
            "<zaak:vergunningenmeta>\n  <zaak:product>\n"
            '    <zaak:producttype scheme="overheidvg:Product">kapvergunning</zaak:producttype>\n'
            "  </zaak:product>\n</zaak:vergunningenmeta>",
        ),
        (
            "<zaak:product/>",
            "<zaak:product/>",
            f"<zaak:product>\n  {PRODUCT.removeprefix('<zaak:product>').replace('</zaak:product>', '')}\n"
            "</zaak:product>",
        ),
    ],
    ids=["nothing is there", "its parent is empty"],
)
def test_a_product_that_lacks_is_added_where_it_belongs(meta: str, before: str, after: str) -> None:
    assert fix("ipm.schema", message(meta=meta)) == (before, after)


def test_an_incomplete_element_gets_what_it_lacks() -> None:
    _, after = fix("ipm.schema", f'<v:message xmlns:v="{MESSAGE}"/>'.encode())
    assert after.splitlines()[1] == "  <v:transactietype>U</v:transactietype>"


def test_an_element_in_another_namespace_gets_the_right_one() -> None:
    body = GOOD.replace(b"http://purl.org/dc/terms/", b"http://purl.org/dc/elements/1.1/")
    _, after = fix("ipm.schema", body)
    assert after == (
        f'<dcterms:identifier xmlns:dcterms="http://purl.org/dc/terms/">{CASE_URL}</dcterms:identifier>'
    )


def test_a_message_of_another_version_gets_this_one_everywhere() -> None:
    before, after = fix("ipm.schema", GOOD.replace(b"vergunningen/4.0/", b"vergunningen/3.0/"))
    assert after == before.replace("/3.0/", "/4.0/")
    assert f'xmlns:zaak="{MESSAGE}zaak"' in after


def test_no_fix_turns_a_message_into_a_sitemap() -> None:
    for body in (b"<message/>", b"<x/>", f'<v:message xmlns:v="{MESSAGE}"/>'.encode()):
        assert all("urlset" not in after for _, after in fixes(body).values())


def test_a_doctype_is_removed() -> None:
    before, after = fix("ipm.doctype", GOOD.replace(b"?>\n", b"?>\n<!DOCTYPE message>\n", 1))
    assert "<!DOCTYPE message>" in before
    assert "DOCTYPE" not in after


def test_a_file_that_is_cut_off_has_no_fix_in_its_text() -> None:
    assert fixes(GOOD[:400]) == {}


@pytest.mark.parametrize(
    ("seen", "right"),
    [
        ("gemeente", "overheid:Gemeente"),
        ("owms:Provincie", "overheid:Provincie"),
        ("lijst 7", "overheid:Gemeente"),
    ],
)
def test_a_scheme_becomes_the_list_that_was_probably_meant(seen: str, right: str) -> None:
    body = message(kern=SPATIAL.format(seen, "Utrecht"))
    assert fix("ipm.scheme-onbekend", body)[1] == SPATIAL.format(right, "Utrecht")


def test_an_address_becomes_an_example() -> None:
    scheme = "overheid:PostcodeHuisnummer"
    body = message(kern=SPATIAL.format(scheme, "12 AB, 4"))
    assert fix("ipm.adres", body)[1] == SPATIAL.format(scheme, "1234AB 1")


@pytest.mark.parametrize(
    ("x", "y", "right"), [("463000", "155000", ("155000", "463000")), ("5.1", "52.1", ("155000", "463000"))]
)
def test_swapped_coordinates_are_swapped_back(x: str, y: str, right: tuple[str, str]) -> None:
    numbers = "<zaak:x-waarde>{}</zaak:x-waarde><zaak:y-waarde>{}</zaak:y-waarde>"
    place = f"<zaak:coordinaten>{numbers}</zaak:coordinaten>"
    body = message(meta=f"{PRODUCT}<zaak:object>{place.format(x, y)}</zaak:object>")
    assert fix("ipm.coordinaten", body) == (place.format(x, y), place.format(*right))


def test_coordinates_that_lack_are_added() -> None:
    place = "<zaak:coordinaten><zaak:x-waarde>155000</zaak:x-waarde></zaak:coordinaten>"
    _, after = fix("ipm.coordinaten", message(meta=f"{PRODUCT}<zaak:object>{place}</zaak:object>"))
    assert after.splitlines()[2] == "  <zaak:y-waarde>463000</zaak:y-waarde>"


def test_a_misspelt_element_is_renamed_and_another_is_left_alone() -> None:
    body = message(kern="<dcterms:titel>Kap</dcterms:titel>")
    assert fix("ipm.element-onbekend", body)[1] == "<dcterms:title>Kap</dcterms:title>"
    assert "ipm.element-onbekend" not in fixes(message(kern="<dcterms:publisher>A</dcterms:publisher>"))


@pytest.mark.parametrize(
    ("row", "after"),
    [
        (
            {"code": "ipm.datum-gegenereerd", "seen": "2026-04-02; eerder 2026-04-01"},
            "<overheidvg:aanmaakdatum>2026-04-01</overheidvg:aanmaakdatum>",
        ),
        (
            {"code": "ipm.zaak-bekend", "seen": "C"},
            "<overheidvg:transactietype>U</overheidvg:transactietype>",
        ),
        ({"code": "ipm.ingang-zonder-links"}, '<a href="zaak-1.xml">Zaak 1</a>'),
    ],
)
def test_a_finding_of_several_messages_has_a_fix_too(row: dict[str, Any], after: str) -> None:
    made = snippet(row, None)
    assert made is not None
    assert made.after == after


def test_the_codes_exist() -> None:
    assert PERMIT_MAKERS.keys() <= explanations().keys()


def test_a_hostile_element_does_not_break_the_fix() -> None:
    for given in ("<x", "<x>" * 50, "<a b='\\1'>", "&", "<a:b:c/>", "<é/>"):
        for code in PERMIT_MAKERS:
            snippet({"code": code, "given": given, "seen": "x\\1 – y", "element": "a/b", "host": "h"}, None)


def element(given: str) -> OwnElement:
    found = own_element({"code": "ipm.schema", "given": given})
    assert found is not None
    return found


@pytest.mark.parametrize(
    "given", ["<a/>", '<p:a b="c">d</p:a>', "<a>\n  <b>c</b>\n  …\n</a>", "<a\n  b='c'/>", "<a></a>"]
)
def test_an_element_is_shown_as_it_was_written(given: str) -> None:
    assert "\n".join(element(given).lines) == given


def test_another_text_is_escaped() -> None:
    assert element("<p:a b='c'>d</p:a>").with_text("<&>") == "<p:a b='c'>&lt;&amp;&gt;</p:a>"
    assert element("<p:a/>").with_text("x") == "<p:a>x</p:a>"


def test_an_attribute_is_replaced_or_added() -> None:
    assert element("<a x='1' y='2'/>").with_attribute("x", 'q"') == "<a y='2' x='q\"'/>"
    assert element("<a>b</a>").with_attribute("x", "1") == '<a x="1">b</a>'


def test_a_child_comes_last_and_keeps_the_others() -> None:
    made = element("<p:a>\n  <b/>\n</p:a>").with_child(["<c/>"], ["d"])
    assert made == ["<p:a>", "  <b/>", "  <p:d>", "    <c/>", "  </p:d>", "</p:a>"]


def test_the_texts_of_children_are_replaced_or_added() -> None:
    whole = element("<p:a>\n  <p:b>1</p:b>\n  <p:c/>\n</p:a>")
    children = [f"  <p:{name}>{value}</p:{name}>" for name, value in (("b", 2), ("c", 3), ("d", 4))]
    assert whole.with_child_texts({"b": "2", "c": "3", "d": "4"}) == ["<p:a>", *children, "</p:a>"]


def test_a_finding_without_the_element_has_none_unless_its_code_says_which() -> None:
    assert own_element({"code": "ipm.schema", "element": "owmskern/title", "seen": "ontbreekt"}) is None
    known = own_element({"code": "ipm.transactie", "seen": "<X>"})
    assert known is not None
    assert known.lines == ["<overheidvg:transactietype>&lt;X&gt;</overheidvg:transactietype>"]
