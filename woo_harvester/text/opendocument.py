"""Read presentations and formulas of OpenDocument, which the library cannot read.

Source: OASIS OpenDocument 1.3, part 2 (zip container) and part 3 (schema).
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from lxml import etree

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_PAGE = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}page"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_MATH = "{http://www.w3.org/1998/Math/MathML}"
_PARAGRAPHS = (f"{_TEXT}p", f"{_TEXT}h")
#: Elements for white space.
_SPACES = (f"{_TEXT}s", f"{_TEXT}tab", f"{_TEXT}line-break")

_Read = tuple[str, int | None, str | None]
"""Text, number of pages, title."""


def read_presentation(path: Path) -> _Read:
    """Return the paragraphs in the order of the file, the number of slides, and the title.

    Raises zipfile.BadZipFile, ValueError or etree.LxmlError if the file cannot be read.
    """
    with zipfile.ZipFile(path) as archive:
        paragraphs, slides = [], 0
        for element in _elements(archive, "content.xml", *_PARAGRAPHS, _PAGE):
            if element.tag == _PAGE:
                slides += 1
                element.clear()
            else:
                paragraphs.append(_words(element))
        return "\n".join(filter(None, paragraphs)), slides, _title(archive)


def read_formula(path: Path) -> _Read:
    """Return the formula as it was typed, else its symbols; None for the pages; and the title.

    Raises the errors of :func:`read_presentation`.
    """
    with zipfile.ZipFile(path) as archive:
        typed: list[str] = []
        symbols: list[str] = []
        for element in _elements(archive, "content.xml", f"{_MATH}*"):
            text = (element.text or "").strip()
            (typed if element.tag == f"{_MATH}annotation" else symbols).append(text)
        return " ".join(filter(None, typed or symbols)), None, _title(archive)


def read_title(path: Path) -> str | None:
    """Return the title. Raises the errors of :func:`read_presentation`."""
    with zipfile.ZipFile(path) as archive:
        return _title(archive)


def _elements(archive: zipfile.ZipFile, name: str, *tags: str) -> Iterator[etree._Element]:
    """Yield the elements with these tags, each at its end tag."""
    with _opened(archive, name) as file:
        for _, element in etree.iterparse(file, tag=tags, resolve_entities=False, no_network=True):
            yield element


def _opened(archive: zipfile.ZipFile, name: str) -> IO[bytes]:
    try:
        return archive.open(name)
    except KeyError as error:
        raise ValueError(f"the file has no {name}") from error


def _words(paragraph: etree._Element) -> str:
    for space in paragraph.iter(*_SPACES):
        space.tail = f" {space.tail or ''}"
    return "".join(paragraph.itertext()).strip()


def _title(archive: zipfile.ZipFile) -> str | None:
    if "meta.xml" not in archive.namelist():
        return None
    return next((element.text for element in _elements(archive, "meta.xml", _TITLE)), None)
