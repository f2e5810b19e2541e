from __future__ import annotations

import re
from textwrap import dedent

import pytest
from lxml import etree

from tests.report.runs import ORGANISATION, about_document, about_host
from woo_harvester.audit.schema import schema_faults
from woo_harvester.diwoo.given import DIWOO_NAMESPACE, read_metadata
from woo_harvester.findings import Finding, explanations
from woo_harvester.findings.catalogue import fix_templates
from woo_harvester.permits.schema import MESSAGE_NS
from woo_harvester.report.model import OrganisationRef, Snippet
from woo_harvester.report.snippets import _PARTS, snippet
from woo_harvester.sitemaps.reader import SITEMAP_NAMESPACE
from woo_harvester.tooi.lists import bundled

ROBOTS, SITEMAP = None, "sitemap/loc"
OF_A = "https://www.a.nl"


def made(finding: Finding) -> Snippet:
    given = snippet(finding.as_dict(), OrganisationRef(**ORGANISATION))
    assert given is not None, finding.code
    return given


def document(text: str) -> etree._Element:
    """Return the document of the entry in a snippet."""
    root = f'<urlset xmlns:diwoo="{DIWOO_NAMESPACE}" xmlns:mdto="urn:mdto">{text}</urlset>'
    found = etree.fromstring(root.encode()).find(f"url/{{{DIWOO_NAMESPACE}}}Document")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("code", "element", "seen", "right"),
    [
        ("loc.geen-https", "loc", "http://www.a.nl/1.pdf?a=1&b=2", f"{OF_A}/1.pdf?a=1&b=2"),
        ("loc.ongeldig", "loc", "/documenten/een twee.pdf", f"{OF_A}/documenten/een%20twee.pdf"),
        ("loc.inloggegevens", "loc", "https://u:p@p@www.a.nl/1.pdf", f"{OF_A}/1.pdf"),
        ("loc.inloggegevens", ROBOTS, "https://u:p@www.a.nl/x.xml", f"{OF_A}/x.xml"),
        ("loc.geen-https", SITEMAP, "http://www.a.nl/sitemap.xml?a&b", f"{OF_A}/sitemap.xml?a&b"),
        ("loc.ontbreekt", SITEMAP, "", f"{OF_A}/sitemap-1.xml"),
        ("loc.ontbreekt", "loc", "", f"{OF_A}/documenten/bestand.pdf"),
        ("index.naam", ROBOTS, f"{OF_A}/x/sitemap-diwoo.xml", f"{OF_A}/x/sitemapindex-diwoo.xml"),
        ("index.hoofdletters", ROBOTS, f"{OF_A}/SitemapIndex-DiWoo.XML", f"{OF_A}/sitemapindex-diwoo.xml"),
        (
            "index.geen-https",
            ROBOTS,
            "http://www.a.nl/sitemapindex-diwoo.xml",
            f"{OF_A}/sitemapindex-diwoo.xml",
        ),
    ],
)
def test_a_wrong_address_is_shown_where_it_stands_and_as_it_should_be(
    code: str, element: str | None, seen: str, right: str
) -> None:
    given = made(about_document(code, url=seen, seen=seen, element=element))
    for text, loc in ((given.before, seen), (given.after, right)):
        if element is ROBOTS:
            assert text == f"Sitemap: {loc}"
        else:
            entry = etree.fromstring(text)
            assert entry.tag == ("sitemap" if element == SITEMAP else "url")
            assert entry.findtext("loc") == loc


@pytest.mark.parametrize(
    ("code", "seen"),
    [
        *(("loc.ongeldig", seen) for seen in ("javascript:alert(1)", "mailto:a@a.nl", "https://", "//[x")),
        *(("document.landingspagina", seen) for seen in ("", "bedoelde u https://www.a.nl/heel-lang…")),
    ],
)
def test_what_cannot_be_fixed_by_writing_it_otherwise_has_no_snippet(code: str, seen: str) -> None:
    assert snippet(about_document(code, url=seen, seen=seen, element="loc").as_dict(), None) is None


@pytest.mark.parametrize(
    ("code", "seen", "right"),
    [
        ("document.doorverwijzing", "doorverwijzing naar https://www.b.nl/1.pdf", "https://www.b.nl/1.pdf"),
        ("document.landingspagina", "bedoelde u http://www.a.nl/2.odt?a&b?", f"{OF_A}/2.odt?a&b"),
    ],
)
def test_an_address_becomes_the_one_that_leads_to_the_document(code: str, seen: str, right: str) -> None:
    given = made(about_document(code, seen=seen))
    assert etree.fromstring(given.before).findtext("loc") == f"{OF_A}/documenten/1.pdf"
    assert etree.fromstring(given.after).findtext("loc") == right


