"""A stock project of Scrapy with the lines of docs/project.md: what its developer would type."""

from __future__ import annotations

import json
from textwrap import dedent

import pytest

from tests.conftest import ROOT
from tests.integration.stock_project import (
    DELAY,
    SCRIPT,
    SETTINGS,
    Project,
    delivered,
    errors,
    paths,
    project,
    template,
    with_addon,
)
from tests.utils.command import read_lines
from tests.utils.daily import numbered, publish
from tests.utils.publishers import entries_of
from tests.utils.sites import write_register
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site

__all__ = ["project", "template", "with_addon"]


def test_the_readme_has_the_line_of_the_page() -> None:
    assert f"`{SETTINGS.splitlines()[0]}`" in (ROOT / "README.md").read_text(encoding="utf-8")


# ----- A run that cannot start ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "settings", "error"),
    [
        (["-a", "register=nowhere.xml"], {}, "The register nowhere.xml cannot be read: "),
        (["-a", "domians=www.a.nl"], {}, "unknown argument domians: did you mean domains?"),
        ([], {"JOBDIR": "job"}, "JOBDIR is set, and a run that is resumed from it may lose documents"),
        ([], {"WOO_TEXT_WORKERS": -3}, "WOO_TEXT_WORKERS: expected processes from 1 to 1,024, got -3"),
        ([], {"FILES_STORE": "nope://x"}, "FILES_STORE nope://x: expected a folder, or a URL such as"),
        (
            [],
            {"EXTENSIONS": '{"woo_harvester.extensions.findings.Findings": null}'},
            "the spider needs the extensions Findings and StateKeeper: ",
        ),
    ],
)
def test_a_run_that_cannot_start_says_so_in_one_line_and_fails(
    with_addon: Project, args: list[str], settings: dict[str, object], error: str
) -> None:
    run = with_addon.scrapy("crawl", "woo", *args, **settings)
    assert run.returncode == 1
    (line,) = errors(run)
    assert line.startswith(error)
    assert "Traceback" not in run.stderr
    assert "'finish_reason': 'cannot_start'" in run.stderr
    assert not (with_addon.folder / "records").exists()


def test_a_database_that_refuses_is_one_line_too(with_addon: Project, site: Site) -> None:
    publish(site, numbered(1))
    run = with_addon.crawl("woo", site, WOO_STATE_URL="postgresql+psycopg://u:p@127.0.0.1:1/woo")
    assert run.returncode == 1
    (line,) = errors(run)
    assert "127.0.0.1" in line
    assert run.stats["finish_reason"] == "cannot_start"


@pytest.mark.parametrize("kind", ["AsyncCrawlerProcess", "CrawlerProcess"])
def test_a_script_learns_that_a_run_could_not_start(with_addon: Project, kind: str) -> None:
    text = SCRIPT.replace("AsyncCrawlerProcess", kind).replace("domains=", "domians=")
    done = with_addon.script(text)
    assert (done.stdout, done.returncode) == ("cannot_start\n", 1)
    assert errors(done) == ["unknown argument domians: did you mean domains?"]
    assert "Traceback" not in done.stderr


def test_a_script_harvests(with_addon: Project, site: Site) -> None:
    publish(site, numbered(3))
    register = write_register(with_addon.folder / "register.xml", {"Gemeente": [site.url("/")]})
    with_addon.add("settings.py", f"WOO_REGISTER = {str(register)!r}\n{DELAY}")
    call = f'domains="{site.host}", documents="none"'
    done = with_addon.script(SCRIPT.replace('domains="www.gemeente.nl"', call))
    assert (done.stdout, done.returncode) == ("finished\n", 0), done.stderr
    (records,) = with_addon.folder.glob("records/*.jsonl")
    assert len(read_lines(records)) == 3


# ----- Spiders of the project, beside those of the harvester ----------------------------------------------


OWN = """
USER_AGENT = "mijn-project (+https://www.mijn-project.example/)"
CONCURRENT_REQUESTS_PER_DOMAIN = 1
WOO_DOCUMENT_MAXSIZE = 5000
FEEDS = {"eigen.jsonl": {"format": "jsonlines"}}
ITEM_PIPELINES = {"mijn.pipelines.Tellen": 50, "woo_harvester.pipelines.record.DefaultsPipeline": None}
"""
COUNTING = """
class Tellen:
    def __init__(self, stats):
        self.stats = stats

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler.stats)

    def process_item(self, item):
        self.stats.set_value("mijn/sleutels", sorted(ItemAdapter(item)))
        return item
"""


def test_the_harvest_runs_with_the_projects_own_values_and_pipelines(with_addon: Project, site: Site) -> None:
    with_addon.add("settings.py", OWN)
    with_addon.add("pipelines.py", COUNTING)
    publish(site, numbered(3))
    site.pages |= {f"/d/doc{number}.pdf": Page(b"%PDF-1.4", delay=0.1) for number in (0, 1)}
    site.pages["/d/doc2.pdf"] = Page(b"%PDF-1.4" + b" " * 6000)
    register = write_register(with_addon.folder / "register.xml", {"Gemeente": [site.url("/")]})
    run = with_addon.scrapy("crawl", "woo", "-a", f"register={register}", "-a", "documents=download")
    assert (run.returncode, run.codes >= {"document.te-groot"}) == (0, True), run.stderr
    records = read_lines(with_addon.folder / "eigen.jsonl")
    assert sorted(record["document"]["weblocatie"] for record in records) == [
        site.url(f"/d/doc{number}.pdf") for number in (0, 1)
    ]
    assert not (with_addon.folder / "records").exists()
    assert site.most_at_once == 1
    assert {request.headers["user-agent"] for request in site.requests} == {
        "mijn-project (+https://www.mijn-project.example/)"
    }
    assert run.stats["mijn/sleutels"] == ["document", "herkomst", "id", "versies"]
    assert all("publisher" not in record["document"] for record in records), "the defaults are off"


