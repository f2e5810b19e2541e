from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest

from tests.report.runs import HOST, about_document, about_host, read
from woo_harvester.findings import Finding
from woo_harvester.kinds import Kind
from woo_harvester.report.funnel import Account, is_about_document
from woo_harvester.report.history import EarlierRuns, History, HostResult, RunResult, compare
from woo_harvester.report.model import Changes
from woo_harvester.report.score import score


def visit(past: EarlierRuns, account: Account, *findings: Finding) -> tuple[Changes | None, EarlierRuns]:
    """Return what changed, and the earlier runs for the next run."""
    counts = Counter((found.code, is_about_document(found.as_dict())) for found in findings)
    now, changes = compare(account, score(counts, account), counts, past)
    at = f"2026-11-{len(past.runs) + 1:02}T08:00:00+01:00"
    return changes, EarlierRuns([*past.runs, RunResult(f"woo-{at}", Kind.woo, at, {account.host: now})])


def changed(past: EarlierRuns, account: Account, *findings: Finding) -> tuple[Changes, EarlierRuns]:
    """Return the same for a host that an earlier run visited."""
    changes, runs = visit(past, account, *findings)
    assert changes is not None
    return changes, runs


def test_a_first_visit_has_nothing_to_compare_with() -> None:
    changes, past = visit(EarlierRuns(), read(harvested=1))
    assert changes is None
    assert past.points(HOST)[0].harvested == 1


def test_findings_come_stay_and_are_fixed() -> None:
    _, past = visit(EarlierRuns(), read(), about_host("robots.te-groot"), about_host("sitemap.ongeldig"))
    changes, _ = changed(past, read(), about_host("robots.te-groot"), about_host("index.naam"))
    assert (changes.came, changes.stayed, changes.mended, changes.not_looked_at) == (
        ["index.naam"],
        ["robots.te-groot"],
        ["sitemap.ongeldig"],
        [],
    )


def test_a_warning_about_a_document_that_was_not_read_again_is_not_fixed() -> None:
    finding = about_document("titel.ontbreekt")
    _, past = visit(EarlierRuns(), read(harvested=2, findings=[finding]), finding)
    changes, past = changed(past, read(unchanged=2))
    assert (changes.mended, changes.not_looked_at) == ([], ["titel.ontbreekt"])
    changes, past = changed(past, read(unchanged=2))
    assert changes.not_looked_at == ["titel.ontbreekt"]
    changes, past = changed(past, read(harvested=2))
    assert changes.mended == ["titel.ontbreekt"]


def test_a_document_that_could_not_be_had_is_tried_in_each_run() -> None:
    finding = about_document("document.onbereikbaar")
    _, past = visit(EarlierRuns(), read(unchanged=9, findings=[finding]), finding)
    account = read(unchanged=10)
    account.sitemaps_unchanged = 1
    changes, _ = changed(past, account)
    assert changes.mended == ["document.onbereikbaar"]


def test_a_wrong_loc_in_a_sitemap_that_was_skipped_is_not_fixed() -> None:
    finding = about_document("loc.geen-https")
    _, past = visit(EarlierRuns(), read(harvested=1, findings=[finding]), finding)
    account = read()
    account.count_unchanged_sitemap(1)
    changes, _ = changed(past, account)
    assert changes.not_looked_at == ["loc.geen-https"]


def test_an_error_about_a_sitemap_is_fixed_though_other_sitemaps_were_skipped() -> None:
    _, past = visit(EarlierRuns(), read(), about_host("sitemap.ongeldig"))
    account = read(harvested=1)
    account.count_unchanged_sitemap(1)
    changes, _ = changed(past, account)
    assert changes.mended == ["sitemap.ongeldig"]


def test_a_category_of_the_register_is_compared_only_if_all_documents_are_seen() -> None:
    code = "register.categorie-strijdig"
    _, past = visit(EarlierRuns(), read(harvested=2), about_host(code))
    changes, past = changed(past, read(harvested=1, unchanged=1))
    assert (changes.mended, changes.not_looked_at) == ([], [code])
    changes, past = changed(past, read(harvested=2))
    assert (changes.mended, changes.not_looked_at) == ([code], [])


