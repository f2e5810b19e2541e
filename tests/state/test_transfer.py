from __future__ import annotations

import csv
import json
import os
import zlib
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from tests.state.knowledge import harvest, locs, sitemap_of
from woo_harvester.state import exported, schema
from woo_harvester.state.documents import BATCH
from woo_harvester.state.exported import ExportedError, Format, read, write
from woo_harvester.state.resources import keep_read, resource_of
from woo_harvester.state.rows import COLUMNS, DocumentRow, FileRow, HostRow, Row
from woo_harvester.state.store import NOWHERE, State
from woo_harvester.state.transfer import export, replace

FORMATS = get_args(Format)
SITEMAP = "https://a.nl/s.xml"
HOST = HostRow(host="a.nl")
FILE = FileRow(host="a.nl", url=SITEMAP, type="sitemap", index="https://a.nl/i.xml")


def document(loc: str = "https://a.nl/d.pdf", **values: Any) -> DocumentRow:
    return DocumentRow.model_construct(host="a.nl", loc=loc, sitemap=SITEMAP, first_seen=5, **values)


@pytest.fixture
def other() -> Iterator[State]:
    opened = State.open(NOWHERE)
    yield opened
    opened.close()


def rows_of(state: State, *hosts: str) -> list[Row]:
    with state.snapshot() as connection:
        return list(export(connection, hosts or None))


def transfer(rows: list[Row], path: Path, form: Format) -> list[Row]:
    """What comes out of a file that rows were written to."""
    with path.open("w", encoding="utf-8", newline="") as file:
        write(rows, file, form)
    return list(read(path, form))


def fill(state: State) -> None:
    """Two hosts, with all that a state can know."""
    with state.begin() as connection:
        values = {"lastmod": -1, "first_seen": 0, "published": "1969-12-31", "harvested": 7}
        sitemap = sitemap_of(connection)
        keep_read(connection, sitemap, etag='W/"é,;\'"', last_modified="gisteren", digest=b"\x00" * 32, at=9)
        harvest(connection, sitemap, locs(BATCH + 5))
        connection.execute(
            schema.documents.insert().values(
                loc='https://a.nl/één,"twee".pdf',
                sitemap_id=sitemap,
                withdrawn=8,
                entry_digest=b"\xff",
                sha256=b"\x01" * 32,
                etag="e",
                **values,
            )
        )
        host = connection.scalar(select(schema.hosts.c.id))
        assert host is not None
        robots = resource_of(connection, host, "https://a.nl/robots.txt", "robots")
        keep_read(
            connection, robots.id, etag=None, last_modified=None, digest=None, at=9, content=b"\xff\x00"
        )
        connection.execute(schema.hosts.update().values(complete_at=3, held_runs=2, confirmed=True))
        harvest(connection, sitemap_of(connection, "b.nl:8443"), locs(2, "b.nl:8443"))


@pytest.mark.parametrize("form", FORMATS)
def test_everything_that_is_known_comes_over_exactly(
    state: State, other: State, tmp_path: Path, form: Format
) -> None:
    fill(state)
    rows = rows_of(state)
    assert len(rows) == 2 + 3 + BATCH + 6 + 2
    assert transfer(rows, tmp_path / "export", form) == rows
    assert replace(other, rows) == BATCH + 8
    assert rows_of(other) == rows


def test_importing_twice_is_importing_once(state: State, other: State) -> None:
    fill(state)
    rows = rows_of(state)
    for _ in range(2):
        replace(other, rows)
    assert rows_of(other) == rows


def test_only_the_hosts_that_are_asked_for_are_exported(state: State) -> None:
    fill(state)
    assert {row.host for row in rows_of(state, "b.nl:8443")} == {"b.nl:8443"}
    assert rows_of(state, "onbekend.nl") == []


def test_an_imported_host_takes_the_place_of_what_was_known_and_others_stay(
    state: State, other: State
) -> None:
    fill(other)
    before = rows_of(other, "b.nl:8443")
    replace(other, [HOST, FILE, document()])
    assert rows_of(other, "a.nl") == [HOST, FILE, document()]
    assert rows_of(other, "b.nl:8443") == before


def test_a_document_that_another_host_had_moves_and_that_hosts_sitemap_is_read_whole(other: State) -> None:
    with other.begin() as connection:
        sitemap = sitemap_of(connection, "b.nl")
        harvest(connection, sitemap, ["https://a.nl/d.pdf", "https://b.nl/d.pdf"])
        keep_read(connection, sitemap, etag='"e"', last_modified=None, digest=b"d", at=9)
    replace(other, [HOST, FILE, document()])
    assert document() in rows_of(other, "a.nl")
    _, file, only = rows_of(other, "b.nl")
    assert isinstance(file, FileRow)
    assert (file.etag, file.digest) == (None, None)
    assert isinstance(only, DocumentRow)
    assert only.loc == "https://b.nl/d.pdf"


