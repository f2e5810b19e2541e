"""The stored copy of the register."""

from __future__ import annotations

import json
import os
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from tests.register.exports import TODAY, export, organisation, unexpected
from woo_harvester.findings import Finding, Reporter
from woo_harvester.register import Register, RegisterCopy, RegisterError
from woo_harvester.register.stored_copy import CopyInfo, read_file, read_stored

SOURCE = "https://register.nl/exportOO.xml"
FETCHED = datetime(2026, 11, 21, 6, 0, tzinfo=UTC)


def locations(count: int) -> bytes:
    """Return an export of one organisation with this many locations, each on its own host."""
    return export(organisation("A", *[f"https://www{number}.a.nl/" for number in range(count)]))


@pytest.fixture
def copy(tmp_path: Path) -> RegisterCopy:
    return RegisterCopy(tmp_path, SOURCE)


def accept(copy: RegisterCopy, document: bytes, etag: str | None = '"1"') -> Register:
    with copy.new_file() as file:
        file.write(document)
        return copy.accept(
            file,
            unexpected,
            TODAY,
            fetched=FETCHED,
            etag=etag,
            last_modified="Sat, 21 Nov 2026 05:00:00 GMT",
        )


def test_an_accepted_register_is_kept_with_what_is_known_about_it(copy: RegisterCopy) -> None:
    register = accept(copy, locations(4))
    assert register.location_count == 4
    assert copy.path.read_bytes() == locations(4)
    info = copy.info()
    assert info is not None
    assert (info.source, info.fetched) == (SOURCE, "2026-11-21T06:00:00+00:00")
    assert (info.organisations, info.locations) == (1, 4)
    assert copy.read(unexpected, TODAY).hosts == register.hosts


def test_a_register_is_accepted_for_its_day(tmp_path: Path) -> None:
    ended = organisation("B", "https://b.nl/", id="2", end=TODAY.isoformat())
    register = accept(
        RegisterCopy(tmp_path, SOURCE), export(organisation("A", "https://a.nl/", end="2099-12-31"), ended)
    )
    assert register.hosts == ("a.nl",)


def test_nothing_but_the_copy_is_left_in_its_folder(copy: RegisterCopy, tmp_path: Path) -> None:
    accept(copy, locations(4))
    with pytest.raises(RegisterError):
        accept(copy, b"kapot")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["register.json", "register.xml"]


def test_the_next_request_asks_only_for_a_newer_register_unless_the_copy_is_damaged(
    copy: RegisterCopy,
) -> None:
    assert copy.conditional_headers() == {}
    accept(copy, locations(1))
    date = {"If-Modified-Since": "Sat, 21 Nov 2026 05:00:00 GMT"}
    assert copy.conditional_headers() == {"If-None-Match": '"1"', **date}
    accept(copy, locations(1), etag=None)
    assert copy.conditional_headers() == date, "a header that the server did not give is not sent"
    copy.path.write_bytes(locations(2))
    assert copy.conditional_headers() == {}


def test_without_its_facts_the_copy_still_serves(copy: RegisterCopy, tmp_path: Path) -> None:
    accept(copy, locations(2))
    for text in ("", "{", "[]", "{}", '{"source": 1, "etag": 2}', "null", "\ufffe"):
        (tmp_path / "register.json").write_text(text, encoding="utf-8")
        assert (copy.info(), copy.conditional_headers()) == (None, {}), text
        assert copy.read(unexpected, TODAY).location_count == 2, text
        findings: list[Finding] = []
        copy.read_instead("HTTP 500", Reporter(findings.append), TODAY)
        assert [finding.action for finding in findings] == ["eerdere kopie gebruikt"], text


def test_a_register_with_fewer_than_half_of_the_locations_is_refused(copy: RegisterCopy) -> None:
    accept(copy, locations(9))
    with pytest.raises(RegisterError, match="4 Woo locations, fewer than half of the 9"):
        accept(copy, locations(4))
    assert copy.path.read_bytes() == locations(9)
    accept(copy, locations(5))
    assert copy.path.read_bytes() == locations(5)


def test_findings_come_from_an_accepted_register_only(copy: RegisterCopy) -> None:
    accept(copy, locations(4))
    findings: list[Finding] = []
    for count in (1, 4):
        with copy.new_file() as file:
            file.write(export(organisation("A", "geen", *["https://a.nl/"] * count)))
            try:
                copy.accept(file, Reporter(findings.append), TODAY, fetched=FETCHED)
            except RegisterError:
                assert findings == []
    assert [finding.seen for finding in findings] == ["geen"]


def test_copies_of_different_sources_do_not_mix(tmp_path: Path) -> None:
    first = RegisterCopy.of_source(tmp_path, SOURCE)
    second = RegisterCopy.of_source(tmp_path, "https://register.nl/ander.xml")
    accept(first, locations(9))
    assert second.conditional_headers() == {}
    with pytest.raises(RegisterError):
        second.read_instead("HTTP 404", unexpected, TODAY)
    accept(second, locations(1))
    assert first.read(unexpected, TODAY).location_count == 9


