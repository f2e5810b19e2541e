from __future__ import annotations

import pytest

from tests.extensions.runs import BOUNDS, NOW, account, run
from woo_harvester.extensions import monitored_runs
from woo_harvester.extensions.monitored_runs import UnendedRun
from woo_harvester.report.funnel import Account


@pytest.mark.parametrize(("hours", "problems"), [(1, 0), (30, 0), (31, 1)])
def test_a_day_and_a_bit_without_a_run_is_a_problem(hours: float, problems: int) -> None:
    assert len(monitored_runs.age(run(hours_ago=hours), NOW, BOUNDS)) == problems


def test_the_age_is_reported_with_what_was_expected() -> None:
    (line,) = monitored_runs.age(run(hours_ago=50), NOW, BOUNDS)
    assert line.startswith("no run has ended for 50 hours: expected one in 30 hours; the last was woo-2026")


def test_a_run_that_ended_early_is_a_problem() -> None:
    assert monitored_runs.ended(run()) == []
    (line,) = monitored_runs.ended(run(reason="shutdown"))
    assert "expected the reason finished, got shutdown" in line


def test_each_run_that_did_not_end_is_named_with_its_last_moment() -> None:
    killed = [UnendedRun(f"woo-{number}", NOW, "it has no stats.json") for number in range(7)]
    first, *_, last = monitored_runs.ended(run(), killed)
    assert first == (
        "woo-0 did not end: it was killed, or its machine stopped. It wrote last at 2026-11-21 13:00; "
        "it has no stats.json. The next run makes up for it."
    )
    assert last == "2 more before these did not end."
    assert len(monitored_runs.ended(run(reason="shutdown"), killed[:1])) == 2
    assert monitored_runs.ended(None, killed[:1]) == [first]
    assert monitored_runs.age(None, NOW, BOUNDS) == ["no run has ended: expected one in 30 hours."]
    assert monitored_runs.connected(None) == []


def test_a_host_that_was_well_and_is_empty_is_named() -> None:
    before = [run(account(listed=12_034))]
    (line,) = monitored_runs.emptied(run(account(listed=0)), before, BOUNDS)
    assert line.startswith(
        "1 host listed documents the last time and none now: www.a.nl (12,034 documents before)."
    )


@pytest.mark.parametrize(
    ("then", "now"),
    [
        (account(listed=9), account(listed=0)),  # too few to be sure
        (account(listed=0), account(listed=0)),  # empty already
        (account(listed=100), account(listed=1)),  # not empty
        (account(listed=100), account(listed=0, complete=None)),  # the run ended before it was read
        (account("www.b.nl", listed=100), account(listed=0)),  # never seen before
    ],
)
def test_no_other_host_counts_as_suddenly_empty(then: Account, now: Account) -> None:
    assert monitored_runs.emptied(run(now), [run(then)], BOUNDS) == []


def test_an_unreadable_host_is_compared_with_the_last_run_that_read_it() -> None:
    before = [run(account(listed=100)), run(account(listed=0, complete=None)), run(account("www.b.nl"))]
    assert len(monitored_runs.emptied(run(account(listed=0)), before, BOUNDS)) == 1


def test_at_most_ten_hosts_are_named() -> None:
    before = [run(*(account(f"www.{number:02}.nl") for number in range(12)))]
    now = run(*(account(f"www.{number:02}.nl", listed=0) for number in range(12)))
    (line,) = monitored_runs.emptied(now, before, BOUNDS)
    assert line.startswith("12 hosts listed documents")
    assert "www.09.nl (100 documents before) and 2 more." in line


@pytest.mark.parametrize(("listed", "problems"), [(180, 0), (179, 1), (400, 0)])
def test_a_drop_of_more_than_a_tenth_is_a_problem(listed: int, problems: int) -> None:
    now = run(account(listed=listed - 100), account("www.b.nl"))
    before = [run(account(listed=100), account("www.b.nl", listed=100))]
    assert len(monitored_runs.dropped(now, before, BOUNDS)) == problems


def test_a_drop_is_reported_with_both_numbers() -> None:
    (line,) = monitored_runs.dropped(run(account(listed=500)), [run(account(listed=1000))], BOUNDS)
    assert line.startswith("500 documents are listed, and the same hosts listed 1,000 the last time (-50%)")


def test_runs_over_other_hosts_are_no_drop() -> None:
    shard = run(account("www.a.nl", listed=10))
    assert monitored_runs.dropped(shard, [run(account("www.b.nl", listed=90_000))], BOUNDS) == []


def test_a_rise_above_the_most_there_was_is_a_problem() -> None:
    hosts = account("www.a.nl"), account("www.b.nl")
    before = [run(*hosts, a=100, b=2), run(*hosts, a=10, b=10)]
    assert monitored_runs.risen(run(*hosts, a=155, b=10), before, BOUNDS) == []
    (line,) = monitored_runs.risen(run(*hosts, a=100, b=80), before, BOUNDS)
    assert line.startswith("180 findings are errors, and the same hosts had 110 at most: expected")
    assert line.endswith("Most of it: www.b.nl (10 to 80).")


def test_a_few_findings_are_no_rise() -> None:
    assert monitored_runs.risen(run(account(), a=20), [run(account(), a=0)], BOUNDS) == []
    assert len(monitored_runs.risen(run(account(), a=21), [run(account(), a=0)], BOUNDS)) == 1


def test_the_findings_of_a_new_host_are_no_rise() -> None:
    assert monitored_runs.risen(run(account("www.new.nl"), new=900), [run(account(), a=0)], BOUNDS) == []


def test_a_spider_without_accounts_is_compared_by_the_hosts_with_findings() -> None:
    assert len(monitored_runs.risen(run(a=90), [run(a=10)], BOUNDS)) == 1


def test_a_field_that_fewer_records_have_than_usual_is_a_problem() -> None:
    def made(lastmods: int) -> Account:
        return account(harvested={"aanlevering": 200}, fields={"lastmod": lastmods})

    before = [run(made(200)), run(made(180))]
    assert monitored_runs.covered(run(made(160)), before, BOUNDS) == []
    (line,) = monitored_runs.covered(run(made(100)), before, BOUNDS)
    assert line.startswith("50% of 200 records have lastmod from their publisher, and 95% is usual")


def test_coverage_of_a_few_records_says_nothing() -> None:
    few = account(harvested={"wijziging": 99})
    many = account(harvested={"aanlevering": 900}, fields={"lastmod": 900})
    assert monitored_runs.covered(run(few), [run(many)], BOUNDS) == []
    assert monitored_runs.covered(run(many), [run(few)], BOUNDS) == []
