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


def test_an_output_that_fails_in_the_run_gives_exit_status_1(with_addon: Project, site: Site) -> None:
    publish(site, numbered(1))
    register = write_register(with_addon.folder / "register.xml", {"Gemeente": [site.url("/")]})
    (with_addon.folder / "out").mkdir()
    feeds = json.dumps({"out": {"format": "jsonlines"}})
    given = ("-a", f"register={register}", "-a", "documents=none")
    run = with_addon.scrapy("crawl", "woo", *given, FEEDS=feeds)
    assert run.returncode == 1
    assert any("an output could not be written" in line for line in errors(run))
    assert run.stats["finish_reason"] == "output_failed"


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
