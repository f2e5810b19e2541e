"""The stored copy of the register."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from tests.register.exports import TODAY, export, organisation, unexpected
from woo_harvester.findings import Finding, Reporter
from woo_harvester.register import Register, RegisterCopy, RegisterError
from woo_harvester.register.stored_copy import read_file

SOURCE = "https://register.nl/exportOO.xml"
MODIFIED = "Fri, 31 Jul 2026 22:30:00 GMT"


def locations(count: int) -> bytes:
    """Return an export of one organisation with this many locations, each on its own host."""
    return export(organisation("A", *[f"https://www{number}.a.nl/" for number in range(count)]))


@pytest.fixture
def copy(tmp_path: Path) -> RegisterCopy:
    return RegisterCopy(tmp_path, SOURCE)


def accept(copy: RegisterCopy, document: bytes, modified: str | None = MODIFIED) -> Register:
    with copy.new_file() as file:
        file.write(document)
        return copy.accept(file, unexpected, TODAY, modified)


def test_an_accepted_register_is_kept_alone_in_its_folder(copy: RegisterCopy) -> None:
    register = accept(copy, locations(4))
    with pytest.raises(RegisterError):
        accept(copy, b"kapot")
    assert list(copy.folder.iterdir()) == [copy.path]
    assert copy.path.read_bytes() == locations(4)
    assert copy.read(unexpected, TODAY).hosts == register.hosts


def test_the_next_request_asks_only_for_a_newer_register(copy: RegisterCopy) -> None:
    assert copy.conditional_headers() == {}
    accept(copy, locations(1))
    assert copy.conditional_headers() == {"If-Modified-Since": MODIFIED}


def test_copies_of_different_sources_do_not_mix(tmp_path: Path) -> None:
    first, second = (RegisterCopy(tmp_path, source) for source in (SOURCE, "https://register.nl/ander.xml"))
    accept(first, locations(9))
    assert second.conditional_headers() == {}
    with pytest.raises(RegisterError):
        second.read_instead("HTTP 404", unexpected, TODAY)
    accept(second, locations(1))
    assert first.read(unexpected, TODAY).location_count == 9


def test_the_copy_stands_in_with_a_finding_for_the_day_of_the_run(copy: RegisterCopy) -> None:
    accept(copy, export(organisation("A", "https://a.nl/", end="2026-11-30")))
    findings: list[Finding] = []
    register = copy.read_instead("HTTP 503", Reporter(findings.append), date(2026, 11, 29))
    assert register.hosts == ("a.nl",)
    assert findings == [
        Finding(
            code="register.onbereikbaar",
            url=SOURCE,
            seen="HTTP 503",
            action="kopie van 2026-08-01 gebruikt",
        )
    ]


def test_without_a_copy_there_is_no_register_and_the_error_says_why(copy: RegisterCopy) -> None:
    with pytest.raises(RegisterError, match=r"register\.nl/exportOO\.xml.*no earlier copy.*HTTP 503"):
        copy.read_instead("HTTP 503", unexpected, TODAY)
    assert not copy.folder.exists()


def test_a_local_file_is_read_as_it_is_and_for_its_day(tmp_path: Path) -> None:
    path = tmp_path / "export.xml"
    path.write_bytes(locations(3))
    assert read_file(path, unexpected, TODAY).location_count == 3
    path.write_bytes(export(organisation("A", "https://a.nl/", end="2026-11-30")))
    assert read_file(path, unexpected, date(2026, 11, 29)).hosts == ("a.nl",)
    os.utime(path, (0, 0))
    assert read_file(path, unexpected, TODAY).date == date(1970, 1, 1)
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
    with pytest.raises(RegisterError, match="directory"):
        read_file(tmp_path, unexpected, TODAY)


def test_the_day_of_a_copy_is_the_dutch_day_that_its_server_gives_else_that_of_the_fetch(
    copy: RegisterCopy,
) -> None:
    assert accept(copy, locations(1)).date == date(2026, 8, 1)
    for header in ("gisteren", "Wed, 31 Jul 2999 22:30:00 GMT", None):
        day = accept(copy, locations(1), header).date
        assert day is not None, header
        assert abs((day - datetime.now(UTC).date()).days) <= 1, header
