"""Decide which of the 19 file types a document has, and whether it may be harvested.

Source: seed "Technische implementatie", section "Bestandsformaten". The format in the metadata decides, else
the media type of the response, else the extension of loc. The extension comes first if the media type is the
wider one (ZIP for a DOCX), is that of plain text, or is one that nobody knows: servers send those for what
they do not know. A document of another type, or of an unknown type, is not harvested. If the document was
fetched, or its beginning, the content decides whenever a claim contradicts it. The content also shows a web
page in the place of a document (section "Doellocatie van de <loc> verwijzing").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from woo_harvester.diwoo.given import Value
from woo_harvester.documents.content import DetectedFormat
from woo_harvester.documents.formats import (
    FileType,
    FormatClaim,
    from_extension,
    from_media_type,
    from_metadata,
)
from woo_harvester.findings import Reporter

_SKIPPED = "overgeslagen"

_NOTHING = FormatClaim()


@dataclass(frozen=True, slots=True)
class TypeDecision:
    """The type of a document that may be harvested."""

    filetype: FileType
    """The format in the record: the publisher's, if it gave one."""
    source: str | None
    """Origin of the format: ``content-type``, ``extensie`` or ``inhoud``; None if the publisher gave it."""
    actual: FileType
    """The type of the file itself: detected from its content if possible, else equal to ``filetype``."""


@dataclass(frozen=True, slots=True)
class TypeClaims:
    """The claims about a document's type, in the order of the seed."""

    metadata: FormatClaim
    response: FormatClaim
    extension: FormatClaim
    media_type: str | None
    """The media type of the response as given."""

    def __iter__(self) -> Iterator[tuple[str, FormatClaim]]:
        """Yield each claim with its name in findings."""
        return iter(
            (("format", self.metadata), ("Content-Type", self.response), ("extensie", self.extension))
        )

    def by_weight(self) -> tuple[FileType | None, ...]:
        """Return the claimed types, the one that counts most first."""
        response, extension = self.response.filetype, self.extension.filetype
        others = (extension, response) if self.has_better_extension else (response, extension)
        return self.metadata.filetype, *others

    @property
    def has_better_extension(self) -> bool:
        """True if the extension says more than the media type, which servers also send for other files."""
        named, sent, unlisted = self.extension.filetype, self.response.filetype, self.response.unlisted
        if named is None:
            return False
        if sent is not None:
            return sent is not named and (sent.code == "TXT" or _contains(sent, named))
        return unlisted is not None and named.code not in _VAGUE and not _MEDIA.match(unlisted)

    @property
    def is_type_open(self) -> bool:
        """True if only the content shows the type.

        It does if nothing is claimed, if claims contradict each other, if a single claim is of a type outside
        the list, or if only the media type says ZIP or plain text, as servers do of much else. Claims that
        agree are believed, except on Office files: systems export pages as those. So is a
        publisher that gives a type outside the list.
        """
        if self.metadata.unlisted:
            return False
        unlisted = [claim.unlisted for _, claim in self if claim.unlisted]
        named = {claim.filetype for claim in (self.metadata, self.extension) if claim.filetype}
        sent = self.response.filetype
        if unlisted:
            return bool(sent or named) or len(unlisted) == 1
        if not named:
            return sent is None or sent.code in ("TXT", "ZIP", *_OFTEN_HTML)
        (filetype, *others) = named
        return (
            bool(others)
            or filetype.code in _OFTEN_HTML
            or (sent is not None and sent is not filetype and not _contains(sent, filetype))
        )

    @property
    def is_html_possible(self) -> bool:
        """True if a claim says HTML: without one, no document is a web page without its content saying so."""
        return any(claim.filetype is not None and claim.filetype.code == "HTML" for _, claim in self)

    def is_html_meant(self, html: FileType) -> bool:
        """Return whether a document is a web page by its metadata, or by its name for a server of texts."""
        if self.metadata.filetype is html:
            return True
        is_text = self.response.filetype is not None and self.response.filetype.code == "TXT"
        return self.metadata.filetype is None and self.extension.filetype is html and is_text


class _Outcome(NamedTuple):
    """A decision, and the finding about it."""

    decision: TypeDecision | None
    """None if the document is not harvested."""
    code: str | None = None
    seen: str | None = None
    action: str = _SKIPPED


def claims_of_type(given: Value | None, media_type: str | None, loc: str, name: str | None) -> TypeClaims:
    """Return what is claimed of a document's type.

    *given* is the format in the metadata. *media_type* is that of the response, None without a request.
    *name* is the file name in ``Content-Disposition``; its extension is used if loc has none.
    """
    extension = from_extension(loc)
    if extension.filetype is None and (of_name := from_extension(name or "")).filetype is not None:
        extension = of_name
    return TypeClaims(
        from_metadata(given.label, given.uri) if given else _NOTHING,
        from_media_type(media_type),
        extension,
        media_type,
    )


