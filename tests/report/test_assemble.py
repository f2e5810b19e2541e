from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from lxml import html

from tests.conftest import ROOT
from tests.report.runs import (
    CATEGORY,
    HOST,
    ORGANISATION,
    about_document,
    about_file,
    about_host,
    host_report,
    read,
    read_permits,
    row,
    write_run,
)
from woo_harvester.findings import Finding, Language, Severity, explain
from woo_harvester.kinds import Kind
from woo_harvester.permits.judging import verdict
from woo_harvester.report.assemble import assemble_report, make_report
from woo_harvester.report.funnel import Account
from woo_harvester.report.history import History
from woo_harvester.report.json_file import read_head
from woo_harvester.report.model import FindingRow, HostReport
from woo_harvester.report.run_folder import RunFolder
from woo_harvester.report.score import parts_of
from woo_harvester.tooi.lists import UNKNOWN_CATEGORY

OTHER = "www.b.nl"


def made(folder: RunFolder, **given: Any) -> dict[str, Any]:
    assemble_report(folder, **given)
    report: dict[str, Any] = json.loads(folder.report.read_text(encoding="utf-8"))
    return report


def a_run(folder: Path) -> RunFolder:
    findings = [
        about_document(
            "loc.geen-https", url="http://www.a.nl/1.pdf", seen="http://www.a.nl/1.pdf", element="loc"
        ),
        about_document("titel.ontbreekt", number=2),
        about_document("titel.ontbreekt", number=3),
        about_host("robots.ontbreekt", host=OTHER),
        Finding(code="register.onbereikbaar"),
    ]
    accounts = [
        read(harvested=4, unchanged=2, findings=findings),
        Account(OTHER, visited=True, complete=False),
    ]
    return write_run(folder, accounts, findings, **{"woo/register/date": "2026-11-20", "start_time": "x"})


def many(number: int) -> list[Account]:
    return [read(f"www.{each}.nl", harvested=1) for each in range(number)]


def links(page: Path) -> list[Path]:
    """Return the files to which the links of a page lead, without those to places in it."""
    hrefs = html.parse(page).xpath("//@href")
    return [page.parent / href.partition("#")[0] for href in hrefs if href[0] != "#" and "://" not in href]


def host(*rows: FindingRow, listed: int = 3, **given: Any) -> HostReport:
    return host_report("www.a.nl", *rows, kind=Kind.vergunningen, listed=listed, **given)


def test_a_report_has_what_was_listed_and_what_became_of_it(tmp_path: Path) -> None:
    report = made(a_run(tmp_path / "woo-1"))
    totals = report["totals"]
    assert (totals["hosts"], totals["listed"], totals["harvested"]) == (2, 7, 6)
    assert (totals["errors"], totals["warnings"], totals["notices"]) == (2, 3, 0)
    assert (totals["hosts_without_documents"], totals["hosts_incomplete"]) == (1, 1)
    assert totals["funnel"][1] == {
        "stage": "valid",
        "documents": 6,
        "lost": [{"code": "loc.geen-https", "documents": 1}],
    }
    assert [finding["code"] for finding in report["findings"]] == ["register.onbereikbaar"]
    assert report["register"] == {"date": "2026-11-20"}
    assert report["run"] == {
        "name": "woo-1",
        "kind": "woo",
        "started": "x",
        "finished": "2026-11-21T08:00:00.5+01:00",
        "reason": "finished",
        "documents": None,
        "audit": False,
    }