def test_a_text_stands_where_the_publisher_writes_it() -> None:
    entry = "<url>\n  <loc>https://www.a.nl/documenten/1.pdf</loc>\n"
    assert made(about_document("lastmod.ontbreekt")) == Snippet(
        before=f"{entry}</url>", after=f"{entry}  <lastmod>2026-11-21T08:00:00+01:00</lastmod>\n</url>"
    )
    assert made(about_document("lastmod.ongeldig", seen="vorige week")).before == (
        f"{entry}  <lastmod>vorige week</lastmod>\n</url>"
    )
    assert made(about_document("creatiedatum.toekomst", seen="2062-04-01")).after == dedent(
        """\
        <url>
          <loc>https://www.a.nl/documenten/1.pdf</loc>
          <diwoo:Document>
            <diwoo:DiWoo>
              <diwoo:creatiedatum>2026-11-21</diwoo:creatiedatum>
            </diwoo:DiWoo>
          </diwoo:Document>
        </url>"""
    )
    assert made(about_host("robots.sitemap-relatief", url=f"{OF_A}/i.xml", seen="/i.xml")) == Snippet(
        before="Sitemap: /i.xml", after=f"Sitemap: {OF_A}/i.xml"
    )


def test_a_value_becomes_the_one_that_it_was_read_as() -> None:
    given, action = "pdf (https://a.nl/x)", "gelezen als PDF (https://a.nl/PDF)"
    finding = about_document("waarde.uri-onbekend", element="format", seen=given, action=action)
    assert made(finding) == Snippet(
        before=f"<diwoo:format>{given}</diwoo:format>",
        after='<diwoo:format resource="https://a.nl/PDF">PDF</diwoo:format>',
    )
    assert snippet(about_document("waarde.uri-onbekend", element="format").as_dict(), None) is None


@pytest.mark.parametrize(
    ("element", "right"),
    [("creatiedatum", "2026-01-31"), ("geldigheid/begindatum", "2026-01-31T09:00:00+01:00")],
)
def test_a_wrong_date_becomes_one_by_the_schema(element: str, right: str) -> None:
    given, name = (
        made(about_document("datum.ongeldig", element=element, seen="31-02")),
        element.rsplit("/", maxsplit=1)[-1],
    )
    assert given == Snippet(
        before=f"<diwoo:{name}>31-02</diwoo:{name}>", after=f"<diwoo:{name}>{right}</diwoo:{name}>"
    )


def test_what_is_added_to_metadata_is_read_and_valid() -> None:
    codes = [code for code, (_, after) in fix_templates().items() if after.within == "metadata"]
    assert len(codes) > 10
    for code in codes:
        after = document(made(about_document(code, seen="2026-01-31")).after)
        assert not [each for each in read_metadata(after).unread if each != "…"], code
        if code in ("metadata.ontbreekt", "metadata.mdto"):
            assert list(schema_faults(after)) == []
    unknown = document(made(about_document("metadata.element-onbekend", seen="wijk")).after)
    assert read_metadata(unknown).extra[0].fields == [("wijk", ["…"])]


def test_the_owner_of_the_host_is_the_example_of_a_publisher() -> None:
    finding = about_document("publisher.ontbreekt")
    assert f'resource="{ORGANISATION["id"]}">{ORGANISATION["name"]}<' in made(finding).after
    example = snippet(finding.as_dict(), None)
    assert example is not None
    assert 'resource="https://identifier.overheid.nl/tooi/id/…">gemeente Voorbeeld<' in example.after


@pytest.mark.parametrize("code", list(explanations()))
def test_what_publishers_wrote_is_never_markup(code: str) -> None:
    evil = '"><script>alert(1)</script>&'
    finding = about_document(
        code, url=f"https://www.a.nl/{evil}", seen=evil, element="publisher", action=evil
    )
    given = snippet(finding.as_dict(), OrganisationRef(id="1", name=evil))
    if given is not None and given.after.startswith("<"):
        assert "<script" not in given.after


def test_every_template_names_known_parts_and_places() -> None:
    for code, templates in fix_templates().items():
        for template in templates:
            assert template.parts <= _PARTS.keys(), code
            assert template.within in (None, "loc", "entry", "metadata"), code


def test_names_in_templates_are_those_of_the_standards() -> None:
    text = "\n".join(template.text for pair in fix_templates().values() for template in pair)
    spaces = dict(re.findall(r'xmlns(:\w+)?="(http[^"]+)"', text)) | {"": SITEMAP_NAMESPACE}
    assert spaces == {"": SITEMAP_NAMESPACE, ":diwoo": DIWOO_NAMESPACE, ":overheidvg": MESSAGE_NS}
    listed = [bundled().informatiecategorieen, bundled().handelingen, bundled().filetypes]
    labels = {concept.uri: concept.label for values in listed for concept in values}
    coded = re.findall(r'resource="(http[^"…{]+)">([^<…]+)<', text)
    assert len(set(coded)) == 4
    assert {uri: labels[uri] for uri, _ in coded} == dict(coded)
