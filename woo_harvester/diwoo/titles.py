"""Titles made of the file name in a loc, or of the properties of a document.

Source: seed "Aanbevelingen voor metadata", section "TOOI veld 'officieleTitel'".
"""

from __future__ import annotations

import re
import unicodedata

from woo_harvester.utils.urls import last_segment

#: Extensions of documents, and of programs on web servers that send them. Other endings stay in the title,
#: such as the .2 of "besluit 1.2" and the .State of "Raad.van.State".
_EXTENSION = re.compile(
    r"(?:pdf|docx?|docm|odt|rtf|txt|xlsx?|xlsm|ods|csv|pptx?|ppsx?|odp|odf|x?html?|xml|json|zip|7z|msg|eml"
    r"|jpe?g|png|tiff?|gif|aspx?|ashx|axd|jspx?|php|cfm|do)",
    re.IGNORECASE,
)
#: Prefix that Office programs put before the file name to make a title.
_PROGRAM = re.compile(r"\s*Microsoft (?:Office )?(?:Word|Excel|PowerPoint|Outlook) - ", re.IGNORECASE)
_UUID = re.compile(r"(?<![0-9a-z])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-z])", re.IGNORECASE)
#: White space, the usual separators, and characters that do not print: control, formatting, replacement.
_SEPARATORS = re.compile(
    r"[\s_+\-\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd\ud800-\udfff]+"
)
_HASH = re.compile("[0-9a-f]{16,}", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+")
#: Words about how a document is offered, not what it is; also written together: getdocument, downloadfile.
_GENERAL = re.compile(
    "(?:download(?:s|en)?|document(?:s|en)?|docs?|index|files?|filename|bestand(?:en)?|bestandsnaam|attachments?"
    "|default|get|fetch|retrieve|view(?:er)?|show|bekijk(?:en)?|toon|open(?:en)?|preview|inline|print|export"
    "|object|item|content|media|asset|resource|blob|stream|binary|handler|servlet|raw|original|origineel"
    "|page|pagina|home|main|scan|img|image|untitled|unnamed|naamloos|nieuw|new|temp|tmp|id|nr|nummer|versie|version"
    "|copy|kopie|pdf|docx|odt|xlsx?|pptx?|zip|html?)+"
)
#: Longest word that is compared with the general words, in characters.
_GENERAL_MAXLENGTH = 40


def title_from_loc(loc: str) -> str | None:
    """Return the title in the file name of a location, or None if the name is meaningless.

    The name is percent-decoded. Its extension and UUIDs are removed, and separators become spaces. A name is
    meaningless if it has only numbers, hashes (16 or more hex digits), single letters and general words, such
    as download, document and index.
    """
    path = re.split(r"[?#]", loc.strip(), maxsplit=1)[0].rstrip("/")
    name = last_segment(path).rstrip("/").rpartition("/")[2].strip()
    stem = _without_extensions(name)
    title = _SEPARATORS.sub(" ", _UUID.sub(" ", unicodedata.normalize("NFC", stem))).strip(" .,;")
    return title if _is_meaningful(title) else None


def title_from_properties(text: str) -> str | None:
    """Return the title in a document's own properties, or None if it is meaningless.

    Many programs fill it in with the name of the file, some with their own name before it, such as "Microsoft
    Word - brief.docx". The program and the extension are removed. The rest must have meaning, as in
    :func:`title_from_loc`.
    """
    title = " ".join(_without_extensions(_PROGRAM.sub("", text).strip()).split())
    return title if _is_meaningful(_UUID.sub(" ", title)) else None


def _without_extensions(name: str) -> str:
    """Remove all known extensions from the end of a name, such as both of ``besluit.docx.pdf``."""
    while (parts := name.rpartition("."))[1] and _EXTENSION.fullmatch(parts[2]):
        name = parts[0]
    return name


def _is_meaningful(title: str) -> bool:
    """Return whether the title has a word that says what the document is."""
    words = (word for word in title.split() if not _HASH.fullmatch(word))
    return any(not _is_general(run.lower()) for word in words for run in _LETTERS.findall(word))


def _is_general(word: str) -> bool:
    if len(word) == 1 or not any(map(str.isalpha, word)):  # ½ and ² are neither digits nor letters
        return True
    return len(word) <= _GENERAL_MAXLENGTH and _GENERAL.fullmatch(word) is not None
