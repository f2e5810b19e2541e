"""The tutorials, done from the first line to the last."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from tests.docs.page import Reader
from tests.utils.command import ROOT
from tests.utils.daily import FIRST, XML, xml
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import robots_txt, sitemapindex

TUTORIALS = ROOT / "docs" / "tutorials"


def test_the_first_harvest(reader: Reader) -> None:
    reader.play(TUTORIALS / "first-harvest.md")


@pytest.mark.parametrize("page", ["is-my-site-ready.md", "is-mijn-site-klaar.md"])
def test_the_audit_of_a_site_that_is_not_ready_until_it_is(reader: Reader, page: str) -> None:
    reader.stand_ins = {**reader.stand_ins, "test.gemeente.internal": reader.stand_ins["www.gemeente.nl"]}
    reader.play(TUTORIALS / page)


def test_a_harvester_of_ones_own(reader: Reader, site: Site) -> None:
    urls = {name: site.url(f"/sitemapindex-diwoo-{name}.xml") for name in ("infocat002", "infocat014")}
    site.pages["/robots.txt"] = Page(robots_txt(*urls.values()))
    for (name, url), documents in zip(urls.items(), (["b"], ["a"]), strict=True):
        site.pages[f"/{name}.xml"] = Page(xml(site, dict.fromkeys(documents, FIRST)), content_type=XML)
        site.pages[urlsplit(url).path] = Page(sitemapindex([site.url(f"/{name}.xml")]), content_type=XML)
    # The settings of a project do not come from the environment, so the test adds its own to the file.
    own = {"WOO_ALLOW_PRIVATE_HOSTS": 1, "WOO_REGISTER": str(reader.settings["WOO_REGISTER"])}
    lines = ['BOT_NAME = "mijn"', *(f"{name} = {value!r}" for name, value in own.items())]
    reader.stand_ins = {**reader.stand_ins, lines[0]: "\n".join(lines)}
    reader.play(TUTORIALS / "your-own-harvester.md")
