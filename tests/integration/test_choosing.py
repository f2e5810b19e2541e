"""Runs that choose documents or deliver all that are listed, and what the runs after them still deliver."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.utils.command import Line, Run, run_scrapy
from tests.utils.daily import FIRST, INDEX, METADATA, NEWER, XML, Harvester, causes, publish, reported
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import Entry, categorie, robots_txt, sitemap, sitemapindex

OTHER_INDEX = "/sitemapindex-diwoo-infocat011.xml"
CHOICE = ("-a", "categories=014,adviezen")


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site) -> Harvester:
    return Harvester(tmp_path, ca_bundle, [site])


def entry(site: Site, name: str, *categories: int, lastmod: str = FIRST) -> Entry:
    metadata = replace(METADATA, informatiecategorieen=[categorie(each) for each in categories])
    return Entry(loc=site.url(f"/d/{name}.pdf"), lastmod=lastmod, diwoo=metadata)


def list_entries(site: Site, general: list[Entry], convenanten: list[Entry]) -> None:
    """Have the site list entries in the index of all categories, and in that of convenanten."""
    headers = {"ETag": f'"{len(general)}-{len(convenanten)}"'}
    site.pages["/robots.txt"] = Page(robots_txt(site.url(INDEX), site.url(OTHER_INDEX)))
    for index, path, entries in ((INDEX, "/a.xml", general), (OTHER_INDEX, "/b.xml", convenanten)):
        site.pages[index] = Page(sitemapindex([site.url(path)]), content_type=XML)
        site.pages[path] = Page(sitemap(*entries), content_type=XML, headers=headers)


def test_a_choice_of_categories_leaves_the_rest_to_later_runs(site: Site, harvester: Harvester) -> None:
    general = [entry(site, "verzoek", 14), entry(site, "advies", 10, 4), entry(site, "klacht", 17)]
    convenanten = [entry(site, "convenant"), entry(site, "verdwaald", 14)]
    list_entries(site, general, convenanten)
    first = harvester.day(*CHOICE)
    assert causes(first) == dict.fromkeys(["verzoek", "advies", "verdwaald"], "aanlevering")
    assert first.stats["woo/entries/left_out"] == 2
    assert first.stats["woo/hosts/incomplete"] == 1
    assert reported(first, site)["listed"] == 3
    assert first.codes.isdisjoint({"intrekking.onvolledig", "loc.dubbel"})
    assert causes(harvester.day(*CHOICE)) == {}
    assert hosts_never_read(harvester, site)
    # The sitemaps did not change, and still the next run delivers what was left out.
    rest = harvester.day()
    assert causes(rest) == dict.fromkeys(["convenant", "klacht"], "aanlevering")
    assert rest.stats["woo/hosts/complete"] == 1
    assert causes(harvester.day()) == {}

    list_entries(site, [replace(general[0], lastmod=NEWER), replace(general[2], lastmod=NEWER)], [])
    again = harvester.day(*CHOICE)
    assert causes(again) == {"verzoek": "wijziging"}, "nothing is withdrawn by a run that chooses"
    assert again.codes.isdisjoint({"intrekking.onvolledig", "intrekking.massaal"})
    assert causes(harvester.day()) == {
        "klacht": "wijziging",
        **dict.fromkeys(["advies", "convenant", "verdwaald"], "intrekking"),
    }


def hosts_never_read(harvester: Harvester, site: Site) -> bool:
    """Return whether the state has no complete read of the site."""
    table = run_scrapy(["state"], harvester.folder).stdout.splitlines()
    (row,) = [line for line in table if line.startswith(site.host)]
    return row.endswith("never")


ALL: dict[str, Any] = {"DELTAFETCH_ENABLED": 0}
PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"


def versions(run: Run) -> dict[str, Line]:
    """Return the version in each record, by the URL of its document."""
    return {record["document"]["weblocatie"]: record["versies"][0] for record in run.records}


def test_what_is_known_of_a_file_is_delivered_without_a_request(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST})
    site.pages["/d/a.pdf"] = Page(PDF, content_type="application/pdf", headers={"ETag": '"een"'})
    download, head = ("-a", "documents=download"), ("-a", "documents=head")
    first = harvester.day(*download, FILES_STORE="files")
    (file,) = versions(first)[site.url("/d/a.pdf")]["bestanden"]
    assert file["hash"]
    site.requests.clear()
    (again,) = versions(harvester.day(*head, **ALL)).values()
    (shown,) = again["bestanden"]
    assert shown == {key: value for key, value in file.items() if key != "pad"}
    assert not any(request.path.startswith("/d/") for request in site.requests)
    assert versions(harvester.day(*download, FILES_STORE="files", **ALL)) == versions(first)
    assert [
        request.headers.get("if-none-match") for request in site.requests if request.path == "/d/a.pdf"
    ] == ['"een"']
    site.requests.clear()
    assert causes(harvester.day(*download, FILES_STORE="files")) == {}
    assert not any(request.path.startswith("/d/") for request in site.requests)
