"""A document whose server says that it did not change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.utils.command import Run
from tests.utils.daily import FIRST, NEWER, Harvester, causes, publish
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import pdf


class Downloader(Harvester):
    """The harvester that fetches documents."""

    def fetch(self, **settings: object) -> Run:
        return self.day("-a", "documents=download", **settings)


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site) -> Downloader:
    return Downloader(tmp_path, ca_bundle, [site])


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