def test_what_an_unreachable_host_hides_is_not_fixed() -> None:
    _, past = visit(EarlierRuns(), read(), about_host("sitemap.ongeldig"), about_document("titel.ontbreekt"))
    changes, _ = changed(past, Account(HOST, visited=True, complete=False), about_host("robots.onbereikbaar"))
    assert changes.came == ["robots.onbereikbaar"]
    assert changes.not_looked_at == ["sitemap.ongeldig", "titel.ontbreekt"]


def test_a_host_is_compared_with_the_last_run_that_visited_it() -> None:
    _, past = visit(EarlierRuns(), read(harvested=3))
    _, past = visit(past, read("www.b.nl", harvested=1))
    changes, _ = changed(past, read(harvested=5))
    assert (changes.since, changes.listed, changes.harvested) == ("2026-11-01T08:00:00+01:00", 3, 3)


def test_a_run_is_read_as_it_was_kept(tmp_path: Path) -> None:
    history = History(tmp_path / "history")
    then = RunResult("woo-2026-11-21", Kind.woo, "2026-11-21T08:00:00+01:00")
    then.hosts[HOST] = HostResult(5, 4, 90, open=[("titel.ontbreekt", True)])
    history.save(then)
    assert history.before("woo-2026-11-22", Kind.woo).runs == [then]
    assert b" " not in gzip.decompress((tmp_path / "history" / "woo-2026-11-21.json.gz").read_bytes())
    assert history.before("woo-2026-11-21", Kind.woo).runs == []
    assert history.before("woo-2026-11-22", Kind.vergunningen).runs == []


def test_findings_that_stay_open_survive_being_kept(tmp_path: Path) -> None:
    finding = about_document("titel.ontbreekt")
    _, past = visit(EarlierRuns(), read(harvested=1, findings=[finding]), finding)
    history = History(tmp_path)
    history.save(past.runs[0])
    changes, _ = changed(history.before("x", Kind.woo), read(harvested=1, findings=[finding]), finding)
    assert changes.stayed == ["titel.ontbreekt"]
    assert changes.came == []


def test_only_the_last_runs_are_read(tmp_path: Path) -> None:
    history = History(tmp_path)
    for number in range(5):
        history.save(RunResult(f"woo-{number}", Kind.woo, "2026-11-21T08:00:00+01:00"))
    assert [run.run for run in history.before("woo-4", Kind.woo, shown=2).runs] == ["woo-2", "woo-3"]


@pytest.mark.parametrize(
    "content",
    [b"", b"no gzip", gzip.compress(b"{}", mtime=0), gzip.compress(b"[]" * 999, mtime=0)[:-9] + bytes(9)],
)
def test_a_damaged_file_is_put_aside_and_named_in_the_log(
    tmp_path: Path, content: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    history, (first, damaged) = History(tmp_path), (tmp_path / f"woo-{number}.json.gz" for number in (1, 2))
    history.save(then := RunResult("woo-1", Kind.woo, "2026-11-21T08:00:00+01:00"))
    damaged.write_bytes(content)
    for _ in range(2):
        assert history.before("woo-3", Kind.woo).runs == [then]
    aside = tmp_path / "woo-2.json.gz.damaged"
    assert ({*tmp_path.iterdir()}, aside.read_bytes()) == ({first, aside}, content)
    (line,) = caplog.messages
    assert line.startswith(f"a damaged history of a run is now {aside}: ")


def test_a_run_takes_little_room(tmp_path: Path) -> None:
    then = RunResult("woo-1", Kind.woo, "2026-11-21T08:00:00+01:00")
    for number in range(900):
        codes = [(code, True) for code in ("titel.ontbreekt", "waarde.uri-onbekend", "loc.geen-https")]
        then.hosts[f"www.gemeente-{number}.nl"] = HostResult(number, number, 90, open=codes)
    History(tmp_path).save(then)
    assert (tmp_path / "woo-1.json.gz").stat().st_size < 50_000
