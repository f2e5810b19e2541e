"""Settings of the text of documents."""

# ruff: noqa: E501  -- a sentence a setting, as the page shows it

from __future__ import annotations

from woo_harvester.default_settings.setting import MB, Setting

TEXT = (
    Setting(
        "WOO_TEXT",
        False,
        "boolean",
        "Whether the text of documents is read, with the extra `text`. It costs time, and most runs only need metadata.",
    ),
    Setting(
        "WOO_TEXT_TIMEOUT",
        60,
        "seconds",
        "The time for the text of one document. After it, the worker is ended and replaced by a new one.",
    ),
    Setting(
        "WOO_TEXT_MEMORY",
        512 * MB,
        "bytes",
        "The memory of a worker, without program code. Four reports of 60 pages needed 50 MB; the rest is for large files.",
        least=1,
    ),
    Setting(
        "WOO_TEXT_WORKERS",
        None,
        "processes",
        "The number of documents that are read at once. Unset: the number of cores of the machine.",
        least=1,
    ),
    Setting(
        "WOO_TEXT_MAXLENGTH",
        5_000_000,
        "characters",
        "The longest text, some 2,000 pages: a longer one is cut.",
    ),
    Setting(
        "WOO_TEXT_OCR",
        False,
        "boolean",
        "Whether scans without a text layer are read with Tesseract, which needs its Dutch data (Debian: `tesseract-ocr-nld`). Off, since it takes seconds a page.",
    ),
)
