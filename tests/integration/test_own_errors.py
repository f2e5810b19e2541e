"""An exception costs one document or file, and neither the run nor its host says that all was well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.integration.stock_project import Project, project, template, with_addon
from tests.utils.command import Run
from tests.utils.daily import FIRST, NEWER, publish
from tests.utils.sites import MakeSite, write_register
from tests.utils.vergunningen import FOLDER, about
from tests.utils.vergunningen import publish as publish_permits
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import pdf_page
from woo_harvester.report.json_file import read_hosts

__all__ = ["project", "template", "with_addon"]

OWN_ERROR = "oogst.fout"

#: Components that raise an exception at one document, page or signal.
FAULTY = """
from scrapy import signals


class Pipeline:
    def process_item(self, item):
        if item.record.document.weblocatie.endswith("b.pdf"):
            raise KeyError("pipeline")
        return item


class Exits:
    def process_item(self, item):
        if str(item.record.document.weblocatie).endswith("b.pdf"):
            raise SystemExit(0)
        return item


class Replaced:
    def process_item(self, item):
        return {} if item.record.document.weblocatie.endswith("b.pdf") else item


class Downloader:
    def process_request(self, request):
        if request.url.endswith("b.pdf"):
            raise KeyError("downloader")


class Answers:
    def process_response(self, request, response):
        if request.url.endswith(("b.pdf", "2.xml")):
            raise KeyError("answers")
        return response


class Robots:
    def process_response(self, request, response):
        if request.url.endswith("robots.txt"):
            raise KeyError("robots")
        return response


class SpiderInput:
    def process_spider_input(self, response):
        if response.url.endswith("b.pdf"):
            raise KeyError("input")


class SpiderOutput:
    async def process_spider_output(self, response, result):
        async for made in result:
            if response.url.endswith("b.pdf"):
                raise KeyError("output")
            yield made


class _Handler:
    signal = None

    @classmethod
    def from_crawler(cls, crawler):
        made = cls()
        made.crawler = crawler
        crawler.signals.connect(made.handle, cls.signal)
        return made


class Scraped(_Handler):
    signal = signals.item_scraped

    def handle(self, item):
        raise KeyError("scraped")


class Later(_Handler):
    signal = signals.item_scraped

    async def handle(self, item):
        raise KeyError("later")


class Idle(_Handler):
    signal = signals.spider_idle

    def handle(self):
        raise KeyError("idle")


class Stopped(_Handler):
    signal = signals.engine_stopped

    def handle(self):
        raise KeyError("stopped")
