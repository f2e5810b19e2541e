from __future__ import annotations

from lxml import html

from tests.portal.client import client_of
from woo_harvester.utils.templates import base_css


def test_the_style_of_a_page_is_there_and_may_be_kept() -> None:
    client = client_of([])
    (link,) = html.fromstring(client.get("/").text).cssselect("link[rel=stylesheet]")
    answer = client.get(str(link.get("href")))
    assert answer.headers["content-type"].startswith("text/css")
    assert "immutable" in answer.headers["cache-control"]
    assert answer.text.startswith(base_css())


def test_crawlers_may_have_pages_and_no_combinations_of_filters() -> None:
    assert client_of([]).get("/robots.txt").text == "User-agent: *\nDisallow: /*?\nDisallow: /api/\n"
    below = client_of([]).request("GET", "/woo/robots.txt", root_path="/woo").text
    assert "Disallow: /woo/*?" in below


def test_a_health_check_is_never_kept() -> None:
    answer = client_of([]).get("/gezond")
    assert (answer.text, answer.headers["cache-control"]) == ("gezond\n", "no-store")