STOCK = """
from scrapy.spiders import SitemapSpider

class Stock(SitemapSpider):
    name = "stock"

    def __init__(self, url, **kwargs):
        super().__init__(sitemap_urls=[url], **kwargs)

    def parse(self, response):
        yield {"url": response.url}
"""


def test_a_stock_spider_does_with_the_addon_what_it_does_without(with_addon: Project, site: Site) -> None:
    with_addon.add("spiders/stock.py", STOCK)
    pages = [f"/{number}.txt" for number in range(40)]
    site.pages |= {path: Page("tekst", content_type="text/plain") for path in pages}
    site.pages["/sitemap.xml"] = entries_of(site, *pages)
    given = ["-a", f"url={site.url('/sitemap.xml')}", "-s", "CLOSESPIDER_ITEMCOUNT=40", "-O", "out.jsonl"]
    done = with_addon.typed("crawl", "stock", *given)
    assert (done.returncode, "ERROR" in done.stderr) == (0, False), done.stderr
    assert len(read_lines(with_addon.folder / "out.jsonl")) == 40
    assert {request.path for request in site.requests} == {"/robots.txt", "/sitemap.xml", *pages}
    assert with_addon.left == {"out.jsonl"}


# ----- Commands -------------------------------------------------------------------------------------------


def test_the_commands_of_the_harvester_work(project: Project, site: Site) -> None:
    publish(site, numbered(2))
    project.crawl("woo", site)
    assert site.host in project.scrapy("state").stdout
    audited = project.scrapy("audit", site.host, "--json", WOO_REGISTER=project.folder / "register.xml")
    assert audited.stderr.count("Traceback") == 0
    (host,) = json.loads(audited.stdout)["hosts"]
    assert (host["host"], host["listed"]) == (site.host, 2)
    assert project.typed("tooi").returncode == 0


def test_the_projects_crawl_refuses_a_wrong_argument_before_the_run(project: Project) -> None:
    done = project.typed("crawl", "convenanten", "-a", "domians=x")
    assert (done.returncode, done.stderr) == (
        2,
        "scrapy crawl: error: unknown argument domians: did you mean domains?\n",
    )
    assert project.left == set()


def test_fetch_and_shell_work_as_without_the_addon(project: Project, site: Site) -> None:
    site.pages["/a.txt"] = Page("welkom", content_type="text/plain")
    url = site.url("/a.txt")
    assert project.typed("fetch", "--nolog", url).stdout == "welkom\n"
    assert project.typed("fetch", "--nolog", "--spider", "woo", url).stdout == "welkom\n"
    for spider in ([], ["--spider", "woo"]):
        shell = project.typed("shell", "--nolog", *spider, "-c", "response.text", url)
        assert shell.stdout == "welkom\n"
    assert project.left == set()


# ----- Settings -------------------------------------------------------------------------------------------


def test_what_the_projects_own_pipeline_drops_is_in_the_sum(project: Project, site: Site) -> None:
    publish(site, numbered(3))
    project.add(
        "pipelines.py",
        dedent(
            """
            class NotTheFirst:
                def process_item(self, item):
                    if ItemAdapter(item)["document"]["weblocatie"].endswith("doc0.pdf"):
                        raise DropItem("not the first")
                    return item
            """
        ),
    )
    pipelines = {"mijn.pipelines.NotTheFirst": 600, "mijn.pipelines.OnlyPdf": 610}
    project.add("settings.py", f"ITEM_PIPELINES = {pipelines}")
    run = project.crawl("woo", site)
    assert paths(run) == delivered(["doc1", "doc2"])
    assert "documents      3 listed, 0 not harvested\n" in run.stderr
    assert "2 new, 0 changed, 0 unchanged, 0 withdrawn, 1 dropped by a pipeline\n" in run.stderr
    again = project.crawl("woo", site)
    assert "0 new, 0 changed, 2 unchanged, 0 withdrawn, 1 dropped by a pipeline\n" in again.stderr


def test_what_the_projects_own_pipeline_adds_to_a_record_is_delivered(project: Project, site: Site) -> None:
    publish(site, numbered(2))
    project.add("settings.py", "ITEM_PIPELINES = {'mijn.pipelines.WithOwnField': 600}")
    run = project.crawl("woo", site)
    own = [{"prefix": "mijn", "velden": [{"key": "bron", "values": ["mijn project"]}]}]
    assert [record["document"]["extraMetadata"] for record in run.records] == [own, own]
    assert {record["herkomst"]["standaardwaarden"]["document.extraMetadata"] for record in run.records} == {
        "mijn project"
    }
    assert "0 new, 0 changed, 2 unchanged" in project.crawl("woo", site).stderr
