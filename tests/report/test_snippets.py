from __future__ import annotations

import re

import pytest

from tests.report.runs import ORGANISATION, about_document, about_host
from tests.report.snippets import CATEGORY, SORT, entry, made, text
from woo_harvester.audit.schema import schema_faults
from woo_harvester.diwoo.given import DIWOO_NAMESPACE, read_metadata
from woo_harvester.findings import explanations
from woo_harvester.findings.catalogue import fix_templates
from woo_harvester.permits.schema import MESSAGE_NS
from woo_harvester.report.model import OrganisationRef
from woo_harvester.report.snippets import _MAKERS, _PARTS, snippet
from woo_harvester.report.xml_lines import example_of
from woo_harvester.sitemaps.reader import SITEMAP_NAMESPACE
from woo_harvester.tooi import lists
from woo_harvester.utils.urls import loc_problem


@pytest.mark.parametrize(
    ("code", "seen", "right"),
    [
        ("loc.geen-https", "http://www.a.nl/1.pdf?a=1&b=2", "https://www.a.nl/1.pdf?a=1&b=2"),
        ("loc.ongeldig", "/documenten/een twee.pdf", "https://www.a.nl/documenten/een%20twee.pdf"),
        ("loc.inloggegevens", "https://u:p@www.a.nl/1.pdf", "https://www.a.nl/1.pdf"),
        ("loc.inloggegevens", "https://u:p@p@www.a.nl/1.pdf", "https://www.a.nl/1.pdf"),
    ],
)
def test_a_wrong_loc_becomes_one_that_may_be_harvested(code: str, seen: str, right: str) -> None:
    given = made(about_document(code, url=seen, seen=seen, element="loc"))
    assert entry(given.before).findtext("loc") == seen
    assert entry(given.after).findtext("loc") == right
    assert loc_problem(right) is None


def test_the_loc_of_a_sitemap_is_shown_where_it_stands() -> None:
    seen = "http://www.a.nl/sitemap.xml?a&b"
    given = made(about_host("loc.geen-https", url="/files/index.xml", seen=seen, element="sitemap/loc"))
    assert given.before == "<sitemap>\n  <loc>http://www.a.nl/sitemap.xml?a&amp;b</loc>\n</sitemap>"
    assert given.after == "<sitemap>\n  <loc>https://www.a.nl/sitemap.xml?a&amp;b</loc>\n</sitemap>"
    given = made(about_host("loc.ontbreekt", element="sitemap/loc"))
    assert given.before == "<sitemap>\n  <loc></loc>\n</sitemap>"
    assert given.after == "<sitemap>\n  <loc>https://www.a.nl/sitemap-1.xml</loc>\n</sitemap>"


def test_an_address_in_robots_txt_is_shown_where_it_stands() -> None:
    seen = "https://naam:geheim@www.a.nl/sitemapindex-diwoo.xml"
    given = made(about_host("loc.inloggegevens", url="/files/robots.txt", seen=seen))
    assert given.before == f"Sitemap: {seen}"
    assert given.after == "Sitemap: https://www.a.nl/sitemapindex-diwoo.xml"


@pytest.mark.parametrize(
    "seen", ["javascript:alert(1)", "mailto:a@a.nl", "ftp://a.nl/1.pdf", "https://", "//[x"]
)
def test_what_cannot_be_fixed_by_writing_it_otherwise_has_no_snippet(seen: str) -> None:
    finding = about_document("loc.ongeldig", url=seen, seen=seen, element="loc").as_dict()
    assert snippet(finding, None) is None


def test_a_redirect_becomes_its_target() -> None:
    finding = about_document("document.doorverwijzing", seen="doorverwijzing naar https://www.b.nl/1.pdf")
    given = made(finding)
    assert entry(given.before).findtext("loc") == "https://www.a.nl/documenten/1.pdf"
    assert entry(given.after).findtext("loc") == "https://www.b.nl/1.pdf"


@pytest.mark.parametrize(
    "code", ["lastmod.ongeldig", "lastmod.toekomst", "lastmod.ouder", "lastmod.heraanbod"]
)
def test_a_lastmod_becomes_a_moment(code: str) -> None:
    given = made(about_document(code, seen="vorige week"))
    assert entry(given.before).findtext("lastmod") == "vorige week"
    assert entry(given.after).findtext("lastmod") == "2026-11-21T08:00:00+01:00"


