"""The project's own settings: ``docs/settings.md`` is made from this table."""

# ruff: noqa: E501  -- a sentence a setting, as the page has it

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Option:
    """One setting whose name begins with ``WOO_``."""

    name: str
    default: Any
    unit: str
    why: str
    """What it does, and why the default is what it is."""


OPTIONS = (
    Option(
        "WOO_REGISTER",
        "https://organisaties.overheid.nl/archive/exportOO.xml",
        "URL or path",
        "The ROO export that tells which hosts to visit and whose they are. The default is the public daily export.",
    ),
    Option(
        "WOO_DATA_DIR",
        None,
        "folder",
        "State and the last good copy of the register. Unset: Scrapy's data directory of the project, else `.scrapy` in the working folder.",
    ),
    Option(
        "WOO_STATE_URL",
        None,
        "SQLAlchemy URL",
        "What is known of each document. Unset: the SQLite file `woo-state.sqlite` in the data directory.",
    ),
    Option(
        "WOO_FULL_READ_DAYS",
        7,
        "days",
        "After so many days a file is read whole, whatever its server says: an ETag that never changes must not hide changes for ever.",
    ),
    Option(
        "WOO_REFUSED_DAYS",
        7,
        "days",
        "A document that was fetched and refused is asked for again when it has a newer lastmod, or after so many days: a publisher may mend it and forget the lastmod.",
    ),
    Option(
        "WOO_DURABLE_INTERVAL",
        2,
        "seconds",
        "So often records on local disk are flushed and synced; only then does the state learn of them.",
    ),
    Option(
        "WOO_DURABLE_RECORDS",
        500,
        "records",
        "Or after so many of them: what a kill may cost is harvested again.",
    ),
    Option(
        "WOO_WITHDRAW_SHARE",
        0.2,
        "part of a host's documents",
        "Where more than this and more than `WOO_WITHDRAW_DOCUMENTS` are gone at once, they are held back.",
    ),
    Option(
        "WOO_WITHDRAW_DOCUMENTS",
        50,
        "documents",
        "See `WOO_WITHDRAW_SHARE`: fewer are withdrawn at once, whatever part of the host they are.",
    ),
    Option(
        "WOO_WITHDRAW_ALL_OF",
        10,
        "documents",
        "Where all documents of a host that has at least so many are gone at once, they are held back.",
    ),
    Option(
        "WOO_WITHDRAW_RUNS",
        3,
        "complete runs",
        "In the third complete run running that they are gone, they are withdrawn after all; the operator can confirm it before.",
    ),
    Option(
        "WOO_REPORT_DIR",
        "reports",
        "folder",
        "Each run writes a folder in it, with its findings and statistics.",
    ),
    Option(
        "WOO_ALLOW_PRIVATE_HOSTS",
        False,
        "boolean",
        "Permits loopback and private addresses. A publisher decides what its names point to, so this is for demo and tests only.",
    ),
    Option(
        "WOO_INDEX_MAXSIZE",
        50 * MB,
        "bytes, decompressed",
        "Bound of a sitemap index: that of the guide.",
    ),
    Option(
        "WOO_SITEMAP_MAXSIZE",
        200 * MB,
        "bytes, decompressed",
        "Bound of a sitemap: four times that of the guide, since nothing is gained by leaving documents out.",
    ),
    Option(
        "WOO_MESSAGE_MAXSIZE",
        20 * MB,
        "bytes, decompressed",
        "Bound of a permit message and of an entry page: a listing of 100,000 files has some 15 MB.",
    ),
    Option(
        "WOO_DOCUMENT_MAXSIZE",
        500 * MB,
        "bytes",
        "Bound of a document.",
    ),
    Option(
        "WOO_DOCUMENT_TIMEOUT",
        600,
        "seconds",
        "Bound of the time for a whole document.",
    ),
    Option(
        "WOO_TEXT",
        False,
        "boolean",
        "Whether the text of documents is read, with the extra `text`. It costs time, and most runs only need metadata.",
    ),
    Option(
        "WOO_TEXT_TIMEOUT",
        60,
        "seconds",
        "Bound of the time for the text of one document; then its worker is ended, and another takes its place.",
    ),
    Option(
        "WOO_TEXT_MEMORY",
        512 * MB,
        "bytes",
        "Bound of the memory of a worker, without program code. Four reports of 60 pages took 50 MB; the rest is for large files.",
    ),
    Option(
        "WOO_TEXT_WORKERS",
        None,
        "processes",
        "How many documents are read at once. Unset: as many as the machine has cores.",
    ),
    Option(
        "WOO_TEXT_MAXLENGTH",
        5_000_000,
        "characters",
        "Bound of a text, some 2,000 pages: what is longer is cut.",
    ),
    Option(
        "WOO_TEXT_OCR",
        False,
        "boolean",
        "Whether scans without a text layer are read with Tesseract, which needs its Dutch data (Debian: `tesseract-ocr-nld`). Off, since it takes seconds a page.",
    ),
    Option(
        "WOO_CONNECTIONS",
        1000,
        "connections",
        "How many are in use at once, over all hosts together: more than the hosts of the register, so that slow ones hold up nobody. Fewer where the machine lets the process open fewer files.",
    ),
    Option(
        "WOO_CRAWL_DELAY_MAX",
        60,
        "seconds",
        "A longer `Crawl-delay` counts as this: at more than a minute a request, a host is never finished in a day.",
    ),
    Option(
        "WOO_RETRY_AFTER_MAX",
        300,
        "seconds",
        "A host that asks for a longer rest with `Retry-After` is not tried again in this run.",
    ),
    Option(
        "WOO_RETRY_BACKOFF",
        2,
        "seconds",
        "Rest of a host after a 429 or 503 without `Retry-After`, and before a remote `FILES_STORE` is asked again; doubled with each try.",
    ),
    Option(
        "WOO_HOST_BACKLOG",
        8,
        "requests",
        "Documents of a host that wait or are under way at once: entries become requests only as there is room, so that memory does not grow with a sitemap.",
    ),
)
