"""A stock project of Scrapy with the lines of docs/project.md: what its developer would type."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from textwrap import dedent, indent

import pytest

from tests.conftest import ROOT
from tests.utils.command import Run, environment, read_lines, run_scrapy
from tests.utils.daily import FIRST, XML, numbered, publish, xml
from tests.utils.sites import write_register
from woo_harvester.demo.documents import pdf_page
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import robots_txt, sitemapindex

PAGE = (ROOT / "docs" / "project.md").read_text(encoding="utf-8")
SETTINGS, DELAY, SCRIPT, PIPELINE, SPIDERS = re.findall(r"(?ms)^```python\n(.+?)^```$", PAGE)
LOOPBACK = "WOO_ALLOW_PRIVATE_HOSTS = True\nWOO_CONTACT = 'https://www.mijn.example/'\n"


class Project:
    """A folder that ``scrapy startproject`` made, with the add-on."""

    def __init__(self, folder: Path, ca_bundle: Path) -> None:
        self.folder = folder
        self.ca_bundle = ca_bundle
        self.add("settings.py", LOOPBACK)

    def add(self, name: str, text: str) -> None:
        """Append text to a module of the project."""
        with (self.folder / "mijn" / name).open("a", encoding="utf-8") as file:
            file.write(f"\n{text}\n")

    def scrapy(self, *args: str, **settings: object) -> Run:
        """Run a command as a user would, with these settings on the command line."""
        return run_scrapy(args, self.folder, self.ca_bundle, settings=settings, fresh=True)

    def typed(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run exactly this command."""
        return self._python("-m", "scrapy", *args)

    def script(self, text: str) -> subprocess.CompletedProcess[str]:
        """Run a script in the folder."""
        (self.folder / "script.py").write_text(text, encoding="utf-8")
        return self._python("script.py")

    def crawl(self, spider: str, site: Site, *args: str, **settings: object) -> Run:
        """Harvest a site with one of the spiders of the project, without asking for documents."""
        register = write_register(self.folder / "register.xml", {"Gemeente": [site.url("/")]})
        given = ("-a", f"register={register}", "-a", "documents=none", "-O", "out.jsonl")
        run = self.scrapy("crawl", spider, *given, *args, **settings)
        assert "Traceback" not in run.stderr, run.stderr
        return run

    @property
    def left(self) -> set[str]:
        """The names of what commands have left in the folder."""
        return {path.name for path in self.folder.iterdir()} - {"mijn", "scrapy.cfg", "script.py"}

    def _python(self, *args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *args],
            cwd=self.folder,
            env=environment(self.ca_bundle),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stock")
    made = [sys.executable, "-m", "scrapy", "startproject", "mijn", str(folder)]
    subprocess.run(made, check=True, capture_output=True, env=environment(None))
    return folder


@pytest.fixture
def with_addon(template: Path, tmp_path: Path, ca_bundle: Path) -> Project:
    """A stock project with the add-on alone."""
    shutil.copytree(template, tmp_path / "project")
    project = Project(tmp_path / "project", ca_bundle)
    project.add("settings.py", SETTINGS.splitlines()[0])
    return project


@pytest.fixture
def project(with_addon: Project) -> Project:
    """A stock project with both lines of the page, and its pipeline and spiders."""
    with_addon.add("settings.py", SETTINGS)
    with_addon.add("pipelines.py", PIPELINE)
    with_addon.add("spiders/own.py", SPIDERS)
    return with_addon


def errors(run: Run | subprocess.CompletedProcess[str]) -> list[str]:
    """Return the texts of the errors in a log."""
    return re.findall(r"^\S+ \S+ \[[\w.]+\] (?:ERROR|CRITICAL): (.*)$", run.stderr, re.MULTILINE)


def paths(run: Run) -> list[tuple[str, str]]:
    """Return the name of the document and the oorzaak of each record."""
    made = ((record["document"]["weblocatie"], record["versies"][0]["oorzaak"]) for record in run.records)
    return sorted((Path(loc).stem, cause) for loc, cause in made)


def delivered(names: Iterable[str], cause: str = "aanlevering") -> list[tuple[str, str]]:
    return [(name, cause) for name in sorted(names)]


def test_the_readme_has_the_lines_of_the_page() -> None:
    assert indent(SETTINGS, "    ") in (ROOT / "README.md").read_text(encoding="utf-8")


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


def test_the_commands_and_the_spiders_are_there(project: Project) -> None:
    listed = project.typed("list")
    assert listed.stdout.split() == ["convenanten", "recent", "vergunningen", "woo"]
    assert {"audit", "demo", "state", "tooi"} <= set(project.typed().stdout.split())
    assert project.left == set()


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


def test_bench_works_as_without_the_addon(project: Project) -> None:
    done = project.typed("bench", "-s", "CLOSESPIDER_ITEMCOUNT=1", "-s", "CLOSESPIDER_TIMEOUT=1")
    assert done.returncode == 0
    assert "'finish_reason': 'closespider_timeout'" in done.stderr
    assert project.left == set()


# ----- Settings -------------------------------------------------------------------------------------------


def test_the_delay_of_the_template_is_explained_with_what_it_costs(project: Project, site: Site) -> None:
    publish(site, numbered(4))
    site.pages |= {f"/d/doc{number}.pdf": Page(pdf_page(str(number)).body) for number in range(4)}
    run = project.crawl("woo", site, "-a", "documents=head", DOWNLOAD_DELAY=0.3)
    (warning,) = re.findall(r"WARNING: (DOWNLOAD_DELAY: .*)", run.stderr)
    assert f"{site.host} lists 4 documents that this run may request" in warning
    assert "one request in 0.3 s makes that about 1 s" in warning
    again = project.crawl("woo", site, "-a", "documents=head", DOWNLOAD_DELAY=0.3)
    assert "DOWNLOAD_DELAY:" not in again.stderr


