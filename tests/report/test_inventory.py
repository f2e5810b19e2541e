from __future__ import annotations

import csv
import io
import json
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from woo_harvester.report.accounts import PermitAccount
from woo_harvester.report.funnel import is_repeated
from woo_harvester.report.inventory import ReportError, Suppliers, SuppliersError, file_names, read_inventory
from woo_harvester.report.inventory_formats import as_csv, as_html
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
    return list(csv.DictReader(io.StringIO(as_csv(read_inventory(ReportsFolder(reports), *APRIL)))))


STAD = "https://identifier.overheid.nl/tooi/id/gemeente/gm0001"


def identifier_of(given: str) -> str | None:
    """Return the identifier of an organisation by its name, as the register does."""
    if given == "Bergen":
        raise ValueError("'Bergen' is the name of 2 organisations")
    return STAD if given in (STAD, "Gemeente Stad") else None


def suppliers(folder: Path, text: str | bytes) -> Suppliers:
    path = folder / "leveranciers.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return Suppliers(path, identifier_of)


def test_an_error_comes_with_organisation_first_moment_and_number_of_cases(tmp_path: Path) -> None:
    run(tmp_path, 1, finding(), finding(file="2.xml"), finding("ipm.ongeldig", "3.xml"))
    run(tmp_path, 2, finding(), finding(file="2.xml"), finding("ipm.ongeldig", "3.xml"))
    schema, broken = rows(tmp_path)
    assert schema == {
        "organisatie": AMSTERDAM_URI,
        "naam": "gemeente Amsterdam",
        "code": "ipm.schema",
        "ernst": "fout",
        "wat": "Het bericht voldoet niet aan het XML-schema van Vergunningen IPM 4.0.",
        "sinds": "2026-04-01T12:00:00+02:00",
        "gevallen": "2",
        "open": "2",
        "hersteld": "",
        "leverancier": HOST,
    }
    assert (broken["code"], broken["gevallen"]) == ("ipm.ongeldig", "1")


def test_an_error_that_a_complete_run_no_longer_finds_was_fixed_then(tmp_path: Path) -> None:
    run(tmp_path, 1, finding(), finding(file="2.xml"))
    run(tmp_path, 2, finding())
    (row,) = rows(tmp_path)
    assert (row["gevallen"], row["open"], row["hersteld"]) == ("2", "1", "")
    run(tmp_path, 3)
    (row,) = rows(tmp_path)
    assert (row["gevallen"], row["open"], row["hersteld"]) == ("2", "0", "2026-04-03T13:00:00+02:00")


@pytest.mark.parametrize("ended", [{"complete": False}, {"killed": True}])
def test_a_run_that_read_no_entry_page_fixes_nothing(ended: dict[str, bool], tmp_path: Path) -> None:
    run(tmp_path, 1, finding())
    run(tmp_path, 2, **ended)
    assert rows(tmp_path)[0]["open"] == "1"


def test_an_error_of_which_files_are_only_counted_is_not_known_to_be_fixed(tmp_path: Path) -> None:
    code = "host.niet-geregistreerd"
    run(tmp_path, 1, finding(code), finding(code, "2.xml"))
    run(tmp_path, 2, finding(code, "2.xml"), finding(code, "9.xml", count=700))
    (row,) = rows(tmp_path)
    assert (row["gevallen"], row["open"]) == ("2", "2")


def test_an_error_that_comes_back_is_open_again(tmp_path: Path) -> None:
    run(tmp_path, 1, finding())
    run(tmp_path, 2)
    run(tmp_path, 3, finding())
    (row,) = rows(tmp_path)
    assert (row["sinds"], row["open"], row["hersteld"]) == ("2026-04-01T12:00:00+02:00", "1", "")


def test_the_first_moment_may_be_before_the_period(tmp_path: Path) -> None:
    run(tmp_path, 1, finding(since="2026-03-02T09:00:00+01:00"))
    assert rows(tmp_path)[0]["sinds"] == "2026-03-02T09:00:00+01:00"


