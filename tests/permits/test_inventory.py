from __future__ import annotations

import csv
import io
import json
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from woo_harvester.findings import Language
from woo_harvester.permits.account import PermitAccount
from woo_harvester.permits.inventory import as_csv, read_inventory, read_suppliers, supplier_page
from woo_harvester.report.html.page import policy
from woo_harvester.report.run_folder import ReportsFolder, RunFolder
from woo_harvester.utils.dates import AMSTERDAM, iso_datetime

AMSTERDAM_URI = "https://identifier.overheid.nl/tooi/id/gemeente/gm0363"
HOST = "www.voorbeeldstad.nl"
APRIL = date(2026, 4, 1), date(2026, 4, 30)


def finding(
    code: str = "ipm.schema", file: str = "1.xml", organisation: str = AMSTERDAM_URI, **given: Any
) -> dict[str, Any]:
    """Return a finding as a run writes it; the run adds the moment."""
    severity = "info" if code in ("ipm.overgeslagen", "ipm.zaak-bekend") else "error"
    url = f"https://{HOST}/xml/{file}"
    return {
        "code": code,
        "severity": severity,
        "url": url,
        "organisation": organisation,
        "host": HOST,
        **given,
    }


def run(
    reports: Path, day: int, *findings: dict[str, Any], complete: bool = True, killed: bool = False
) -> None:
    """Write the report of a run at noon of a day in April."""
    moment = datetime(2026, 4, day, 12, tzinfo=AMSTERDAM)
    folder = reports / f"vergunningen-{moment:%Y-%m-%dT%H-%M-%S.%f}"
    folder.mkdir(parents=True)
    lines = [json.dumps({**line, "at": iso_datetime(moment)}) + "\n" for line in findings]
    (folder / "findings.jsonl").write_text("".join(lines), encoding="utf-8")
    if not killed:
        stats = {"finish_time": iso_datetime(moment + timedelta(hours=1))}
        (folder / "stats.json").write_text(json.dumps(stats), encoding="utf-8")
        RunFolder(folder).write_accounts([PermitAccount(HOST, pages=1, complete=complete)])


def rows(reports: Path) -> list[dict[str, str]]:
    """Return the rows of the inventory of April."""
    return list(csv.DictReader(io.StringIO(as_csv(read_inventory(ReportsFolder(reports), *APRIL, {})))))


def test_each_case_is_a_row_with_what_is_wrong_and_since_when(tmp_path: Path) -> None:
    for day in (1, 2):
        run(tmp_path, day, finding(line=7, element="owmskern/title"), finding("ipm.ongeldig", "3.xml"))
    broken, schema = rows(tmp_path)
    assert broken["code"] == "ipm.ongeldig"
    assert schema.pop("herstel")
    assert schema == {
        "leverancier": HOST,
        "organisatie": AMSTERDAM_URI,
        "naam": "gemeente Amsterdam",
        "code": "ipm.schema",
        "ernst": "fout",
        "wat": "Het bericht voldoet niet aan het XML-schema van Vergunningen IPM 4.0.",
        "url": f"https://{HOST}/xml/1.xml",
        "regel": "7",
        "element": "owmskern/title",
        "gezien": "",
        "sinds": "2026-04-01T12:00:00+02:00",
        "laatst": "2026-04-02T12:00:00+02:00",
        "hersteld": "",
    }


ONE, TWO, FIXED = finding(), finding(file="2.xml"), "2026-04-02T13:00:00+02:00"
ELSEWHERE = "host.niet-geregistreerd"
#: The findings of each day; what is said of its run; and of each error its code and when it was fixed.
STORIES: dict[str, tuple[list[list[dict[str, Any]]], dict[str, bool], list[tuple[str, str]]]] = {
    "a complete run that no longer finds an error": (
        [[ONE, TWO], [ONE]],
        {},
        [("ipm.schema", ""), ("ipm.schema", FIXED)],
    ),
    "an error that is back": ([[ONE], [], [ONE]], {}, [("ipm.schema", "")]),
    "a run that did not read all": ([[ONE], []], {"complete": False}, [("ipm.schema", "")]),
    "a run that was killed": ([[ONE], []], {"killed": True}, [("ipm.schema", "")]),
    "files that are only counted": (
        [[finding(ELSEWHERE)], [finding(ELSEWHERE, "9.xml", count=700)]],
        {},
        [(ELSEWHERE, "")],
    ),
    "a warning that is reported once": (
        [[finding("ipm.zaak-onbekend")], []],
        {},
        [("ipm.zaak-onbekend", "")],
    ),
    "what needs no fix, or is nothing of the host": (
        [[finding("ipm.overgeslagen"), finding("register.onbereikbaar")]],
        {},
        [],
    ),
    "an error of the host": ([[finding("tls.ongeldig")]], {}, [("tls.ongeldig", "")]),
}


def test_an_error_is_fixed_when_a_complete_run_no_longer_finds_it(tmp_path: Path) -> None:
    for name, (days, ended, expected) in STORIES.items():
        for day, found in enumerate(days, start=1):
            run(tmp_path / name, day, *found, **(ended if day == 2 else {}))
        assert [(row["code"], row["hersteld"]) for row in rows(tmp_path / name)] == expected, name


