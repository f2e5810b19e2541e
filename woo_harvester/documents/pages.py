"""Decodes pages of HTML: by their byte order mark, the header of the response, or their own declaration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import BinaryIO

from lxml import etree
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding
from w3lib.url import safe_url_string

from woo_harvester.documents.formats import FormatClaim, from_extension, from_media_type
from woo_harvester.utils.encodings import decode_pieces, encoding_of, with_head
from woo_harvester.utils.urls import LOC_MAXLENGTH, absolute_url, host_of

#: Bytes in which a page may declare its encoding. HTML allows only the first 1,024.
_HEAD = 4096


def decode_page(pieces: Iterator[bytes], content_type: str | None) -> tuple[str, Iterator[str]]:
    """Return the encoding of a page, and its text in parts.

    *content_type* is the header as received. Its encoding comes before that of a meta element or an XML
    declaration, and that comes before UTF-8. Never raises for the content of a page.
    """
    head, pieces = with_head(pieces, _HEAD)
    label = http_content_type_encoding(content_type) or html_body_declared_encoding(head[:_HEAD])
    encoding = encoding_of(head, label)
    return encoding, decode_pieces(pieces, encoding)


#: Bytes of a page that are read; a larger page is rarely one that only leads to others.
PAGE_MAXSIZE = 1024 * 1024

#: A page with this many characters of its own is a document itself: about 250 words.
TEXT_MAXLENGTH = 1500

#: Most addresses of one page that are read, and most starts and ends of elements: a tenth of a second.
_LINKS_MAX = 1000
_PARTS_MAX = 50_000

#: Most documents that a finding shows, and the length of their addresses together.
_SHOWN = 3
_SHOWN_LENGTH = 450

_CHUNK_SIZE = 64 * 1024

#: Elements with an address of a file, and the attribute that has it.
_ADDRESSES = {"a": "href", "area": "href", "embed": "src", "iframe": "src", "object": "data"}

#: No attribute of any element that has an address.
_NO_ADDRESS = "-"

#: Elements around the content, which all pages of a site have, and elements whose text a browser does not
#: show as such. Neither their text nor their links count.
_SKIPPED = frozenset(
    {"button", "dialog", "footer", "head", "header", "nav", "noscript", "option", "script", "select", "style"}
    | {"svg", "template", "textarea"}
)


def documents_of_landing_page(file: BinaryIO, url: str, content_type: str | None) -> tuple[str, ...]:
    """Return the documents that the page at *url* leads to; none if it is not a landing page.

    The documents are files of the 19 types other than HTML, on the host of the page. *content_type* is the
    header as received. Only the first megabyte of *file* is read. Never raises for the content of a page.
    """
    root = _tree_of(file, content_type)
    if root is None:
        return ()
    host = host_of(url)
    length, elements = 0, list[etree._Element]()
    for part in islice(_parts_of(root), _PARTS_MAX):
        if not isinstance(part, str):
            elements.append(part)
        else:
            length += len(" ".join(part.split()))
            if length >= TEXT_MAXLENGTH:
                return ()
    found = (_document_at(element, url, host) for element in elements[:_LINKS_MAX])
    return tuple(dict.fromkeys(link for link in found if link is not None))


def ask_for_documents(links: Sequence[str]) -> str:
    """Return the question whether these documents were meant, with the first of them."""
    shown: list[str] = []
    for link in links[:_SHOWN]:
        if shown and len(" ".join([*shown, link])) > _SHOWN_LENGTH:
            break
        shown.append(link)
    more = len(links) - len(shown)
    return f"bedoelde u {', '.join(shown)}{f', en nog {more}' if more else ''}?"


def documents_asked_for(question: str) -> list[str]:
    """Return the documents in a question of :func:`ask_for_documents`, without one that is cut off."""
    words = [word for word in question.split() if word.startswith(("https:", "http:"))]
    return [word[:-1] for word in words if not word.endswith("…")]


def _tree_of(file: BinaryIO, content_type: str | None) -> etree._Element | None:
    file.seek(0)
    pieces = (file.read(_CHUNK_SIZE) for _ in range(PAGE_MAXSIZE // _CHUNK_SIZE))
    _, texts = decode_page(iter(pieces), content_type)
    parser = etree.HTMLParser(no_network=True, remove_comments=True, remove_pis=True)
    with suppress(etree.ParserError, etree.XMLSyntaxError):  # nothing in it can be read as HTML
        for text in texts:
            parser.feed(text)
        return parser.close()
    return None


def _parts_of(root: etree._Element) -> Iterator[str | etree._Element]:
    """Yield the texts of a page outside of links, and its elements with an address, in their order."""
    walker = etree.iterwalk(root, events=("start", "end"))
    for event, element in walker:
        if event == "end":
            yield element.tail or ""
        elif element.tag in _SKIPPED:
            walker.skip_subtree()
        elif element.get(_ADDRESSES.get(str(element.tag), _NO_ADDRESS)):
            yield element
            walker.skip_subtree()
        else:
            yield element.text or ""


def _document_at(element: etree._Element, base: str, host: str) -> str | None:
    """Return the URL of the document that an element leads to; None if it leads to anything else."""
    found = absolute_url(base, str(element.get(_ADDRESSES[str(element.tag)])).strip())
    if found is None or len(found) > LOC_MAXLENGTH:
        return None
    try:
        url = safe_url_string(found)
        is_here = host_of(url) == host
    except ValueError:  # no host, or one that cannot be
        return None
    return url if is_here and _is_document(element, url) else None


def _is_document(element: etree._Element, url: str) -> bool:
    """Return whether the URL, the name for the download, or the media type is of a document."""
    names = element.get("download"), element.get("type")
    claims = from_extension(url), from_extension(names[0] or ""), from_media_type(names[1])
    filetype = next((claim.filetype for claim in claims if claim != FormatClaim()), None)
    return filetype is not None and filetype.code != "HTML"
