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
        "URL",
        "Where the state is kept: what is known of each document between runs. Unset: `woo-state.sqlite` in the data directory.",
    ),
    Option(
        "WOO_DURABLE_INTERVAL",
        5,
        "seconds",
        "How often records in a local file are made durable (fsync), which is when the state learns of them.",
    ),
    Option(
        "WOO_DURABLE_RECORDS",
        1000,
        "records",
        "They are made durable sooner after so many.",
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
        "Rest of a host after a 429 or 503 without `Retry-After`; doubled with each try.",
    ),
    Option(
        "WOO_HOST_BACKLOG",
        8,
        "requests",
        "Documents of a host that wait or are under way at once: entries become requests only as there is room, so that memory does not grow with a sitemap.",
    ),
)