@pytest.mark.parametrize("settings", [{"DOWNLOAD_DELAY": 0.3}, {"DOWNLOAD_DELAY": 0}])
def test_a_delay_that_costs_nothing_is_not_mentioned(
    project: Project, site: Site, settings: dict[str, object]
) -> None:
    publish(site, numbered(2))
    assert "DOWNLOAD_DELAY:" not in project.crawl("woo", site, **settings).stderr


def test_settings_of_scrapy_deltafetch_without_a_meaning_are_reported(project: Project, site: Site) -> None:
    publish(site, numbered(2))
    project.add(
        "settings.py", 'SPIDER_MIDDLEWARES = {"scrapy_deltafetch.DeltaFetch": 100}\nDELTAFETCH_DIR = "delta"'
    )
    run = project.crawl("woo", site)
    warnings = "\n".join(re.findall(r"WARNING: (.*)", run.stderr))
    assert "DELTAFETCH_DIR has no meaning with woo_harvester.Addon" in warnings
    assert "DELTAFETCH_ENABLED has" not in warnings
    assert "SPIDER_MIDDLEWARES names scrapy_deltafetch.DeltaFetch" in warnings
    assert len(run.records) == 2
    assert project.crawl("woo", site).records == []


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


# ----- Subclasses -----------------------------------------------------------------------------------------


def publish_by_category(site: Site, **categories: list[str]) -> None:
    """Have the site list an index for each category, such as ``infocat014``, with these documents."""
    urls = {name: site.url(f"/sitemapindex-diwoo-{name}.xml") for name in categories}
    site.pages["/robots.txt"] = Page(robots_txt(*urls.values()))
    for name, documents in categories.items():
        site.pages[f"/{name}.xml"] = Page(xml(site, dict.fromkeys(documents, FIRST)), content_type=XML)
        index = sitemapindex([site.url(f"/{name}.xml")])
        site.pages[f"/sitemapindex-diwoo-{name}.xml"] = Page(index, content_type=XML)


def test_a_subclass_that_narrows_sitemap_follow_never_withdraws_what_it_leaves_out(
    project: Project, site: Site
) -> None:
    publish_by_category(site, infocat014=["a", "b"], infocat002=["c"])
    assert paths(project.crawl("convenanten", site)) == delivered(["a", "b"])
    assert "/infocat002.xml" not in {request.path for request in site.requests}
    assert paths(project.crawl("woo", site)) == delivered(["c"])
    publish_by_category(site, infocat014=["a"], infocat002=["d"])
    run = project.crawl("convenanten", site)
    assert (run.records, run.codes) == ([], set())
    all_read = project.crawl("woo", site)
    assert paths(all_read) == [*delivered(["b", "c"], "intrekking"), ("d", "aanlevering")]


def test_what_a_filter_leaves_out_stays_unknown_and_is_never_withdrawn(project: Project, site: Site) -> None:
    old, new = {"a": "2025-01-01", "b": "2025-01-01"}, {"c": "2026-01-01", "d": "2026-01-01", "e": None}
    publish(site, old | new)
    first = project.crawl("recent", site)
    assert paths(first) == delivered(["c", "d", "e"])
    assert first.stats["woo/entries/left_out"] == 2
    assert project.crawl("recent", site).records == []
    publish(site, old | {"d": "2026-01-01", "e": None})
    assert paths(project.crawl("recent", site)) == delivered(["c"], "intrekking")
    assert paths(project.crawl("woo", site)) == delivered(["a", "b"])
    # Now known, and moved to another sitemap: still listed, though the filter leaves them out.
    publish(site, {"a": "2025-01-01", "d": "2026-01-01", "e": None}, {"b": "2025-02-02", "f": "2026-02-02"})
    assert paths(project.crawl("recent", site)) == delivered(["f"])
    assert paths(project.crawl("woo", site)) == delivered(["b"], "wijziging")


def test_a_filter_may_sort_count_and_copy_and_gets_the_entries_of_indexes_too(
    project: Project, site: Site
) -> None:
    project.add(
        "spiders/own.py",
        dedent(
            """
            class Newest(WooSpider):
                name = "newest"

                def sitemap_filter(self, entries):
                    self.logger.info("GIVEN %s", sorted(entries := list(entries), key=str))
                    return [dict(entry) for entry in sorted(entries, key=lambda entry: entry["loc"])[:2]]
            """
        ),
    )
    publish(site, {"c": FIRST, "a": FIRST, "b": FIRST}, {"e": FIRST}, {"d": FIRST})
    run = project.crawl("newest", site)
    assert paths(run) == delivered(["a", "b", "e"])
    assert "/s2.xml" not in {request.path for request in site.requests}
    given = re.findall(r"GIVEN (.*)", run.stderr)
    assert given[0] == str([{"loc": site.url(f"/s{number}.xml")} for number in range(3)])
    assert f"{{'loc': '{site.url('/d/a.pdf')}', 'lastmod': '{FIRST}', 'Document': ''}}" in given[1]


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
    assert run.stderr.count("KeyError: 'lastmod'") == 1
    assert run.stats["spider_exceptions/KeyError"] == 1
    assert {"woo/hosts/incomplete"} <= run.stats.keys()


def test_a_subclass_that_reads_nothing_or_sets_what_is_not_used_is_told_so(
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
