"""Subclasses of the spider in a stock project of Scrapy: narrower, or with a filter of their own."""

from __future__ import annotations

import re
from textwrap import dedent

from tests.integration.stock_project import (
    Project,
    delivered,
    paths,
    project,
    template,
    with_addon,
)
from tests.utils.daily import FIRST, XML, numbered, publish, xml
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import robots_txt, sitemapindex

__all__ = ["project", "template", "with_addon"]


def publish_by_category(site: Site, **categories: list[str]) -> None:
    """Have the site list an index for each category, such as ``infocat011``, with these documents."""
    urls = {name: site.url(f"/sitemapindex-diwoo-{name}.xml") for name in categories}
    site.pages["/robots.txt"] = Page(robots_txt(*urls.values()))
    for name, documents in categories.items():
        site.pages[f"/{name}.xml"] = Page(xml(site, dict.fromkeys(documents, FIRST)), content_type=XML)
        index = sitemapindex([site.url(f"/{name}.xml")])
        site.pages[f"/sitemapindex-diwoo-{name}.xml"] = Page(index, content_type=XML)


def test_a_subclass_that_narrows_sitemap_follow_never_withdraws_what_it_leaves_out(
    project: Project, site: Site
) -> None:
    publish_by_category(site, infocat011=["a", "b"], infocat002=["c"])
    assert paths(project.crawl("convenanten", site)) == delivered(["a", "b"])
    assert "/infocat002.xml" not in {request.path for request in site.requests}
    assert paths(project.crawl("woo", site)) == delivered(["c"])
    publish_by_category(site, infocat011=["a"], infocat002=["d"])
    run = project.crawl("convenanten", site)
    assert (run.records, run.codes) == ([], set())
    all_read = project.crawl("woo", site)
    assert paths(all_read) == [*delivered(["b", "c"], "intrekking"), ("d", "aanlevering")]


def test_an_error_in_a_filter_withdraws_nothing_and_the_other_sitemaps_are_read(
    project: Project, site: Site
) -> None:
    project.add(
        "spiders/own.py",
        dedent(
            """
            class Strict(WooSpider):
                name = "strict"

                def sitemap_filter(self, entries):
                    for entry in entries:
                        if entry["lastmod"]:
                            yield entry
            """
        ),
    )
    publish(site, {"a": FIRST}, {"b": FIRST})
    assert paths(project.crawl("strict", site)) == delivered(["a", "b"])
    publish(site, {"w": FIRST, "x": None}, {"c": FIRST})
    register = project.folder / "register.xml"
    given = ("-a", f"register={register}", "-a", "documents=none", "-O", "out.jsonl")
    run = project.scrapy("crawl", "strict", *given)
    assert paths(run) == delivered(["c"])
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1].endswith(f"{site.url('/s0.xml')}: KeyError: 'lastmod'")
    assert run.stats["spider_exceptions/KeyError"] == 1
    assert {"woo/hosts/incomplete"} <= run.stats.keys()


def test_a_subclass_that_reads_nothing_or_sets_what_is_not_used_gets_a_warning(
    project: Project, site: Site
) -> None:
    project.add(
        "spiders/own.py",
        dedent(
            """
            from scrapy import Request


            class Of2026(WooSpider):
                name = "of2026"
                sitemap_follow = ["/2026/"]
                sitemap_rules = [("besluit", "parse")]
                sitemap_alternate_links = True

                def parse(self, response):
                    yield {}


            class Pages(WooSpider):
                name = "pages"

                async def start(self):
                    yield Request("data:,", callback=lambda response: None)
            """
        ),
    )
    publish(site, numbered(1))
    run = project.crawl("of2026", site)
    warnings = re.findall(r"WARNING: (.*)", run.stderr)
    assert (run.records, run.codes) == ([], set())
    assert any("of2026 matches none of the indexes that robots.txt names" in line for line in warnings)
    unused = re.findall("of2026 sets (\\w+), which has no effect", "\n".join(warnings))
    assert unused == ["sitemap_rules", "sitemap_alternate_links", "parse"]
    assert "pages overrides start without yielding" in project.crawl("pages", site).stderr


def test_a_subclass_may_follow_indexes_with_other_names(project: Project, site: Site) -> None:
    project.add("spiders/own.py", 'class All(WooSpider):\n    name = "all"\n    sitemap_follow = [""]')
    publish(site, numbered(2))
    site.pages["/eigen.xml"] = site.pages.pop("/sitemapindex-diwoo.xml")
    site.pages["/robots.txt"] = Page(robots_txt(site.url("/eigen.xml")))
    run = project.crawl("all", site)
    assert len(run.records) == 2
    assert "index.naam" in run.codes
    publish(site, {})
    site.pages["/eigen.xml"] = site.pages.pop("/sitemapindex-diwoo.xml")
    site.pages["/robots.txt"] = Page(robots_txt(site.url("/eigen.xml")))
    assert len(project.crawl("all", site, WOO_WITHDRAW_SHARE=1).records) == 2


def test_what_a_filter_leaves_out_is_delivered_once_the_filter_lets_it_pass(
    project: Project, site: Site
) -> None:
    """The spider ``recent`` of the page keeps entries of 2026 and later."""
    publish(site, {"old": "2025-01-01", "new": "2026-01-01"})
    run = project.crawl("recent", site)
    assert paths(run) == delivered(["new"])
    assert run.stats["woo/entries/left_out"] == 1
    assert run.stats["woo/documents/new"] == 1
    assert paths(project.crawl("recent", site)) == []
    assert paths(project.crawl("woo", site)) == delivered(["old"])
    publish(site, {"old": "2025-02-01", "new": "2026-01-01"})
    assert paths(project.crawl("recent", site)) == []
    publish(site, {"old": "2026-02-01"})
    gone = project.crawl("recent", site, WOO_WITHDRAW_SHARE=1)
    assert paths(gone) == [*delivered(["new"], "intrekking"), *delivered(["old"], "wijziging")]
