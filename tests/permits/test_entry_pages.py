"""The entry pages of a run, and what is said of one at its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.register.exports import AMSTERDAM, organisation, read
from woo_harvester.findings import Finding, Reporter
from woo_harvester.permits.account import PermitAccount
from woo_harvester.permits.entry_pages import (
    EntryPage,
    EntryPageVisit,
    PermitArguments,
    entry_pages,
    given_entries,
    read_csv,
    report_undated,
    select_entries,
)
from woo_harvester.running.causes import ArgumentError

PAGE = "https://www.amsterdam.nl/xml/"
REGISTER = read(
    organisation(
        "gemeente Amsterdam", "https://www.amsterdam.nl/woo", "https://b.nl/", id="10", uri=AMSTERDAM
    ),
    organisation("Dienst", "https://shared.nl/a", id="11"),
    organisation("Raad", "https://shared.nl/b", id="12"),
)


def test_a_csv_has_the_organisation_and_url_of_each_page() -> None:
    assert read_csv(f"url,organisatie\n{PAGE}, Amsterdam \n".encode(), "a.csv") == [("Amsterdam", PAGE)]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (
            b"url,organisatie\nftp://a.nl/,A\n",
            "a.csv: line 2: expected the URL of an entry page, got 'ftp://a.nl/'",
        ),
        (b"url,organisatie\n", "a.csv names no entry page"),
        (b"url\nhttps://a.nl/\n", "a.csv: expected the columns organisatie,url; organisatie is missing"),
    ],
)
def test_what_is_wrong_with_a_csv_is_said_with_its_line(data: bytes, problem: str) -> None:
    with pytest.raises(ArgumentError) as raised:
        read_csv(data, "a.csv")
    assert str(raised.value) == f"argument entries: {problem}"


def test_pages_are_given_as_urls_or_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "entries.csv"
    with pytest.raises(ArgumentError, match=r"argument entries: .*entries.csv: No such file or directory"):
        given_entries(path)
    path.write_text(f"organisatie,url\nA,{PAGE}\n")
    assert given_entries(path) == [("A", PAGE)]
    assert given_entries([PAGE]) == [("", PAGE)]


def test_a_page_is_that_of_the_organisation_that_was_named_or_has_the_host() -> None:
    for name, url, identifier, hosts in [
        ("", PAGE, AMSTERDAM, {"www.amsterdam.nl", "b.nl"}),
        ("gemeente Amsterdam", "https://c.nl/", AMSTERDAM, {"c.nl", "www.amsterdam.nl", "b.nl"}),
        ("Onbekend", "https://c.nl/", "Onbekend", {"c.nl"}),
        ("", "https://c.nl/", "c.nl", {"c.nl"}),
        ("", "https://shared.nl/", "shared.nl", {"shared.nl"}),
    ]:
        given = [(name, url), (name, url)]
        assert entry_pages(given, REGISTER) == [
            EntryPage(url, identifier, frozenset(hosts), is_named=bool(name))
        ]


def test_a_run_reads_the_pages_of_its_hosts_and_shard() -> None:
    pages = entry_pages([("", f"https://{name}.nl/") for name in "abcdef"], REGISTER)

    def select(**given: str) -> list[EntryPage]:
        return select_entries(pages, PermitArguments.read({"entries": PAGE, **given}))

    assert select() == pages
    assert select(domains="c.nl,x.nl") == [pages[2]]
    shards = [select(shard=f"{number}/2") for number in (1, 2)]
    assert sorted(shards[0] + shards[1], key=pages.index) == pages
    assert all(shards)
    with pytest.raises(ArgumentError, match="no entry page is left"):
        select(domains="x.nl")


def visit_of(findings: list[Finding], done: list[EntryPageVisit] | None = None) -> EntryPageVisit:
    page = EntryPage(PAGE, AMSTERDAM, frozenset())
    account, report = PermitAccount(page.host), Reporter(findings.append)
    return EntryPageVisit(page, 1, 2, report, account, ([] if done is None else done).append)


def test_a_page_is_counted_when_its_last_file_is_done() -> None:
    cases: list[tuple[dict[str, Any], list[tuple[str, str | None]]]] = [
        ({"complete": True, "has_xml": True}, []),
        ({"complete": True}, [("ipm.ingang-zonder-links", None)]),
        ({}, []),
        (
            {"complete": True, "not_asked": 2, "passed_over": 1, "example": "https://a.nl/1 (HTTP 500)"},
            [("ipm.link-overgeslagen", "3 links, zoals https://a.nl/1 (HTTP 500)")],
        ),
    ]
    for given, found in cases:
        findings: list[Finding] = []
        done: list[EntryPageVisit] = []
        visit = visit_of(findings, done)
        for name, value in given.items():
            setattr(visit, name, value)
        visit.begin_request()
        visit.finish()
        visit.page_done = True
        visit.finish()
        assert not done, given
        visit.end_request()
        visit.finish()
        assert done == [visit], given
        assert [(finding.code, finding.seen) for finding in findings] == found, given
        assert visit.account.not_asked == given.get("not_asked", 0), given


def test_a_finding_about_a_file_names_its_page() -> None:
    findings: list[Finding] = []
    visit = visit_of(findings)
    visit.undated = 2
    report_undated(visit)
    visit.report("ipm.zonder-datum", url=f"{PAGE}1.xml")
    assert [finding.sitemap for finding in findings] == [None, PAGE]
    assert findings[0].seen == "2 bestanden zonder datum, Last-Modified en ETag"


def test_entry_pages_are_urls_with_commas_between_each_once() -> None:
    given = "https://a.nl/xml/, http://b.nl/p?x=1 ,https://a.nl/xml/,"
    assert PermitArguments.read({"entries": given}).entries == ("https://a.nl/xml/", "http://b.nl/p?x=1")


def test_entry_pages_may_stand_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "entries.csv"
    path.touch()
    assert PermitArguments.read({"entries": str(path)}).entries == path


@pytest.mark.parametrize(
    "given", ["", ",", "ftp://a.nl/x", "x" * 5000, "https://a.nl/a b", "https://u@a.nl/"]
)
def test_what_is_no_entry_page_is_refused(given: str) -> None:
    with pytest.raises(ArgumentError, match=r"^argument entries: expected (?:URLs|the URL) of"):
        PermitArguments.read({"entries": given})


def test_without_entry_pages_the_argument_is_named() -> None:
    with pytest.raises(ArgumentError, match="argument entries is missing: expected URLs of entry pages"):
        PermitArguments.read({})
