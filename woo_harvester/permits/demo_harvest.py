"""The harvest of ``scrapy demo vergunningen``, and what it shows of it."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from rich.console import Console
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.settings import SETTINGS_PRIORITIES

from woo_harvester.demo import harvest
from woo_harvester.demo.harvest import FOLDER, OWN_FOLDER, RECORDS, DemoHarvest
from woo_harvester.extensions.findings import Findings
from woo_harvester.findings import explain
from woo_harvester.permits.demo import PermitDemo, table
from woo_harvester.report.audit_summary import print_summary
from woo_harvester.report.run_folder import AUDIT
from woo_harvester.running.command import AUDIT_SETTINGS
from woo_harvester.running.process import HarvestProcess
from woo_harvester.utils.program import program

_PLACES = f"{FOLDER}/records/%(run)s.geojson"


class PermitHarvest(DemoHarvest):
    """The harvests of two days, and an audit."""

    def harvest_permits(self, demo: PermitDemo, data: Path) -> None:
        """Harvest two days, one after the other, audit the entry pages, and show the results."""
        process = self.process(demo.register_path, demo.ca_path, data)
        feeds = {RECORDS: {"format": "jsonlines"}, _PLACES: {"format": "geojson"}}
        process.settings.set("FEEDS", feeds, "cmdline")
        first, second = (process.create_crawler("vergunningen") for _ in range(2))
        audit = _audit(process)

        def begin_second() -> None:
            demo.second_day()
            process.crawl(second, entries=demo.entries).add_done_callback(begin_audit)

        def begin_audit(_: object) -> None:
            process.crawl(audit, entries=demo.entries)

        print("Harvesting two fictional municipalities on this machine, a fortnight apart ...")
        print(OWN_FOLDER)
        failure = process.run(first, {"entries": demo.entries}, begin_second)
        for day, crawler in (("On 1 April", first), ("On 15 April", second)):
            if not self.is_finished(failure, crawler):
                return
            print(f"\n{day}:\n")
            _show_permits(crawler)
        if self.is_finished(failure, audit):
            print(
                f"\nWhat `{program()} audit --permits` answers to both municipalities, "
                "or to their supplier:\n"
            )
            folder = cast("Findings", audit.get_extension(Findings)).run_folder
            print_summary(folder, Console())
            print(f"\nReport:   {folder.page.absolute().as_uri()}")
            if self.opts.portal:
                self.serve_portal([first, second])
            else:
                self.offer_portal("vergunningen")


def _audit(process: HarvestProcess) -> Crawler:
    """Return a crawler that audits entry pages; it knows nothing of the harvests before it."""
    settings = process.settings.copy()
    # Scrapy gives a crawler the settings of the process that have the same priority.
    settings.setdict(AUDIT_SETTINGS, SETTINGS_PRIORITIES["cmdline"] + 1)
    crawler = Crawler(process.spider_loader.load("vergunningen"), settings)
    crawler.signals.connect(lambda: crawler.stats.set_value(AUDIT, 1), signals.engine_started, weak=False)
    return crawler


def _show_permits(crawler: Crawler) -> None:
    findings = cast("Findings", crawler.get_extension(Findings))
    records, places = harvest.record_files(crawler)
    for line in table(harvest.records(records)):
        print(f"  {line}")
    print("\nFindings:\n")
    for finding in findings.run_folder.read_findings():
        print(f"  {finding['url']}: {finding['code']}: {explain(finding['code']).what}")
    print(f"\nRecords:  {records}\nGeoJSON:  {places}\nFindings: {findings.run_folder.findings}")
    print(f"Report:   {findings.run_folder.page.absolute().as_uri()}")