def test_a_host_has_the_keys_of_the_audit(tmp_path: Path) -> None:
    worst, best = made(a_run(tmp_path / "woo-1"))["hosts"]
    assert (worst["host"], worst["listed"], worst["harvested"], worst["score"]) == (OTHER, 0, 0, 5)
    assert (best["host"], best["listed"], best["harvested"]) == (HOST, 7, 6)
    assert best["organisations"] == [ORGANISATION]
    first, second = best["findings"]
    assert (first["code"], first["count"], first["seen"]) == ("loc.geen-https", 1, "http://www.a.nl/1.pdf")
    assert first["snippet"]["after"].splitlines()[1] == "  <loc>https://www.a.nl/1.pdf</loc>"
    assert (second["code"], second["count"], second["line"]) == ("titel.ontbreekt", 2, 2)
    assert (second["alike"], second["also"], second["examples"]) == (
        2,
        [f"https://{HOST}/documenten/3.pdf"],
        [],
    )


def test_findings_without_an_example_are_counted_and_each_element_has_a_fix(tmp_path: Path) -> None:
    code = "waarde.label-onbekend"
    themes = [about_document(code, element="thema", seen=f"thema {number}") for number in range(30)]
    other = about_document(code, element="documentsoort", seen="vel papier")
    (host,) = made(write_run(tmp_path / "woo-1", [read(harvested=31)], [*themes, other]))["hosts"]
    (row,) = host["findings"]
    first: dict[str, Any] = row
    *others, last = row["examples"]
    assert (row["count"], row["not_shown"], row["only_counted"]) == (31, 10, 0)
    assert (first["seen"], last["seen"]) == ("thema 0", "vel papier")
    assert "snippet" in first
    assert "snippet" in last
    assert not [each for each in others if "snippet" in each]


def test_the_points_of_a_host_close(tmp_path: Path) -> None:
    for host in made(a_run(tmp_path / "woo-1"))["hosts"]:
        points = sum(section["points"] or 0 for section in host["sections"])
        of = sum(section["of"] for section in host["sections"])
        cost = sum(finding["points"] for finding in host["findings"])
        assert 100 * points / of + cost == pytest.approx(100, abs=0.01)
        assert host["score"] == int(100 * points / of + 1e-9)
        for part in (part for section in host["sections"] for part in section["parts"]):
            assert part["share"] + sum(part["costs"].values()) == pytest.approx(1, abs=1e-4)


def test_fields_and_categories_are_of_the_records_of_the_run(tmp_path: Path) -> None:
    host = made(a_run(tmp_path / "woo-1"))["hosts"][1]
    fields = {each["field"]: (each["given"], each["of"]) for each in host["fields"]}
    assert fields["publisher"] == (4, 4)
    assert fields["thema"] == (0, 4)
    assert host["categories"] == [
        {"id": CATEGORY.uri, "label": CATEGORY.label, "article": "3.3, 2, i", "documents": 4}
    ]


def test_a_category_that_only_newer_lists_have_is_not_called_unknown(tmp_path: Path) -> None:
    account = read(harvested=1)
    new = f"{CATEGORY.uri}0"
    account.categories = {new: 2, UNKNOWN_CATEGORY.uri: 1}
    (host,) = made(write_run(tmp_path / "woo-1", [account]))["hosts"]
    labels = {each["id"]: each["label"] for each in host["categories"]}
    assert labels == {new: new, UNKNOWN_CATEGORY.uri: "onbekend"}


def test_a_report_is_valid_by_its_schema(tmp_path: Path) -> None:
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
    history = History(tmp_path / "history")
    for name in ("woo-1", "woo-2"):
        report = made(a_run(tmp_path / name), history=history)
        jsonschema.Draft202012Validator(schema).validate(report)


def test_hosts_are_worst_first(tmp_path: Path) -> None:
    lost = [about_document("document.leeg", host="half.nl", number=number) for number in range(5)]
    warned = [about_document("titel.ontbreekt", host="warned.nl")]
    findings = [*lost, *warned, about_host("robots.ontbreekt", host="none.nl")]
    accounts = [
        read("good.nl", harvested=5),
        read("warned.nl", harvested=5, findings=warned),
        read("half.nl", harvested=5, findings=lost),
        read("empty.nl"),
        Account("none.nl", visited=True),
        Account("unvisited.nl"),
    ]
    report = made(write_run(tmp_path / "woo-1", accounts, findings))
    assert [host["host"] for host in report["hosts"]] == [
        "none.nl",
        "empty.nl",
        "unvisited.nl",
        "half.nl",
        "warned.nl",
        "good.nl",
    ]


