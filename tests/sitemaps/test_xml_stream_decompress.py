"""Decompressing gzip, recognised by its content, in any chunks and within limits."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable, Iterable
from functools import reduce
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from woo_harvester.sitemaps.xml_stream import (
    CHUNK_SIZE,
    GUIDE_MAXSIZE,
    MAX_LAYERS,
    MAX_MEMBERS,
    MAX_RATIO,
    CorruptError,
    DecompressError,
    TooLargeError,
    TruncatedError,
    decompress,
)

MAXSIZE = 10_000_000


def unpacked(chunks: Iterable[bytes], maxsize: int = MAXSIZE) -> tuple[bytes, type[DecompressError] | None]:
    """Return the decompressed bytes, and the type of the error at the end."""
    pieces = []
    try:
        for piece in decompress(chunks, maxsize):
            assert 0 < len(piece) <= CHUNK_SIZE
            pieces.append(piece)
    except DecompressError as error:
        return b"".join(pieces), type(error)
    return b"".join(pieces), None


def divided(body: bytes, cuts: list[int]) -> list[bytes]:
    return [body[start:end] for start, end in pairwise([0, *sorted(cuts), len(body)])]


def layered(body: bytes, layers: int) -> bytes:
    """Return the body, packed so often."""
    return reduce(lambda packed, _: gzip.compress(packed), range(layers), body)


CUTS = st.lists(st.integers(0, 200), max_size=20)


@given(st.binary(), CUTS)
@example(b"", [])
@example(b"\x1f", [])
def test_what_is_not_packed_comes_as_it_is(body: bytes, cuts: list[int]) -> None:
    if not body.startswith(b"\x1f\x8b"):
        assert unpacked(divided(body, cuts)) == (body, None)


@given(st.lists(st.binary(max_size=50), min_size=1, max_size=5), st.integers(0, MAX_LAYERS - 1), CUTS)
def test_packed_parts_come_unpacked_and_joined(parts: list[bytes], more: int, cuts: list[int]) -> None:
    body = b"<" + b"".join(parts)
    packed = gzip.compress(b"<") + b"".join(map(gzip.compress, parts))
    assert unpacked(divided(layered(packed, more), cuts)) == (body, None)


def test_a_file_is_unpacked_as_often_as_publishers_pack_it_and_not_more() -> None:
    found = [unpacked([layered(b"x", layers)]) for layers in range(6)]
    assert found == [*[(b"x", None)] * (MAX_LAYERS + 1), *[(b"", CorruptError)] * (5 - MAX_LAYERS)]


def test_every_level_header_and_padding_of_a_packed_file_is_read() -> None:
    for level in (0, 1, 9):
        assert unpacked([gzip.compress(b"abc" * 100_000, level)]) == (b"abc" * 100_000, None), level
    packed = gzip.compress(b"x")
    header = packed[:3] + b"\x18" + packed[4:10] + b"sitemap.xml\0" + b"comment\0"
    assert unpacked([header + packed[10:]]) == (b"x", None)
    for padding in (b"\0", b"\0" * 512, b"\n", b"end"):
        assert unpacked([packed, padding]) == (b"x", None), padding


@given(st.binary(min_size=1), st.data())
def test_a_stream_that_ends_early_gives_all_before_and_an_error(body: bytes, data: st.DataObject) -> None:
    packed = gzip.compress(body)
    cut = data.draw(st.integers(2, len(packed) - 1))
    came, error = unpacked(divided(packed[:cut], data.draw(CUTS)))
    assert body.startswith(came)
    assert error is TruncatedError


def test_all_that_can_be_unpacked_of_a_broken_stream_comes_and_an_error() -> None:
    packer = zlib.compressobj(wbits=31)
    first = packer.compress(b"a" * 1000) + packer.flush(zlib.Z_FULL_FLUSH)
    assert unpacked([first]) == (b"a" * 1000, TruncatedError)
    parts = gzip.compress(b"first"), gzip.compress(b"x")[:10] + b"\xff" * 30
    assert unpacked(parts) == (b"first", CorruptError)
    checksum = bytearray(gzip.compress(b"first"))
    checksum[-5] ^= 1
    assert unpacked([bytes(checksum)])[1] is CorruptError


@given(st.binary())
def test_any_bytes_after_the_mark_of_gzip_end_in_content_or_a_fault(body: bytes) -> None:
    unpacked([b"\x1f\x8b", body])
    unpacked([b"\x1f\x8b\x08\0\0\0\0\0\0\x03", body])


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@given(CUTS, st.integers(30, 300))
def test_beyond_the_bound_exactly_that_many_bytes_come_whatever_the_chunks(
    pack: Callable[[bytes], bytes], cuts: list[int], maxsize: int
) -> None:
    body = b"x" * 200
    came, error = unpacked(divided(pack(body), cuts), maxsize)
    assert came == body[:maxsize]
    assert error is (None if maxsize >= len(body) else TooLargeError)


def test_a_bomb_is_bounded_in_each_layer() -> None:
    came, error = unpacked([gzip.compress(bytes(50_000_000))], maxsize=1_000_000)
    assert (len(came), error) == (1_000_000, TooLargeError)
    nothing = gzip.compress(b"") * 5_000
    assert unpacked([gzip.compress(nothing)], maxsize=len(nothing)) == (b"", None)
    assert unpacked([gzip.compress(nothing)], maxsize=len(nothing) - 1) == (b"", TooLargeError)


def size_of(chunks: Iterable[bytes]) -> tuple[int, str | None]:
    """Return the number of decompressed bytes without a bound on size, and the error at the end."""
    size = 0
    try:
        for piece in decompress(chunks, 10 * GUIDE_MAXSIZE):
            size += len(piece)
    except TooLargeError as error:
        return size, str(error)
    return size, None


def test_beyond_the_size_of_the_guide_a_file_has_only_so_many_times_the_bytes_that_came() -> None:
    for layers in [1, 2]:
        bomb = layered(bytes(2 * GUIDE_MAXSIZE), layers)
        assert size_of([layered(bytes(GUIDE_MAXSIZE), layers)]) == (GUIDE_MAXSIZE, None), layers
        assert size_of([bomb]) == (GUIDE_MAXSIZE, f"more than {GUIDE_MAXSIZE} bytes from {len(bomb)}"), layers


def test_the_same_metadata_in_each_entry_are_no_bomb() -> None:
    metadata = "".join(f"<diwoo:veld{n}>{n * 7919 % 1000} van gemeente</diwoo:veld{n}>" for n in range(30))
    entry = "<url><loc>https://a.nl/{:07}.pdf</loc>" + metadata + "</url>"
    packer = zlib.compressobj(9, wbits=31)
    packed = b"".join(packer.compress(entry.format(n).encode()) for n in range(GUIDE_MAXSIZE // 1000))
    packed += packer.flush()
    size, error = size_of([packed])
    assert error is None
    assert 100 * len(packed) < size > GUIDE_MAXSIZE, f"{size // len(packed)} times, which shows nothing"
    assert size < MAX_RATIO * len(packed)


def test_a_stream_without_end_is_refused() -> None:
    part = gzip.compress(b"")
    assert unpacked([part * MAX_MEMBERS]) == (b"", None)
    assert unpacked([part * (MAX_MEMBERS + 1)]) == (b"", CorruptError)
    chunks = iter([b"x" * 100] * 3)
    assert unpacked(chunks, maxsize=150) == (b"x" * 150, TooLargeError)
    assert len(list(chunks)) == 1, "no more is asked for once the bound is passed"