def test_runs_outside_of_the_period_do_not_count(tmp_path: Path) -> None:
    run(tmp_path, 1, finding())
    run(tmp_path, 20, finding("ipm.ongeldig"))
    inventory = read_inventory(ReportsFolder(tmp_path), date(2026, 4, 2), date(2026, 4, 20))
    assert inventory.runs == 1
    assert [
        error.explanation.code for organisation in inventory.organisations for error in organisation.errors
    ] == ["ipm.ongeldig"]


def test_findings_that_need_no_fix_are_left_out(tmp_path: Path) -> None:
    run(tmp_path, 1, finding("ipm.overgeslagen"))
    assert rows(tmp_path) == []
    assert "Er is niets gevonden" in as_html(read_inventory(ReportsFolder(tmp_path), *APRIL))


@pytest.mark.parametrize(
    ("code", "codes"),
    [
        ("ipm.schema", ["ipm.schema"]),
        ("robots.te-groot", ["robots.te-groot"]),
        ("tls.ongeldig", ["tls.ongeldig"]),
        ("host.prive-adres", ["host.prive-adres"]),
        ("register.onbereikbaar", []),
    ],
)
def test_errors_of_hosts_and_files_are_to_be_fixed(tmp_path: Path, code: str, codes: list[str]) -> None:
    run(tmp_path, 1, finding(code))
    assert [row["code"] for row in rows(tmp_path)] == codes


def test_an_error_that_is_reported_once_is_not_known_to_be_fixed(tmp_path: Path) -> None:
    assert not is_repeated("ipm.zaak-onbekend")
    run(tmp_path, 1, finding("ipm.zaak-onbekend"))
    run(tmp_path, 2)
    assert (rows(tmp_path)[0]["open"], rows(tmp_path)[0]["hersteld"]) == ("", "")


def test_the_last_line_of_a_run_that_was_killed_is_left_out(tmp_path: Path) -> None:
    run(tmp_path, 1, finding(), killed=True)
    (path,) = tmp_path.glob("*/findings.jsonl")
    path.write_text(path.read_text(encoding="utf-8") + '{"code": "ipm', encoding="utf-8")
    assert len(rows(tmp_path)) == 1


def test_a_report_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    run(tmp_path, 1, {"code": "ipm.schema"})
    with pytest.raises(ReportError, match=r"findings\.jsonl, line 1: expected a finding"):
        rows(tmp_path)


@pytest.mark.parametrize(
    "line", [b"[" * 100_000, b"\xff", b"[]", b"9" * 5000], ids=lambda line: repr(line[:6])
)
@pytest.mark.parametrize("name", ["findings.jsonl", "stats.json"])
def test_a_file_of_a_report_that_no_run_writes_is_named(tmp_path: Path, name: str, line: bytes) -> None:
    run(tmp_path, 1, finding())
    (path,) = tmp_path.glob(f"*/{name}")
    path.write_bytes(line + b"\n")
    with pytest.raises(ReportError, match=rf"{name}(, line 1)?: expected "):
        rows(tmp_path)


@pytest.mark.parametrize("moment", [5, "gisteren", "2026-11-22T08:00:00"])
def test_a_finding_with_an_invalid_moment_is_reported(tmp_path: Path, moment: object) -> None:
    run(tmp_path, 1, finding())
    (path,) = tmp_path.glob("*/findings.jsonl")
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), "at": moment}) + "\n")
    with pytest.raises(ReportError, match=r"findings\.jsonl, line 1: expected a finding"):
        rows(tmp_path)


def test_the_names_of_organisations_are_those_in_the_register_of_the_run(tmp_path: Path) -> None:
    run(tmp_path, 1, finding(organisation="4711"))
    (folder,) = tmp_path.glob("vergunningen-*")
    account = PermitAccount(HOST, complete=True)
    account.add_organisation("4711", "Stichting Het Dorp")
    RunFolder(folder).write_accounts([account])
    assert rows(tmp_path)[0]["naam"] == "Stichting Het Dorp"


def test_a_host_that_was_ended_between_two_entry_pages_fixes_nothing(tmp_path: Path) -> None:
    run(tmp_path, 1, finding())
    run(tmp_path, 2)
    last = max(tmp_path.glob("vergunningen-*"))
    RunFolder(last).write_accounts([PermitAccount(HOST, pages=2, entry_pages={"complete": 1})])
    assert rows(tmp_path)[0]["open"] == "1"
    RunFolder(last).write_accounts([PermitAccount(HOST, pages=2, complete=True, entry_pages={"complete": 2})])
    assert rows(tmp_path)[0]["open"] == "0"