def test_a_report_of_a_killed_run_is_made_of_its_findings(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "woo-1")
    folder.accounts.unlink()
    folder.stats.unlink()
    os.utime(folder.findings, (1_795_244_400, 1_795_244_400))
    report = made(folder, history=History(tmp_path / "history"))
    assert {host["host"]: host["score"] for host in report["hosts"]} == {HOST: None, OTHER: None}
    assert report["run"]["finished"] is None
    assert report["hosts"][0]["history"][0]["at"] == "2026-11-21T08:00:00+01:00"


def test_documents_that_the_run_did_not_come_to_are_a_loss_without_a_code(tmp_path: Path) -> None:
    account = read(harvested=1)
    account.count_entries(3, 0)
    (host,) = made(write_run(tmp_path / "woo-1", [account]))["hosts"]
    assert host["funnel"][-1] == {
        "stage": "harvested",
        "documents": 1,
        "lost": [{"code": None, "documents": 3}],
    }


def test_a_second_run_reports_what_changed(tmp_path: Path) -> None:
    history = History(tmp_path / "history")
    first = [about_host("robots.te-groot")]
    assemble_report(write_run(tmp_path / "woo-1", [read(harvested=2)], first), history=history)
    second = [about_host("sitemap.ongeldig")]
    report = made(write_run(tmp_path / "woo-2", [read(unchanged=2, harvested=1)], second), history=history)
    (host,) = report["hosts"]
    assert host["changes"] == {
        "since": "2026-11-21T08:00:00.5+01:00",
        "listed": 2,
        "harvested": 2,
        "score": 95,
        "came": ["sitemap.ongeldig"],
        "stayed": [],
        "mended": ["robots.te-groot"],
        "not_looked_at": [],
    }
    assert [point["listed"] for point in host["history"]] == [2, 3]
    assert [point["listed"] for point in report["totals"]["history"]] == [2, 3]
    assert {"robots.te-groot", "sitemap.ongeldig"} <= report["explanations"].keys()


def test_a_finding_that_hosts_share_has_one_row(tmp_path: Path) -> None:
    findings = [about_host("sitemap.ongeldig", host=host) for host in (HOST, OTHER)]
    accounts = [read(harvested=1), read(OTHER, harvested=1)]
    (fault,) = made(write_run(tmp_path / "woo-1", accounts, findings))["faults"]
    assert (fault["code"], fault["host_count"], fault["hosts"]) == ("sitemap.ongeldig", 2, [HOST, OTHER])


def test_a_finding_that_costs_less_at_one_host_is_no_more_than_a_notice_there(tmp_path: Path) -> None:
    code = "register.domein-ontbreekt"
    findings = [about_host(code, lowered_to=Severity.INFO), about_host(code, OTHER)]
    accounts = [read(host, harvested=1, findings=findings) for host in (HOST, OTHER)]
    report = made(write_run(tmp_path / "woo-1", accounts, findings))
    rows = {host["host"]: (host["score"], host["findings"][0]["severity"]) for host in report["hosts"]}
    assert rows == {HOST: (100, "info"), OTHER: (97, "warning")}
    assert (report["totals"]["warnings"], report["totals"]["notices"]) == (1, 1)


def test_a_finding_about_a_host_without_an_entry_page_is_in_a_report_of_permits(tmp_path: Path) -> None:
    findings = [about_host("register.domein-ontbreekt", OTHER)]
    report = made(write_run(tmp_path / "vergunningen-1", [read_permits(HOST, harvested=3)], findings))
    assert (report["run"]["kind"], report["totals"]["listed"]) == ("vergunningen", 3)
    assert {host["host"]: host["score"] for host in report["hosts"]} == {HOST: 100, OTHER: None}


