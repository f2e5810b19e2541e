from __future__ import annotations

import asyncio
import contextlib
import gzip
import hashlib
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import skip_or_fail
from woo_harvester.downloader.bodies import (
    FREE_SIZE,
    SPOOL_SIZE,
    BombError,
    Decoder,
    Intake,
    SpoolError,
    UnknownCodingError,
    decoder_for,
)
from woo_harvester.sitemaps.xml_stream import (
    CHUNK_SIZE,
    MAX_MEMBERS,
    MAX_RATIO,
    CorruptError,
    TruncatedError,
)


def add(intake: Intake, *pieces: bytes) -> Intake:
    async def run() -> None:
        for piece in pieces:
            await intake.add(piece)
            if intake.flag is not None:
                break
        await intake.finish()

    asyncio.run(run())
    return intake


def intake_of(file: BytesIO, maxsize: int = 0, coding: str = "") -> Intake:
    return Intake(file, maxsize=maxsize, digest=True, decoder=decoder_for(coding, gzip=True))


MEGABYTE = 1024 * 1024


def decoded(coding: str, data: bytes, step: int = 0) -> bytes:
    """All of it, in pieces of *step* bytes."""
    decoder = decoder_for(coding, gzip=True)
    assert decoder is not None
    step = step or len(data) or 1
    pieces = [data[start : start + step] for start in range(0, len(data), step)]
    found = b"".join(part for piece in pieces for part in decoder.decode(piece))
    decoder.finish()
    return found


WAYS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "gzip, as it was called": ("x-gzip", gzip.compress),
    "gzip with identity": (" Gzip , identity", gzip.compress),
    "gzip in members": (
        "gzip",
        lambda data: gzip.compress(data[:5]) + gzip.compress(b"") + gzip.compress(data[5:]),
    ),
    "gzip with padding": ("gzip", lambda data: gzip.compress(data) + bytes(100)),
    "deflate": ("deflate", zlib.compress),
    "deflate without its header": ("deflate", lambda data: zlib.compress(data, wbits=-15)),
}


