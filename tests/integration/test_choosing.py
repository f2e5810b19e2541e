"""Runs that choose documents by category and lastmod, and what the runs after them still deliver."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.utils.command import Run, run_scrapy
from tests.utils.daily import FIRST, INDEX, METADATA, NEWER, OLDER, XML, Harvester, causes, publish, reported
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


def test_a_run_that_chooses_is_not_what_later_reports_compare_with(site: Site, harvester: Harvester) -> None:
    publish(site, {"oud": OLDER, "nieuw": NEWER})
    harvester.day()
    run: Run = harvester.day("-a", "since=2024-05-01")
    assert run.report is not None
    assert [
        path.name for path in (run.report.parent / "history").iterdir() if run.report.name in path.name
    ] == []
