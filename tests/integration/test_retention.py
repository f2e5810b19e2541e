"""What runs of many days leave on the disk, and what the operator removes of it."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.utils.command import REPORTS, Run, run_scrapy
from tests.utils.daily import FIRST, NEWER, Harvester, causes, publish
from woo_harvester.demo.site import Site
from woo_harvester.report.run_folder import ReportsFolder

pytestmark = pytest.mark.integration


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site) -> Harvester:
    return Harvester(tmp_path, ca_bundle, [site])


def prune(harvester: Harvester, *args: str) -> Run:
    return run_scrapy(["prune", *args], harvester.folder)


def records(harvester: Harvester) -> list[Path]:
    return sorted(harvester.folder.glob("records/*.jsonl"))


def age(harvester: Harvester, days: int) -> None:
    """Make all runs that are there so many days older."""
    for path in sorted((harvester.folder / REPORTS).glob("**/woo-*")):
        if path.is_symlink() or path.parent.name not in (REPORTS, "history"):
            continue
        began = datetime.fromisoformat(path.name[4:14]) - timedelta(days=days)
        path.rename(path.with_name(f"woo-{began:%Y-%m-%d}{path.name[14:]}"))


def test_a_run_without_news_leaves_no_record_file_and_the_next_goes_on(
    site: Site, harvester: Harvester
) -> None:
    publish(site, {"a": FIRST})
    first = harvester.day()
    assert [path.stem for path in records(harvester)] == [first.report.name if first.report else ""]
    assert harvester.day().records == []
    assert len(records(harvester)) == 1
    publish(site, {"a": NEWER})
    assert causes(harvester.day()) == {"a": "wijziging"}
    assert [path.stat().st_size > 0 for path in records(harvester)] == [True, True]


def test_the_link_leads_to_the_newest_report_and_an_audit_does_not_change_it(
    site: Site, harvester: Harvester
) -> None:
    publish(site, {"a": FIRST})
    latest = harvester.folder / REPORTS / "latest"
    for _ in range(2):
        run = harvester.day()
        assert run.report is not None
        assert latest.readlink() == Path(run.report.name)
    current = latest.readlink()
    for filtered in (f"domains={site.host}", "since=2024-01-01"):
        assert harvester.day("-a", filtered).report != run.report
        assert latest.readlink() == current, filtered
    audited = run_scrapy(["audit", site.host], harvester.folder, harvester.ca_bundle)
    assert audited.report is not None
    assert run.report is not None
    assert (latest / "index.html").resolve() == run.report / "index.html" != audited.report / "index.html"


def test_after_a_prune_the_next_day_compares_with_the_day_before_it(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST, "b": None})
    for _ in range(3):
        harvester.day()
        age(harvester, 40)
    publish(site, {"a": FIRST, "c": FIRST})
    # The runs began 120, 80 and 40 days ago.
    assert prune(harvester).stdout.startswith("Removed 1 report: ")
    assert len(list(ReportsFolder(harvester.folder / REPORTS).runs())) == 2
    run = harvester.day()
    assert causes(run) == {"c": "aanlevering", "b": "intrekking"}
    assert run.report is not None
    assert '"changes":{"since"' in (run.report / "report.json").read_text(encoding="utf-8")
    assert prune(harvester, "--keep", "0d").stdout.startswith("Removed 2 reports: ")
    assert prune(harvester, "--keep", "0d").stdout == "Removed nothing.\n"
    assert harvester.day().returncode == 0
