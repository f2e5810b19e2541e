from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.runs import CATEGORY, HOST, about_document, about_host, read, record
from woo_harvester.findings import Finding, Severity, explanations
from woo_harvester.kinds import Kind
from woo_harvester.permits.judging import is_repeated
from woo_harvester.record import Oorzaak
from woo_harvester.report.accounts import Accounts
from woo_harvester.report.funnel import FIELDS, Account, losses_of, stages, stages_of, total
from woo_harvester.report.score import part_of, parts_of, weight_of


def reached(account: Account) -> dict[str, int]:
    return {stage: documents for stage, documents, _ in stages(account)}


def test_each_stage_is_the_one_before_less_its_losses() -> None:
    findings = [
        about_document("loc.geen-https"),
        about_document("loc.niet-geregistreerd"),
        about_document("document.leeg"),
        about_document("format.onbekend"),
    ]
    account = read(harvested=3, unchanged=2, findings=findings)
    assert list(stages(account)) == [
        ("listed", 9, {}),
        ("valid", 8, {"loc.geen-https": 1}),
        ("allowed", 7, {"loc.niet-geregistreerd": 1}),
        ("fetched", 6, {"document.leeg": 1}),
        ("harvested", 5, {"format.onbekend": 1}),
    ]
    assert account.unfinished == 0


@given(
    lost=st.dictionaries(st.sampled_from(sorted(stages_of(Kind.woo))), st.integers(1, 50)),
    harvested=st.integers(0, 50),
    unchanged=st.integers(0, 50),
    unfinished=st.integers(0, 50),
)
def test_the_sums_close_whatever_is_lost(
    lost: dict[str, int], harvested: int, unchanged: int, unfinished: int
) -> None:
    listed = sum(lost.values()) + harvested + unchanged + unfinished
    account = Account(HOST, listed=listed, lost=lost, new=harvested, unchanged=unchanged)
    left = listed
    for stage, documents, losses in stages(account):
        left -= sum(losses.values()) + (account.unfinished if stage == "harvested" else 0)
        assert documents == left
    assert left == harvested + unchanged


def test_what_the_run_did_not_come_to_is_missing_at_the_end() -> None:
    account = read(harvested=1)
    account.count_entries(4, 0)
    assert account.unfinished == 4
    assert reached(account) == {"listed": 5, "valid": 5, "allowed": 5, "fetched": 5, "harvested": 1}


def test_more_harvested_than_listed_has_a_report_too() -> None:
    account = Account(HOST, listed=1, new=2)
    assert (account.unaccounted, reached(account)["harvested"]) == (-1, 2)


def test_each_reason_is_in_the_sum() -> None:
    account = Account(HOST, listed=24, unchanged=1, new=2, lost={"document.leeg": 3})
    account.not_requested, account.backlog, account.dropped_listed = 5, 6, 7
    assert account.unaccounted == 0
    account.count_entries(1, 0)
    assert account.unaccounted == 1


def test_a_repeated_loc_counts_once() -> None:
    account = read(harvested=1, findings=[about_document("loc.dubbel")])
    assert (account.listed, account.repeated) == (1, 1)


def test_entries_that_the_own_host_lists_count_as_repeated() -> None:
    account = Account(HOST, listed=5, unchanged=3)
    account.count_as_repeated(2)
    assert (account.listed, account.repeated, account.unchanged) == (3, 2, 3)
    account.count_as_repeated(1, unchanged=True)
    assert (account.listed, account.repeated, account.unchanged) == (2, 3, 2)


def test_a_sitemap_that_is_passed_over_counts_with_its_documents() -> None:
    account = Account(HOST)
    account.sitemaps += 1
    account.count_unchanged_sitemap(40)
    assert (account.sitemaps, account.sitemaps_unchanged) == (1, 1)
    assert (account.listed, account.unchanged, account.harvested) == (40, 40, 40)


@pytest.mark.parametrize(
    "finding",
    [
        *map(about_host, ("tls.ongeldig", "robots.verboden", "loc.geen-https")),
        about_document("titel.ontbreekt"),
    ],
)
def test_a_warning_or_a_finding_about_a_file_loses_no_document(finding: Finding) -> None:
    account = Account(HOST)
    account.count_finding(finding)
    assert account.lost == {}


def test_every_loss_is_an_error_and_every_error_about_a_document_is_a_loss() -> None:
    errors = {code for code, text in explanations().items() if text.severity is Severity.ERROR}
    assert errors >= stages_of(Kind.woo).keys()
    about_files = ("robots.", "index.", "sitemap.", "ipm.", "host.niet-geregistreerd")
    assert {code for code in errors if not code.startswith(about_files)} <= stages_of(Kind.woo).keys()


