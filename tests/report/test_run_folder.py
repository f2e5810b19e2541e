from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import woo_harvester
from tests.report.runs import about_document, read
from woo_harvester.report.accounts import Accounts
from woo_harvester.report.run_folder import (
    FILTERED,
    ReportsFolder,
    RunFolder,
    complete_lines,
    run_name,
    slug,
)

PACKAGE = Path(woo_harvester.__file__).parent

NAMES = (
    *("findings.jsonl", "pending.jsonl", "refused.jsonl", "hosts.jsonl", "stats.json"),
    *("report.json", "report.csv", "index.html", "organisations.json", "coverage.html", "run.log"),
)
FOLDERS = ("history",)


def strings(tree: ast.Module) -> Iterator[str]:
    """Return the texts in a module that are not docstrings."""
    docstrings = {
        id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)
    }  # also those of attributes
    for each in ast.walk(tree):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in docstrings:
            yield each.value


def test_no_other_module_names_the_files_of_a_run() -> None:
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.name != "run_folder.py" and path.parent.name != "reference":
            found = list(strings(ast.parse(path.read_text(encoding="utf-8"))))
            assert [text for text in found if any(name in text for name in NAMES) or text in FOLDERS] == [], (
                path
            )


def test_a_folder_that_no_run_made_is_no_run(tmp_path: Path) -> None:
    for name in ("history", "woo-kladblok", "woo-2026-11-21"):
        (tmp_path / name).mkdir()
    (tmp_path / run_name("woo")).touch()
    assert list(ReportsFolder(tmp_path).runs()) == []


def test_a_filtered_run_takes_the_link_to_the_newest_report_from_no_other(tmp_path: Path) -> None:
    reports = ReportsFolder(tmp_path)
    days = [f"woo-2026-11-2{day}T05-15-00.000000" for day in range(6)]

    def after(name: str, **stats: int) -> str:
        folder = reports.run(name)
        folder.path.mkdir()
        folder.write_stats(stats)
        reports.lead_to(folder)
        return reports.latest().readlink().name

    filtered = {FILTERED: 1}
    assert after(days[0], **filtered) == days[0], "there is no other"
    assert after(days[1], **filtered) == days[1]
    assert after(days[2]) == days[2]
    assert after(days[3], **filtered) == days[2]
    reports.run(days[2]).stats.write_text("geen JSON", encoding="utf-8")
    assert after(days[4], **filtered) == days[2]
    reports.run(days[2]).stats.unlink()
    reports.run(days[2]).path.rmdir()
    assert after(days[5], **filtered) == days[5], "it led nowhere"


def test_the_runs_of_a_spider_are_given_by_day_those_that_were_merged_too(tmp_path: Path) -> None:
    names = ["vergunningen-2026-04-02T08-00-00.000001", "vergunningen-2026-04-01", "woo-2026-04-01"]
    for name in names:
        (tmp_path / name).mkdir()
    assert [(day, run.name) for day, run in ReportsFolder(tmp_path).days("vergunningen")] == [
        ("2026-04-01", names[1]),
        ("2026-04-02", names[0]),
    ]


def test_the_kind_of_a_run_is_that_of_its_spider() -> None:
    assert RunFolder(Path("reports/vergunningen-2026-04-01")).kind == "vergunningen"
    assert RunFolder(Path("reports/woo-2026-04-01")).kind == "woo"


def test_accounts_are_read_as_they_were_written(tmp_path: Path) -> None:
    accounts = Accounts()
    accounts.add(read(harvested=2, findings=[about_document("document.leeg")]))
    accounts.of("www.b.nl:8443").visited = True
    RunFolder(tmp_path).write_accounts(accounts)
    assert list(RunFolder(tmp_path).read_accounts()) == list(accounts)


def test_names_of_another_version_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "hosts.jsonl").write_text('{"host": "a", "listed": 1, "other": 2}\n')
    (account,) = RunFolder(tmp_path).read_accounts()
    assert (account.host, account.listed) == ("a", 1)


@pytest.mark.parametrize(
    "line",
    [
        *("[]", "{", "[" * 100_000, "\udcff", '{"host": "a", "lost": 3}', '{"host": "a", "listed": "veel"}'),
    ],
    ids=lambda text: ascii(text[:20]),
)
def test_a_line_that_is_no_account_is_reported_with_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "hosts.jsonl"
    path.write_text('{"host": "a"}\n' + line + "\n", encoding="utf-8", errors="surrogateescape")
    with pytest.raises(ValueError, match=r"hosts\.jsonl, line 2"):
        list(RunFolder(tmp_path).read_accounts())


def test_the_statistics_are_read_as_they_were_written(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    assert run.read_stats() == {}
    run.write_stats({"b": 1, "a": datetime(2026, 7, 1, 10, tzinfo=UTC)})
    assert list(run.read_stats().items()) == [("a", "2026-07-01T12:00:00+02:00"), ("b", 1)]


def test_a_run_that_wrote_no_accounts_has_none(tmp_path: Path) -> None:
    assert list(RunFolder(tmp_path).read_accounts()) == []


def test_a_truncated_last_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "findings.jsonl"
    path.write_bytes(b'{"code": "a"}\n{"code": "b"}\n{"co')
    assert list(complete_lines(path)) == [(1, b'{"code": "a"}\n'), (2, b'{"code": "b"}\n')]
    assert [finding["code"] for finding in RunFolder(tmp_path).read_findings()] == ["a", "b"]


def test_a_folder_in_place_of_a_file_is_an_error_of_the_file_system(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    for path in (run.findings, run.stats, run.accounts):
        path.mkdir()
    for call in (lambda: list(run.read_findings()), run.read_stats, lambda: list(run.read_accounts())):
        with pytest.raises(IsADirectoryError):
            call()


@pytest.mark.parametrize(
    ("host", "name"),
    [("www.a.nl", "www.a.nl"), ("www.a.nl:8443", "www.a.nl_3a8443"), ("a_b.nl", "a_5fb.nl")],
)
def test_every_host_has_a_file_name_of_its_own(host: str, name: str) -> None:
    assert slug(host) == name


def test_a_run_is_named_after_its_spider_and_the_moment_it_begins(tmp_path: Path) -> None:
    name = run_name("woo")
    assert re.fullmatch(r"woo-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{6}", name)
    (tmp_path / name).mkdir()
    assert list(ReportsFolder(tmp_path).runs()) == [("woo", RunFolder(tmp_path / name))]