"""


@pytest.fixture
def faulty(project: Project) -> Project:
    project.add("faulty.py", FAULTY)
    return project


@pytest.fixture
def site(make_site: MakeSite) -> Site:
    site = make_site({f"/d/{name}.pdf": pdf_page(name) for name in "abc"})
    publish(site, dict.fromkeys("abc", FIRST))
    return site


def crawl(project: Project, site: Site, setting: str = "", name: str = "", *args: str) -> Run:
    """Harvest the site in a project with one of the components."""
    register = write_register(project.folder / "register.xml", {"Gemeente": [site.url("/")]})
    (project.folder / "out.jsonl").unlink(missing_ok=True)  # a run without news would leave it
    components = {setting: json.dumps({f"mijn.faulty.{name}": 650})} if setting else {}
    given = ("crawl", "woo", "-a", f"register={register}", "-O", "out.jsonl", *args)
    return project.scrapy(*given, **components)


@pytest.mark.parametrize(
    ("setting", "name"),
    [
        ("ITEM_PIPELINES", "Pipeline"),
        ("DOWNLOADER_MIDDLEWARES", "Downloader"),
        ("DOWNLOADER_MIDDLEWARES", "Answers"),
        ("SPIDER_MIDDLEWARES", "SpiderInput"),
        ("SPIDER_MIDDLEWARES", "SpiderOutput"),
    ],
)
def test_an_exception_costs_one_document_and_is_the_last_line(
    faulty: Project, site: Site, setting: str, name: str
) -> None:
    run = crawl(faulty, site, setting, name)
    assert run.returncode == 1
    assert sorted(Path(loc).name for loc in run.locs) == ["a.pdf", "c.pdf"]
    (found,) = run.about(OWN_ERROR)
    assert (found["url"], found["host"]) == (site.url("/d/b.pdf"), site.host)
    assert "KeyError" in found["seen"]
    about_it = f"1 error of the harvester itself, the first about {site.url('/d/b.pdf')}: KeyError"
    assert run.stderr.splitlines()[-1].startswith(f"scrapy crawl: error: {about_it}")
    host = run.host(site.host)
    assert (host["listed"], host["lost"], host["complete"]) == (3, {OWN_ERROR: 1}, False)
    assert "woo/hosts/complete" not in {key for key, count in run.stats.items() if count}
    assert run.report is not None
    (reported,) = read_hosts(run.report / "report.json")
    assert (reported.score, reported.listed, reported.harvested) == (None, 3, 2)
    assert "Fout van de harvester zelf" in (run.report / "index.html").read_text(encoding="utf-8")


def test_the_monitor_fails_and_the_next_run_makes_up_for_it(faulty: Project, site: Site) -> None:
    crawl(faulty, site, "ITEM_PIPELINES", "Pipeline")
    monitor = faulty.scrapy("monitor", "woo")
    assert monitor.returncode == 1
    assert f"the harvester itself failed, first on {site.url('/d/b.pdf')}: KeyError" in monitor.stdout
    again = crawl(faulty, site)
    assert (again.returncode, [Path(loc).name for loc in again.locs]) == (0, ["b.pdf"])


def test_a_host_whose_file_could_not_be_processed_keeps_its_account(faulty: Project, site: Site) -> None:
    run = crawl(faulty, site, "DOWNLOADER_MIDDLEWARES", "Robots")
    assert run.returncode == 1
    (found,) = run.about(OWN_ERROR)
    assert (found["url"], found["host"], found["seen"]) == (
        site.url("/robots.txt"),
        site.host,
        "KeyError: 'robots'",
    )
    assert run.host(site.host)["complete"] is False


def test_an_error_keeps_its_host_from_a_withdrawal(faulty: Project, site: Site) -> None:
    assert crawl(faulty, site).returncode == 0
    publish(site, {"b": NEWER})
    assert crawl(faulty, site, "ITEM_PIPELINES", "Pipeline").records == []
    assert len(crawl(faulty, site).records) == 3


@pytest.mark.parametrize("name", ["Scraped", "Later", "Idle", "Stopped"])
def test_an_exception_in_a_signal_handler_fails_the_run(faulty: Project, site: Site, name: str) -> None:
    run = crawl(faulty, site, "EXTENSIONS", name)
    assert (run.returncode, len(run.records)) == (1, 3)
    assert (
        f"of the harvester itself, the first about the run: KeyError: '{name.lower()}'"
        in run.stderr.splitlines()[-1]
    )
    assert run.stats["woo/own_error"] == f"the run: KeyError: '{name.lower()}'"


def test_an_audit_does_not_judge_what_it_failed_on(faulty: Project, site: Site) -> None:
    components = {"ITEM_PIPELINES": json.dumps({"mijn.faulty.Pipeline": 650})}
    register = write_register(faulty.folder / "register.xml", {"Gemeente": [site.url("/")]})
    run = faulty.scrapy("audit", site.host, "--lang", "en", WOO_REGISTER=register, **components)
    assert run.returncode == 1
    assert "2 of the 3 documents" in run.stdout
    assert "score: no score" in run.stdout.lower()
    assert "1 error of the harvester itself" in run.stderr.splitlines()[-1]


def test_an_audit_of_permits_gives_no_verdict_on_what_it_failed_on(faulty: Project, site: Site) -> None:
    publish_permits(site, {"1.xml": about(1), "2.xml": about(2)})
    register = write_register(faulty.folder / "register.xml", {"Gemeente": [site.url("/")]})
    components = {"DOWNLOADER_MIDDLEWARES": json.dumps({"mijn.faulty.Answers": 650})}
    given = ("audit", "--permits", site.url(FOLDER), "--lang", "en")
    run = faulty.scrapy(*given, WOO_REGISTER=register, **components)
    assert run.returncode == 1
    assert "1 of the 2 messages" in run.stdout
    assert "No verdict: not everything was read, because of a fault of the harvester itself." in run.stdout
    assert "1 error of the harvester itself" in run.stderr.splitlines()[-1]


def test_a_sum_that_does_not_close_is_named_with_its_host(faulty: Project, site: Site) -> None:
    run = crawl(faulty, site, "ITEM_PIPELINES", "Replaced")
    assert run.returncode == 1
    (found,) = run.about(OWN_ERROR)
    assert (found["host"], found["seen"]) == (site.host, "3 vermeld, 2 met een uitkomst")
    assert run.stderr.splitlines()[-1].endswith(f"the first about {site.host}: 3 listed, 2 with an outcome")


def test_a_component_that_ends_the_process_is_no_success(faulty: Project, site: Site) -> None:
    run = crawl(faulty, site, "ITEM_PIPELINES", "Exits")
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1] == "scrapy crawl: error: a component ended the run with SystemExit(0)"
    again = crawl(faulty, site)
    assert again.returncode == 0
    assert "b.pdf" in [Path(loc).name for loc in again.locs]
