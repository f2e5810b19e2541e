"""Samples: the beginning of a document, where its headers do not show what it is."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from enum import Enum
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

from woo_harvester.diwoo.filetype import TypeClaims, expected_filetype
from woo_harvester.documents import documents_of_landing_page, file_name, from_extension
from woo_harvester.items import Fetched, Sample, StreamedResponse, WooItem, announced_size, header
from woo_harvester.running.arguments import DocumentsMode
from woo_harvester.sitemaps.facts import Depth
from woo_harvester.utils.program import PARTIAL_CONTENT, is_complete
from woo_harvester.utils.urls import host_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

#: The part of a document that begins with its first byte, and the size of the whole (RFC 9110, 14.4).
_FROM_FIRST_BYTE = re.compile(r"bytes\s+0-[0-9]+/([0-9]+|\*)", re.IGNORECASE)


class SampleKind(Enum):
    """What a sample is for; the value is its largest size in bytes."""

    BEGINNING = 4 * 1024
    """Only the content shows the file type."""
    PAGE = 256 * 1024
    """The document is a web page, and may lead to documents instead of being one."""
    PROOF = 1024
    """An audit checks that the document is what its headers say, and no login page."""

    @property
    def headers(self) -> dict[str, str]:
        """The headers that ask for so many bytes. Pages are often made for each request, without ranges."""
        return {} if self is SampleKind.PAGE else {"Range": f"bytes=0-{self.value - 1}"}


class Samples:
    """Decides which documents of ``documents=head`` need a sample: at most WOO_PAGE_SAMPLE a host and kind.

    An audit takes one of each document: a server may send a login page under the headers of a document.
    The statistics are ``woo/documents/sampled`` and ``woo/documents/unsampled``.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._limit = crawler.settings.getint("WOO_PAGE_SAMPLE")
        self._is_audit = crawler.settings.getbool("WOO_AUDIT")
        self._stats = crawler.stats
        self._taken = Counter[tuple[str, SampleKind]]()

    def next_kind(self, item: WooItem, before: SampleKind | None = None) -> SampleKind | None:
        """Return the sample that an item needs after the one *before*, and count it; None for no sample."""
        kind = _needed(item, before)
        if kind is None and before is None and self._is_audit:
            kind = SampleKind.PROOF
        if kind is None:
            return None
        place = host_of(item.record.document.weblocatie), kind
        if self._taken[place] >= self._limit:
            self.count_unsampled()
            return None
        self._taken[place] += 1
        return kind

    def read(self, response: StreamedResponse) -> Sample | None:
        """Return the sample in an answer; None if the answer has another part of the document, or none."""
        sample = _sample_in(response)
        if sample is None:
            self.count_unsampled()
        else:
            self._stats.inc_value("woo/documents/sampled")
        return sample

    def count_unsampled(self) -> None:
        """Count a document whose type or links remain unknown for lack of a sample."""
        self._stats.inc_value("woo/documents/unsampled")


async def find_linked_documents(item: WooItem) -> None:
    """Note the documents to which an item leads, if it is a landing page and enough of it was received.

    A thread reads the page, since a hostile one takes a second.
    """
    fetched = item.source.fetched if item.source else None
    file = _page_of(fetched) if fetched else None
    if fetched is None or file is None or not _is_html(item):
        return
    url, media_type = fetched.answer.url, fetched.media_type
    fetched.leads_to = await asyncio.to_thread(documents_of_landing_page, file, url, media_type)


def _page_of(fetched: Fetched) -> BinaryIO | None:
    """Return what was received of a document, if it is all or as much as is asked for of a page."""
    sample = fetched.sample
    if sample is not None and (sample.is_complete or len(sample.data) >= SampleKind.PAGE.value):
        return BytesIO(sample.data)
    return fetched.file


def _needed(item: WooItem, before: SampleKind | None) -> SampleKind | None:
    source = item.source
    if source is None or source.fetched is None or before is SampleKind.PAGE:
        return None
    claims, _ = source.claims_of_type(item.record.document.weblocatie)
    if before is None and (claims.is_type_open or _is_nameless(source.fetched, claims)):
        return SampleKind.BEGINNING
    return SampleKind.PAGE if _page_of(source.fetched) is None and _is_html(item) else None


def _is_nameless(fetched: Fetched, claims: TypeClaims) -> bool:
    """Return whether no header names a type of document, so that the answer may be a login page."""
    named = from_extension(file_name(fetched.disposition, "") or "")
    is_named = claims.response.filetype or claims.response.unlisted or named.filetype
    # A publisher that gives a type outside the list is believed. Of what may be a page, more is requested.
    return not (is_named or claims.metadata.unlisted or claims.is_html_possible)


def _is_html(item: WooItem) -> bool:
    """Return whether a document will be harvested as HTML."""
    if item.source is None or item.source.fetched is None:
        return False
    claims, _ = item.source.claims_of_type(item.record.document.weblocatie)
    content = item.source.fetched.content
    by_content = content is not None and any(filetype.code == "HTML" for filetype in content.may_be)
    if not (by_content or claims.is_html_possible):
        return False
    filetype = expected_filetype(claims, content)
    return filetype is not None and filetype.code == "HTML"


def _sample_in(response: StreamedResponse) -> Sample | None:
    is_part = response.status == PARTIAL_CONTENT
    part = _FROM_FIRST_BYTE.fullmatch((header(response, "Content-Range") or "").strip()) if is_part else None
    is_beginning = is_complete(response.status) or part is not None
    if not is_beginning or not {"coding", "expansion"}.isdisjoint(response.flags):
        return None
    data = b"".join(response.chunks())
    size = announced_size(response)
    if part is not None:
        size = int(part[1]) if part[1] != "*" and not response.coding else None
    elif not response.flags:
        size = len(data)
    return Sample(response, data, is_complete=not response.flags and size == len(data), size=size)


_DEPTHS: dict[DocumentsMode, Depth] = {"none": Depth.NONE, "head": Depth.HEADERS, "download": Depth.FILE}


def wanted_depth(mode: DocumentsMode, settings: BaseSettings) -> Depth:
    """Return how much of each document a run wants, by its settings."""
    is_text = mode == "download" and settings.getbool("WOO_TEXT")
    return Depth.TEXT if is_text else _DEPTHS[mode]
