from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.state.exports import FILE, HOST, LISTING, SITEMAP, document, transfer
from woo_harvester.state import rows as kinds
from woo_harvester.state.exported import ExportedError, read
from woo_harvester.state.rows import Row, row_line

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
    restore=st.none() | st.booleans(),
)
LISTINGS = st.builds(
    kinds.LISTING.row,
    host=st.just("a.nl"),
    loc=st.just("https://b.nl/één.pdf"),
    sitemap=st.just(SITEMAP),
    listed=st.booleans(),
    misses=st.integers(0, 2_000_000_000),
    foreign=st.booleans(),
    lastmod=st.none() | MOMENTS.map(lambda value: value * 1_000_000 + value % 999_983),
)
FILES = st.builds(
    kinds.FILE.row,
    host=st.just("a.nl"),
    url=st.just(SITEMAP),
    type=st.sampled_from(["robots", "index", "sitemap"]),
    index=st.none() | TEXTS,
    last_modified=st.none() | TEXTS,
    read_at=st.none() | MOMENTS,
    content=st.none() | st.binary().map(zlib.compress),
)


@given(file=FILES, one=DOCUMENTS, listing=LISTINGS)
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_row_comes_out_of_a_file_as_it_went_in(tmp_path: Path, file: Row, one: Row, listing: Row) -> None:
    rows: list[Row] = [HOST, file, one, listing]
    assert transfer(rows, tmp_path / "export") == rows


def lines_of(*rows: Row) -> str:
    return "".join(map(row_line, rows))


SITEMAP_LINES = lines_of(HOST, FILE)


def host_line(**values: Any) -> str:
    """Return the line of the host a.nl with these values too."""
    return json.dumps({"kind": "host", "host": "a.nl"} | values) + "\n"


def file_lines(**values: str) -> str:
    """Return the lines of a host and its sitemap, which has these values too."""
    return lines_of(HOST) + json.dumps(json.loads(row_line(FILE)) | values) + "\n"


def listing_lines(**values: Any) -> str:
    """Return the lines of a host with a listing, with another value for one cell."""
    return SITEMAP_LINES + json.dumps(json.loads(row_line(LISTING)) | values) + "\n"


HOST_FIRST = "expected the line of the host a.nl before those of what it has"
SITEMAP_FIRST = f"expected a line of the sitemap {SITEMAP} before"
CONTENT = r"line 2: content: expected content that is compressed \(zlib\) and in base64"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("geen json\n", "line 1: Invalid JSON"),
        (lines_of(HOST) + '{"kind": "host"', "line 2: Invalid JSON"),
        ('\n{"kind": "huis"}\n', "line 2: .*'host', 'file', 'document', 'listing'"),
        ('{"kind": "host"}\n', "line 1: host: Field required"),
        (host_line(host="A.NL"), "line 1: host: expected a host such as www.a.nl"),
        (host_line(host="a.nl/x"), "line 1: host: expected a host such as www.a.nl"),
        (host_line(naam=1), "line 1: naam: Extra inputs are not permitted"),
        (host_line(complete="misschien"), "line 1: complete: Input should be a valid bool"),
        (host_line(unregistered='{"b.nl": -1}'), "line 1: unregistered: expected JSON such as"),
        (
            host_line(complete_at="2024-04-02T08:00:00"),
            "line 1: complete_at: expected a date-time such as 2024-04-02T08:00:00Z",
        ),
        (host_line(complete_at=5), "line 1: complete_at: expected a date-time"),
        (lines_of(HOST, HOST), "line 2: expected each host once, got a.nl a second time"),
        (lines_of(FILE), f"line 1: {HOST_FIRST}"),
        (lines_of(HOST, kinds.HOST.row(host="b.nl"), FILE), f"line 3: {HOST_FIRST}"),
        (lines_of(HOST, FILE, FILE), f"line 3: expected each file of a host once, got {SITEMAP} a second"),
        (file_lines(digest="zz"), "line 2: digest: expected hexadecimals, got 'zz'"),
        (file_lines(content="eJwLLU4t"), CONTENT),
        (file_lines(content="geen base64"), CONTENT),
        (file_lines(type="kaart"), "line 2: type: Input should be 'robots'"),
        (lines_of(LISTING), f"line 1: {HOST_FIRST}"),
        (lines_of(HOST, LISTING), f"line 2: {SITEMAP_FIRST}"),
        (listing_lines(misses=-1), "line 3: misses: Input should be greater than or equal to 0"),
        (listing_lines(misses=2**63), "line 3: misses: Input should be less than or equal to 2000000000"),
        (listing_lines(loc="http://a.nl/d.pdf"), "line 3: loc: expected the https URL of a document"),
        (listing_lines(lastmod="gisteren"), "line 3: lastmod: expected a date-time such as"),
        (lines_of(HOST, document()), f"line 2: {SITEMAP_FIRST}"),
        (
            SITEMAP_LINES + lines_of(document("http://a.nl/d.pdf")),
            "line 3: loc: expected the https URL of a document, got 'http://a.nl/d.pdf'",
        ),
        (
            SITEMAP_LINES + lines_of(document(published="morgen")),
            "line 3: published: Invalid isoformat string: 'morgen'",
        ),
    ],
)
def test_an_invalid_line_is_reported_with_its_number(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "export.jsonl"
    path.write_text(text)
    with pytest.raises(ExportedError, match=f"export.jsonl, {message}") as caught:
        list(read(path))
    assert "\n" not in str(caught.value)


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"kind": "host", "host": "a.nl"}\r\n')
    assert list(read(path)) == [HOST]


def test_a_large_content_fits_a_line(tmp_path: Path) -> None:
    content = zlib.compress(os.urandom(1024 * 1024 - 1000))
    rows: list[Row] = [HOST, FILE | {"content": content}]
    assert transfer(rows, tmp_path / "export") == rows


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ExportedError, match=r"nergens\.jsonl: No such file or directory"):
        list(read(tmp_path / "nergens.jsonl"))


def test_a_file_in_another_encoding_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    path.write_bytes(lines_of(HOST).encode("utf-16"))
    with pytest.raises(ExportedError, match=r"export\.jsonl, line 1: 'utf-8' codec"):
        list(read(path))
