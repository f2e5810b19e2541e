"""The report of a run of permits: what it counts on each day, and what reads it."""

from __future__ import annotations

from pathlib import Path

from tests.utils.command import REPORTS, Run, run_scrapy
from tests.utils.sites import MakeSite
from tests.utils.vergunningen import FOLDER, NEWER, OLD, Permits, about, publish
from woo_harvester.demo.site import Site
from woo_harvester.register.register import shard_of
from woo_harvester.report.json_file import read_head, read_hosts
from woo_harvester.report.model import Head, HostReport


def report_of(run: Run, site: Site) -> HostReport:
    """Return what the report of a run says of a town; the sums of its funnel agree."""
    assert run.report is not None
    (host,) = [each for each in read_hosts(run.report / "report.json") if each.host == site.host]
    files = host.listed
    for step in host.funnel[1:]:
        files -= sum(loss.documents for loss in step.lost)
        assert step.documents == files
    assert (files, [step.stage for step in host.funnel][1:]) == (
        host.harvested,
        ["valid", "allowed", "fetched", "harvested"],
    )
    return host


def head_of(run: Run) -> Head:
    """Return the first part of the report of a run."""
    assert run.report is not None
    return read_head(run.report / "report.json")


def losses(host: HostReport) -> dict[str | None, int]:
    """Return how many files are lost, by code."""
    return {loss.code: loss.documents for step in host.funnel for loss in step.lost}


def test_an_invalid_file_is_lost_until_it_is_fixed(tmp_path: Path, ca_bundle: Path, site: Site) -> None:
    permits, entry = Permits(tmp_path, ca_bundle), site.url(FOLDER)
    publish(site, {"1.xml": about(1).replace(b"dcterms:title", b"dcterms:titel"), "2.xml": about(2)})
    for day in (1, 2):
        host = report_of(permits.run(entry), site)
        assert (host.harvested, losses(host)) == (1, {"ipm.schema": 1}), day
        assert host.findings[0].points > 10
        assert host.findings[0].sitemap == entry
    publish(site, {"1.xml": about(1), "2.xml": about(2)}, NEWER)
    host = report_of(permits.run(entry), site)
    assert (host.listed, host.harvested, host.score) == (2, 2, 100)
    assert host.changes is not None
    assert host.changes.mended == ["ipm.schema"]


def test_shards_are_merged_and_a_folder_of_both_kinds_is_monitored(
    tmp_path: Path, ca_bundle: Path, make_site: MakeSite
) -> None:
    sites = [make_site()]
    while {shard_of(site.host, 2) for site in sites} != {1, 2}:
        sites.append(make_site())
    for number, site in enumerate(sites):
        publish(site, {"1.xml": about(number, identifier=f"https://{site.host}/1")})
    entries, permits = ",".join(site.url(FOLDER) for site in sites), Permits(tmp_path, ca_bundle)
    runs = [permits.run(entries, "-a", f"shard={number}/2", WOO_METRICS_FILE="x.prom") for number in (1, 2)]
    assert "woo_run_documents" in (tmp_path / "x.prom").read_text()
    assert 'woo_host_documents{spider="vergunningen",host="' in (tmp_path / "x.prom").read_text()
    summary = runs[0].stderr[runs[0].stderr.rindex("vergunningen: finished") :]
    listed = head_of(runs[0]).totals.listed
    assert f"files          {listed} listed, 0 unchanged, 0 not harvested" in summary
    assert f"cases          {listed} new, 0 changed, 0 withdrawn" in summary
    assert summary.splitlines()[-1].endswith("index.html")
    for link in ("latest", "latest_vergunningen"):
        assert (tmp_path / REPORTS / link).readlink().name == Path(str(runs[1].report)).name
    folders = [str(run.report) for run in runs]
    merged = tmp_path / REPORTS / "vergunningen-2026-04-01"
    done = run_scrapy(["merge-reports", *folders, f"--output={merged}"], tmp_path)
    assert done.returncode == 0, done.stderr
    totals = read_head(merged / "report.json").totals
    assert (totals.hosts, totals.listed, totals.harvested, totals.new) == (len(sites),) * 4
    register = f"register={tmp_path / 'register.xml'}"
    woo = ["crawl", "woo", "-a", f"domains={sites[0].host}", "-a", register]
    assert run_scrapy(woo, tmp_path, ca_bundle).returncode == 1, "it has permits only"
    monitored = run_scrapy(["monitor"], tmp_path)
    assert (monitored.stdout.count("no drop in documents"), monitored.returncode) == (2, 0), monitored.stdout
    permits.run(sites[0].url(FOLDER))
    links = {link: (tmp_path / REPORTS / link).readlink().name for link in ("latest", "latest_vergunningen")}
    assert {link: name.partition("-")[0] for link, name in links.items()} == {
        "latest": "woo",
        "latest_vergunningen": "vergunningen",
    }


def test_an_entry_page_that_is_suddenly_empty_is_reported_by_the_monitor(
    tmp_path: Path, ca_bundle: Path, site: Site
) -> None:
    permits = Permits(tmp_path, ca_bundle)
    publish(site, {f"{number}.xml": about(number) for number in range(12)}, OLD)
    permits.run(site.url(FOLDER))
    publish(site, {})
    permits.run(site.url(FOLDER))
    done = run_scrapy(["monitor"], tmp_path)
    assert done.returncode == 1
    assert "  FAILED   no host is suddenly empty\n" in done.stdout
    assert f"Most of it: {site.host} (12 to 0)." in done.stdout