def test_a_message_that_came_too_late_to_be_applied_is_in_it(tmp_path: Path) -> None:
    run(tmp_path, 1, finding("ipm.niet-toegepast", severity="warning"))
    (row,) = rows(tmp_path)
    assert (row["code"], row["ernst"], row["open"]) == ("ipm.niet-toegepast", "waarschuwing", "")


def test_errors_are_grouped_by_supplier_and_else_by_host(tmp_path: Path) -> None:
    elsewhere = finding(organisation="Elders", host="www.elders.nl")
    run(tmp_path, 1, finding(), finding(organisation="Dorp"), elsewhere)
    inventory = read_inventory(
        ReportsFolder(tmp_path),
        *APRIL,
        supplier_of=lambda organisation, name, host: "Bedrijf" if name in ("Elders", "Dorp") else host,
    )
    grouped = {each.name: [one.name for one in each.organisations] for each in inventory.suppliers}
    assert grouped == {"Bedrijf": ["Dorp", "Elders"], HOST: ["gemeente Amsterdam"]}
    assert [each.left for each in inventory.suppliers] == [2, 1]
    assert [each.name for each in inventory.organisations] == ["Dorp", "Elders", "gemeente Amsterdam"]


@pytest.mark.parametrize("given", ["Gemeente Stad", STAD])
def test_an_organisation_is_found_by_its_name_and_by_its_identifier(tmp_path: Path, given: str) -> None:
    found = suppliers(tmp_path, f"organisatie,leverancier\n{given},Bedrijf\n")
    assert found.of(STAD, "Gemeente Stad", "www.stad.nl") == "Bedrijf"
    assert found.of("2", "Gemeente Elders", "www.elders.nl") == "www.elders.nl"


def test_a_name_that_only_the_run_knows_is_found_too(tmp_path: Path) -> None:
    found = suppliers(tmp_path, "\ufeffleverancier,organisatie,opmerking\r\nBedrijf, gemeente dorp ,oud\r\n")
    assert found.of("4711", "Gemeente Dorp", "www.dorp.nl") == "Bedrijf"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected the columns organisatie,leverancier; leverancier and organisatie is missing"),
        ("organisatie;leverancier\nStad;Bedrijf", "expected the columns organisatie,leverancier"),
        ("organisatie,leverancier\nStad\n", "line 2: expected an organisation and its supplier"),
        ("organisatie,leverancier\n,Bedrijf\n", "line 2: expected an organisation and its supplier"),
        ("organisatie,leverancier\nBergen,B\n", "line 2: 'Bergen' is the name of 2 organisations"),
        (
            f"organisatie,leverancier\nGemeente Stad,A\n{STAD},B\n",
            f"line 3: {STAD} has two suppliers, A and B",
        ),
        (b"organisatie,leverancier\n\xff,B\n", "'utf-8' codec can't decode"),
        ('organisatie,leverancier\n"Stad', "unexpected end of data"),
        (b"organisatie,leverancier\n\0\n", "line"),
    ],
)
def test_a_file_that_does_not_say_it_is_refused(tmp_path: Path, text: str | bytes, problem: str) -> None:
    with pytest.raises(SuppliersError) as raised:
        suppliers(tmp_path, text)
    (line,) = str(raised.value).splitlines()
    assert line.startswith(f"{tmp_path / 'leveranciers.csv'}: ")
    assert problem in line


@pytest.mark.parametrize("name", ["", "er-niet.csv"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(SuppliersError, match=str(tmp_path)):
        Suppliers(tmp_path / name, identifier_of)


def test_each_supplier_has_a_page_of_its_own_with_a_plain_name() -> None:
    names = ["Bedrijf Één B.V.", "bedrijf een b.v.", "../../etc", "???", "www.a.nl:8443"]
    assert file_names(names) == {
        "Bedrijf Één B.V.": "bedrijf-een-b.v.html",
        "bedrijf een b.v.": "bedrijf-een-b.v-2.html",
        "../../etc": "etc.html",
        "???": "leverancier.html",
        "www.a.nl:8443": "www.a.nl-8443.html",
    }
