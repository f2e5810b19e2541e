"""Reads entry pages: the links to messages in a directory listing or a spider page, with their dates.

A message is an XML file, or is made on request by a script. libxml2's HTML parser reads a page without
building a tree: a listing may have a hundred thousand rows, or one line of 10 MB.

Source: seed "Vergunningen op Internet IPM 4.0: Harvesting van metadata", section "Directory of
spider-pagina".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, cast
from urllib.parse import urljoin

from lxml import etree

from woo_harvester.documents.pages import decode_page
from woo_harvester.permits.listing_dates import SEARCHED, Stamp, find_date
from woo_harvester.sitemaps.xml_stream import CorruptError, TooLargeError, TruncatedError, decompress
from woo_harvester.utils.urls import LOC_MAXLENGTH, absolute_url, last_segment

#: Elements that end a row of a page without a table.
_BREAKS = frozenset(
    {"li", "br", "p", "div", "dt", "dd", "dl", "hr", "ul", "ol", "pre", "table", "thead", "tbody"}
    | {"h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "nav"}
)
#: Elements whose text a browser does not show.
_UNSEEN = frozenset({"script", "style", "title", "template"})
#: An extension begins with a letter, so "besluit-1.2" has none.
_EXTENSION = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,9}|7[zZ])$")
#: A plain file name in the page's folder, perhaps with a query, as nearly all listings have: not parsed.
_SIMPLE = re.compile(r"[\w~%-][\w.~%-]*(?:\?[\w.~%&=+-]*)?")
#: A query for the same page in another order, as Apache and Caddy write it.
_SORTED = re.compile("(?:[CO]=[A-Z]|(?:sort|order)=[a-z]+)", re.IGNORECASE)
#: Extensions of pages: each page has links to other pages. With a query a script may make them.
_PAGE = re.compile(r"[sx]?html?")
#: Extensions of files that are never messages, and that often stand beside them.
_OTHER = re.compile(
    r"pdf|docx?|odt|rtf|xlsx?|ods|csv|pptx?|odp|txt|md|log|epub|ics|vcf|json|geojson|gml|km[lz]|gpx|dwg|dxf"
    r"|xsd|xslt?|dtd|rss|atom|css|m?js|map|woff2?|ttf|jpe?g|png|gif|svg|webp|ico|bmp|tiff?|avif"
    r"|mp[34]|m4a|avi|mov|wav|webm|ogg|sha(?:1|256|512)|md5|sig|asc|msi|apk|dmg|iso"
)
#: White space around a URL, and characters within it that browsers leave out.
_IGNORED = re.compile(r"^[\s\x00-\x20]+|[\s\x00-\x20]+$|[\t\r\n]")


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a file that is or may be a message."""

    url: str
    """Absolute URL, without fragment."""
    is_xml: bool
    """True if its extension is that of XML. Without it the answer decides."""
    date: Stamp | None = None
    """Date of the file in the listing; None if there is none."""


@dataclass(slots=True)
class Listing:
    """The links of an entry page."""

    links: list[Link] = field(default_factory=list)
    """Each URL once, in the order of the page."""
    fault: str | None = None
    """Code of the finding if the page was not read to its end: ``ipm.te-groot`` or
    ``ipm.ingang-onbereikbaar``."""
    seen: str | None = None
    """Details of the fault."""


def read_listing(chunks: Iterable[bytes], url: str, maxsize: int, content_type: str | None = None) -> Listing:
    """Return the links of the page at *url* (after redirects), links to other hosts too.

    *chunks* are the parts of the page, gzip or not, of at most *maxsize* bytes after decompression.
    *content_type* is the header as received. Its encoding comes before that of a meta element, and that comes
    before a guess. If a page is too large or breaks off, the links before that are returned. Never raises for
    the content of a page.
    """
    listing = Listing()
    page = _Page(url)
    # _Page has all methods that lxml calls; the type hints of lxml ask for more.
    parser = etree.HTMLParser(target=cast("Any", page), huge_tree=True)
    _, texts = decode_page(_within_bounds(chunks, maxsize, listing), content_type)
    with suppress(etree.ParserError, etree.XMLSyntaxError):  # the page has nothing that can be read as HTML
        for text in texts:
            parser.feed(text)
        parser.close()
    page.end_row()
    listing.links = [Link(url, is_xml, date) for url, (is_xml, date) in page.found.items()]
    return listing


def _within_bounds(chunks: Iterable[bytes], maxsize: int, listing: Listing) -> Iterator[bytes]:
    try:
        yield from decompress(chunks, maxsize)
    except TooLargeError as error:
        listing.fault, listing.seen = "ipm.te-groot", str(error)
    except (TruncatedError, CorruptError) as error:
        listing.fault, listing.seen = "ipm.ingang-onbereikbaar", str(error)


