"""The items of both spiders, and the answers of servers that they come from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, KeysView
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import IO, Any, BinaryIO, ClassVar, cast

from itemadapter import ItemAdapter
from itemadapter.adapter import AdapterInterface
from scrapy.http import Response
from w3lib.encoding import http_content_type_encoding

from woo_harvester.diwoo.filetype import TypeClaims, claims_of_type
from woo_harvester.diwoo.given import GivenMetadata
from woo_harvester.documents.content import DetectedFormat, detect_beginning, detect_format, detected_before
from woo_harvester.documents.filename import file_name
from woo_harvester.documents.formats import FileType
from woo_harvester.findings import Reporter
from woo_harvester.kinds import Kind
from woo_harvester.record import Record, json_keys, json_value, record_type
from woo_harvester.register.register import Match
from woo_harvester.state.deliveries import KnownFile
from woo_harvester.tooi.lists import ValueLists
from woo_harvester.tooi.values import Concept

_CHUNK_SIZE = 256 * 1024


class StreamedResponse(Response):
    """A response whose body is in a file: ``body`` is empty, and ``chunks()`` reads the file in pieces.

    A small file is in memory. Closing a file removes it. Each response is closed by one of these:

    - the download handler, if it fails after it has made the response;
    - a downloader middleware that returns a request instead of the response, with :func:`release`;
    - ``WooRobotsTxtMiddleware``, if it has fetched the robots.txt itself;
    - the spider middleware ``CloseResponses`` in all other cases: after the callback, or when the item with
      the response has left the pipelines.
    """

    def __init__(
        self,
        *args: Any,
        file: IO[bytes] | None = None,
        size: int = 0,
        sha256: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.file: IO[bytes] = file if file is not None else BytesIO()
        self.size = size
        """Size of the body in bytes, after decoding, up to the limit of the request."""
        self.coding = ""
        """The Content-Encoding as given."""
        self.is_decoded = False
        """True if the body had it, and has it no longer."""
        self.sha256 = sha256
        """SHA-256 of the body in hexadecimals, if the request has ``woo_digest`` and the body is complete."""
        self.on_close: Callable[[], None] | None = None
        """The function to call once, when the file is closed."""

    @property
    def charset(self) -> str | None:
        """The encoding that the server names in Content-Type; None if it names none that there is."""
        return http_content_type_encoding(header(self, "Content-Type"))

    def chunks(self) -> Iterator[bytes]:
        """Yield the body from its beginning, in pieces of 256 KiB."""
        self.file.seek(0)
        while chunk := self.file.read(_CHUNK_SIZE):
            yield chunk

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self.file.close()
        on_close, self.on_close = self.on_close, None
        if on_close is not None:
            on_close()


def release(response: Response) -> None:
    """Close a response that no callback gets, such as a redirect or one that is retried."""
    if isinstance(response, StreamedResponse):
        response.close()


def header(response: Response, name: str) -> str | None:
    """Return a header of the response as text, or None."""
    value = response.headers.get(name)
    return value.decode("utf-8", errors="replace") if value else None


def header_date(response: Response, name: str) -> datetime | None:
    """Return the moment in ``Date`` or ``Last-Modified``, or None if there is none that can be read."""
    try:
        moment = parsedate_to_datetime(header(response, name) or "")
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def size_of(response: StreamedResponse) -> int | None:
    """Return the size of a body in bytes: as received, else as announced; None if neither is known."""
    if response.sha256 or "maxsize" in response.flags:
        return response.size
    return announced_size(response)


def announced_size(response: Response) -> int | None:
    """Return the ``Content-Length`` of a response, or None if it has none that can be read."""
    announced = header(response, "Content-Length")
    return int(announced) if announced and announced.isascii() and announced.isdigit() else None


@dataclass(frozen=True, slots=True)
class Sample:
    """The beginning of a document, from a request of a limited size."""

    response: StreamedResponse
    """The answer; its headers are those that a request for the complete document would have."""
    data: bytes
    is_complete: bool
    """True if the document has no more bytes than these."""
    size: int | None
    """Size of the complete document in bytes, if the server says it."""


@dataclass(slots=True)
class Fetched:
    """The response to the request for a document, as the pipelines need it."""

    response: StreamedResponse
    unchanged: KnownFile | None = None
    """The known file, if the server answered 304; else None."""
    path: Path | None = field(default=None, compare=False)
    """Path of the document in the store, if that is a folder; the fourth pipeline sets it."""
    sample: Sample | None = None
    """The beginning of the document, if only its headers were requested and these did not suffice."""
    leads_to: tuple[str, ...] = ()
    """The documents that it leads to, if it is a landing page."""
    claims: tuple[TypeClaims, str | None] | None = field(default=None, init=False, compare=False)
    """The result of :meth:`Source.claims_and_name`, once that was called."""
    _content: DetectedFormat | None = field(default=None, init=False, compare=False, repr=False)

    @property
    def answer(self) -> StreamedResponse:
        """The response to the last request: that for the sample, if there is one."""
        return self.sample.response if self.sample else self.response

    @property
    def media_type(self) -> str | None:
        """The ``Content-Type`` as given."""
        return self.unchanged.media_type if self.unchanged else header(self.answer, "Content-Type")

    @property
    def disposition(self) -> bytes | None:
        """The ``Content-Disposition`` as given."""
        return self.answer.headers.get("Content-Disposition")

    @property
    def size(self) -> int | None:
        """Size of the document in bytes: as received, else as announced."""
        if self.unchanged is not None:
            return self.unchanged.size
        announced = self.sample.size if self.sample else None
        return size_of(self.response) if announced is None else announced

    @property
    def sha256(self) -> str | None:
        """SHA-256 of the document in lower-case hexadecimals, or None if it was not received."""
        if self.unchanged is not None:
            return self.unchanged.sha256.hex() if self.unchanged.sha256 else None
        return self.response.sha256

    @property
    def file(self) -> BinaryIO | None:
        """The document as a seekable file, or None if it was not received."""
        is_received = self.unchanged is None and self.response.sha256 is not None
        return cast("BinaryIO", self.response.file) if is_received else None

    @property
    def content(self) -> DetectedFormat | None:
        """The format detected from its bytes, now or by an earlier run; None without any bytes.

        It is detected once. Raises OSError if the file cannot be read.
        """
        if self._content is None:
            self._content = self._detect()
        return self._content

    def _detect(self) -> DetectedFormat | None:
        if self.unchanged is not None:  # the same bytes have the same type as when it was detected
            return detected_before(self.media_type)
        if self.file is not None:
            return detect_format(self.file)
        if self.sample is None:
            return None
        detect = detect_format if self.sample.is_complete else detect_beginning
        return detect(BytesIO(self.sample.data))


@dataclass(slots=True)
class Source:
    """The source of a record: an entry of a sitemap, and the response with its document."""

    given: GivenMetadata
    category: Concept | None
    """The informatiecategorie in the name of the index."""
    match: Match
    """The organisation of the document according to the register."""
    lists: ValueLists
    """The value lists for the host whose sitemap lists the document."""
    fetched: Fetched | None = None
    """The response, also to a HEAD; None if none was requested (``documents=none``)."""
    known: KnownFile | None = None
    """The file of the version before, if that was fetched."""
    is_again: bool = False
    """True if the known version is delivered once more."""
    filetype: FileType | None = None
    """File type of the document, by its bytes if it was received; the third pipeline sets it."""

    def claims_and_name(self, loc: str) -> tuple[TypeClaims, str | None]:
        """Return what is claimed of the type of the document at *loc*, and the name of its file.

        Without an answer, the metadata and the extension claim it.
        """
        fetched, given = self.fetched, self.given.format
        if fetched is None:
            name = file_name(None, loc)
            return claims_of_type(given, None, loc, name), name
        if fetched.claims is None:
            known = fetched.unchanged
            name = known.file_name if known else file_name(fetched.disposition, loc)
            fetched.claims = claims_of_type(given, fetched.media_type, loc, name), name
        return fetched.claims


class RecordItem:
    """An item of the project's spiders. ``ItemAdapter`` and exporters see its record.

    They see the keys of the output with plain Python values; empty values are absent. Pipelines change
    ``record`` itself.
    """

    kind: ClassVar[Kind]
    record: Any
    delivery: object | None
    """The :class:`~woo_harvester.state.deliveries.Delivery` for the state; StateKeeper sets it."""

    @property
    def host(self) -> str | None:
        """The host in whose account it counts; None if it counts in none."""
        raise NotImplementedError

    @property
    def file(self) -> str | None:
        """The URL of the file that it was made from, which an error about it names; None if there is none."""
        return None


@dataclass(slots=True)
class WooItem(RecordItem):
    """A document: its record, its source, and the reporter of findings about it."""

    kind = Kind.woo

    record: Record
    source: Source | None
    """None for a withdrawal, whose record has no metadata."""
    report: Reporter
    delivery: object | None = None
    is_counted: bool = False
    """True once the account of its host says what became of it; a loss is its finding."""

    @property
    def host(self) -> str | None:
        """The host whose sitemap lists the document."""
        return self.report.host


class RecordItemAdapter(AdapterInterface):
    """The adapter by which Scrapy's feeds and other projects' pipelines read the record of an item.

    It converts the record once, when the first key is read, because exporters read each key several times.
    """

    item: RecordItem

    @classmethod
    def is_item_class(cls, item_class: type) -> bool:
        """Return whether this adapter is for *item_class*."""
        return issubclass(item_class, RecordItem)

    @classmethod
    def get_field_names_from_class(cls, item_class: type) -> list[str]:
        """Return the keys that a record can have."""
        kind: Kind = item_class.kind  # type: ignore[attr-defined]  # asked only of our own
        return [key for _, key in json_keys(record_type(kind))]

    def field_names(self) -> KeysView[str]:
        """Return all keys, also absent ones, because the first item determines the columns of a CSV file."""
        return dict.fromkeys(self.get_field_names_from_class(type(self.item))).keys()

    @cached_property
    def _output(self) -> dict[str, Any]:
        output: dict[str, Any] = json_value(self.item.record)
        return output

    def __getitem__(self, field_name: str) -> Any:
        return self._output[field_name]

    def __setitem__(self, field_name: str, value: Any) -> None:
        raise KeyError(f"{field_name}: change the record of a {type(self.item).__name__}, not its output")

    def __delitem__(self, field_name: str) -> None:
        raise KeyError(f"{field_name}: change the record of a {type(self.item).__name__}, not its output")

    def __iter__(self) -> Iterator[str]:
        return iter(self._output)

    def __len__(self) -> int:
        return len(self._output)


ItemAdapter.ADAPTER_CLASSES = [RecordItemAdapter, *ItemAdapter.ADAPTER_CLASSES]
