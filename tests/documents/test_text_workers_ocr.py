"""Scans, read by long-lived workers."""

from __future__ import annotations

import asyncio
from shutil import which

import pytest

from tests.conftest import skip_or_fail
from tests.samples import SCAN, SENTENCE
from woo_harvester.documents.extracted import Limits
from woo_harvester.documents.text_workers import Workers

pytestmark = pytest.mark.integration


def test_a_worker_reads_many_scans_in_the_memory_that_one_takes() -> None:
    """The tenth scan is read: memory of the scans before it was returned to the system."""
    if which("tesseract") is None:
        skip_or_fail("needs tesseract-ocr and tesseract-ocr-nld")

    async def main() -> None:
        workers = Workers(Limits(timeout=600, ocr=True))
        try:
            await workers.extract(SCAN, "PDF")
            pids = workers.pids
            for _ in range(9):
                extracted = await workers.extract(SCAN, "PDF")
                assert SENTENCE in " ".join(extracted.text.split())
            assert workers.pids == pids
        finally:
            await workers.close()

    asyncio.run(main())