def test_a_host_is_replaced_whole_or_not_at_all(other: State) -> None:
    replace(other, [HOST, FILE, document()])

    def broken() -> Iterator[Row]:
        yield from (HOST, FILE)
        raise InterruptedError

    with pytest.raises(InterruptedError):
        replace(other, broken())
    assert rows_of(other) == [HOST, FILE, document()]


MOMENTS = st.integers(-62_000_000_000, 253_000_000_000)
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=20)
DOCUMENTS = st.builds(
    document,
    lastmod=st.none() | MOMENTS.map(lambda value: value * 1_000_000 + value % 999_983),
    published=st.none() | st.dates().map(str),
    harvested=st.none() | MOMENTS,
    withdrawn=st.none() | MOMENTS,
    entry_digest=st.none() | st.binary(min_size=1, max_size=32),
    sha256=st.none() | st.binary(min_size=1, max_size=32),
    etag=st.none() | TEXTS,
)
FILES = st.builds(
    FileRow.model_construct,
    host=st.just("a.nl"),
    url=st.just(SITEMAP),
    type=st.sampled_from(["robots", "index", "sitemap"]),
    index=st.none() | TEXTS,
    last_modified=st.none() | TEXTS,
    read_at=st.none() | MOMENTS,
    content=st.none() | st.binary().map(zlib.compress),
)


@pytest.mark.parametrize("form", FORMATS)
@given(file=FILES, one=DOCUMENTS)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_row_comes_out_of_a_file_as_it_went_in(
    tmp_path: Path, form: Format, file: FileRow, one: DocumentRow
) -> None:
    rows: list[Row] = [HOST, file, one]
    assert transfer(rows, tmp_path / "export", form) == rows


def lines_of(*rows: Row) -> str:
    return "".join(json.dumps(row.model_dump(mode="json", exclude_none=True)) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("geen json\n", "line 1: Invalid JSON"),
        (lines_of(HOST) + '{"kind": "host"', "line 2: Invalid JSON"),
        ('\n{"kind": "huis"}\n', "line 2: .*'host', 'file', 'document'"),
        ('{"kind": "host"}\n', "line 1: host: Field required"),
        ('{"kind": "host", "host": "A.NL"}\n', "line 1: host: expected a host such as www.a.nl"),
        ('{"kind": "host", "host": "a.nl/x"}\n', "line 1: host: expected a host such as www.a.nl"),
        ('{"kind": "host", "host": "a.nl", "naam": 1}\n', "line 1: naam: Extra inputs are not permitted"),
        ('{"kind": "host", "host": "a.nl", "held_runs": -1}\n', "line 1: held_runs: Input should be"),
        (
            '{"kind": "host", "host": "a.nl", "complete_at": "2024-04-02T08:00:00"}\n',
            "line 1: complete_at: expected a date-time such as 2024-04-02T08:00:00Z",
        ),
        ('{"kind": "host", "host": "a.nl", "complete_at": 5}\n', "line 1: complete_at: expected a date-time"),
        (lines_of(HOST, HOST), "line 2: expected each host once, got a.nl a second time"),
        (lines_of(FILE), "line 1: expected the line of the host a.nl before those of what it has"),
        (lines_of(HOST, HostRow(host="b.nl"), FILE), "line 3: expected the line of the host a.nl before"),
        (lines_of(HOST, FILE, FILE), f"line 3: expected each file of a host once, got {SITEMAP} a second"),
        (lines_of(HOST, document()), f"line 2: expected a line of the sitemap {SITEMAP} before"),
        (
            lines_of(HOST, FILE, document("http://a.nl/d.pdf")),
            "line 3: loc: expected the https URL of a document, got 'http://a.nl/d.pdf'",
        ),
        (
            lines_of(HOST, FILE, document(published="morgen")),
            "line 3: published: Invalid isoformat string: 'morgen'",
        ),
        (
            lines_of(HOST, FILE).replace('"type"', '"digest": "zz", "type"'),
            "line 2: digest: expected hexadecimals, got 'zz'",
        ),
        (
            lines_of(HOST, FILE).replace('"type"', '"content": "eJwLLU4t", "type"'),
            r"line 2: content: expected content that is compressed \(zlib\) and in base64",
        ),
        (lines_of(HOST, FILE).replace('"sitemap"', '"kaart"'), "line 2: type: Input should be 'robots'"),
    ],
)
def test_a_line_that_is_not_right_is_told_with_its_number(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "export.jsonl"
    path.write_text(text)
    with pytest.raises(ExportedError, match=f"export.jsonl, {message}") as caught:
        list(read(path, "jsonl"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("host;naam\na.nl;x\n", "line 1: expected the columns kind, host, .*, got host;naam"),
        ("kind,host\nhost,a.nl,meer\n", "line 2: expected 2 cells, got 1 more"),
        ("kind,host\nhost,a.nl\nhost,\n", "line 3: host: Field required"),
        ("kind,host,held_runs\nhost,a.nl,veel\n", "line 2: held_runs: Input should be a valid integer"),
        ('kind,host\nhost,"a"nl\n', "line 1: "),
    ],
)
def test_a_line_of_csv_that_is_not_right_is_told_with_its_number(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "export.csv"
    path.write_text(text)
    with pytest.raises(ExportedError, match=f"export.csv, {message}"):
        list(read(path, "csv"))


Columns = dict[type[Row], tuple[str, ...]]
INTEGERS: Columns = {HostRow: ("held_runs", "held_documents"), DocumentRow: ("size", "pages")}
DATES: Columns = {
    HostRow: ("complete_at",),
    FileRow: ("read_at",),
    DocumentRow: (
        *("first_seen", "lastmod", "harvested", "withdrawn"),
        *("fault_since", "refused_at", "refused_lastmod"),
    ),
}


def with_value(kind: type[Row], name: str, value: object, path: Path, form: Format) -> Path:
    """A file of a host, a sitemap and a document, one of which has this value."""
    made = [row.model_dump(mode="json", exclude_none=True) for row in (HOST, FILE, document())]
    for row in made:
        if row["kind"] == kind.model_fields["kind"].default:
            row[name] = value
    with path.open("w", encoding="utf-8", newline="") as file:
        if form == "jsonl":
            file.writelines(json.dumps(row) + "\n" for row in made)
        else:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(made)
    return path


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in INTEGERS for name in INTEGERS[kind]])
@pytest.mark.parametrize("value", [2**63, 10**30, -1, -(2**63) - 1])
def test_a_number_that_no_database_holds_is_refused(
    tmp_path: Path, form: Format, kind: type[Row], name: str, value: int
) -> None:
    path = with_value(kind, name, value, tmp_path / "export", form)
    with pytest.raises(ExportedError, match=rf"line \d: {name}: Input should be"):
        list(read(path, form))


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in INTEGERS for name in INTEGERS[kind]])
def test_the_largest_number_that_is_accepted_is_kept(
    state: State, tmp_path: Path, kind: type[Row], name: str
) -> None:
    most = 2**31 - 1 if kind is HostRow else 2**63 - 1
    rows = list(read(with_value(kind, name, most, tmp_path / "export", "jsonl"), "jsonl"))
    replace(state, rows)
    assert rows_of(state) == rows


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in DATES for name in DATES[kind]])
@pytest.mark.parametrize(
    "value", ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00"]
)
def test_a_moment_without_a_date_in_each_zone_is_refused(
    tmp_path: Path, form: Format, kind: type[Row], name: str, value: str
) -> None:
    path = with_value(kind, name, value, tmp_path / "export", form)
    with pytest.raises(ExportedError, match=rf"line \d: {name}: expected a date-time .*, got '{value[:4]}"):
        list(read(path, form))


