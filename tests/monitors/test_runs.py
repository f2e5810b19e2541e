from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from tests.monitors.runs import NOW, account, write_run
from woo_harvester.findings import Severity
from woo_harvester.monitors.runs import read_run, read_runs, spiders
from woo_harvester.report.permit_account import PermitAccount
from woo_harvester.report.run_folder import ReportsFolder, RunFolder

DAY = timedelta(days=1)


def test_the_last_runs_of_a_spider_are_read_oldest_first(tmp_path: Path) -> None:
    folders = [write_run(tmp_path, account(listed=day), ended=NOW + day * DAY) for day in range(4)]
    write_run(tmp_path, ended=NOW + 9 * DAY, spider="vergunningen")
    runs = read_runs(ReportsFolder(tmp_path), "woo", 3)
    assert [run.name for run in runs] == [folder.name for folder in folders[1:]]
    assert [run.accounts["www.a.nl"].listed for run in runs] == [1, 2, 3]
    assert spiders(ReportsFolder(tmp_path)) == ["vergunningen", "woo"]


def test_what_is_no_run_that_ended_does_not_count(tmp_path: Path) -> None:
    for name in ("history", "woo-kladblok", "woo-2026-11-21T05-15-00.000000"):
        (tmp_path / name).mkdir()
    assert read_runs(ReportsFolder(tmp_path), "woo", 5) == []
    assert spiders(ReportsFolder(tmp_path)) == ["woo"]
    assert spiders(ReportsFolder(tmp_path / "elders")) == []


def test_an_audit_which_the_history_does_not_have_does_not_count(tmp_path: Path) -> None:
    harvest = write_run(tmp_path, ended=NOW)
    write_run(tmp_path, ended=NOW + DAY)
    assert len(read_runs(ReportsFolder(tmp_path), "woo", 5)) == 2
    (tmp_path / "history").mkdir()
    (tmp_path / "history" / f"{harvest.name}.json.gz").touch()
    assert [run.name for run in read_runs(ReportsFolder(tmp_path), "woo", 5)] == [harvest.name]


def test_findings_are_counted_by_host_and_severity(tmp_path: Path) -> None:
    folder = write_run(
        tmp_path,
        account("www.a.nl:8443", findings={"loc.geen-https": 3, "loc.ongeldig": 2}),
        account("www.b.nl", findings={"lastmod.ontbreekt": 7, "uit.de-toekomst": 1}),
        account("www.c.nl"),
        ended=NOW,
    )
    assert read_run(RunFolder(folder)).findings == {
        "www.a.nl:8443": Counter({Severity.ERROR: 5}),
        "www.b.nl": Counter({Severity.INFO: 8}),
    }


def test_a_run_of_permits_has_accounts_of_files(tmp_path: Path) -> None:
    permits = PermitAccount("www.a.nl", listed=3, findings={"ipm.schema": 2}, entry_pages={"complete": 1})
    run = read_run(RunFolder(write_run(tmp_path, permits, ended=NOW, spider="vergunningen")))
    assert run.accounts == {"www.a.nl": permits}
    assert (run.kind, run.noun) == ("vergunningen", "files")
    assert run.findings == {"www.a.nl": Counter({Severity.ERROR: 2})}


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", '{"finish_time": 1, "finish_reason": "finished"}', "[" * 100_000, "\0", "9" * 5000),
        '{"finish_time": "2026-11-22T08:00:00", "finish_reason": "finished"}',
    ],
    ids=lambda text: text[:12],
)
def test_statistics_that_are_none_are_named(tmp_path: Path, text: str) -> None:
    folder = write_run(tmp_path, ended=NOW)
    (folder / "stats.json").write_text(text)
    with pytest.raises(ValueError, match=r"stats\.json holds no statistics of a run"):
        read_run(RunFolder(folder))
