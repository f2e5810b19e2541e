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
                        if entry["loc"].endswith(".xml") or entry["lastmod"]:
                            yield entry
            """
        ),
    )
    publish(site, {"a": FIRST}, {"b": FIRST})
    assert paths(project.crawl("strict", site)) == delivered(["a", "b"])
    publish(site, {"x": None}, {"c": FIRST})
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
            class Of2026(WooSpider):
                name = "of2026"
                sitemap_follow = ["/2026/"]
                sitemap_rules = [("besluit", "parse")]
            """
        ),
    )
    publish(site, numbered(1))
    run = project.crawl("of2026", site)
    warnings = "\n".join(re.findall(r"WARNING: (.*)", run.stderr))
    assert (run.records, run.codes) == ([], set())
    assert "sitemap_follow of of2026 matches none of the indexes that robots.txt names" in warnings
    assert "of2026 sets sitemap_rules, which has no meaning in a WooSpider" in warnings
    assert "sitemap_urls" not in warnings
