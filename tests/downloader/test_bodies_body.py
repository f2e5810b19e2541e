from __future__ import annotations

import asyncio
import gzip
import hashlib
from io import BytesIO
from pathlib import Path

import pytest

from tests.conftest import skip_or_fail
from woo_harvester.downloader.bodies import SPOOL_SIZE, Intake, SpoolError, decoder_for


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
    return Intake(file, maxsize=maxsize, digest=True, decoder=decoder_for(coding))


@pytest.mark.parametrize("size", [0, 1, SPOOL_SIZE - 1, SPOOL_SIZE, 5 * SPOOL_SIZE + 7])
@pytest.mark.parametrize("coding", ["", "gzip"])
def test_a_body_of_any_size_is_written_and_hashed(size: int, coding: str) -> None:
    body = (bytes(range(251)) * (size // 251 + 1))[:size]
    sent = gzip.compress(body, 0) if coding else body
    pieces = [sent[start : start + 100_000] for start in range(0, len(sent), 100_000)]
    file = BytesIO()
    intake = add(intake_of(file, coding=coding), *pieces)
    assert file.getvalue() == body
    assert (intake.size, intake.flag) == (size, None)
    assert intake.digest is not None
    assert intake.digest.digest() == hashlib.sha256(body).digest()


@pytest.mark.parametrize("coding", ["", "gzip"])
def test_no_more_is_written_than_the_bound(coding: str) -> None:
    file = BytesIO()
    body = b"0123456789"
    intake = add(intake_of(file, 4, coding), gzip.compress(body) if coding else body)
    assert (file.getvalue(), intake.size, intake.flag) == (b"0123", 4, "maxsize")
    exact = BytesIO()
    assert add(intake_of(exact, 10), body).flag is None


def test_what_is_received_is_bounded_whatever_becomes_of_it() -> None:
    file = BytesIO()
    intake = add(intake_of(file, 1000, "gzip"), *[gzip.compress(b"")] * 100)
    assert (file.getvalue(), intake.flag) == (b"", "maxsize")
    assert intake.received < 1100


@pytest.mark.parametrize(
    ("sent", "flag"),
    [
        (gzip.compress(b"besluit", mtime=0)[:-1], "dataloss"),
        (b"%PDF-1.7", "coding"),
        (gzip.compress(bytes(20_000_000), mtime=0), "expansion"),
    ],
    ids=["cut off", "another coding", "a bomb"],
)
def test_what_is_wrong_with_a_coded_body_is_reported(sent: bytes, flag: str) -> None:
    assert add(intake_of(BytesIO(), coding="gzip"), sent).flag == flag


@pytest.mark.parametrize("size", [10, 3 * SPOOL_SIZE])
@pytest.mark.parametrize("coding", ["", "gzip"])
def test_a_file_that_cannot_be_written_is_not_an_error_of_the_connection(size: int, coding: str) -> None:
    body = bytes(size)
    device = Path("/dev/full")
    if not device.exists():
        skip_or_fail("needs the device /dev/full")
    with device.open("wb", buffering=0) as full, pytest.raises(SpoolError, match="TMPDIR"):
        add(
            Intake(full, maxsize=0, digest=False, decoder=decoder_for(coding)),
            gzip.compress(body, 0) if coding else body,
        )
