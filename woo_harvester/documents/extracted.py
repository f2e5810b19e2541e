"""The result of text extraction, its limits, and its errors: no extra is needed for these."""

from __future__ import annotations

from dataclasses import dataclass

MB = 1024 * 1024
#: Number of bytes for the length of a worker's answer, big-endian, which goes before the answer.
LENGTH_BYTES = 4


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits and options of a worker."""

    timeout: float = 60
    """Seconds for a document."""
    memory: int = 512 * MB
    """Bytes of the worker's own memory (``RLIMIT_DATA``); program code and mapped files do not count."""
    maxlength: int = 5_000_000
    """Characters of text that are kept."""
    ocr: bool = False
    """Read images of text with Tesseract, which is slow and needs its data for Dutch."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text and properties of a document."""

    text: str
    """Text with line feeds between lines; for an archive the names of its members, one a line."""
    pages: int | None = None
    """Number of pages or slides; None if the type has no pages or the file does not have the number."""
    language: str | None = None
    """Code of ISO 639-1; None if it is uncertain, as for a short text."""
    title: str | None = None
    """Title in the document's own properties, as given."""
    truncated: bool = False
    """True if the text was longer than the limit."""
    has_password: bool = False
    """True if nobody can read it without a password."""

    @property
    def has_text(self) -> bool:
        """True if there is any letter or digit. A scan without a text layer has none."""
        return any(map(str.isalnum, self.text))


class TextError(Exception):
    """The text of this document could not be read; the next document is unaffected."""


class TextFailedError(TextError):
    """The library cannot read the document: it is damaged, protected, or of another type."""


class TextTimeoutError(TextError):
    """Reading exceeded the time limit; the worker was ended."""


class WorkerStartError(Exception):
    """No worker process can be started, whatever the document."""


class TextCrashError(TextError):
    """The worker ended while it read the document: out of memory, or a crash of the library."""