@pytest.mark.parametrize("value", ["9999-12-31T22:59:59Z", "0001-01-01T00:00:00Z"])
def test_the_earliest_and_latest_lastmod_of_a_sitemap_move(state: State, tmp_path: Path, value: str) -> None:
    path = with_value(DocumentRow, "lastmod", value, tmp_path / "export", "jsonl")
    replace(state, read(path, "jsonl"))
    assert transfer(rows_of(state), tmp_path / "again", "jsonl") == list(read(path, "jsonl"))


def test_content_that_grows_beyond_what_is_kept_is_refused(tmp_path: Path) -> None:
    bomb = b64encode(zlib.compress(bytes(100_000_000))).decode()
    path = with_value(FileRow, "content", bomb, tmp_path / "export", "jsonl")
    with pytest.raises(ExportedError, match="line 2: content: expected content of at most 8388608 bytes"):
        list(read(path, "jsonl"))


def test_a_csv_that_went_through_a_spreadsheet_is_read(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_bytes(b"\xef\xbb\xbfkind,host,confirmed\r\nhost,a.nl,FALSE\r\n")
    assert list(read(path, "csv")) == [HOST]


def test_a_large_content_fits_a_cell(tmp_path: Path) -> None:
    content = zlib.compress(os.urandom(1024 * 1024 - 1000))
    rows: list[Row] = [HOST, FILE.model_copy(update={"content": content})]
    assert transfer(rows, tmp_path / "export", "csv") == rows


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ExportedError, match=r"nergens\.jsonl: No such file or directory"):
        list(read(tmp_path / "nergens.jsonl", "jsonl"))


def test_a_file_in_another_encoding_is_told(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    path.write_bytes(lines_of(HOST).encode("utf-16"))
    with pytest.raises(ExportedError, match=r"export\.jsonl, line 1: 'utf-8' codec"):
        list(read(path, "jsonl"))


def test_documents_are_counted(tmp_path: Path) -> None:
    with (tmp_path / "export").open("w") as file:
        assert exported.write([HOST, FILE, document()], file, "jsonl") == 1