@dataclass(slots=True)
class _Row:
    """One row of a page: its links, and the beginning of the text around them."""

    links: dict[str, bool] = field(default_factory=dict)
    """Whether each URL shows that it is one of XML."""
    text: list[str] = field(default_factory=list)
    length: int = 0

    def add(self, text: str) -> None:
        """Add text outside of links."""
        if self.length < SEARCHED:
            self.length += len(text)
            self.text.append(text)


class _Page:
    """Target of the parser: gets the elements and the text of a page, and keeps the links."""

    def __init__(self, url: str) -> None:
        self._base = self._url = url.partition("#")[0]
        self._folder = _folder_of(self._base)
        self._has_base = False
        self._row = _Row()
        self._in_link = self._in_table_row = self._in_pre = self._unseen = 0
        self.found: dict[str, tuple[bool, Stamp | None]] = {}
        """The links to files: whether the URL shows that it is one of XML, and the date."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element."""
        if tag == "a":
            self._start_link(attributes)
        elif tag == "tr":
            self.end_row()
            self._in_table_row = 1
        elif tag == "time":
            self._row.add(f" {attributes.get('datetime')} ")
        elif tag in _UNSEEN:
            self._unseen += 1
        elif tag == "base":
            self._set_base(attributes.get("href"))
        elif tag in _BREAKS and not self._in_table_row:
            self.end_row()
        if tag == "pre":
            self._in_pre += 1

    def end(self, tag: str) -> None:
        """Handle the end of an element."""
        if tag == "a":
            self._in_link = 0
        elif tag == "tr":
            self._in_table_row = 0
            self.end_row()
        elif tag in _UNSEEN:
            self._unseen -= 1
        elif tag in _BREAKS and not self._in_table_row:
            self.end_row()
        if tag == "pre":
            self._in_pre -= 1

    def data(self, text: str) -> None:
        """Handle text, or a part of a text."""
        if self._in_link or self._unseen:
            return
        if not self._in_pre or self._in_table_row or "\n" not in text:
            self._row.add(text)
            return
        first, *others = text.split("\n")
        self._row.add(first)
        self.end_row()
        if len(others) > 1:
            others = others[-1:]  # lines without a link have no date of a file
        self._row.add(others[0])

    def close(self) -> None:
        """Do nothing at the end of the page; lxml calls this."""

    def end_row(self) -> None:
        """Keep the links of the row that ends. The date of a row is that of the only file in it."""
        row, self._row = self._row, _Row()
        date = find_date(" ".join(row.text)) if len(row.links) == 1 else None
        for url, is_xml in row.links.items():
            self.found[url] = is_xml, self.found.get(url, (is_xml, None))[1] or date

    def _start_link(self, attributes: dict[str, str]) -> None:
        href = attributes.get("href")
        if href is None:
            return
        self._in_link = 1
        href = _IGNORED.sub("", href)
        # A simple name is that of a file in the folder.
        url = self._folder + href if _SIMPLE.fullmatch(href) else absolute_url(self._base, href)
        if url is not None and url != self._url and len(url) <= LOC_MAXLENGTH:
            is_xml = _is_xml(url, self._url)
            if is_xml is not None:
                self._row.links[url] = is_xml

    def _set_base(self, href: str | None) -> None:
        """Use the first base element of the page (HTML, 4.2.3)."""
        if href is not None and not self._has_base:
            self._has_base = True
            base = absolute_url(self._url, _IGNORED.sub("", href))
            if base is not None:
                self._base, self._folder = base, _folder_of(base)


def _folder_of(url: str) -> str:
    return urljoin(url, ".")


def _is_xml(url: str, page: str) -> bool | None:
    """Return whether the URL of a link shows that it is one of XML; without that the answer decides.

    Returns None for a folder, another page, a file that is never a message, and the page itself in another
    order.
    """
    name = last_segment(url)
    path, _, query = url.partition("?")
    if not (name or query) or (path == page.partition("?")[0] and _SORTED.match(query)):
        return None
    extension = _extension_of(name)
    if extension == "xml":
        return True
    is_other = extension is not None and (
        _OTHER.fullmatch(extension) or (_PAGE.fullmatch(extension) and not query)
    )
    return None if is_other else False


def _extension_of(name: str) -> str | None:
    """Return the extension of a file's name in lower case, without that of gzip; None if it has none."""
    found = _EXTENSION.search(name)
    if found is not None and found[1].lower() == "gz" and name[: found.start()].lower().endswith(".xml"):
        return "xml"
    return None if found is None else found[1].lower()
