from __future__ import annotations

from pathlib import Path

from tests.integration.conftest import Crawl
from tests.integration.daily import FIRST, publish
from tests.sites import write_register
from woo_harvester.demo.site import Site


def test_the_report_is_there_when_the_summary_names_it(crawl: Crawl, site: Site, tmp_path: Path) -> None:
    publish(site, {"a": FIRST})
    register = write_register(tmp_path / "roo.xml", {"Raad": [site.url("/")]})
    done = crawl("-a", f"register={register}", "-a", "documents=none", settings={"LOG_ENABLED": 0})
    assert done.report is not None
    assert done.stderr.endswith(f"  report         {done.report / 'index.html'}\n")


def test_findings_and_statistics_are_written_once(crawl: Crawl, site: Site, tmp_path: Path) -> None:
    register = write_register(tmp_path / "roo.xml", {"Raad": [site.url("/")]})
    done = crawl("-a", f"register={register}", settings={"LOG_LEVEL": "INFO"})
    assert done.stderr.count("Findings, statistics and report are in ") == 1
    assert done.stats["finish_reason"] == "finished"
