from __future__ import annotations

import pytest

from tests.report.runs import about_document, about_host
from tests.report.snippets import made
from woo_harvester.diwoo.given import DIWOO_NAMESPACE
from woo_harvester.sitemaps.reader import SITEMAP_NAMESPACE, RootName, SitemapReader
from woo_harvester.tooi import informatiecategorieen


@pytest.mark.parametrize(
    ("code", "seen", "right"),
    [
        ("index.naam", "https://www.a.nl/x/sitemap-diwoo.xml", "https://www.a.nl/x/sitemapindex-diwoo.xml"),
        (
            "index.naam",
            "https://www.a.nl/sitemapindex-diwoo/x.xml",
            "https://www.a.nl/sitemapindex-diwoo.xml",
        ),
        (
            "index.hoofdletters",
            "https://www.a.nl/Api/SitemapIndex-DiWoo.XML",
            "https://www.a.nl/Api/sitemapindex-diwoo.xml",
        ),
        (
            "index.geen-https",
            "http://www.a.nl/sitemapindex-diwoo.xml",
            "https://www.a.nl/sitemapindex-diwoo.xml",
        ),
    ],
)
def test_a_line_of_robots_txt_is_written_right(code: str, seen: str, right: str) -> None:
    given = made(about_host(code, url=seen, seen=seen))
    assert (given.before, given.after) == (f"Sitemap: {seen}", f"Sitemap: {right}")


def test_documents_of_an_index_without_a_category_go_in_the_general_one_with_their_own() -> None:
    given = made(
        about_host("index.infocat-onbekend", seen="https://www.a.nl/sitemapindex-diwoo-infocat018.xml")
    )
    line, _, category = (given.after or "").split("\n")
    assert line == "Sitemap: https://www.a.nl/sitemapindex-diwoo.xml"
    concept = informatiecategorieen().by_label("inspanningsverplichting art 3.1 Woo")
    assert concept is not None
    assert f'resource="{concept.uri}">{concept.label}<' in category


def test_a_line_of_which_nothing_was_seen_has_the_url_of_the_index() -> None:
    given = made(about_host("index.naam", url="https://www.a.nl/x.xml"))
    assert given.before == "Sitemap: https://www.a.nl/x.xml"


def test_a_relative_line_gets_its_host() -> None:
    url = "https://www.a.nl/sitemapindex-diwoo.xml"
    given = made(about_host("robots.sitemap-relatief", url=url, seen="/sitemapindex-diwoo.xml"))
    assert given.after == f"Sitemap: {url}"


def test_each_index_of_a_joined_line_gets_a_line_of_its_own() -> None:
    seen = r"Sitemap: https://www.a.nl/sitemapindex-diwoo.xml\nSitemap: /sitemapindex-diwoo-infocat014.xml"
    assert made(about_host("robots.samengevoegd", seen=seen)).after == (
        "Sitemap: https://www.a.nl/sitemapindex-diwoo.xml\n"
        "Sitemap: https://www.a.nl/sitemapindex-diwoo-infocat014.xml"
    )


def test_of_a_joined_line_that_is_too_long_the_last_index_is_left_out() -> None:
    one = "https://www.a.nl/sitemapindex-diwoo-infocat0{:02}.xml"
    seen = r"\n".join(f"Sitemap: {one.format(number)}" for number in range(1, 18))
    lines = made(about_host("robots.samengevoegd", seen=seen)).after.splitlines()
    assert lines[:2] == [f"Sitemap: {one.format(1)}", f"Sitemap: {one.format(2)}"]
    assert lines[-1] == "…"
    assert len(lines) == 9


@pytest.mark.parametrize("code", ["robots.regel-afwijkend", "robots.regel-genegeerd"])
@pytest.mark.parametrize(
    ("seen", "after"),
    [
        ("Sitemap https://www.a.nl/x/sitemapindex-diwoo.xml", ["https://www.a.nl/x/sitemapindex-diwoo.xml"]),
        ("Index: /x/sitemapindex-diwoo.xml", ["https://www.a.nl/x/sitemapindex-diwoo.xml"]),
        ("sitemapindex-diwoo.xml", ["https://www.a.nl/sitemapindex-diwoo.xml"]),
        ("Disallow: /sitemapindex-diwoo.xml$", ["https://www.a.nl/sitemapindex-diwoo.xml"]),
        ("https://[x/sitemapindex-diwoo.xml", ["https://[x/sitemapindex-diwoo.xml"]),
    ],
)
def test_a_line_that_names_an_index_becomes_a_sitemap_line(code: str, seen: str, after: list[str]) -> None:
    given = made(about_host(code, seen=seen))
    assert given.before == seen
    assert given.after.splitlines() == [f"Sitemap: {url}" for url in after]


def test_a_rule_that_allows_an_index_stays_beside_the_line_that_names_it() -> None:
    allow = "Allow: /sitemapindex-diwoo.xml"
    after = made(about_host("robots.regel-genegeerd", seen=allow)).after
    assert after == f"{allow}\nSitemap: https://www.a.nl/sitemapindex-diwoo.xml"


@pytest.mark.parametrize(
    ("seen", "before"),
    [("http://a.nl/?a&b", '<DiWoo xmlns="http://a.nl/?a&amp;b">'), ("geen naamruimte", "<DiWoo>")],
)
def test_a_namespace_becomes_the_one_of_the_schema(seen: str, before: str) -> None:
    given = made(about_document("metadata.naamruimte", seen=seen))
    assert (given.before, given.after) == (before, f'<DiWoo xmlns="{DIWOO_NAMESPACE}">')
    given = made(about_host("sitemap.naamruimte", seen=seen, element="urlset/url"))
    assert given.before == before.replace("DiWoo", "url")


@pytest.mark.parametrize(
    ("code", "seen", "element"),
    [
        ("sitemap.element-onbekend", "3 × <item>, <doc>", "urlset/item"),
        ("sitemap.element-onbekend", "<urls><url>", "urlset/urls"),
        ("sitemap.element-onbekend", "<Document>", "urlset/Document"),
        ("sitemap.element-onbekend", "<DiWoo>", "urlset/DiWoo"),
        ("sitemap.element-onbekend", "Fout & <b>", "urlset"),
        ("sitemap.element-onbekend", "<map>", "sitemapindex/map"),
        ("sitemap.hoofdletters", "4 × <URL>, <LOC>, <SiteMap>, <document>", None),
    ],
)
def test_the_fix_of_entries_of_another_name_is_read(code: str, seen: str, element: str | None) -> None:
    given = made(about_host(code, url="https://www.a.nl/sitemap.xml", seen=seen, element=element))
    if code == "sitemap.hoofdletters":
        assert given.after == "<url>…</url>\n<loc>…</loc>\n<sitemap>…</sitemap>\n<Document>…</Document>"
        return
    kind: RootName = "sitemapindex" if "sitemapindex" in given.after else "urlset"
    declared = f'xmlns="{SITEMAP_NAMESPACE}" xmlns:diwoo="{DIWOO_NAMESPACE}"'
    found = []
    for text in (given.before, given.after):
        reader = SitemapReader([text.replace("…", declared, 1).encode()], kind, 10_000)
        found.append((sum(map(len, reader)), reader.complete))
    assert found == [(0, False), (1, True)]
