"""The text of a document as a file, so that the same bytes are read once."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from woo_harvester.text.extracted import Extracted, Limits

#: A character is at most so many bytes of JSON (``\u0000``); what stands around the text is far less.
_BYTES, _AROUND = 6, 64 * 1024


@dataclass(frozen=True, slots=True)
class KeptText:
    """What was read from a document, and what decides about it beside the document."""

    maxlength: int
    ocr: bool
    extracted: Extracted


_JSON = TypeAdapter(KeptText)


def largest(limits: Limits) -> int:
    """Bytes that a text within these limits takes at most."""
    return limits.maxlength * _BYTES + _AROUND


def to_json(extracted: Extracted, limits: Limits) -> bytes:
    """The file for a text that was read within these limits."""
    return _JSON.dump_json(KeptText(limits.maxlength, limits.ocr, extracted))


def from_json(content: bytes, limits: Limits) -> Extracted | None:
    """The text in a file; None where it was read within other limits, or the file is damaged."""
    try:
        kept = _JSON.validate_json(content)
    except ValidationError:
        return None
    return kept.extracted if (kept.maxlength, kept.ocr) == (limits.maxlength, limits.ocr) else None
