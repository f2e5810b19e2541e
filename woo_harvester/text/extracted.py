"""What is read from a document, the bounds on reading it, and what may go wrong."""

from __future__ import annotations

from dataclasses import dataclass

MB = 1024 * 1024
#: A worker's answer begins with its length, in so many bytes, the highest first.
LENGTH_BYTES = 4


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one worker, and what it is to do."""

    timeout: float = 60
    """Seconds for a document."""
    memory: int = 512 * MB
    """Bytes of the worker's own memory (``RLIMIT_DATA``); program code and mapped files do not count."""
    maxlength: int = 5_000_000
    """Characters of text that are kept."""
    ocr: bool = False
    """Whether images of text are read, by the Tesseract library; slow, and needs its data for Dutch."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a document holds."""

    text: str
    """With line feeds between lines; of an archive the names of its members, one a line."""
    pages: int | None = None
    """Pages or slides; None of a type that has none, and where the file does not tell."""
    language: str | None = None
    """Code of ISO 639-1; None where the text is too short to tell."""
    title: str | None = None
    """In the document's own properties, as it stands there."""
    truncated: bool = False
    """Whether the text was longer than is kept."""

    @property
    def has_text(self) -> bool:
        """Whether there is any letter or digit: a scan without a text layer has none."""
        return any(map(str.isalnum, self.text))


class TextError(Exception):
    """The text of a document could not be read; others are not concerned."""


class TextFailedError(TextError):
    """The library refuses the document: it is damaged, protected, or of another type."""


class TextTimeoutError(TextError):
    """Reading took longer than is allowed; the worker was ended."""


class WorkerStartError(Exception):
    """No process can be started to read documents; that says nothing about the document."""


class TextCrashError(TextError):
    """The worker ended while it read the document: out of memory, or a fault of the library."""
