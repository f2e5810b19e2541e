"""Permit messages on disk are judged with the core of a harvest, each and together."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.audit.reading import MAXSIZE, Read, entry
from woo_harvester.audit.messages import GivenFiles
from woo_harvester.demo.permit_messages import delete_message, document_message, message
from woo_harvester.demo.sitemaps import robots_txt, sitemap
from woo_harvester.report.accounts import PermitAccount

GOOD = message()
BROKEN = message(aanmaakdatum="gisteren")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "berichten"
    made.mkdir()
    return made


def write(folder: Path, **files: bytes) -> None:
    for name, body in files.items():
        (folder / f"{name}.xml").write_bytes(body)


def permits(read: Read) -> PermitAccount:
    (account,) = [each for each in read.accounts if isinstance(each, PermitAccount)]
    return account


def test_each_message_is_counted_and_what_is_wrong_has_its_file_and_line(folder: Path) -> None:
    write(folder, goed=GOOD, fout=BROKEN)
    read = Read(folder)
    account = permits(read)
    assert (account.host, account.listed, account.harvested_now_or_before) == (str(folder), 2, 1)
    assert (account.complete, account.unfinished, account.lost) == (True, 0, {"ipm.datum": 1})
    assert account.not_judged == ["register", "entry_page", "fetching", "earlier_messages"]
    found = read.about("ipm.datum")
    assert (found.host, found.url, found.sitemap) == (str(folder), str(folder / "fout.xml"), str(folder))
    assert (found.line, found.element, found.seen) == (9, "aanmaakdatum", "gisteren")


def test_one_message_counts_under_its_own_path(folder: Path) -> None:
    write(folder, goed=GOOD, fout=BROKEN)
    assert permits(Read(folder / "goed.xml")).host == str(folder / "goed.xml")


def test_messages_of_one_folder_are_judged_together(folder: Path) -> None:
    write(folder, a=message("U"), b=message("U", aanmaakdatum="2026-04-02"))
    read = Read(folder / "b.xml", folder / "a.xml", folder / "a.xml")
    assert permits(read).listed == 2, "each once"
    assert read.codes == ["ipm.datum-gegenereerd"]
    found = read.about("ipm.datum-gegenereerd")
    assert (found.host, found.url, found.organisation) == (str(folder), str(folder / "b.xml"), None)


def test_what_earlier_messages_may_explain_is_not_reported(folder: Path) -> None:
    write(folder, a=document_message(), b=delete_message(identifier="https://www.a.nl/9"))
    assert Read(folder).codes == []


def test_a_name_without_xml_is_read_if_it_is_given(folder: Path) -> None:
    (folder / "bericht.txt").write_bytes(GOOD)
    assert permits(Read(folder / "bericht.txt")).listed == 1
    write(folder, goed=GOOD)
    assert permits(Read(folder)).listed == 1


def test_a_file_that_is_given_beside_messages_is_judged_as_one(folder: Path) -> None:
    write(folder, a=GOOD, b=b"<!DOCTYPE html><html/>")
    read = Read(folder / "a.xml", folder / "b.xml")
    assert permits(read).host == str(folder)
    assert read.codes == ["ipm.ongeldig"]


def test_a_message_that_is_too_large_is_refused(folder: Path) -> None:
    write(folder, groot=message(title="x" * 10_000))
    assert Read(folder, maxsize=5000).codes == ["ipm.te-groot"]


def test_in_a_mixed_folder_each_kind_has_its_own_account(folder: Path) -> None:
    write(folder, goed=GOOD, sitemap=sitemap(entry()))
    read = Read(folder)
    assert read.codes == []
    assert {account.host: (account.kind, account.listed) for account in read.accounts} == {
        str(folder): ("woo", 1),
        f"{folder} (vergunningen)": ("vergunningen", 1),
    }


def test_messages_beside_a_robots_txt_are_no_sitemaps_that_nothing_names(folder: Path) -> None:
    (folder / "robots.txt").write_bytes(robots_txt("https://www.a.nl/sitemapindex-diwoo.xml").encode())
    write(folder, goed=GOOD)
    read = Read(folder)
    assert "bestand.niet-genoemd" not in read.codes
    assert permits(read).listed == 1


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"a": GOOD}, "vergunningen"),
        ({"a": GOOD, "b": b"<html/>"}, "vergunningen"),
        ({"a": GOOD, "b": sitemap(entry())}, "woo"),
        ({"b": sitemap(entry())}, "woo"),
    ],
)
def test_files_are_about_permits_if_all_of_them_are(folder: Path, files: dict[str, bytes], kind: str) -> None:
    write(folder, **files)
    assert GivenFiles([folder], MAXSIZE).kind == kind
    assert GivenFiles([folder / f"{name}.xml" for name in files], MAXSIZE).kind == kind


def test_a_file_that_disappears_is_an_error_of_the_command(folder: Path) -> None:
    write(folder, goed=GOOD)
    with pytest.raises(OSError, match="weg"):
        Read(folder / "weg.xml")


def test_an_empty_folder_has_not_been_audited(folder: Path) -> None:
    (account,) = Read(folder).accounts
    assert (account.kind, account.complete) == ("woo", None)
