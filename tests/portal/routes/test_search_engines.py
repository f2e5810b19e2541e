"""What search engines read of the portal."""

from __future__ import annotations

from itertools import pairwise

from lxml import etree

from tests.portal.client import Client, client_of
from tests.portal.records import bare, full, withdrawn
from tests.portal.short_records import document
from woo_portal.engine import Contents
from woo_portal.question import PART_BITS, ids_of_part

RECORDS = [full(), bare(), withdrawn(), *(document(f"d{number}") for number in range(100))]
PAGE = f"http://portal.test/document/{full()['id']}"


def locations(text: bytes) -> list[str]:
    return [str(each.text) for each in etree.fromstring(text).iterfind("{*}*/{*}loc")]


def test_crawlers_may_have_pages_and_no_combinations_of_filters() -> None:
    assert client_of([]).get("/robots.txt").text == (
        "User-agent: *\nDisallow: /*?\nDisallow: /api/\nSitemap: http://portal.test/sitemap.xml\n"
    )
    below = client_of([]).request("GET", "/woo/robots.txt", root_path="/woo").text
    assert "Disallow: /woo/*?" in below
    assert "Sitemap: http://portal.test/woo/sitemap.xml" in below


def test_the_sitemap_has_each_published_document_once(client: Client) -> None:
    answer = client.get("/sitemap.xml")
    assert answer.headers["content-type"] == "application/xml"
    found = locations(answer.content)
    assert len(found) == len(set(found)) == 102
    assert PAGE in found
    assert not any(withdrawn()["id"] in each for each in found)
    assert f"<url><loc>{PAGE}</loc><lastmod>2024-05-03</lastmod></url>" in answer.text
    head = client.request("HEAD", "/sitemap.xml")
    assert (head.status_code, head.content, head.headers["etag"]) == (200, b"", answer.headers["etag"])


def test_parts_together_have_each_document_once(client: Client) -> None:
    for parts in [1, 3, 7]:
        paths = [f"/sitemap-{number}-van-{parts}.xml" for number in range(1, parts + 1)]
        found = [each for path in paths for each in locations(client.get(path).content)]
        assert sorted(found) == sorted(locations(client.get("/sitemap.xml").content)), parts


def test_a_part_that_is_none_is_not_there(client: Client) -> None:
    for part in ["0-van-2", "3-van-2", "1-van-0", "1-van-10000", "1-van-" + "9" * 5000, "x", ""]:
        assert client.get(f"/sitemap-{part}.xml").status_code == 404, part


def test_many_documents_have_a_sitemap_of_parts() -> None:
    client = client_of([])
    client.app.state.engine.contents = lambda kind: Contents(1_000_000, 0, 1, None)
    answer = client.get("/sitemap.xml")
    found = locations(answer.content)
    assert etree.QName(etree.fromstring(answer.content)).localname == "sitemapindex"
    assert (len(found), found[0]) == (23, "http://portal.test/sitemap-1-van-23.xml")


def test_parts_of_ids_follow_one_another_to_the_end() -> None:
    for parts in [1, 2, 3, 23, 9999]:
        bounds = [ids_of_part(number, parts) for number in range(1, parts + 1)]
        assert (bounds[0][0], bounds[-1][1]) == (0, 2**PART_BITS - 1), parts
        assert all(last + 1 == first for (_, last), (first, _) in pairwise(bounds)), parts