def test_metadata_that_are_absent_become_what_the_guide_requires() -> None:
    given = made(about_document("metadata.ontbreekt"))
    assert entry(given.before).find(f"{{{DIWOO_NAMESPACE}}}Document") is None
    document = entry(given.after).find(f"{{{DIWOO_NAMESPACE}}}Document")
    assert document is not None
    read = read_metadata(document)
    assert read.publisher is not None
    assert (read.publisher.label, read.publisher.uri) == (ORGANISATION["name"], ORGANISATION["id"])
    assert read.officiele_titel
    assert read.informatiecategorieen[0].uri in {concept.uri for concept in lists.informatiecategorieen()}
    assert read.handelingen
    assert not read.unread


@pytest.mark.parametrize(
    ("code", "element"),
    [
        ("publisher.ontbreekt", "publisher"),
        ("register.meerdere-organisaties", None),
        ("verantwoordelijke.ontbreekt", "verantwoordelijke"),
        ("titel.ontbreekt", "titelcollectie/officieleTitel"),
        ("titel.onbekend", "titelcollectie/officieleTitel"),
        ("informatiecategorie.ontbreekt", CATEGORY),
        ("creatiedatum.ontbreekt", "creatiedatum"),
        ("documenthandeling.ontbreekt", "documenthandelingen/documenthandeling"),
        ("format.onbekend", "format"),
    ],
)
def test_an_element_that_is_absent_is_put_where_it_is_read(code: str, element: str | None) -> None:
    given = made(about_document(code, element=element))
    name = (element or "publisher").rpartition("/")[2]
    assert f"<diwoo:{name}" not in given.before
    document = entry(given.after).find(f"{{{DIWOO_NAMESPACE}}}Document")
    assert document is not None
    assert not [each for each in read_metadata(document).unread if each != "…"]
    assert f"<diwoo:{name}" in given.after


def test_the_title_that_was_made_of_the_file_name_is_a_start() -> None:
    action = "standaardwaarde gebruikt: Besluit over de kade"
    given = made(about_document("titel.ontbreekt", action=action))
    assert text(entry(given.after), "officieleTitel") == "Besluit over de kade"


@pytest.mark.parametrize(
    ("code", "element", "seen", "action", "uri"),
    [
        (
            "waarde.uri-onbekend",
            "classificatiecollectie/themas/thema",
            "afval & water (https://verzonnen.example/afval)",
            "gelezen als afval (https://identifier.overheid.nl/tooi/def/thes/top/c_d96f9cd3)",
            "https://identifier.overheid.nl/tooi/def/thes/top/c_d96f9cd3",
        ),
        (
            "informatiecategorie.onbekend",
            CATEGORY,
            "PLACEHOLDER",
            "gelezen als onbekend (https://identifier.overheid.nl/tooi/id/informatiecategorie_onbekend)",
            "https://identifier.overheid.nl/tooi/def/thes/kern/c_3baef532",
        ),
        (
            "documenthandeling.onbekend",
            SORT,
            "publicatie (https://verzonnen.example/publicatie); 2024-05-01",
            "weggelaten",
            "https://identifier.overheid.nl/tooi/def/thes/kern/c_641ecd76",
        ),
    ],
)
def test_a_wrong_value_becomes_the_one_that_it_was_read_as_or_an_example(
    code: str, element: str, seen: str, action: str, uri: str
) -> None:
    given = made(about_document(code, element=element, seen=seen, action=action))
    name = f".//{{{DIWOO_NAMESPACE}}}{element.rpartition('/')[2]}"
    before, after = entry(given.before).find(name), entry(given.after).find(name)
    assert before is not None
    assert after is not None
    assert (before.text or "") in seen
    assert after.get("resource") == uri


def test_a_value_of_an_unknown_list_has_no_example() -> None:
    finding = about_document("waarde.label-onbekend", element="opsteller", seen="wij").as_dict()
    assert snippet(finding, None) is None


@pytest.mark.parametrize(
    ("element", "right"),
    [
        ("creatiedatum", "2026-01-31"),
        ("geldigheid/begindatum", "2026-01-31T09:00:00+01:00"),
        ("documenthandelingen/documenthandeling/atTime", "2026-01-31T09:00:00+01:00"),
    ],
)
def test_a_wrong_date_becomes_one_by_the_schema(element: str, right: str) -> None:
    given = made(about_document("datum.ongeldig", element=element, seen="31-02-2024"))
    document = entry(given.after).find(f"{{{DIWOO_NAMESPACE}}}Document")
    assert document is not None
    assert text(document, element.rpartition("/")[2]) == right
    assert not [fault for fault in schema_faults(document) if fault.path.endswith(element)]


