"""Which of the 19 file types a document has, and whether it may be harvested.

Source: seed "Technische implementatie", section "Bestandsformaten": the format in the metadata, else the
media type of the response, else the extension of loc; another type, or none to be told: not harvested.
"""

from __future__ import annotations

from dataclasses import dataclass

from woo_harvester.diwoo.given import Value
from woo_harvester.findings.notes import Notes
from woo_harvester.formats import FileType, Verdict, from_extension, from_media_type, from_metadata

SKIPPED = "overgeslagen"

NOTHING = Verdict()


@dataclass(frozen=True, slots=True)
class Decision:
    """The type of a document that may be harvested."""

    filetype: FileType
    source: str | None
    """What told it where the publisher gave no format: ``content-type`` or ``extensie``."""


def decide_filetype(
    given: Value | None, media_type: str | None, loc: str, name: str | None, notes: Notes
) -> Decision | None:
    """The document's type; None, with an error noted, where it may not be harvested.

    *media_type* is that of the response, None where no request was made; *name* the file name in its
    ``Content-Disposition``, which tells more than loc where loc has no extension.
    """
    metadata = from_metadata(given.label, given.uri) if given else NOTHING
    response = from_media_type(media_type)
    # What the extension says counts only where the metadata does not tell the type.
    extension = NOTHING if metadata.filetype else _first(from_extension(loc), from_extension(name or ""))
    for source, verdict in ((None, metadata), ("content-type", response), ("extensie", extension)):
        if verdict.named:
            notes("format.niet-ondersteund", element="format", seen=verdict.named, action=SKIPPED)
            return None
        if verdict.filetype:
            return _checked(Decision(verdict.filetype, source), metadata, response, extension, notes)
    notes("format.onbekend", element="format", seen=media_type, action=SKIPPED)
    return None


def _first(*verdicts: Verdict) -> Verdict:
    return next((verdict for verdict in verdicts if verdict.filetype), verdicts[0])


def _checked(
    decision: Decision, metadata: Verdict, response: Verdict, extension: Verdict, notes: Notes
) -> Decision | None:
    """Refuse the web page that a server gives instead of a document, and tell other contradictions."""
    claimed, sent = metadata.filetype or extension.filetype, response.filetype
    told = sent.label if sent else response.named
    if claimed is None or told is None or claimed is sent:
        return decision
    seen = f"{claimed.label}; Content-Type: {told}"
    if sent and sent.uri.endswith("/HTML"):
        notes("document.html-pagina", element="format", seen=seen, action=SKIPPED)
        return None
    if sent is None or not _contains(sent, claimed):
        action = f"gelezen als {decision.filetype.label}"
        notes("format.strijdig", element="format", seen=seen, action=action)
    return decision


def _contains(outer: FileType, inner: FileType) -> bool:
    """Whether both may be true: an Office document is a ZIP file, and text of a kind is text."""
    codes = outer.uri.rpartition("/")[2], inner.uri.rpartition("/")[2]
    return codes in COMPATIBLE


COMPATIBLE = {
    *(("ZIP", code) for code in ("DOCX", "XLSX", "PPTX", "PPSX", "ODT", "ODS", "ODP", "ODF")),
    *(("TXT", code) for code in ("CSV", "RTF")),
    ("DOC", "RTF"),
    ("PPT", "PPS"),
    ("PPTX", "PPSX"),
    ("XLS", "CSV"),
}
