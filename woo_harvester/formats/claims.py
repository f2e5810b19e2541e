"""What is said of a document's type: by the metadata, the media type of the response, the extension.

Each source has its own notation. Each answers with a Verdict, so that "says nothing" (ask the next source)
and "names a type that is not on the list" (not harvested) stay apart. Source: seed "Bestandsformaten".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from woo_harvester.formats.kinds import FileType, file_types
from woo_harvester.tooi import normal_label
from woo_harvester.urls import last_segment

#: Media types that servers give to anything: the next source must tell.
_SAYS_NOTHING = re.compile(
    r"(application|binary|content|unknown)/"
    r"(octet-?stream|(x-)?(force-?)?download|(x-)?octet-?stream|(x-)?unknown|(x-)?binary|vnd\.ms-office|x-ole-storage)"
    r"|\*/\*"
)
#: Extensions of other files than the 19 types, as far as they stand among documents. What is not here may be
#: anything, such as the .2 of "besluit 1.2" or the .aspx of a page that sends a PDF.
_OTHER_EXTENSION = re.compile(
    "docm|dotx?|dotm|xlsm|xlsb|xltx?|pptm|potx?|odg|odb|odm|ott|ots|otp|pages|numbers|key|wpd|epub|mobi|ps|eps|xps"
    "|xml|xsd|xsl|json|jsonld|geojson|rdf|ttl|yaml|yml|md|tsv|sql|mdb|accdb|parquet|css|js"
    "|jpe?g|png|gif|bmp|tiff?|webp|svg|heic|avif|ico|psd|ai|indd"
    "|mp[34]|m4[av]|mpe?g|avi|mov|wmv|mkv|webm|wav|ogg|flac|srt|vtt"
    "|rar|tar|gz|tgz|bz2|xz|iso|exe|msi|apk|eml|msg|pst|mht|mhtml|ics|vcf"
    "|dwg|dxf|dgn|ifc|shp|gml|kml|kmz|gpkg|tab|vsdx?|mpp"
)
_FILE_TYPE_URI = re.compile(
    r"https?://publications\.europa\.eu/resource/authority/file-type/(\w+)", re.IGNORECASE
)
_MEDIA_TYPE_URI = re.compile(r"https?://www\.iana\.org/assignments/media-types/", re.IGNORECASE)
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+*-]+/[a-z0-9!#$&^_.+*-]+")
#: PDF/A is PDF, whichever of its levels a publisher names.
_PDF_A = re.compile("pdf[/ -]?a([ -]?[1-4][abuef]?)?")
#: No name of a file type is longer, in characters.
_MAXLENGTH = 200


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a source says of the file type; neither of the two where it says nothing."""

    filetype: FileType | None = None
    named: str | None = None
    """The type that it names, where that is not on the list."""


_NOTHING = Verdict()


def from_metadata(label: str | None, uri: str | None) -> Verdict:
    """What the element ``format`` says: each part may be a URI, label, code, extension or media type.

    The URI goes before the label; a part that names no type at all, such as a placeholder, says nothing.
    """
    verdicts = [_from_name(text.strip()) for text in (uri, label) if text and len(text) <= _MAXLENGTH]
    known = (verdict for verdict in verdicts if verdict.filetype)
    return next(known, None) or next((verdict for verdict in verdicts if verdict.named), _NOTHING)


@lru_cache(maxsize=1024)
def from_media_type(text: str | None) -> Verdict:
    """What a ``Content-Type`` says, its parameters and letter case left aside.

    Types that servers give to anything, such as ``application/octet-stream``, say nothing.
    """
    name = re.split("[;,]", text or "", maxsplit=1)[0].strip().lower()
    if filetype := _by_media_type().get(name):
        return Verdict(filetype)
    return (
        Verdict(named=name) if _MEDIA_TYPE.fullmatch(name) and not _SAYS_NOTHING.fullmatch(name) else _NOTHING
    )


def from_extension(url_or_name: str) -> Verdict:
    """What the extension of a URL's last path segment, or of a file name, says."""
    name = last_segment(url_or_name) if "://" in url_or_name else url_or_name
    _, dot, extension = name.strip().lower().rpartition(".")
    if not dot:
        return _NOTHING
    if filetype := _by_extension().get(extension):
        return Verdict(filetype)
    return Verdict(named=f".{extension}") if _OTHER_EXTENSION.fullmatch(extension) else _NOTHING


@lru_cache(maxsize=4096)
def _from_name(text: str) -> Verdict:
    """What one part of ``format`` says."""
    code = _FILE_TYPE_URI.fullmatch(text)
    name = normal_label(code[1] if code else _MEDIA_TYPE_URI.sub("", text))
    if filetype := _by_name().get(name.removeprefix(".")) or _by_pdf_a(name):
        return Verdict(filetype)
    if code:
        return Verdict(named=text)
    return from_media_type(name) if "/" in name else from_extension(f".{name.removeprefix('.')}")


def _by_pdf_a(name: str) -> FileType | None:
    return _by_name()["pdf"] if _PDF_A.fullmatch(name) else None


@cache
def _by_name() -> dict[str, FileType]:
    """By code, label and extension."""
    names = {}
    for filetype in file_types():
        for name in (filetype.code, filetype.label, *filetype.extensions):
            names[normal_label(name)] = filetype
    return names


@cache
def _by_extension() -> dict[str, FileType]:
    return {extension: filetype for filetype in file_types() for extension in filetype.extensions}


@cache
def _by_media_type() -> dict[str, FileType]:
    return {media_type: filetype for filetype in file_types() for media_type in filetype.media_types}
