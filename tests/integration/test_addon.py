"""Another Scrapy project that has nothing of this one but the add-on."""

from __future__ import annotations

from pathlib import Path

from tests.command import Run, read_lines, run_scrapy
from tests.integration.publishers import publish
from tests.sites import write_register
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site

SETTINGS = """
SPIDER_MODULES = ["eigen"]
ADDONS = {"woo_harvester.Addon": 500}
USER_AGENT = "eigen/1.0"
FEEDS = {"eigen.jsonl": {"format": "jsonlines"}}
"""

SPIDER = """
import scrapy

class Eigen(scrapy.Spider):
    name = "eigen"
"""


def run(folder: Path, *args: str, ca: Path | None = None) -> Run:
    (folder / "instellingen.py").write_text(SETTINGS)
    (folder / "eigen.py").write_text(SPIDER)
    return run_scrapy(args, folder, ca, env={"SCRAPY_SETTINGS_MODULE": "instellingen"})


def test_it_harvests_as_this_project_does_and_keeps_its_own_values(
    tmp_path: Path, site: Site, ca_bundle: Path
) -> None:
    publish(site, "/besluit.pdf")
    site.pages["/besluit.pdf"] = Page(b"%PDF-1.7")
    register = write_register(tmp_path / "roo.xml", {"Raad": [site.url("/")]})
    done = run(tmp_path, "crawl", "woo", "-a", f"register={register}", ca=ca_bundle)
    (record,) = read_lines(tmp_path / "eigen.jsonl")
    assert record["document"]["titelcollectie"] == {"officieleTitel": "besluit"}
    assert {request.headers["user-agent"] for request in site.requests} == {"eigen/1.0"}
    assert "titel.ontbreekt" in done.codes
    assert "Traceback" not in done.stderr
