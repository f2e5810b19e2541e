from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from lxml import html

from tests.utils.command import Line, read_lines, start_forked
from tests.utils.waiting import STUCK
from woo_harvester.report.coverage import Registered, RunRegister
from woo_harvester.report.funnel import Account
from woo_harvester.report.json_file import read_head
from woo_harvester.report.merge import MergeError, merge, sum_stats
from woo_harvester.report.run_folder import RunFolder


def finding(code: str = "loc.dubbel", **given: str) -> Line:
    return {"code": code, "severity": "info", "at": "2026-11-21T05:15:00+01:00", **given}


def run(
    folder: Path,
    *findings: Line,
    hosts: list[Line] | None = None,
    pending: list[Line] | None = None,
    **stats: Any,
) -> Path:
    """Make the folder of a run."""
    folder.mkdir(parents=True)
    for name, lines in (("findings", findings), ("hosts", hosts), ("pending", pending)):
        if lines is not None:
            text = "".join(json.dumps(line) + "\n" for line in lines)
            (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    if stats:
        (folder / "stats.json").write_text(json.dumps(stats), encoding="utf-8")
    return folder


def command(folder: Path, *args: str) -> CompletedProcess[str]:
    """Run ``scrapy merge-reports`` with these arguments in the folder."""
    return start_forked(["merge-reports", *args], folder).done(STUCK)


def stats_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "stats.json").read_text(encoding="utf-8"))
    return found


def merged(folders: list[Path], to: Path) -> None:
    merge([RunFolder(folder) for folder in folders], RunFolder(to))


def test_findings_hosts_and_pending_withdrawals_are_concatenated(tmp_path: Path) -> None:
    first = run(tmp_path / "1", finding(host="a.nl"), hosts=[{"host": "a.nl", "listed": 3}])
    second = run(
        tmp_path / "2", finding(host="b.nl"), hosts=[{"host": "b.nl", "listed": 4}], pending=[{"id": "x"}]
    )
    made = tmp_path / "new" / "merged"
    merged([first, second], made)
    assert [line["host"] for line in read_lines(made / "findings.jsonl")] == ["a.nl", "b.nl"]
    assert read_lines(made / "hosts.jsonl") == [
        {"host": "a.nl", "listed": 3},
        {"host": "b.nl", "listed": 4},
    ]
    assert read_lines(made / "pending.jsonl") == [{"id": "x"}]
    assert sorted(path.name for path in made.iterdir()) == [
        "findings.jsonl",
        "hosts.jsonl",
        "pending.jsonl",
        "stats.json",
    ]


def test_runs_without_hosts_or_pending_withdrawals_make_no_files_of_them(tmp_path: Path) -> None:
    merged([run(tmp_path / "1"), run(tmp_path / "2")], tmp_path / "merged")
    assert not (tmp_path / "merged" / "hosts.jsonl").exists()
    assert not (tmp_path / "merged" / "pending.jsonl").exists()


def test_counts_are_added_up_and_times_and_peaks_are_not() -> None:
    one = {
        "item_scraped_count": 3,
        "start_time": "2026-11-21T05:15:00+01:00",
        "finish_time": "2026-11-21T06:00:00+01:00",
        "elapsed_time_seconds": 2700.0,
        "memusage/max": 100,
        "request_depth_max": 3,
        "items_per_minute": 4.0,
        "finish_reason": "finished",
        "woo/register/date": "2026-11-20",
    }
    other = {
        "item_scraped_count": 4,
        "woo/entries": 9,
        # Later, though the text is less.
        "start_time": "2026-11-21T04:16:00+00:00",
        "finish_time": "2026-11-21T05:30:00+00:00",
        "elapsed_time_seconds": 4440.0,
        "memusage/max": 90,
        "request_depth_max": 4,
        "items_per_minute": None,
        "finish_reason": "finished",
        "woo/register/date": "2026-11-21",
    }
    assert sum_stats([one, other]) == {
        "item_scraped_count": 7,
        "woo/entries": 9,
        "start_time": "2026-11-21T05:15:00+01:00",
        "finish_time": "2026-11-21T05:30:00+00:00",
        "elapsed_time_seconds": 4440.0,
        "memusage/max": 100,
        "request_depth_max": 4,
        "finish_reason": "finished",
        "woo/register/date": "2026-11-20",
    }


@pytest.mark.parametrize("reasons", [("finished", "shutdown"), ("shutdown", "finished")])
def test_shards_are_finished_when_all_of_them_are(reasons: tuple[str, str]) -> None:
    assert sum_stats([{"finish_reason": reason} for reason in reasons]) == {"finish_reason": "shutdown"}


