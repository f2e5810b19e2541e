"""The memory for reading large files and malicious ones, measured in a separate process."""

from __future__ import annotations

import gzip
import json
import resource
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.sitemaps.reading import url
from tests.utils.forked_runs import fork
from tests.utils.waiting import STUCK
from woo_harvester.sitemaps.reader import SitemapReader
from woo_harvester.sitemaps.xml_stream import SitemapError

#: Megabytes above what the process had before; a tree of the whole file would take thousands.
BOUND = 80
MB = 1024 * 1024


def zeros(size: int) -> bytes:
    """Return so many megabytes of spaces, compressed."""
    packer = zlib.compressobj(9, wbits=31)
    return b"".join(packer.compress(b" " * MB) for _ in range(size)) + packer.flush()


def times(before: bytes, piece: bytes, count: int, after: bytes = b"") -> Iterator[bytes]:
    """Yield a file in pieces."""
    yield before
    for _ in range(count):
        yield piece
    yield after


def peak() -> float:
    """Return the megabytes that this process had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class Measured(NamedTuple):
    """The cost of reading a file."""

    megabytes: float
    entries: int
    reason: str | None


def read(body: str, result: Path) -> None:
    """Read the file that an expression makes; write the memory that this took."""
    made = eval(body, {"MB": MB, "gzip": gzip, "times": times, "url": url, "zeros": zeros})
    before, reason = peak(), None
    reader = SitemapReader(made, "urlset", 200 * MB)
    try:
        for _ in reader:
            pass
    except SitemapError as error:
        reason = error.reason
    result.write_text(json.dumps([peak() - before, reader.entries, reason]), encoding="utf-8")


def measure(body: str, result: Path) -> Measured:
    """Read the file that an expression makes, in a process of its own."""
    process = fork(read, body, result)
    process.join(STUCK)
    assert process.exitcode == 0
    return Measured(*json.loads(result.read_text(encoding="utf-8")))


def test_a_file_that_is_made_to_fill_the_memory_does_not(tmp_path: Path) -> None:
    for body, reason in [
        # 100 MB inside one element: as text, as elements, as elements in each other, as an attribute.
        ("times(b'<urlset><url><loc>', b'x' * MB, 100)", "te-groot"),
        ("times(b'<urlset><url><loc>', bytes(MB), 100)", "ongeldig"),
        ("times(b'<urlset><url><loc>a</loc><x>', b'<y/>' * (MB // 4), 100)", "te-groot"),
        ("times(b'<urlset><url><loc>a</loc><x>', b'<y>' * (MB // 4), 100)", "ongeldig"),
        ("times(b'<urlset><url><loc a=\"', b'x' * MB, 100)", "te-groot"),
        ("times(b'<urlset><', b'x' * MB, 100)", "te-groot"),
        ("times(b'<urlset><url><!--', b'x' * MB, 100)", "te-groot"),
        ("times(b'<urlset><url><![CDATA[', b'x' * MB, 100)", "te-groot"),
        ("times(b'<urlset><url><loc>x?a=1&b', b'x' * MB, 100)", "te-groot"),
        # The same between the entries, and before the root element.
        ("times(b'<urlset>', b' ' * MB, 100)", "te-groot"),
        ("times(b'<urlset>', b'<note/>' * (MB // 7), 8)", "afgebroken"),
        ("times(b'<!--', b'x' * MB, 100)", "ongeldig"),
        ("times(b'<?xml version=\"1.0\"?>', b' ' * MB, 100)", "ongeldig"),
        ("times(b'<!DOCTYPE urlset [', b'<!ENTITY a \"b\">' * (MB // 15), 100)", "doctype"),
        # Gzip: a thousand times as large as it came, packed again, and parts without end.
        ("[zeros(100)]", "ongeldig"),
        ("[gzip.compress(b'<urlset>') + zeros(300)]", "te-groot"),
        ("[gzip.compress(zeros(300))]", "ongeldig"),
        ("times(gzip.compress(b'<urlset>'), gzip.compress(b'') * 10_000, 100)", "ongeldig"),
    ]:
        measured = measure(body, tmp_path / "measured.json")

        assert measured.megabytes < BOUND, body
        assert measured.reason == reason, body


def test_memory_does_not_grow_with_the_number_of_entries(tmp_path: Path) -> None:
    for separator in ["", "\\n"]:
        thousand = f"(url('https://a.nl/' + 'x' * 100) + '{separator}').encode() * 1000"

        measured = measure(f"times(b'<urlset>', {thousand}, 200, b'</urlset>')", tmp_path / "measured.json")

        assert measured.entries == 200_000, separator
        assert measured.reason is None, separator
        assert measured.megabytes < 10, separator