def test_a_copy_whose_facts_name_another_source_is_not_compared_with(tmp_path: Path) -> None:
    accept(RegisterCopy(tmp_path, "https://register.nl/ander.xml"), locations(9))
    copy = RegisterCopy(tmp_path, SOURCE)
    assert copy.info() is None
    assert accept(copy, locations(1)).location_count == 1
    assert json.loads((tmp_path / "register.json").read_text(encoding="utf-8"))["source"] == SOURCE


def test_the_copy_stands_in_with_a_finding_that_says_why_and_from_when(copy: RegisterCopy) -> None:
    accept(copy, locations(2))
    findings: list[Finding] = []
    assert copy.read_instead("HTTP 503", Reporter(findings.append), TODAY).location_count == 2
    assert findings == [
        Finding(
            code="register.onbereikbaar",
            url=SOURCE,
            seen="HTTP 503",
            action="kopie van 2026-11-21 gebruikt",
        )
    ]


def test_the_copy_is_read_for_the_day_of_the_run(copy: RegisterCopy) -> None:
    accept(copy, export(organisation("A", "https://a.nl/", end="2026-11-30")))
    findings: list[Finding] = []
    report = Reporter(findings.append)
    assert copy.read_instead("HTTP 503", report, date(2026, 11, 29)).hosts == ("a.nl",)
    assert [finding.code for finding in findings] == ["register.onbereikbaar"]


def test_without_a_copy_there_is_no_register_and_the_error_says_why(tmp_path: Path) -> None:
    copy = RegisterCopy(tmp_path / "nog-niet", SOURCE)
    with pytest.raises(RegisterError, match=r"register\.nl/exportOO\.xml.*no earlier copy.*HTTP 503"):
        copy.read_instead("HTTP 503", unexpected, TODAY)
    assert not copy.folder.exists()


def test_a_local_file_is_read_as_it_is_and_for_its_day(tmp_path: Path) -> None:
    path = tmp_path / "export.xml"
    path.write_bytes(locations(3))
    assert read_file(path, unexpected, TODAY).location_count == 3
    path.write_bytes(export(organisation("A", "https://a.nl/", end="2026-11-30")))
    assert read_file(path, unexpected, date(2026, 11, 29)).hosts == ("a.nl",)
    with pytest.raises(RegisterError, match="no organisation"):
        read_file(path, unexpected, date(2026, 11, 30))


def test_a_local_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "export.xml"
    for document in (None, b"", b"geen register"):
        if document is not None:
            path.write_bytes(document)
        with pytest.raises(RegisterError, match=r"export\.xml") as raised:
            read_file(path, unexpected, TODAY)
        assert len(str(raised.value).splitlines()) == 1, document


def test_a_folder_is_no_register(tmp_path: Path) -> None:
    with pytest.raises(RegisterError, match="directory"):
        read_file(tmp_path, unexpected, TODAY)


def test_the_day_of_a_register_is_that_of_its_server_else_of_its_file(copy: RegisterCopy) -> None:
    assert accept(copy, locations(1)).date == date(2026, 11, 21)
    assert copy.read(unexpected, TODAY).date == date(2026, 11, 21)
    os.utime(copy.path, (0, 0))
    assert read_file(copy.path, unexpected, TODAY).date == date(1970, 1, 1)


def test_without_a_last_modified_the_day_is_that_of_the_fetch() -> None:
    for header in ("gisteren", None):
        info = CopyInfo(SOURCE, "", FETCHED.isoformat(), 1, 1, last_modified=header)
        assert info.date == date(2026, 11, 21)


def test_the_day_of_a_copy_is_a_day_in_the_netherlands_that_its_server_gives() -> None:
    header = "Fri, 31 Jul 2026 22:30:00 GMT"
    info = CopyInfo(SOURCE, "", FETCHED.isoformat(), 1, 1, last_modified=header)
    assert info.date == date(2026, 8, 1)


def test_the_register_of_the_last_run_is_read_without_network(tmp_path: Path) -> None:
    accept(RegisterCopy.of_source(tmp_path, SOURCE), locations(4))
    assert read_stored(SOURCE, tmp_path, unexpected, TODAY).location_count == 4
    path = tmp_path / "roo.xml"
    path.write_bytes(locations(3))
    assert read_stored(str(path), tmp_path, unexpected, TODAY).location_count == 3


@pytest.mark.parametrize("source", [SOURCE, "weg.xml"])
def test_without_a_copy_or_a_file_there_is_no_register(tmp_path: Path, source: str) -> None:
    with pytest.raises(RegisterError, match="cannot be read"):
        read_stored(source, tmp_path, unexpected, TODAY)