def test_a_report_of_permits_is_valid_by_its_schema(tmp_path: Path) -> None:
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))
    finding = about_file("ipm.schema")
    report = made(write_run(tmp_path / "vergunningen-1", [read_permits(HOST, finding)], [finding]))
    jsonschema.Draft202012Validator(schema).validate(report)
    (host,) = report["hosts"]
    assert [step["documents"] for step in host["funnel"]] == [2, 2, 2, 2, 1]
    assert (host["fields"], host["categories"], host["new"]) == ([], [], 1)
    points = sum(section["points"] or 0 for section in host["sections"])
    of = sum(section["of"] for section in host["sections"])
    assert 100 * points / of + host["findings"][0]["points"] == pytest.approx(100, abs=0.01)


def test_permits_of_a_killed_run_have_no_score(tmp_path: Path) -> None:
    (host,) = made(write_run(tmp_path / "vergunningen-1", [], [about_document("ipm.schema")]))["hosts"]
    assert (host["host"], host["score"], host["sections"]) == (HOST, None, [])


def test_what_files_cannot_show_is_not_judged_and_takes_no_part_in_the_score(tmp_path: Path) -> None:
    account = read(harvested=1)
    account.not_judged = ["register", "robots", "connection", "documents", "withdrawal"]
    (host,) = made(write_run(tmp_path / "woo-1", [account]))["hosts"]
    assert host["not_judged"] == account.not_judged
    states = {part["part"]: part["state"] for section in host["sections"] for part in section["parts"]}
    left_out = {"register", "robots", "fetching", "withdrawal"}
    assert {part for part, state in states.items() if state == "not_judged"} == left_out
    assert host["score"] == 100
    weights = {part.name: part.points for part in parts_of(Kind.woo)}
    assert sum(section["of"] for section in host["sections"]) == 100 - sum(weights[part] for part in left_out)


@pytest.mark.parametrize("text", ["", "{}", '{"version": "1.0"}\n'])
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"is no report\.json"):
        read_head(path)


def test_a_report_without_hosts_is_made_too(tmp_path: Path) -> None:
    report = made(write_run(tmp_path / "woo-1", []))
    assert report["hosts"] == []
    assert report["totals"]["listed"] == 0


def test_everything_of_a_run_is_made(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "woo-1", [read(harvested=1), read("b.nl:8443", harvested=1)])
    assert make_report(folder) == folder.page
    assert {path.name for path in folder.path.iterdir()} == {
        "findings.jsonl",
        "hosts.jsonl",
        "stats.json",
        "report.json",
        "report.csv",
        "index.html",
    }
    assert [path.name for path in (tmp_path / "history").iterdir()] == ["woo-1.json.gz"]


def test_a_report_can_be_made_again(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "woo-1", [read(harvested=1)], [about_host("robots.te-groot")])
    first = make_report(folder).read_text(encoding="utf-8")
    assert make_report(folder).read_text(encoding="utf-8") == first


def test_a_run_leaves_as_many_files_in_its_folder_however_many_hosts_it_has(tmp_path: Path) -> None:
    few, much = (make_report(write_run(tmp_path / f"woo-{n}", many(n))).parent for n in (3, 60))
    assert [path.name for path in sorted(much.iterdir())] == [path.name for path in sorted(few.iterdir())]
    assert len(list((tmp_path / "hosts").iterdir())) == 60


def test_the_page_of_a_host_is_that_of_the_last_run_and_links_lead_there_and_back(tmp_path: Path) -> None:
    for run in ("woo-1", "woo-2"):
        overview = make_report(write_run(tmp_path / run, many(60)))
    to_hosts = [path for path in links(overview) if path.parent.name == "hosts"]
    assert len(to_hosts) == 60
    for page in to_hosts:
        assert page.exists()
        assert {path.resolve() for path in links(page)} == {overview}


