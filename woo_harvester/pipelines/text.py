"""Fifth pipeline: the text of a document, extracted in worker processes beside the crawl."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from shutil import copyfileobj, which
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Self

from scrapy.exceptions import NotConfigured

from woo_harvester.diwoo.metadata import TITLE
from woo_harvester.diwoo.titles import title_from_properties
from woo_harvester.documents.extracted import (
    MB,
    Extracted,
    Limits,
    TextError,
    TextTimeoutError,
    WorkerStartError,
)
from woo_harvester.documents.text_workers import Workers
from woo_harvester.extensions.stopping import Interruptible, Stopping
from woo_harvester.items import Fetched, WooItem
from woo_harvester.running.causes import usable_cores
from woo_harvester.running.ending import RunError, end_run, refuse_start
from woo_harvester.utils.program import to_install

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

NO_LIBRARY = f"WOO_TEXT is on, and the library that reads documents is missing: {to_install('text')}"

_NO_TESSERACT = (
    "WOO_TEXT_OCR is on, and Tesseract with its data for Dutch is missing: "
    "install it, on Debian with apt install tesseract-ocr tesseract-ocr-nld"
)


class TextPipeline:
    """The pipeline that adds the pages, text and language of documents, which worker processes extract.

    A failed extraction is a finding; the document is delivered without text. The statistics are
    ``woo/text/read``, ``woo/text/empty``, ``woo/text/truncated`` and ``woo/text/failed``.
    """

    def __init__(self, crawler: Crawler, workers: Workers) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        self._workers = workers

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        settings = crawler.settings
        if not settings.getbool("WOO_TEXT"):
            raise NotConfigured  # without a reason: Scrapy would warn of what is usual
        if missing := _missing(ocr=settings.getbool("WOO_TEXT_OCR")):
            refuse_start(crawler, missing, ImportError(missing))
        limits = Limits(settings.getfloat("WOO_TEXT_TIMEOUT"), ocr=settings.getbool("WOO_TEXT_OCR"))
        count = int(settings["WOO_TEXT_WORKERS"] or usable_cores())
        return cls(crawler, Workers(limits, count))

    async def process_item(self, item: Any) -> Any:
        """Add the text of the document to the record, and a title that it has itself."""
        if not isinstance(item, WooItem) or item.source is None or item.source.fetched is None:
            return item
        fetched, kind = item.source.fetched, item.source.filetype
        if kind is None:
            return item
        async with Interruptible(self._crawler.get_extension(Stopping)), _on_disk(fetched) as path:
            extracted = await self._read(path, kind.code, item) if path else None
        if extracted is not None:
            self._add(extracted, item)
        return item

    async def close_spider(self) -> None:
        await self._workers.close()

    async def _read(self, path: Path, filetype: str, item: WooItem) -> Extracted | None:
        try:
            return await self._workers.extract(path, filetype)
        except WorkerStartError as error:
            line = f"no process could be started to read documents: {error}"
            end_run(self._crawler, "text_failed", line)
            raise RunError(line) from error
        except TextError as error:
            action = "geoogst zonder tekst"
            if isinstance(error, TextTimeoutError):
                action += ", want het lezen duurde te lang"
            item.report("document.tekst-mislukt", seen=str(error), action=action)
            self._stats.inc_value("woo/text/failed")
            return None

    def _add(self, extracted: Extracted, item: WooItem) -> None:
        record = item.record
        file = record.versies[-1].bestanden[0]
        file.paginas = extracted.pages
        if extracted.has_text:
            file.tekst, file.taal = extracted.text, extracted.language
        else:
            seen = "met wachtwoord" if extracted.has_password else None
            item.report("document.geen-tekst", seen=seen, action="geoogst zonder tekst")
        if extracted.title and record.herkomst.standaardwaarden.get(TITLE) == "onbekend":
            record.herkomst.titelVoorstel = title_from_properties(extracted.title)
        self._stats.inc_value("woo/text/read" if extracted.has_text else "woo/text/empty")
        if extracted.truncated:
            self._stats.inc_value("woo/text/truncated")


@asynccontextmanager
async def _on_disk(fetched: Fetched) -> AsyncIterator[Path | None]:
    """Yield a path for the workers: in the store, else of a temporary copy; None without the bytes."""
    if fetched.path is not None or fetched.file is None:
        yield fetched.path
        return
    with NamedTemporaryFile() as copy:
        await asyncio.to_thread(_copy, fetched.file, copy)
        yield Path(copy.name)


def _copy(file: BinaryIO, target: IO[bytes]) -> None:
    file.seek(0)
    copyfileobj(file, target, MB)
    target.flush()


def _missing(*, ocr: bool) -> str | None:
    """Return what must be installed before text can be extracted, or None."""
    if find_spec("kreuzberg") is None:
        return NO_LIBRARY
    return _NO_TESSERACT if ocr and "nld" not in _languages_of_tesseract() else None


def _languages_of_tesseract() -> list[str]:
    """Return the languages for which Tesseract has data. The library does not report that data is missing."""
    program = which("tesseract")
    if program is None:
        return []
    listed = subprocess.run([program, "--list-langs"], capture_output=True, text=True, check=False)  # noqa: S603
    return listed.stdout.split()
