"""The text of a document as a file, so that the same bytes are read only once."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from woo_harvester.text.extracted import Extracted, Limits

#: The most bytes of JSON that a character takes (``\u0000``), and more than all else in the file takes.
_BYTES, _AROUND = 6, 64 * 1024


@dataclass(frozen=True, slots=True)
class _StoredText:
    """The text of a document, with the limits that it depends on."""

    maxlength: int
    ocr: bool
    extracted: Extracted


_JSON = TypeAdapter(_StoredText)


def largest(limits: Limits) -> int:
    """Return the most bytes that the file of a text within these limits has."""
    return limits.maxlength * _BYTES + _AROUND


def to_json(extracted: Extracted, limits: Limits) -> bytes:
    """Return the file of a text that was read within these limits."""
    return _JSON.dump_json(_StoredText(limits.maxlength, limits.ocr, extracted))


def from_json(content: bytes, limits: Limits) -> Extracted | None:
    """Return the text in a file; None if it was read within other limits, or the file is damaged."""
    try:
        stored = _JSON.validate_json(content)
    except ValidationError:
        return None
    return stored.extracted if (stored.maxlength, stored.ocr) == (limits.maxlength, limits.ocr) else None
