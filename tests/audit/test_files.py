"""Local files give the same findings as online, and those of the schema, without network."""

from __future__ import annotations

import gzip
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.audit.reading import MAXSIZE, Read, entry, terms
from tests.report.snippets import made
from woo_harvester.audit.files import audit_offline
from woo_harvester.audit.messages import GivenFiles
from woo_harvester.demo.mistaken import GOOD, LASTMOD
from woo_harvester.demo.sitemaps import DIWOO_NAMESPACE, Entry, robots_txt, sitemap, sitemapindex
from woo_harvester.findings import explain
from woo_harvester.report.findings_file import WRITTEN_MAX
from woo_harvester.report.json_file import read_head, read_hosts
from woo_harvester.report.model import HostReport
from woo_harvester.report.run_folder import RunFolder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a sitemap with one document and without findings."""
    path = tmp_path / "sitemap.xml"
    path.write_bytes(sitemap(entry()))
    return path


def report_of(folder: Path, *given: Path) -> HostReport:
    audit_offline(GivenFiles(given, MAXSIZE), RunFolder(folder), terms())
    (host,) = read_hosts(folder / "report.json")
    return host


def test_a_good_sitemap_would_be_harvested(file: Path) -> None:
    read = Read(file)
    assert read.codes == []
    account = read.account
    assert (account.host, account.listed, account.harvested_now_or_before) == (str(file), 1, 1)
    assert (account.complete, account.unfinished) == (True, 0)
    assert account.not_judged == ["register", "connection", "documents", "withdrawal", "robots"]


def test_a_file_that_is_given_twice_is_read_once(file: Path) -> None:
    assert Read(file, file).account.listed == 1


def test_what_is_found_of_an_entry_is_what_a_harvest_finds(file: Path) -> None:
    wrong = [
        entry(),
        entry(),
        Entry(loc="http://www.a.nl/x.pdf", lastmod=LASTMOD),
        Entry(lastmod=LASTMOD),
        entry("film.mp4", replace(GOOD, format=None)),
        entry("zonder-titel.pdf", replace(GOOD, titel=None), "gisteren"),
    ]
    file.write_bytes(sitemap(*wrong))
    read = Read(file)
    assert set(read.codes) == {
        "loc.dubbel",
        "loc.geen-https",
        "loc.ontbreekt",
        "format.niet-ondersteund",
        "titel.ontbreekt",
        "lastmod.ongeldig",
    }
    account = read.account
    assert (account.listed, account.repeated, account.records, account.unfinished) == (5, 1, 2, 0)
    assert read.about("loc.geen-https").sitemap == str(file)
    assert read.about("loc.geen-https").line == 5


def test_metadata_are_checked_against_the_schema_with_the_line_of_the_element(file: Path) -> None:
    text = sitemap(entry()).decode()
    file.write_text(text.replace("<diwoo:creatiedatum>", "\n\n<diwoo:creatiedatum soort='x'>"))
    found = Read(file).about("metadata.schema")
    assert (found.line, found.element) == (5, "DiWoo/creatiedatum")
    assert found.seen == "het attribuut soort hoort hier niet"


def test_a_schema_fault_is_reported_with_its_place_until_it_is_fixed(file: Path, tmp_path: Path) -> None:
    file.write_bytes(sitemap(entry()).replace(b"<diwoo:creatiedatum>", b"<diwoo:creatiedatum soort='x'>"))
    (row,) = [row for row in report_of(tmp_path / "wrong", file).findings if row.code == "metadata.schema"]
    page = (tmp_path / "wrong" / "index.html").read_text(encoding="utf-8")
    assert explain("metadata.schema").mend in page
    assert (row.sitemap, row.line) == (str(file), 3)
    assert row.points > 0
    file.write_bytes(sitemap(entry()))
    assert report_of(tmp_path / "fixed", file).findings == []


def test_of_many_schema_faults_in_a_document_each_is_reported(file: Path, tmp_path: Path) -> None:
    wrong = b"".join(b"<diwoo:eigen%d/>" % number for number in range(59))
    file.write_bytes(sitemap(entry()).replace(b"<diwoo:creatiedatum>", wrong + b"<diwoo:creatiedatum>"))
    faults = [fault for fault in Read(file).findings if fault.code == "metadata.schema"]
    assert {fault.element for fault in faults} >= {f"DiWoo/eigen{number}" for number in range(20, 59)}


def test_of_a_frequent_mistake_most_findings_are_only_counted(file: Path, tmp_path: Path) -> None:
    many = WRITTEN_MAX + 500
    file.write_bytes(gzip.compress(sitemap(entry()).replace(b"</urlset>", b"<url/>" * many + b"</urlset>")))
    host = report_of(tmp_path / "report", file)
    (row,) = [row for row in host.findings if row.code == "loc.ontbreekt"]
    assert (row.count, row.alike, row.not_shown, row.only_counted) == (many, many, 0, 500)
    assert host.listed == many + 1
    assert len((tmp_path / "report" / "findings.jsonl").read_bytes().splitlines()) == WRITTEN_MAX + 1
    assert "In findings.jsonl zijn er 500 alleen geteld." in (tmp_path / "report" / "index.html").read_text()


@pytest.mark.parametrize("second", ["2024-03-01", "2024-05-01"])
def test_a_second_entry_for_a_document_says_which_counts(file: Path, second: str) -> None:
    file.write_bytes(sitemap(entry(lastmod="2024-04-02"), entry(lastmod=second)))
    found = Read(file).about("loc.dubbel")
    assert found.seen == second
    assert "is deze nieuwer, dan telt zij vanaf de volgende oogst" in (found.action or "")


def test_a_document_whose_type_only_its_server_knows_counts_as_harvested(file: Path) -> None:
    file.write_bytes(sitemap(entry("documenten/1/download", replace(GOOD, format=None))))
    assert Read(file).account.records == 1


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        (b"<html><body/></html>", "sitemap.ongeldig", 1),
        (b"<rss/>", "sitemap.wortelelement", 1),
        (b"geen xml", "sitemap.ongeldig", 1),
        (b"", "sitemap.ongeldig", None),
        (sitemap(entry())[:-20], "sitemap.afgebroken", 3),
        (sitemap(entry()).replace(b"?>", b"?>\n<!DOCTYPE urlset>", 1), "sitemap.doctype", 3),
        (sitemap(entry()).replace(b"</loc>", b"</lok>"), "sitemap.ongeldig", 3),
    ],
)
def test_a_file_that_is_no_sitemap_is_reported_with_its_line(
    file: Path, content: bytes, code: str, line: int | None
) -> None:
    file.write_bytes(content)
    read = Read(file)
    found = read.about(code)
    assert (found.url, found.line, found.severity) == (str(file), line, "error")
    assert read.account.complete is False
    assert read.account.sitemaps == 1


def test_a_file_that_is_not_well_formed_is_read_if_what_was_meant_is_certain(file: Path) -> None:
    body = sitemap(entry("?a=1&b=2"), entry("?a=3&b=4")).replace(b"&amp;", b"&")
    file.write_bytes(body.replace(f' xmlns:diwoo="{DIWOO_NAMESPACE}"'.encode(), b""))
    read = Read(file)
    assert read.about("sitemap.ampersand").line == 3
    assert read.about("sitemap.voorvoegsel").seen == "diwoo"
    assert (read.account.listed, read.account.records, read.account.complete) == (2, 2, True)
    file.write_bytes(body.replace(b"</url>", b"</lok>", 2).replace(b"</lok>", b"</url>", 1))
    read = Read(file)
    assert read.about("sitemap.ongeldig").action == "ongeveer 1 document niet gelezen"
    assert (read.account.listed, read.account.complete) == (1, False)


def test_the_schema_is_checked_where_metadata_are_in_another_place(file: Path) -> None:
    file.write_bytes(sitemap(entry()).replace(b"<diwoo:Document>", b"").replace(b"</diwoo:Document>", b""))
    read = Read(file)
    assert read.about("metadata.plaats").seen == "DiWoo"
    assert "metadata.ontbreekt" not in read.codes
    file.write_bytes(
        sitemap("<url><loc>https://a.nl/1.pdf</loc><diwoo:DiWoo><diwoo:wijk/></diwoo:DiWoo></url>")
    )
    assert Read(file).about("metadata.element-onbekend").element == "wijk"


def test_a_packed_sitemap_is_read(tmp_path: Path) -> None:
    path = tmp_path / "sitemap.xml.gz"
    path.write_bytes(gzip.compress(sitemap(entry(), entry("2.pdf"))))
    assert Read(path).account.listed == 2


def test_a_file_beyond_the_bound_is_read_up_to_it(file: Path) -> None:
    file.write_bytes(sitemap(*(entry(f"{number}.pdf") for number in range(500))))
    read = Read(file, maxsize=300_000)
    assert "sitemap.te-groot" in read.codes
    assert 0 < read.account.listed < 500


def test_the_entries_of_a_file_decide_whether_it_is_a_sitemap(file: Path) -> None:
    file.write_bytes(sitemap(entry()).replace(b"urlset", b"sitemapindex"))
    read = Read(file)
    assert read.codes == ["sitemap.andere-wortel"]
    assert (read.account.listed, read.account.records) == (1, 1)


@pytest.mark.parametrize(
    "name", [b"sitemap-\xe9.xml", b"sitemapindex-diwoo-\xe9.xml", b"map-\xe9/sitemap.xml"]
)
def test_a_name_that_is_no_utf_8_is_shown_with_question_marks(name: bytes, tmp_path: Path) -> None:
    path = tmp_path / "files" / os.fsdecode(name)
    try:
        path.parent.mkdir(parents=True)
        path.write_bytes(sitemap(entry(lastmod="gisteren")))
    except OSError:  # a file system with names in Unicode only
        assert sys.platform != "linux"
        return
    host = report_of(tmp_path / "report", path)
    assert "?" in host.host
    row = next(row for row in host.findings if row.code == "lastmod.ongeldig")
    assert row.sitemap == host.host


def test_a_folder_without_a_robots_txt_is_one_host_with_all_its_sitemaps(tmp_path: Path, file: Path) -> None:
    (tmp_path / "sitemapindex-diwoo.xml").write_text(sitemapindex(["https://www.a.nl/sitemap.xml"]))
    (tmp_path / "sitemap_index.xml").write_text(sitemapindex(["https://www.a.nl/google.xml"]))
    (tmp_path / "onder").mkdir()
    (tmp_path / "onder" / "nog.xml").write_bytes(sitemap(entry("2.pdf")))
    (tmp_path / "leesmij.md").write_text("geen sitemap")
    read = Read(tmp_path)
    assert read.codes == ["robots.andere-sitemap"]
    assert (read.account.host, read.account.listed) == (str(tmp_path), 2)
    assert "robots" in read.account.not_judged


def test_in_a_folder_of_several_hosts_each_robots_txt_makes_a_host(tmp_path: Path, file: Path) -> None:
    for host in ("www.a.nl", "www.b.nl"):
        index = f"https://{host}/sitemapindex-diwoo.xml"
        (tmp_path / host).mkdir()
        (tmp_path / host / "robots.txt").write_text(robots_txt(index))
        (tmp_path / host / "sitemapindex-diwoo.xml").write_text(sitemapindex([f"https://{host}/sitemap.xml"]))
        (tmp_path / host / "sitemap.xml").write_bytes(sitemap(entry(f"{host}.pdf")))
    read = Read(tmp_path)
    assert read.codes == []
    assert {account.host: account.listed for account in read.accounts} == {
        str(tmp_path / "www.a.nl"): 1,
        str(tmp_path / "www.b.nl"): 1,
        str(tmp_path): 1,
    }


def test_a_file_that_cannot_be_opened_is_an_error_of_the_disk(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Read(tmp_path / "weg.xml")


# The report


def test_a_report_of_files_scores_only_what_files_can_show(file: Path, tmp_path: Path) -> None:
    host = report_of(tmp_path / "run", file)
    states = {part.part: part.state for section in host.sections for part in section.parts}
    assert host.score == 100
    left_out = {part for part, state in states.items() if state == "not_judged"}
    assert left_out == {"register", "robots", "fetching", "withdrawal"}
    assert states["index"] == "not_applicable"
    assert states["metadata"] == "passed"
    assert read_head(tmp_path / "run" / "report.json").run.documents == "none"
    assert not (tmp_path / "history").exists()


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ("<item>", "sitemap.element-onbekend"),
        ("<urls><url>", "sitemap.element-onbekend"),
        ("<URL>", "sitemap.hoofdletters"),
        ("<Url>", "sitemap.hoofdletters"),
    ],
)
def test_the_fix_of_entries_of_another_name_gives_a_good_file(file: Path, wrong: str, code: str) -> None:
    right = sitemap(entry(), entry("2.pdf")).decode()
    ends = "".join(f"</{name}" for name in reversed(wrong.split("<")[1:]))
    file.write_text(right.replace("<url>", wrong).replace("</url>", ends))
    read = Read(file)
    assert read.codes == [code]
    fix = made(read.findings[0])
    first = wrong.partition(">")[0] + ">"
    assert first in fix.before
    assert first not in fix.after
    assert "<url>" in fix.after
    file.write_text(right)
    assert Read(file).codes == []


def test_a_folder_whose_entries_have_another_name_is_no_folder_without_mistakes(tmp_path: Path) -> None:
    (tmp_path / "sitemapindex-diwoo.xml").write_text(sitemapindex(["https://www.a.nl/s.xml"]))
    (tmp_path / "s.xml").write_bytes(sitemap(entry()).replace(b"url>", b"item>"))
    read = Read(tmp_path)
    assert (read.codes, read.account.complete) == (["sitemap.element-onbekend"], False)
