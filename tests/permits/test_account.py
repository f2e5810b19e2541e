from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.findings import Finding
from woo_harvester.kinds import Kind
from woo_harvester.permits.account import PermitAccount
from woo_harvester.report.accounts import Accounts
from woo_harvester.report.funnel import Account, stages
from woo_harvester.report.score import score

HOST = "www.a.nl"
PAGE = f"https://{HOST}/xml/"


def account(files: int = 0) -> PermitAccount:
    """Return the account of a host with one entry page that was read."""
    made = PermitAccount(HOST, visited=True)
    made.pages += 1
    made.count_files(files)
    made.count_entry_page(complete=True)
    return made


def about(code: str, file: str | None = "1.xml") -> Finding:
    """Return a finding about a file, or with None about the entry page."""
    if file is None:
        return Finding(code=code, host=HOST, url=PAGE)
    return Finding(code=code, host=HOST, url=PAGE + file, sitemap=PAGE)


def reached(made: Account) -> list[int]:
    """Return the number of files that reach each stage."""
    return [files for _, files, _ in stages(made)]


def test_each_loss_is_before_its_stage() -> None:
    made = account(3)
    for number, code in enumerate(("host.niet-geregistreerd", "ipm.bericht-onbereikbaar", "ipm.schema")):
        made.count_finding(about(code, f"{number}.xml"))
    assert reached(made) == [3, 3, 2, 1, 0]


def test_a_file_with_several_errors_is_lost_once_by_the_first() -> None:
    made = account(2)
    for code in ("ipm.datum", "ipm.identifier", "ipm.datum"):
        made.count_finding(about(code))
    made.count_finding(about("ipm.identifier", "2.xml"))
    assert made.lost == {"ipm.datum": 1, "ipm.identifier": 1}
    assert made.findings == {"ipm.datum": 2, "ipm.identifier": 2}


def test_a_file_that_two_entry_pages_list_is_lost_at_each() -> None:
    made = account(2)
    made.count_finding(about("ipm.schema"))
    made.count_finding(Finding(code="ipm.schema", host=HOST, url=f"{PAGE}1.xml", sitemap=f"{PAGE}all"))
    assert made.lost == {"ipm.schema": 2}


def test_a_warning_or_a_finding_about_the_page_loses_no_file() -> None:
    made = account(1)
    made.count_finding(about("ipm.datum-nu"))
    made.count_finding(about("ipm.te-groot", None))
    assert (made.lost, made.findings) == ({}, {"ipm.datum-nu": 1, "ipm.te-groot": 1})


def test_a_message_of_a_killed_run_that_is_refused_takes_its_file_back() -> None:
    listed, gone = account(1), account()
    listed.count_entries(0, 1)
    for made in (listed, gone):
        made.count_finding(about("ipm.andere-organisatie"))
    assert (reached(listed)[-1], listed.lost) == (0, {"ipm.andere-organisatie": 1})
    assert (reached(gone), gone.lost) == ([0] * 5, {})


def test_the_host_is_done_with_its_last_entry_page_and_complete_if_all_are() -> None:
    made = PermitAccount(HOST, pages=2)
    made.count_entry_page(complete=True)
    assert made.complete is None
    made.count_entry_page(complete=False)
    assert made.complete is False


def test_an_organisation_with_two_entry_pages_on_a_host_is_named_once() -> None:
    made = account()
    for identifier in ("1", "2", "1"):
        made.add_organisation(identifier, f"Gemeente {identifier}")
    assert [each["name"] for each in made.organisations] == ["Gemeente 1", "Gemeente 2"]


def test_findings_before_the_account_is_made_count_in_it() -> None:
    accounts = Accounts()
    accounts.count_finding(about("ipm.ingang-onbereikbaar", None))
    assert accounts.of(HOST, Kind.vergunningen).findings == {"ipm.ingang-onbereikbaar": 1}
    assert [each.host for each in accounts] == [HOST]


def test_an_entry_page_that_cannot_be_read_leaves_no_points_and_one_without_files_has_no_score() -> None:
    made = PermitAccount(HOST, visited=True)
    made.pages += 1
    made.count_entry_page(complete=False)
    result = score({("ipm.ingang-onbereikbaar", False): 1}, made, Kind.vergunningen)
    assert result.shown == 0
    assert {each.part.name: each.state for each in result.parts}["message"] == "not_reached"
    assert score({}, account(), Kind.vergunningen).shown is None


EVENTS = st.sampled_from(["unchanged", "waiting", "refused", "lost", "refused before", "left"])


@given(st.lists(EVENTS, max_size=30))
def test_the_sums_agree_whatever_becomes_of_files(events: list[str]) -> None:
    made = account(len(events))
    for number, event in enumerate(events):
        file = f"{number}.xml"
        match event:
            case "unchanged":
                made.count_entries(0, 1)
            case "waiting" | "refused":
                made.count_waiting()
            case "lost":
                made.count_finding(about("ipm.schema", file))
                made.count_finding(about("ipm.identifier", file))
            case "refused before":
                for code in ("ipm.bericht-onbereikbaar", "ipm.andere-organisatie"):
                    made.count_finding(replace(about(code, file), since="2026-04-01"))
    for number, event in enumerate(events):
        if event == "refused":
            made.count_finding(about("ipm.andere-organisatie", f"{number}.xml"))
    made.count_applied()
    expected = sum(event in ("unchanged", "waiting") for event in events)
    assert (reached(made)[-1], made.unfinished) == (expected, events.count("left"))
    assert made.listed == expected + sum(made.lost.values()) + events.count("left")


def test_files_beyond_the_sample_are_counted_apart() -> None:
    made = account(10)
    made.leave_out(8)
    for _ in range(2):
        made.count_waiting()
    made.count_applied()
    assert (made.listed, made.beyond_sample, made.unfinished) == (2, 8, 0)
    assert score({}, made, Kind.vergunningen).shown == 100
