"""Documents that could not be harvested: what is tried again, what is left alone, what is told daily."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.utils.command import Run
from tests.utils.daily import FIRST, NEWER, Harvester, causes, publish
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import html_page, pdf

PAGE = html_page("Inloggen")
DOCUMENT = Page(pdf("Besluit"), content_type="application/pdf", headers={"ETag": '"1"'})


class Downloader(Harvester):
    """The harvester that fetches documents."""

    def fetch(self, **settings: object) -> Run:
        return self.day("-a", "documents=download", **settings)


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site) -> Downloader:
    return Downloader(tmp_path, ca_bundle, [site])


def errors(run: Run) -> list[dict[str, Any]]:
    return [finding for finding in run.findings if finding["severity"] == "error"]


def test_what_was_refused_is_not_fetched_again_and_reported_with_since_when(
    site: Site, harvester: Downloader
) -> None:
    publish(site, {"a": FIRST, "b": FIRST})
    site.pages |= {"/d/a.pdf": PAGE, "/d/b.pdf": DOCUMENT}
    first = harvester.fetch()
    assert causes(first) == {"b": "aanlevering"}
    assert first.stats["woo/documents/refused"] == 1
    (found,) = errors(first)
    assert found["code"] == "document.html-pagina"
    assert "since" not in found
    second = harvester.fetch()
    (again,) = errors(second)
    assert (again["code"], again["url"]) == ("document.html-pagina", site.url("/d/a.pdf"))
    assert again["seen"] == found["seen"]
    assert again["since"] <= again["at"]
    assert again["organisation"] == found["organisation"]
    assert len(site.requested("/d/a.pdf")) == 1
    # The sitemap is the same, and not even read.
    assert second.stats["woo/sitemaps/unchanged"] == 1


def test_what_could_not_be_fetched_is_tried_again_though_its_sitemap_is_the_same(
    site: Site, harvester: Downloader
) -> None:
    publish(site, {"a": FIRST}, headers={"ETag": '"1"'})
    site.pages["/d/a.pdf"] = Page(status=404)
    first = harvester.fetch()
    assert first.stats["woo/documents/failed"] == 1
    second = harvester.fetch()
    (found,) = errors(second)
    assert (found["code"], found["seen"]) == ("document.onbereikbaar", "HTTP 404")
    assert "since" in found
    assert len(site.requested("/d/a.pdf")) == 2
    site.pages["/d/a.pdf"] = DOCUMENT
    third = harvester.fetch()
    assert causes(third) == {"a": "aanlevering"}
    assert errors(third) == []


def test_a_document_that_answers_not_modified_keeps_what_is_known_of_its_file(
    site: Site, harvester: Downloader
) -> None:
    named = {"ETag": '"1"', "Content-Disposition": 'attachment; filename="Besluit 1.pdf"'}
    publish(site, {"a": FIRST})
    site.pages["/d/a.pdf"] = Page(pdf("Besluit"), content_type="application/octet-stream", headers=named)
    (before,) = harvester.fetch().records
    publish(site, {"a": NEWER})
    second = harvester.fetch()
    assert causes(second) == {"a": "wijziging"}
    (after,) = second.records
    assert after["versies"][0]["bestanden"] == before["versies"][0]["bestanden"]
    assert before["versies"][0]["bestanden"][0]["bestandsnaam"] == "Besluit 1.pdf"
    assert after["document"]["format"] == before["document"]["format"]
    assert site.requested("/d/a.pdf")[1].headers["if-none-match"] == '"1"'
    assert second.stats["downloader/response_status_count/304"] == 1
    publish(site, {"a": "2024-06-02T10:00:00+02:00"})
    assert causes(harvester.fetch(WOO_FULL_READ_DAYS=0)) == {"a": "wijziging"}
    assert "if-none-match" not in site.requested("/d/a.pdf")[2].headers, "it is not believed for ever"