def test_with_a_killed_run_there_is_no_finish_reason(tmp_path: Path) -> None:
    killed = run(tmp_path / "1", finding(host="a.nl"))
    with (killed / "findings.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"code": "loc.dub')
    other = run(tmp_path / "2", finding(host="b.nl"), finish_reason="finished", item_scraped_count=1)
    made = tmp_path / "merged"
    merged([killed, other], made)
    assert len(read_lines(made / "findings.jsonl")) == 2
    assert stats_of(made) == {"item_scraped_count": 1}


def test_what_every_shard_says_of_the_register_is_said_once(tmp_path: Path) -> None:
    register = {"code": "register.url-ongeldig", "url": "htps://a"}
    stats: dict[str, Any] = {"woo/findings/register.url-ongeldig": 1}
    other = {"code": "register.url-ongeldig", "url": "htps://b"}
    one = run(tmp_path / "1", finding(**register), finding(**other), finding(url="u"), **stats)
    two = run(tmp_path / "2", finding(**register, at="later"), finding(url="u"), **stats)
    made = tmp_path / "merged"
    merged([one, two], made)
    assert [(line["code"], line["url"]) for line in read_lines(made / "findings.jsonl")] == [
        ("register.url-ongeldig", "htps://a"),
        ("register.url-ongeldig", "htps://b"),
        ("loc.dubbel", "u"),
        ("loc.dubbel", "u"),
    ]
    assert stats_of(made) == stats


def test_the_same_shard_twice_is_refused_and_nothing_is_left(tmp_path: Path) -> None:
    one = run(tmp_path / "1", hosts=[{"host": "a.nl"}])
    two = run(tmp_path / "2", hosts=[{"host": "a.nl"}])
    with pytest.raises(MergeError, match=r"a\.nl is in .*1 and in .*2: give one run of each shard"):
        merged([one, two], tmp_path / "merged")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "2"]


