"""Another Scrapy project gets all of it with one line in its settings, and keeps its own values."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.utils.command import Run, environment, read_lines, run_scrapy
from tests.utils.forked_runs import Forked
from tests.utils.publishers import entries_of, publish
from tests.utils.sites import MakeSite, write_register
from tests.utils.waiting import STUCK
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import pdf_page

SETTINGS = """
BOT_NAME = "mijn-project"
SPIDER_MODULES = ["mijn.spiders"]
ADDONS = {"woo_harvester.Addon": 500}
USER_AGENT = "mijn-project (+https://www.mijn-project.example/)"
CONCURRENT_REQUESTS_PER_DOMAIN = 1
WOO_DOCUMENT_MAXSIZE = 5000
FEEDS = {"eigen.jsonl": {"format": "jsonlines"}}
ITEM_PIPELINES = {"mijn.pipelines.Tellen": 50, "woo_harvester.pipelines.record.DefaultsPipeline": None}
"""
PIPELINES = """
from itemadapter import ItemAdapter

class Tellen:
    def __init__(self, stats):
        self.stats = stats

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler.stats)

    def process_item(self, item):
        self.stats.inc_value("mijn/geteld")
        self.stats.set_value("mijn/sleutels", sorted(ItemAdapter(item)))
        return item
"""
SPIDER = """
import scrapy

class Eigen(scrapy.Spider):
    name = "eigen"

    async def start(self):
        yield scrapy.Request("data:,dag", self.parse)
        yield scrapy.Request(self.url, self.parse, dont_filter=True)

    def parse(self, response):
        yield {"tekst": response.text}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    package = tmp_path / "mijn"
    (package / "spiders").mkdir(parents=True)
    for name, text in {
        "__init__.py": "",
        "settings.py": SETTINGS,
        "pipelines.py": PIPELINES,
        "spiders/__init__.py": "",
        "spiders/eigen.py": SPIDER,
    }.items():
        (package / name).write_text(text)
    return tmp_path


def scrapy(project: Path, ca: Path, *args: str) -> Run:
    return run_scrapy(args, project, ca, env={"SCRAPY_SETTINGS_MODULE": "mijn.settings"}, fresh=True)


@pytest.fixture
def published(make_site: MakeSite) -> Site:
    site = make_site()
    publish(site, "/a.pdf", "/b.pdf", "/groot.pdf", "/foto.jpg")
    site.pages |= {
        "/a.pdf": Page(pdf_page("a").body, delay=0.1),
        "/b.pdf": Page(pdf_page("b").body, delay=0.1),
        "/groot.pdf": Page(b"%PDF-1.4" + b" " * 6000),
        "/foto.jpg": Page(b"\xff\xd8\xff"),
    }
    return site


def test_the_harvest_runs_with_the_projects_own_values(
    project: Path, ca_bundle: Path, published: Site
) -> None:
    register = write_register(project / "register.xml", {"Gemeente": [published.url()]})
    run = scrapy(project, ca_bundle, "crawl", "woo", "-a", f"register={register}", "-a", "documents=download")
    assert run.returncode == 0
    assert "Traceback" not in run.stderr
    records = read_lines(project / "eigen.jsonl")
    assert {record["document"]["weblocatie"] for record in records} == {
        published.url("/a.pdf"),
        published.url("/b.pdf"),
    }
    assert not (project / "records").exists()
    assert published.most_at_once == 1
    assert {request.headers["user-agent"] for request in published.requests} == {
        "mijn-project (+https://www.mijn-project.example/)"
    }
    assert {"document.te-groot", "format.niet-ondersteund"} <= run.codes


def test_the_projects_pipelines_run_among_those_of_the_harvester(
    project: Path, ca_bundle: Path, published: Site
) -> None:
    register = write_register(project / "register.xml", {"Gemeente": [published.url()]})
    run = scrapy(project, ca_bundle, "crawl", "woo", "-a", f"register={register}", "-a", "documents=none")
    assert run.stats["mijn/geteld"] == 4
    assert run.stats["mijn/sleutels"] == ["document", "herkomst", "id", "versies"]
    # The project has switched the defaults off.
    assert all("publisher" not in record["document"] for record in read_lines(project / "eigen.jsonl"))


STOCK = """
from scrapy.spiders import SitemapSpider

class Stock(SitemapSpider):
    name = "stock"

    def __init__(self, url, **kwargs):
        super().__init__(sitemap_urls=[url], **kwargs)

    def parse(self, response):
        yield {"url": response.url}
"""


@pytest.mark.parametrize("addon", [True, False])
def test_a_stock_spider_does_the_same_with_and_without_the_addon(
    project: Path, ca_bundle: Path, make_site: MakeSite, addon: bool
) -> None:
    (project / "mijn" / "spiders" / "stock.py").write_text(STOCK)
    text = 'BOT_NAME = "mijn"\nSPIDER_MODULES = ["mijn.spiders"]\nLOG_LEVEL = "INFO"\n'
    added = 'ADDONS = {"woo_harvester.Addon": 500}\nCOMMANDS_MODULE = "woo_harvester.commands"\n'
    (project / "mijn" / "settings.py").write_text(text + added * addon)
    pages = [f"/{number}.txt" for number in range(40)]
    site = make_site({path: Page("tekst", content_type="text/plain") for path in pages})
    site.pages["/sitemap.xml"] = entries_of(site, *pages)
    given = ["crawl", "stock", "-a", f"url={site.url('/sitemap.xml')}", "-s", "CLOSESPIDER_ITEMCOUNT=40"]
    environ = environment(ca_bundle, {"SCRAPY_SETTINGS_MODULE": "mijn.settings"})
    done = Forked([*given, "-O", "out.jsonl"], project, environ).done(STUCK)
    assert done.returncode == 0
    assert "ERROR" not in done.stderr, done.stderr
    assert len(read_lines(project / "out.jsonl")) == 40
    assert not (project / "reports").exists()
    assert not (project / ".scrapy").exists()


def test_the_projects_own_spider_still_works(project: Path, ca_bundle: Path, make_site: MakeSite) -> None:
    site = make_site({"/robots.txt": Page("User-agent: *\n"), "/welkom.txt": Page("welkom")})
    url = site.url("/welkom.txt")
    run = scrapy(project, ca_bundle, "crawl", "eigen", "-a", f"url={url}")
    assert run.returncode == 0
    assert sorted(line["tekst"] for line in read_lines(project / "eigen.jsonl")) == ["dag", "welkom"]
    assert [request.path for request in site.requests] == ["/welkom.txt"]  # as without the add-on