def test_a_report_that_is_not_current_has_its_hosts_in_its_own_folder(tmp_path: Path) -> None:
    overview = make_report(write_run(tmp_path / "woo-1", many(60)), history=False)
    assert [path.name for path in tmp_path.iterdir()] == ["woo-1"]
    assert len(list((overview.parent / "hosts").iterdir())) == 60
    assert all(path.exists() for path in links(overview))


def test_pages_of_many_hosts_with_permits_lead_to_each_other(tmp_path: Path) -> None:
    accounts = [read_permits(f"www.{number}.nl") for number in range(60)]
    page = make_report(write_run(tmp_path / "vergunningen-1", accounts))
    pages = [found.resolve() for found in links(page)]
    assert (tmp_path / "hosts" / "vergunningen" / "www.7.nl.html") in pages
    assert all(found.exists() for found in pages)
    assert page in [found.resolve() for found in links(tmp_path / "hosts" / "vergunningen" / "www.7.nl.html")]


def test_the_accounts_say_what_a_run_of_a_spider_with_another_name_harvested(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "omgeving-1", [read_permits(HOST)])
    make_report(folder)
    assert read_head(folder.report).run.kind == "vergunningen"


@pytest.mark.parametrize(
    ("row", "listed", "text"),
    [
        (row("ipm.zaak-bekend"), 3, "3 berichten beoordeeld, zonder fouten."),
        (
            row("ipm.datum-nu", 2),
            1,
            "1 bericht beoordeeld, zonder fouten. Daarnaast te verbeteren: 2 waarschuwingen.",
        ),
    ],
)
def test_without_errors_a_supplier_can_be_connected(row: FindingRow, listed: int, text: str) -> None:
    made = verdict(host(row, listed=listed), "nl")
    assert (made.connectable, made.in_the_way, made.text) == (True, [], f"Aansluitbaar: {text}")


def test_a_sample_is_named() -> None:
    assert "(a sample: the entry page names 1,203)" in verdict(host(beyond_sample=1200), "en").text


def test_each_error_is_in_the_way_with_what_it_is() -> None:
    made = verdict(host(row("ipm.schema", 4), row("ipm.datum-nu"), row("host.intern-adres")), "en")
    assert (made.connectable, made.in_the_way) == (False, ["ipm.schema", "host.intern-adres"])
    what = explain("ipm.schema", "en").what.rstrip(".")
    assert f"What is in the way: {what} (ipm.schema, 4 times); " in made.text


@pytest.mark.parametrize(("listed", "complete"), [(0, True), (3, None), (3, False)])
def test_of_what_was_not_read_nothing_is_said(listed: int, complete: bool | None) -> None:
    made = verdict(host(listed=listed, complete=complete), "nl")
    assert (made.connectable, made.text) == (None, "Niet te beoordelen: er is geen bericht gelezen.")


@pytest.mark.parametrize(
    ("passed_over", "listed", "lang", "text"),
    [
        (10, 3, "nl", "Niet gelezen: 10 links waarachter berichten kunnen staan."),
        (1, 3, "en", "Not read: 1 link that may lead to messages."),
        (4, 0, "nl", "er is geen bericht gelezen. Niet gelezen: 4 links waarachter berichten kunnen staan."),
    ],
)
def test_links_that_were_passed_over_are_in_the_verdict(
    passed_over: int, listed: int, lang: Language, text: str
) -> None:
    made = verdict(host(listed=listed, passed_over=passed_over), lang)
    assert text in made.text
    assert made.connectable is (True if listed else None)


@pytest.mark.parametrize("listed", [0, 3])
def test_links_that_were_not_requested_are_neither_messages_nor_passed_over(listed: int) -> None:
    made = verdict(host(listed=listed, not_asked=1200), "en")
    assert made.text.endswith("Not requested, so not judged: 1,200 links that may lead to messages.")
    assert ("3 messages judged, without errors. " in made.text) is bool(listed)
    assert made.connectable is (True if listed else None)
