"""Pages that a subclass of the spider requests itself: what scrapy-deltafetch documents holds for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.utils.command import Run, environment, in_project, read_lines
from tests.utils.disturbed_runs import KILLED, GatedSite, Started
from tests.utils.sites import write_register
from woo_harvester.demo.server import Page

SETTINGS = """
SPIDER_MODULES = ["eigen"]
ADDONS = {"woo_harvester.Addon": 500}
"""

#: A list of pages, each of which gives an item.
SPIDER = """
import scrapy
from woo_harvester.spiders.woo import WooSpider

class Eigen(WooSpider):
    name = "eigen"

    async def start(self):
        async for request in super().start():
            yield request
        yield scrapy.Request(self.settings["BEGIN"], self.parse_list, dont_filter=True)

    def parse_list(self, response):
        for line in response.text.splitlines():
            yield response.follow(line, self.parse_page)

    def parse_page(self, response):
        yield {"title": response.text}
"""


@dataclass
class Project:
    """A folder with that spider."""

    folder: Path
    site: GatedSite
    ca_bundle: Path

    def start(self, *args: str, **settings: object) -> Started:
        register = write_register(self.folder / "register.xml", {"Gemeente": [self.site.url("/")]})
        given = ["crawl", "eigen", "-a", f"register={register}", *args]
        argv = in_project(given, self.folder, {"BEGIN": self.site.url("/list"), **settings})
        environ = environment(self.ca_bundle, {"SCRAPY_SETTINGS_MODULE": "instellingen"})
        return Started(argv, self.folder, environ, None)

    def run(self, *args: str, **settings: object) -> Run:
        return self.start(*args, **settings).wait()

    def publish(self, *links: str, **pages: str) -> None:
        """A list of these links, and pages with these texts."""
        self.site.pages["/list"] = Page("\n".join(links), content_type="text/plain")
        for name, text in pages.items():
            self.site.pages[f"/{name}"] = Page(text, content_type="text/plain")


@pytest.fixture
def project(tmp_path: Path, gated: GatedSite, ca_bundle: Path) -> Project:
    (tmp_path / "instellingen.py").write_text(SETTINGS)
    (tmp_path / "eigen.py").write_text(SPIDER)
    made = Project(tmp_path, gated, ca_bundle)
    made.publish("/a", "/b", a="A", b="B")
    return made


def titles(run: Run) -> list[str]:
    assert "Traceback" not in run.stderr, run.stderr
    return sorted(record["title"] for record in run.records)


def test_a_page_that_gave_an_item_is_not_asked_for_again(project: Project) -> None:
    first = project.run()
    assert titles(first) == ["A", "B"]
    assert first.stats["deltafetch/stored"] == 2
    project.publish("/a", "/b", "/c", c="C")
    second = project.run()
    assert titles(second) == ["C"]
    assert second.stats["deltafetch/skipped"] == 2
    assert len(project.site.requested("/a")) == 1
    assert len(project.site.requested("/list")) == 2


def test_a_kill_loses_no_item_of_a_page_that_counts_as_visited(project: Project) -> None:
    project.publish("/a", "/b", "/wait", wait="W")
    project.site.gates.add("/wait")
    started = project.start("-o", "all.jsonl", WOO_DURABLE_INTERVAL=600)
    started.wait_until(lambda: "/wait" in project.site.waiting, "the last page is asked for")
    started.wait_until(lambda: len(project.site.requested("/b")) == 1, "the others are asked for")
    started.kill(after=1)
    assert started.status() == KILLED
    project.site.gates.clear()
    assert project.start("-o", "all.jsonl").status() == 0
    found = sorted(record["title"] for record in read_lines(project.folder / "all.jsonl"))
    assert found == ["A", "B", "W"]