def test_a_body_of_any_size_is_written_and_hashed() -> None:
    for size in [0, 1, SPOOL_SIZE - 1, SPOOL_SIZE, 5 * SPOOL_SIZE + 7]:
        for coding in ["", "gzip"]:
            body = (bytes(range(251)) * (size // 251 + 1))[:size]
            sent = gzip.compress(body, 0) if coding else body
            pieces = [sent[start : start + 100_000] for start in range(0, len(sent), 100_000)]
            file = BytesIO()
            intake = add(intake_of(file, coding=coding), *pieces)
            assert file.getvalue() == body, (size, coding)
            assert (intake.size, intake.flag) == (size, None), (size, coding)
            assert intake.digest is not None, (size, coding)
            assert intake.digest.digest() == hashlib.sha256(body).digest(), (size, coding)


def test_no_more_is_written_than_the_bound() -> None:
    for coding in ["", "gzip"]:
        file = BytesIO()
        body = b"0123456789"
        intake = add(intake_of(file, 4, coding), gzip.compress(body) if coding else body)
        assert (file.getvalue(), intake.size, intake.flag) == (b"0123", 4, "maxsize"), coding
        exact = BytesIO()
        assert add(intake_of(exact, 10), body).flag is None, coding


def test_what_is_received_is_bounded_whatever_becomes_of_it() -> None:
    file = BytesIO()
    intake = add(intake_of(file, 1000, "gzip"), *[gzip.compress(b"")] * 100)
    assert (file.getvalue(), intake.flag) == (b"", "maxsize")
    assert intake.received < 1100


def test_what_is_wrong_with_a_coded_body_is_reported() -> None:
    for sent, flag in [
        (gzip.compress(b"besluit", mtime=0)[:-1], "dataloss"),
        (gzip.compress(bytes(range(200)), mtime=0)[:-8] + bytes(8), "coding"),
        (gzip.compress(bytes(20_000_000), mtime=0), "expansion"),
    ]:
        assert add(intake_of(BytesIO(), coding="gzip"), sent).flag == flag, sent


@pytest.mark.parametrize("size", [10, 3 * SPOOL_SIZE])
@pytest.mark.parametrize("coding", ["", "gzip"])
def test_a_file_that_cannot_be_written_is_not_an_error_of_the_connection(size: int, coding: str) -> None:
    body = bytes(size)
    device = Path("/dev/full")
    if not device.exists():
        skip_or_fail("needs the device /dev/full")
    with device.open("wb", buffering=0) as full, pytest.raises(SpoolError, match="TMPDIR"):
        add(
            Intake(full, maxsize=0, digest=False, decoder=decoder_for(coding, gzip=True)),
            gzip.compress(body, 0) if coding else body,
        )


@pytest.mark.parametrize("way", WAYS)
@given(data=st.binary(max_size=2000), step=st.integers(2, 3000))
def test_what_was_coded_is_had_back_however_it_is_cut(way: str, data: bytes, step: int) -> None:
    coding, encode = WAYS[way]
    assert decoded(coding, encode(data), step) == data


def test_a_body_without_the_coding_that_its_server_names_stays_as_it_came() -> None:
    for coding in ("gzip", "x-gzip", "deflate"):
        for body in (
            b"Sitemap: https://www.a.nl/sitemapindex-diwoo.xml\n",
            b"User-agent: *\nDisallow:\n",
            b"\xef\xbb\xbf<?xml version='1.0'?><urlset/>",
            b"<urlset>" + b"<url/>" * 100_000,
            b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj",
            b"PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0",
        ):
            assert decoded(coding, body) == body, (coding, body[:20])
            assert decoded(coding, body, 1024) == body, (coding, body[:20])


def test_there_may_be_nothing_to_undo() -> None:
    for coding in ["", "identity", " Identity ,", ","]:
        assert decoder_for(coding, gzip=True) is None, coding


def test_other_codings_are_refused_by_name() -> None:
    for coding in ["br", "zstd", "gzip, gzip", "gzip, br", "aes128gcm", "compress", "\xff"]:
        with pytest.raises(UnknownCodingError) as caught:
            decoder_for(coding, gzip=True)
        assert str(caught.value) == coding, coding


def test_no_body_at_all_is_not_cut_off() -> None:
    assert decoded("gzip", b"") == b""


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
@given(data=st.binary(min_size=1, max_size=200), left=st.floats(0, 1, exclude_max=True))
def test_a_stream_that_is_cut_off_is_noticed(coding: str, data: bytes, left: float) -> None:
    packed = gzip.compress(data) if coding == "gzip" else zlib.compress(data)
    kept = packed[: max(1, int(len(packed) * left))]
    with pytest.raises(TruncatedError):
        decoded(coding, kept)


@given(st.binary(min_size=1, max_size=300), st.sampled_from(["gzip", "deflate"]), st.integers(1, 400))
def test_no_bytes_crash_it(data: bytes, coding: str, step: int) -> None:
    with contextlib.suppress(CorruptError, TruncatedError, BombError):
        decoded(coding, data, step)


def test_a_bomb_is_noticed_while_it_is_unpacked_in_small_pieces() -> None:
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(bytes(MEGABYTE)) for _ in range(100)) + packer.flush()
    decoder = Decoder(gzip=True)
    sizes: list[int] = []
    with pytest.raises(BombError):
        sizes.extend(map(len, decoder.decode(bomb)))
    assert max(sizes) <= CHUNK_SIZE
    assert sum(sizes) <= max(FREE_SIZE, MAX_RATIO * len(bomb))


def test_up_to_a_size_the_ratio_does_not_matter() -> None:
    assert len(decoded("gzip", gzip.compress(bytes(FREE_SIZE)))) == FREE_SIZE
    with pytest.raises(BombError):
        decoded("gzip", gzip.compress(bytes(FREE_SIZE + 1)))


def test_the_ratio_is_that_of_all_that_came() -> None:
    mixed = bytes(MEGABYTE) * 20 + bytes(range(256)) * 4 * 1024
    packed = gzip.compress(bytes(MEGABYTE) * 9) + gzip.compress(zlib.compress(mixed) * 20)
    assert len(decoded("gzip", packed, 1000)) > 9 * MEGABYTE


def test_a_stream_of_too_many_members_is_refused() -> None:
    decoder = Decoder(gzip=True)
    with pytest.raises(CorruptError):
        for _ in decoder.decode(gzip.compress(b"") * (MAX_MEMBERS + 1)):
            pass


def test_what_is_unpacked_later_stays_as_it_came_and_deflate_does_not() -> None:
    assert [decoder_for(coding, gzip=False) for coding in ("gzip", "x-gzip", "br", "")] == [None] * 4
    assert decoder_for("deflate", gzip=False) is not None