@pytest.mark.parametrize("code", ["metadata.ontbreekt", "metadata.mdto"])
def test_metadata_that_are_written_completely_are_valid_by_the_schema(code: str) -> None:
    document = entry(made(about_document(code)).after).find(f"{{{DIWOO_NAMESPACE}}}Document")
    assert document is not None
    assert list(schema_faults(document)) == []


def test_a_handling_that_is_absent_is_written_by_the_schema() -> None:
    given = made(about_document("documenthandeling.ontbreekt"))
    document = entry(given.after).find(f"{{{DIWOO_NAMESPACE}}}Document")
    assert document is not None
    assert not [fault for fault in schema_faults(document) if "documenthandeling" in fault.path]


def test_an_unknown_element_becomes_metadata_of_their_own() -> None:
    given = made(about_document("metadata.element-onbekend", seen="wijk, buurt"))
    document = entry(given.after).find(f"{{{DIWOO_NAMESPACE}}}Document")
    assert document is not None
    assert read_metadata(document).extra[0].fields == [("wijk", ["…"])]


def test_of_several_elements_the_unknown_one_is_shown() -> None:
    given = made(about_document("metadata.element-onbekend", seen="trefwoorden, wijk"))
    assert "<diwoo:wijk>" in given.before
    assert "trefwoorden" not in given.before + given.after


def test_a_known_element_in_the_wrong_shape_is_not_moved_to_metadata_of_their_own() -> None:
    finding = about_document("metadata.element-onbekend", seen="trefwoorden, publisher, thema").as_dict()
    assert snippet(finding, None) is None


def test_a_handling_that_does_not_say_which_is_shown_as_it_was() -> None:
    seen = "geen soortHandeling; 2024-05-01"
    given = made(about_document("documenthandeling.onbekend", element=SORT, seen=seen))
    assert "soortHandeling" not in given.before
    assert text(entry(given.after), "soortHandeling") == "vaststelling"


@pytest.mark.parametrize("code", ["loc.ontbreekt", "document.html-pagina", "metadata.mdto"])
def test_other_entries_are_shown_right(code: str) -> None:
    given = made(about_document(code, element="loc"))
    assert (entry(given.after).findtext("loc") or "").startswith("https://www.a.nl/")


@pytest.mark.parametrize("code", list(explanations()))
def test_what_publishers_wrote_is_never_markup(code: str) -> None:
    evil = '"><script>alert(1)</script>&'
    finding = about_document(
        code, url=f"https://www.a.nl/{evil}", seen=evil, element="publisher", action=evil
    )
    given = snippet(finding.as_dict(), OrganisationRef(id="1", name=evil))
    if given is not None and "<url>" in given.after:
        assert "<script" not in given.after


def test_every_example_is_in_its_list() -> None:
    names = ("informatiecategorie", "documentsoort", "thema", "language", "soortHandeling", "format")
    assert all(example_of(name) for name in names)
    assert example_of("publisher") is None


def test_every_template_names_known_parts_and_places() -> None:
    for code, templates in fix_templates().items():
        assert code not in _MAKERS or code == "sitemap.andere-wortel", code
        for template in templates:
            assert template.parts <= _PARTS.keys(), code
            assert template.within in (None, "loc", "entry", "metadata"), code


def test_names_in_templates_are_those_of_the_standards() -> None:
    text = "\n".join(template.text for pair in fix_templates().values() for template in pair)
    spaces = dict(re.findall(r'xmlns(:\w+)?="(http[^"]+)"', text))
    assert spaces == {"": SITEMAP_NAMESPACE, ":diwoo": DIWOO_NAMESPACE, ":overheidvg": MESSAGE_NS}
    listed = [lists.informatiecategorieen(), lists.handelingen(), lists.filetypes()]
    labels = {concept.uri: concept.label for values in listed for concept in values}
    coded = re.findall(r'resource="(http[^"…]+)">([^<]+)<', text)
    assert len(set(coded)) == 4
    assert {uri: labels[uri] for uri, _ in coded} == dict(coded)