def test_the_first_moment_may_be_before_the_period(tmp_path: Path) -> None:
    run(tmp_path, 1, finding(since="2026-03-02T09:00:00+01:00"))
    assert rows(tmp_path)[0]["sinds"] == "2026-03-02T09:00:00+01:00"


def test_runs_outside_of_the_period_do_not_count(tmp_path: Path) -> None:
    run(tmp_path, 1, finding())
    run(tmp_path, 20, finding("ipm.ongeldig"))
    inventory = read_inventory(ReportsFolder(tmp_path), date(2026, 4, 2), date(2026, 4, 20), {})
    assert (inventory.runs, [case.key[2] for case in inventory.cases]) == (1, ["ipm.ongeldig"])


def test_the_last_line_of_a_run_that_was_killed_is_left_out(tmp_path: Path) -> None:
    run(tmp_path, 1, finding(), killed=True)
    (path,) = tmp_path.glob("*/findings.jsonl")
    path.write_text(path.read_text(encoding="utf-8") + '{"code": "ipm', encoding="utf-8")
    assert len(rows(tmp_path)) == 1


@pytest.mark.parametrize(
    "line",
    [b'{"code": "ipm.schema"}', b"[" * 100_000, b"\xff", b"[]", b"9" * 5000],
    ids=lambda line: repr(line[:6]),
)
@pytest.mark.parametrize("name", ["findings.jsonl", "stats.json"])
def test_a_file_of_a_report_that_no_run_writes_is_named(tmp_path: Path, name: str, line: bytes) -> None:
    run(tmp_path, 1, finding())
    (path,) = tmp_path.glob(f"*/{name}")
    path.write_bytes(line + b"\n")
    if name == "stats.json" and line.startswith(b"{"):
        assert rows(tmp_path), "it has no moment"
    else:
        with pytest.raises(ValueError, match=rf"{name}(, line 1)?: expected "):
            rows(tmp_path)


def test_the_names_of_organisations_are_those_in_the_register_of_the_run(tmp_path: Path) -> None:
    run(tmp_path, 1, finding(organisation="4711"))
    (folder,) = tmp_path.glob("vergunningen-*")
    account = PermitAccount(HOST, complete=True)
    account.add_organisation("4711", "Stichting Het Dorp")
    RunFolder(folder).write_accounts([account])
    assert rows(tmp_path)[0]["naam"] == "Stichting Het Dorp"


def test_a_supplier_is_found_by_name_or_identifier_and_else_the_host_stands_in(tmp_path: Path) -> None:
    run(tmp_path, 1, finding(), finding(organisation="Dorp"), finding(organisation="Elders"))
    given = tmp_path / "leveranciers.csv"
    given.write_text("leverancier,organisatie\nBedrijf A, gemeente AMSTERDAM\nBedrijf B,dorp\n", "utf-8")
    inventory = read_inventory(ReportsFolder(tmp_path), *APRIL, read_suppliers(given))
    assert [(case.supplier, case.name) for case in inventory.cases] == [
        ("Bedrijf A", "gemeente Amsterdam"),
        ("Bedrijf B", "Dorp"),
        (HOST, "Elders"),
    ]
    assert inventory.suppliers() == ["Bedrijf A", "Bedrijf B", HOST]
    given.write_text(f"organisatie,leverancier\n{AMSTERDAM_URI},Bedrijf A\n", "utf-8")
    inventory = read_inventory(ReportsFolder(tmp_path), *APRIL, read_suppliers(given))
    assert inventory.suppliers()[0] == "Bedrijf A"


@pytest.mark.parametrize("lang", ["nl", "en"])
def test_the_page_of_a_supplier_says_what_to_fix_and_nothing_of_others(
    tmp_path: Path, lang: Language
) -> None:
    evil = "<script>alert(1)</script>"
    run(tmp_path, 1, finding(organisation=evil, seen=evil, line=1234), finding(organisation="Dorp"))
    inventory = read_inventory(ReportsFolder(tmp_path), *APRIL, {"dorp": "Bedrijf"}, lang)
    text = supplier_page(inventory, HOST, "beheer@voorbeeld.nl")
    assert evil not in text
    assert "Dorp" not in text
    page = html.document_fromstring(text)
    assert page.xpath("//h2/text()") == [evil]
    (item,) = page.xpath("//li")
    assert ("regel 1.234" if lang == "nl" else "line 1,234") in item.text_content()
    assert item.text_content().count(evil) == 1
    assert "beheer@voorbeeld.nl" in page.text_content()
    assert page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content") == [policy()]
    assert page.xpath("//*[@src] | //link | //*[@style]") == []


def test_no_text_is_a_formula_in_a_spreadsheet(tmp_path: Path) -> None:
    run(tmp_path, 1, finding(organisation="=HYPERLINK(1)"))
    assert rows(tmp_path)[0]["organisatie"] == "'=HYPERLINK(1)"
