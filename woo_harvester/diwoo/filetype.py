"""Decide which of the 19 file types a document has, and whether it may be harvested.

Source: seed "Technische implementatie", section "Bestandsformaten". The format in the metadata decides, else
the media type of the response, else the extension of loc. A document of another type, or of an unknown type,
is not harvested. If the document was fetched, its content decides whenever a claim contradicts it. The
content also shows a web page in the place of a document (section "Doellocatie van de <loc> verwijzing").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from woo_harvester.diwoo.given_metadata import Value
from woo_harvester.findings import Reporter
from woo_harvester.formats import (
    DetectedFormat,
    FileType,
    FormatClaim,
    from_extension,
    from_media_type,
    from_metadata,
)

_SKIPPED = "overgeslagen"

_NOTHING = FormatClaim()


@dataclass(frozen=True, slots=True)
class Decision:
    """The type of a document that may be harvested."""

    filetype: FileType
    """The format in the record: the publisher's, if it gave one."""
    source: str | None
    """Origin of the format: ``content-type``, ``extensie`` or ``inhoud``; None if the publisher gave it."""
    content: FileType
    """The type of the file itself: detected from its content if possible, else equal to ``filetype``."""


@dataclass(frozen=True, slots=True)
class _Claims:
    """The claims about a document's type, in the order of the seed."""

    metadata: FormatClaim
    response: FormatClaim
    extension: FormatClaim

    def __iter__(self) -> Iterator[tuple[str, FormatClaim]]:
        """Yield each claim with its name in findings."""
        return iter(
            (("format", self.metadata), ("Content-Type", self.response), ("extensie", self.extension))
        )


def decide_filetype(
    given: Value | None,
    media_type: str | None,
    loc: str,
    name: str | None,
    report: Reporter,
    content: DetectedFormat | None = None,
) -> Decision | None:
    """Return the document's type; None, with an error noted, if it may not be harvested.

    *given* is the format in the metadata. *media_type* is that of the response, None without a request.
    *name* is the file name in ``Content-Disposition``; its extension is used if loc has none. *content* is
    the format detected from the bytes, None if the document was not fetched.
    """
    claims = _Claims(
        from_metadata(given.label, given.uri) if given else _NOTHING,
        from_media_type(media_type),
        _first(from_extension(loc), from_extension(name or "")),
    )
    if claims.metadata.unlisted:
        return _refused(report, "format.niet-ondersteund", claims.metadata.unlisted)
    if content and (content.may_be or content.unlisted):
        return _by_content(claims, content, report)
    return _by_claims(claims, media_type, report)


def _first(*claims: FormatClaim) -> FormatClaim:
    return next((claim for claim in claims if claim.filetype), claims[0])


def _refused(report: Reporter, code: str, seen: str | None) -> Decision | None:
    """Note why the document is not harvested."""
    report(code, element="format", seen=seen, action=_SKIPPED)
    return None


def _by_claims(claims: _Claims, media_type: str | None, report: Reporter) -> Decision | None:
    metadata, response = claims.metadata, claims.response
    # The extension counts only if the metadata has no type.
    extension = _NOTHING if metadata.filetype else claims.extension
    for source, claim in ((None, metadata), ("content-type", response), ("extensie", extension)):
        if claim.unlisted:
            return _refused(report, "format.niet-ondersteund", claim.unlisted)
        if claim.filetype:
            decision = Decision(claim.filetype, source, claim.filetype)
            return _checked(decision, metadata, response, extension, report)
    return _refused(report, "format.onbekend", media_type)


def _checked(
    decision: Decision, metadata: FormatClaim, response: FormatClaim, extension: FormatClaim, report: Reporter
) -> Decision | None:
    """Refuse a web page in the place of a document, and note other contradictions."""
    claimed, sent = metadata.filetype or extension.filetype, response.filetype
    sent_label = sent.label if sent else response.unlisted
    if claimed is None or sent_label is None or claimed is sent:
        return decision
    seen = f"{claimed.label}; Content-Type: {sent_label}"
    if sent and sent.code == "HTML":
        return _refused(report, "document.html-pagina", seen)
    if sent is None or not _contains(sent, claimed):
        _note_contradiction(report, seen, decision.filetype)
    return decision


def _by_content(claims: _Claims, content: DetectedFormat, report: Reporter) -> Decision | None:
    """Decide by the detected format. The claims choose between types whose bytes are alike."""
    actual = content.resolve(*(claim.filetype for _, claim in claims))
    if actual is None:
        return _refused(report, "format.niet-ondersteund", content.unlisted)
    first = next((claim for _, claim in claims if claim.filetype or claim.unlisted), _NOTHING)
    if first.unlisted and actual.code in _VAGUE:
        return _refused(report, "format.niet-ondersteund", first.unlisted)
    wrong = [f"{name}: {label}" for name, label in _contradictions(claims, content, actual)]
    seen = "; ".join([*wrong, f"inhoud: {actual.label}"])
    if actual.code == "HTML" and wrong and claims.metadata.filetype is not actual:
        return _refused(report, "document.html-pagina", seen)
    if wrong:
        _note_contradiction(report, seen, actual)
    return Decision(claims.metadata.filetype or actual, _source(claims, actual), actual)


def _contradictions(claims: _Claims, content: DetectedFormat, actual: FileType) -> Iterator[tuple[str, str]]:
    """Yield the name and type of each claim that the content contradicts."""
    for name, claim in claims:
        claimed = claim.filetype
        if claim.unlisted:
            yield name, claim.unlisted
        if claimed is None or claimed is actual or claimed in content.may_be:
            continue
        # A server may call a DOCX a ZIP file; a publisher knows better.
        if name != "Content-Type" or not _contains(claimed, actual):
            yield name, claimed.label


def _source(claims: _Claims, actual: FileType) -> str | None:
    if claims.metadata.filetype:
        return None
    if claims.response.filetype is actual:
        return "content-type"
    return "extensie" if claims.extension.filetype is actual else "inhoud"


def _note_contradiction(report: Reporter, seen: str, filetype: FileType) -> None:
    report("format.strijdig", element="format", seen=seen, action=f"gelezen als {filetype.label}")


def _contains(outer: FileType, inner: FileType) -> bool:
    """Return whether a file of type *inner* is also of type *outer*, such as DOCX of ZIP, or CSV of TXT."""
    return (outer.code, inner.code) in _CONTAINED


#: Codes of pairs (outer, inner): a server may send the media type of *outer* for a file of type *inner*.
_CONTAINED = {
    *(("ZIP", code) for code in ("DOCX", "XLSX", "PPTX", "PPSX", "ODT", "ODS", "ODP", "ODF")),
    *(("TXT", code) for code in ("CSV", "RTF")),
    ("DOC", "RTF"),
    ("PPT", "PPS"),
    ("PPTX", "PPSX"),
    ("XLS", "CSV"),
}
#: Types whose bytes look like many other files: a map may be a ZIP file, and a calendar is text. If a source
#: claims a type outside the list, such a detected type does not make the file harvestable.
_VAGUE = frozenset({"ZIP", "TXT", "CSV", "HTML"})