def test_a_folder_with_a_name_like_that_of_an_unfinished_merge_is_left(tmp_path: Path) -> None:
    other = run(tmp_path / "merged.part", finding(host="old.nl"))
    merged([run(tmp_path / "1", finding(host="a.nl"))], tmp_path / "merged")
    assert [line["host"] for line in read_lines(tmp_path / "merged" / "findings.jsonl")] == ["a.nl"]
    assert [line["host"] for line in read_lines(other / "findings.jsonl")] == ["old.nl"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1", "merged", "merged.part"]


NO_OBJECTS = ("{", "[]", "[" * 100_000, "9" * 5000, "\0", '"\\ud800"', "\udcff")


@pytest.mark.parametrize("content", NO_OBJECTS, ids=lambda text: ascii(text[:6]))
@pytest.mark.parametrize("name", ["stats.json", "findings.jsonl", "hosts.jsonl"])
def test_a_file_that_no_run_writes_is_named(tmp_path: Path, name: str, content: str) -> None:
    folder = run(tmp_path / "1", finding())
    (folder / name).write_text(content + "\n", encoding="utf-8", errors="surrogateescape")
    with pytest.raises(MergeError, match=f"{name}.* is not what a run writes"):
        merged([folder], tmp_path / "merged")


def test_reports_of_both_spiders_are_not_one(tmp_path: Path) -> None:
    woo, permits = run(tmp_path / "woo-1"), run(tmp_path / "vergunningen-1")
    with pytest.raises(MergeError, match="all of them to begin with vergunningen, or none"):
        merged([woo, permits], tmp_path / "merged")
    with pytest.raises(MergeError, match="that of -o must too"):
        merged([permits], tmp_path / "merged")
    merged([permits], tmp_path / "vergunningen-merged")


def test_the_command_merges_and_says_so(tmp_path: Path) -> None:
    run(tmp_path / "1", finding(host="a.nl"), item_scraped_count=1)
    run(tmp_path / "2", finding(host="b.nl"), item_scraped_count=2)
    done = command(tmp_path, "1", "2", "-o", "merged")
    assert (done.returncode, done.stderr) == (
        0,
        "Merged the reports of 2 run(s) into merged: see merged/index.html.\n",
    )
    assert stats_of(tmp_path / "merged") == {"item_scraped_count": 3}


@pytest.mark.parametrize(
    ("arguments", "status", "line"),
    [
        (["1"], 2, "expected FOLDER... -o FOLDER"),
        (["-o", "merged"], 2, "expected FOLDER... -o FOLDER"),
        (
            ["1", "--force", "-o", "merged"],
            2,
            "unknown option --force: scrapy merge-reports -h shows the options",
        ),
        (["1", "x", "-o", "merged"], 1, "x is not the folder of a run: it has no findings.jsonl"),
        (["1", "./1/", "-o", "merged"], 1, "1 is given twice, as 1"),
        (["1", "-o", "1"], 1, "1 is there already"),
    ],
)
def test_what_cannot_be_merged_is_one_line(
    tmp_path: Path, arguments: list[str], status: int, line: str
) -> None:
    run(tmp_path / "1")
    done = command(tmp_path, *arguments)
    assert (done.returncode, done.stderr) == (status, f"scrapy merge-reports: error: {line}\n")
    assert not (tmp_path / "merged").exists()


def register(folder: Path, shard: tuple[int, int], *names: str) -> Path:
    """Give the folder of a run a register of organisations with these names."""
    organisations = [Registered(name, name, None, None, [f"https://{name}.nl/"]) for name in names]
    RunRegister([shard], organisations).write(folder / "organisations.json")
    return folder


def test_the_shards_of_a_register_are_the_whole_register_together(tmp_path: Path) -> None:
    runs = [register(run(tmp_path / str(number)), (number, 2), "a") for number in (1, 2)]
    merged(runs, tmp_path / "samen")
    together = RunRegister.read(tmp_path / "samen" / "organisations.json")
    assert together is not None
    assert together.is_whole
    assert [one.name for one in together.organisations] == ["a"]


def test_a_shard_that_lacks_leaves_a_part_and_a_run_on_some_hosts_leaves_none(tmp_path: Path) -> None:
    runs = [register(run(tmp_path / str(number)), (number, 3), "a") for number in (1, 2)]
    merged(runs, tmp_path / "deel")
    part = RunRegister.read(tmp_path / "deel" / "organisations.json")
    assert part is not None
    assert not part.is_whole
    merged([*runs, run(tmp_path / "los")], tmp_path / "geen")
    assert not (tmp_path / "geen" / "organisations.json").exists()


def test_a_register_that_no_run_wrote_is_named(tmp_path: Path) -> None:
    broken = run(tmp_path / "1")
    (broken / "organisations.json").write_text("{", encoding="utf-8")
    with pytest.raises(MergeError, match=r"organisations\.json: expected the register of a run: "):
        merged([broken], tmp_path / "samen")


def many(name: str) -> list[Line]:
    return [{"host": f"{name}-{number}.nl", "visited": True} for number in range(30)]


def test_a_merged_report_names_the_hosts_of_a_run_that_was_killed(tmp_path: Path) -> None:
    urls = [f"https://{name}.nl/woo" for name in "abc"]
    organisations = [Registered("1", "Haven", None, None, urls)]
    shards = run(tmp_path / "woo-1", hosts=[]), run(tmp_path / "woo-2", finding(host="b.nl"))
    for number, shard in enumerate(shards, 1):
        RunRegister([(number, 3)], organisations).write(RunFolder(shard).register)
    RunFolder(shards[0]).write_accounts([Account("a.nl", complete=True)])
    done = command(tmp_path, "woo-1", "woo-2", "-o", "samen")
    assert done.returncode == 0, done.stderr
    assert "scrapy merge-reports: figures of 2 hosts are not in it: b.nl, c.nl\n" in done.stderr
    folder = RunFolder(tmp_path / "samen")
    assert read_head(folder.report).hosts_without_figures == ["b.nl", "c.nl"]
    page = " ".join(html.parse(folder.page).getroot().text_content().split())
    assert "De cijfers van 2 hosts staan niet in dit verslag" in page
    assert "b.nl, c.nl" in page


def test_the_merged_report_of_the_newest_day_is_the_current_one(tmp_path: Path) -> None:
    reports = tmp_path / "reports"
    for shard in ("een", "twee"):
        run(reports / f"woo-2026-11-21T05-15-00.00000{len(shard)}", hosts=many(shard))
    shards = sorted(f"reports/{path.name}" for path in reports.iterdir())
    for day, latest in (("21", "21"), ("20", "21"), ("22", "22")):
        done = command(tmp_path, *shards, "-o", f"reports/woo-2026-11-{day}")
        assert done.returncode == 0, done.stderr
        assert (reports / "latest").readlink() == Path(f"woo-2026-11-{latest}")
        assert not (reports / f"woo-2026-11-{day}" / "hosts").exists()
    assert len(list((reports / "hosts").iterdir())) == 60


def test_a_merged_report_elsewhere_has_all_its_files_in_its_folder(tmp_path: Path) -> None:
    shards = [str(run(tmp_path / f"reports/woo-{name}", hosts=many(name))) for name in ("een", "twee")]
    (tmp_path / "elders").mkdir()
    assert command(tmp_path, *shards, "-o", "elders/samen").returncode == 0
    assert [path.name for path in (tmp_path / "elders").iterdir()] == ["samen"]
    assert len(list((tmp_path / "elders" / "samen" / "hosts").iterdir())) == 60