def decide_filetype(
    claims: TypeClaims, report: Reporter, content: DetectedFormat | None = None
) -> TypeDecision | None:
    """Return the document's type; None, with an error noted, if it may not be harvested.

    *content* is the format detected from the bytes. Without it, the format in the metadata counts, then the
    media type, then the extension.
    """
    outcome = _decide(claims, content)
    if outcome.code is not None:
        report(outcome.code, element="format", seen=outcome.seen, action=outcome.action)
    return outcome.decision


def expected_filetype(claims: TypeClaims, content: DetectedFormat | None = None) -> FileType | None:
    """Return the type of the file itself as :func:`decide_filetype` decides it, without a finding."""
    decision = _decide(claims, content).decision
    return decision.actual if decision else None


def _decide(claims: TypeClaims, content: DetectedFormat | None) -> _Outcome:
    if claims.metadata.unlisted:
        return _refused("format.niet-ondersteund", claims.metadata.unlisted)
    if content is None or not (content.may_be or content.unlisted):
        return _by_claims(claims)
    actual = content.resolve(*claims.by_weight())
    if actual is None and content.is_open:
        return _by_claims(claims)
    return _by_content(claims, content, actual)


def _refused(code: str, seen: str | None) -> _Outcome:
    return _Outcome(None, code, seen)


def _by_claims(claims: TypeClaims) -> _Outcome:
    """Decide without the content. The extension counts only if the metadata has no type."""
    metadata, response, extension = claims.metadata, claims.response, claims.extension
    if metadata.filetype:
        return _checked(TypeDecision(metadata.filetype, None, metadata.filetype), metadata.filetype, response)
    sources = [("content-type", response), ("extensie", extension)]
    if claims.has_better_extension:
        sources.reverse()
    for source, claim in sources:
        if claim.unlisted:
            return _refused("format.niet-ondersteund", claim.unlisted)
        if claim.filetype:
            return _checked(
                TypeDecision(claim.filetype, source, claim.filetype), extension.filetype, response
            )
    return _refused("format.onbekend", claims.media_type)


def _checked(decision: TypeDecision, claimed: FileType | None, response: FormatClaim) -> _Outcome:
    """Refuse a web page in the place of a document, and note other contradictions."""
    sent = response.filetype
    sent_label = sent.label if sent else response.unlisted
    if claimed is None or sent_label is None or claimed is sent:
        return _Outcome(decision)
    seen = f"{claimed.label}; Content-Type: {sent_label}"
    if sent and sent.code == "HTML":
        return _refused("document.html-pagina", seen)
    if sent is None or not _contains(sent, claimed):
        return _contradicted(decision, seen)
    return _Outcome(decision)


def _by_content(claims: TypeClaims, content: DetectedFormat, actual: FileType | None) -> _Outcome:
    """Decide by the detected format. The claims have chosen *actual* from types whose bytes are alike."""
    if actual is None:
        return _refused("format.niet-ondersteund", content.unlisted)
    first = next((claim for _, claim in claims if claim.filetype or claim.unlisted), _NOTHING)
    if first.unlisted and actual.code in _VAGUE:
        return _refused("format.niet-ondersteund", first.unlisted)
    wrong = [f"{name}: {label}" for name, label in _contradictions(claims, content, actual)]
    seen = "; ".join([*wrong, f"inhoud: {actual.label}"])
    if actual.code == "HTML" and wrong and not claims.is_html_meant(actual):
        return _refused("document.html-pagina", seen)
    decision = TypeDecision(claims.metadata.filetype or actual, _source(claims, actual), actual)
    return _contradicted(decision, seen) if wrong else _Outcome(decision)


def _contradictions(
    claims: TypeClaims, content: DetectedFormat, actual: FileType
) -> Iterator[tuple[str, str]]:
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


def _source(claims: TypeClaims, actual: FileType) -> str | None:
    if claims.metadata.filetype:
        return None
    if claims.response.filetype is actual:
        return "content-type"
    return "extensie" if claims.extension.filetype is actual else "inhoud"


def _contradicted(decision: TypeDecision, seen: str) -> _Outcome:
    return _Outcome(decision, "format.strijdig", seen, f"gelezen als {decision.actual.label}")


def _contains(outer: FileType, inner: FileType) -> bool:
    """Return whether a file of type *inner* is also of type *outer*, such as DOCX of ZIP, or CSV of TXT."""
    return (outer.code, inner.code) in _CONTAINED


#: Codes of types as which systems export pages: those of Office programs.
_OFTEN_HTML = ("DOC", "DOCX", "XLS", "XLSX", "PPT", "PPTX", "PPS", "PPSX", "ODT", "ODS", "ODP", "ODF")

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
#: Media types of images, sound and film: no server sends them for a file that it does not know.
_MEDIA = re.compile("(audio|font|image|model|video)/")
