"""What the metadata, the media type of the response and the extension claim about a document's file type.

Each of these sources has its own notation. Each function returns a FormatClaim, which separates "no claim"
(use the next source) from "a type that is not on the list" (do not harvest). Source: seed "Technische
implementatie", section "Bestandsformaten".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from woo_harvester.formats.filetypes import FileType, file_types
from woo_harvester.tooi import normal_label
from woo_harvester.urls import last_segment

#: Media types that servers send for any file: they claim nothing.
_GENERIC_MEDIA_TYPE = re.compile(
    r"(application|binary|content|unknown)/"
    r"(octet-?stream|(x-)?(force-?)?download|(x-)?octet-?stream|(x-)?unknown|(x-)?binary|vnd\.ms-office|x-ole-storage)"
    r"|\*/\*"
)
#: Extensions of common files outside the 19 types. An extension that is not here claims nothing, such as the
#: .2 of "besluit 1.2" or the .aspx of a page that sends a PDF.
_OTHER_EXTENSION = re.compile(
    "docm|dotx?|dotm|xlsm|xlsb|xltx?|pptm|potx?|odg|odb|odm|ott|ots|otp|pages|numbers|key|wpd|epub|mobi|ps|eps|xps"
    "|xml|xsd|xsl|json|jsonld|geojson|rdf|ttl|yaml|yml|md|tsv|sql|mdb|accdb|parquet|css|js"
    "|jpe?g|png|gif|bmp|tiff?|webp|svg|heic|avif|ico|psd|ai|indd"
    "|mp[34]|m4[av]|mpe?g|avi|mov|wmv|mkv|webm|wav|ogg|flac|srt|vtt"
    "|rar|tar|gz|tgz|bz2|xz|iso|exe|msi|apk|eml|msg|pst|mht|mhtml|ics|vcf"
    "|dwg|dxf|dgn|ifc|shp|gml|kml|kmz|gpkg|tab|vsdx?|mpp"
)
_FILE_TYPE_URI = re.compile(
    r"https?://publications\.europa\.eu/resource/authority/file-type/(\w+)/*", re.IGNORECASE
)
_MEDIA_TYPE_URI = re.compile(r"https?://www\.iana\.org/assignments/media-types/", re.IGNORECASE)
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+*-]+/[a-z0-9!#$&^_.+*-]+")
#: PDF/A is PDF, at each of its levels.
_PDF_A = re.compile("pdf[/ -]?a([ -]?[1-4][abuef]?)?")
#: Longest text that is read as the name of a file type, in characters.
_MAXLENGTH = 200


@dataclass(frozen=True, slots=True)
class FormatClaim:
    """What one source claims about the file type. Both fields are None if it claims nothing."""

    filetype: FileType | None = None
    """The claimed type, if it is one of the 19."""
    unlisted: str | None = None
    """The claimed type as given, if it is not one of the 19."""


_NOTHING = FormatClaim()


def from_metadata(label: str | None, uri: str | None) -> FormatClaim:
    """Return the claim of the element ``format``.

    Both *label* and *uri* may be a URI, label, code, extension or media type. The URI goes before the label.
    A text that names no type, such as a placeholder, claims nothing.
    """
    by_uri, by_label = _from_text(uri), _from_text(label)
    if by_uri.filetype or (by_uri.unlisted and not by_label.filetype):
        return by_uri
    return by_label


def _from_text(text: str | None) -> FormatClaim:
    return _from_name(text.strip()) if text and len(text) <= _MAXLENGTH else _NOTHING


@lru_cache(maxsize=1024)
def from_media_type(text: str | None) -> FormatClaim:
    """Return the claim of a ``Content-Type``. Its parameters and letter case make no difference.

    Types that servers send for any file, such as ``application/octet-stream``, claim nothing.
    """
    name = re.split("[;,]", text or "", maxsplit=1)[0].strip().lower()
    if filetype := _by_media_type().get(name):
        return FormatClaim(filetype)
    is_claim = _MEDIA_TYPE.fullmatch(name) and not _GENERIC_MEDIA_TYPE.fullmatch(name)
    return FormatClaim(unlisted=name) if is_claim else _NOTHING


def from_extension(url_or_name: str) -> FormatClaim:
    """Return the claim of the extension of a file name, or of a URL's last path segment."""
    name = last_segment(url_or_name) if "://" in url_or_name else url_or_name
    _, dot, extension = name.strip().lower().rpartition(".")
    if not dot:
        return _NOTHING
    if filetype := _by_extension().get(extension):
        return FormatClaim(filetype)
    return FormatClaim(unlisted=f".{extension}") if _OTHER_EXTENSION.fullmatch(extension) else _NOTHING


@lru_cache(maxsize=4096)
def _from_name(text: str) -> FormatClaim:
    """Return the claim of one text of ``format``: its URI or its label."""
    code = _FILE_TYPE_URI.fullmatch(text)
    name = normal_label(code[1] if code else _MEDIA_TYPE_URI.sub("", text))
    if filetype := _by_name().get(name.removeprefix(".")) or _by_pdf_a(name):
        return FormatClaim(filetype)
    if code:
        return FormatClaim(unlisted=text)
    return from_media_type(name) if "/" in name else from_extension(f".{name.removeprefix('.')}")


def _by_pdf_a(name: str) -> FileType | None:
    return _by_name()["pdf"] if _PDF_A.fullmatch(name) else None


@cache
def _by_name() -> dict[str, FileType]:
    """Return the types by code, label and extension, each in the form for comparison."""
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
