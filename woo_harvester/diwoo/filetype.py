"""Which of the 19 file types a document has, and whether it may be harvested.

Source: seed "Technische implementatie", section "Bestandsformaten": the format in the metadata, else the
media type of the response, else the extension of loc; another type, or none to be told: not harvested. Where
the document was fetched its bytes tell what it is: they decide where a server or a name says otherwise, and
show the web page that stands in a document's place (section "Doellocatie van de <loc> verwijzing").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from woo_harvester.diwoo.given import Value
from woo_harvester.findings import Reporter
from woo_harvester.formats import (
    Content,
    FileType,
    Verdict,
    from_extension,
    from_media_type,
    from_metadata,
)

SKIPPED = "overgeslagen"

NOTHING = Verdict()


@dataclass(frozen=True, slots=True)
class Decision:
    """The type of a document that may be harvested."""

    filetype: FileType
    """The format in the record: the publisher's, where it gave one."""
    source: str | None
    """What told it where the publisher gave no format: ``content-type``, ``extensie`` or ``inhoud``."""
    content: FileType
    """What the document is: as its bytes tell, where they do."""


@dataclass(frozen=True, slots=True)
class _Claims:
    """What is said of a document, in the order of the seed."""

    metadata: Verdict
    response: Verdict
    extension: Verdict

    def __iter__(self) -> Iterator[tuple[str, Verdict]]:
        """Each with the name that a finding gives it."""
        return iter(
            (("format", self.metadata), ("Content-Type", self.response), ("extensie", self.extension))
        )


def decide_filetype(
    given: Value | None,
    media_type: str | None,
    loc: str,
    name: str | None,
    report: Reporter,
    content: Content | None = None,
) -> Decision | None:
    """The document's type; None, with an error noted, where it may not be harvested.

    *media_type* is that of the response, None where no request was made; *name* the file name in its
    ``Content-Disposition``, which tells more than loc where loc has no extension; *content* what the bytes
    tell, None where the document was not fetched.
    """
    claims = _Claims(
        from_metadata(given.label, given.uri) if given else NOTHING,
        from_media_type(media_type),
        _first(from_extension(loc), from_extension(name or "")),
    )
    if claims.metadata.named:
        return _refused(report, "format.niet-ondersteund", claims.metadata.named)
    if content and (content.may_be or content.named):
        return _by_content(claims, content, report)
    return _by_claims(claims, media_type, report)


def _first(*verdicts: Verdict) -> Verdict:
    return next((verdict for verdict in verdicts if verdict.filetype), verdicts[0])


def _refused(report: Reporter, code: str, seen: str | None) -> Decision | None:
    """Note why there is no decision."""
    report(code, element="format", seen=seen, action=SKIPPED)
    return None


def _by_claims(claims: _Claims, media_type: str | None, report: Reporter) -> Decision | None:
    metadata, response = claims.metadata, claims.response
    # What the extension says counts only where the metadata does not tell the type.
    extension = NOTHING if metadata.filetype else claims.extension
    for source, verdict in ((None, metadata), ("content-type", response), ("extensie", extension)):
        if verdict.named:
            return _refused(report, "format.niet-ondersteund", verdict.named)
        if verdict.filetype:
            decision = Decision(verdict.filetype, source, verdict.filetype)
            return _checked(decision, metadata, response, extension, report)
    return _refused(report, "format.onbekend", media_type)


def _checked(
    decision: Decision, metadata: Verdict, response: Verdict, extension: Verdict, report: Reporter
) -> Decision | None:
    """Refuse the web page that a server gives instead of a document, and tell other contradictions."""
    claimed, sent = metadata.filetype or extension.filetype, response.filetype
    told = sent.label if sent else response.named
    if claimed is None or told is None or claimed is sent:
        return decision
    seen = f"{claimed.label}; Content-Type: {told}"
    if sent and sent.code == "HTML":
        return _refused(report, "document.html-pagina", seen)
    if sent is None or not _contains(sent, claimed):
        _tell_contradiction(report, seen, decision.filetype)
    return decision


def _by_content(claims: _Claims, content: Content, report: Reporter) -> Decision | None:
    """The type by the bytes, where they tell it; what is said tells those apart whose bytes are alike."""
    actual = content.resolve(*(verdict.filetype for _, verdict in claims))
    if actual is None:
        return _refused(report, "format.niet-ondersteund", content.named)
    spoken = next((verdict for _, verdict in claims if verdict.filetype or verdict.named), NOTHING)
    if spoken.named and actual.code in VAGUE:
        return _refused(report, "format.niet-ondersteund", spoken.named)
    wrong = [f"{name}: {told}" for name, told in _contradictions(claims, content, actual)]
    seen = "; ".join([*wrong, f"inhoud: {actual.label}"])
    if actual.code == "HTML" and wrong and claims.metadata.filetype is not actual:
        return _refused(report, "document.html-pagina", seen)
    if wrong:
        _tell_contradiction(report, seen, actual)
    return Decision(claims.metadata.filetype or actual, _source(claims, actual), actual)


def _contradictions(claims: _Claims, content: Content, actual: FileType) -> Iterator[tuple[str, str]]:
    """Which source says something that the bytes cannot be, and what it says."""
    for name, verdict in claims:
        claimed = verdict.filetype
        if verdict.named:
            yield name, verdict.named
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


def _tell_contradiction(report: Reporter, seen: str, taken: FileType) -> None:
    report("format.strijdig", element="format", seen=seen, action=f"gelezen als {taken.label}")


def _contains(outer: FileType, inner: FileType) -> bool:
    """Whether a server may say the one of the other: an Office document is a ZIP file, and CSV is text."""
    return (outer.code, inner.code) in COMPATIBLE


COMPATIBLE = {
    *(("ZIP", code) for code in ("DOCX", "XLSX", "PPTX", "PPSX", "ODT", "ODS", "ODP", "ODF")),
    *(("TXT", code) for code in ("CSV", "RTF")),
    ("DOC", "RTF"),
    ("PPT", "PPS"),
    ("PPTX", "PPSX"),
    ("XLS", "CSV"),
}
#: What the bytes of many other kinds of files look like too: a map may be a ZIP file, a calendar is text. So
#: they do not make a document of what is said to be something else.
VAGUE = frozenset({"ZIP", "TXT", "CSV", "HTML"})