def test_records_are_counted_by_what_they_are() -> None:
    account = Account(HOST)
    for cause in Oorzaak:
        account.count_record(record(cause))
    assert (account.new, account.changed) == (2, 1)
    assert (account.records, account.withdrawn) == (3, 1)
    assert account.categories == {CATEGORY.uri: 3}


def test_a_field_that_was_filled_in_was_not_given() -> None:
    account = Account(HOST)
    account.count_record(record(defaults={"document.publisher": "register"}))
    account.count_record(record())
    assert account.fields["publisher"] == 1
    assert account.fields["officieleTitel"] == 2
    assert account.fields["documenthandeling"] == 2
    assert "thema" not in account.fields
    assert account.fields.keys() <= FIELDS.keys()


def test_findings_go_to_the_account_of_their_host() -> None:
    accounts = Accounts()
    accounts.of(HOST)
    accounts.count_finding(about_document("loc.ongeldig"))
    accounts.count_finding(about_document("loc.ongeldig", host="www.elsewhere.nl"))
    assert accounts.of(HOST).lost == {"loc.ongeldig": 1}
    assert len(accounts) == 1


def test_all_hosts_together_are_the_sum_of_each() -> None:
    one = read(harvested=2, findings=[about_document("document.leeg")])
    other = read("www.b.nl", harvested=1, unchanged=5)
    both = total([one, other])
    assert (both.listed, both.unchanged, both.records) == (9, 5, 3)
    assert both.lost == {"document.leeg": 1}
    assert both.unfinished == 0


def test_of_a_sitemap_that_is_passed_over_what_is_still_wrong_is_lost() -> None:
    account = Account(HOST)
    account.count_unchanged_sitemap(3, 1)
    account.count_finding(about_document("document.leeg"))
    assert (account.listed, account.unchanged, account.lost) == (3, 2, {"document.leeg": 1})
    assert account.unfinished == 0


#: Errors about an entry page itself, and not about a file that it lists.
OF_PAGES = {"ipm.ingang-onbereikbaar", "ipm.ingang-zonder-links"}


def test_every_error_about_a_file_of_permits_loses_that_file() -> None:
    errors = {
        code
        for code, text in explanations().items()
        if text.severity is Severity.ERROR and code.startswith(("ipm.", "tls.", "host."))
    }
    assert errors - OF_PAGES <= stages_of(Kind.vergunningen).keys()
    assert {explanations()[code].severity for code in stages_of(Kind.vergunningen)} == {Severity.ERROR}


@pytest.mark.parametrize("kind", Kind)
def test_the_stages_are_those_of_documents_and_no_code_is_in_two(kind: Kind) -> None:
    assert list(losses_of(kind)) == ["valid", "allowed", "fetched", "harvested"]
    assert sum(map(len, losses_of(kind).values())) == len(stages_of(kind))


def test_the_score_of_permits_has_a_part_for_each_error_and_warning() -> None:
    assert sum(part.points for part in parts_of(Kind.vergunningen)) == 100
    found = {code for code in explanations() if code.startswith("ipm.") and weight_of(code)}
    parts = {code: part_of(code, code not in OF_PAGES, Kind.vergunningen) for code in found}
    assert {code for code, part in parts.items() if part is None} == set()
    assert {part.name for part in parts.values() if part} == {
        part.name for part in parts_of(Kind.vergunningen)
    }


@pytest.mark.parametrize(
    ("code", "repeated"), [("ipm.schema", True), ("ipm.datum-nu", True), ("ipm.zaak-onbekend", False)]
)
def test_errors_are_reported_in_each_run(code: str, repeated: bool) -> None:
    assert is_repeated(code) is repeated


def test_of_a_sample_the_steps_after_the_request_are_about_the_sample() -> None:
    lost = {"loc.geen-https": 3, "loc.niet-geregistreerd": 2, "robots.verboden": 1, "document.leeg": 4}
    account = Account(HOST, listed=1000, lost=lost, new=395, requested=400, not_requested=595)
    assert list(stages(account)) == [
        ("listed", 1000, {}),
        ("valid", 997, {"loc.geen-https": 3}),
        ("asked", 400, {"loc.niet-geregistreerd": 2}),
        ("allowed", 399, {"robots.verboden": 1}),
        ("fetched", 395, {"document.leeg": 4}),
        ("harvested", 395, {}),
    ]
    assert account.unfinished == 0
    assert total([account, account]).not_requested == 1190


def test_a_host_of_which_a_sample_was_requested_was_not_seen_completely() -> None:
    assert Account(HOST, complete=True).has_seen_all
    assert not Account(HOST, complete=True, not_requested=1).has_seen_all
