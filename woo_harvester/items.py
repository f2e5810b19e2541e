"""The items of the spiders: a record on its way through the pipelines, with what it is made from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, KeysView
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from itemadapter import ItemAdapter
from itemadapter.adapter import AdapterInterface

from woo_harvester.diwoo.given_metadata import GivenMetadata
from woo_harvester.findings import Reporter
from woo_harvester.formats import FileType
from woo_harvester.permits.record import PermitRecord
from woo_harvester.record import Record, json_keys, json_value
from woo_harvester.register.organisations import Match
from woo_harvester.state.versions import KnownFile
from woo_harvester.tooi.values import Concept


@dataclass(slots=True)
class Fetched:
    """What the answer to a document's request told."""

    url: str
    """After redirects."""
    media_type: str | None
    """The ``Content-Type`` as given."""
    disposition: bytes | None
    """The ``Content-Disposition`` as given."""
    size: int | None
    """Bytes: of the body where it was fetched, else ``Content-Length``."""
    sha256: str | None = None
    """Of the body, in lower-case hexadecimals; None where it was not fetched."""
    path: Path | None = None
    """The body in the store, where that is a folder; the fourth pipeline tells."""
    unchanged: bool = False
    """The server answered that the file is the one that was fetched before."""
    file: BinaryIO | None = field(default=None, compare=False, repr=False)
    """The body, seekable; None where it was not fetched."""
    close: Callable[[], None] = field(default=lambda: None, compare=False, repr=False)
    """Gives the body back."""


@dataclass(slots=True)
class Source:
    """What one entry of a sitemap gives: the raw material of a record."""

    given: GivenMetadata
    category: Concept | None
    """The informatiecategorie that the name of the index tells."""
    match: Match
    """Whose the document is by the register."""
    fetched: Fetched | None = None
    """None where no request was made (``documents=none``)."""
    known: KnownFile | None = None
    """The file of the version before, where it was fetched."""
    recheck: bool = False
    """The entry is unchanged: the document is fetched all the same, and delivered if its bytes differ."""
    filetype: FileType | None = None
    """What the document is, by its bytes where it was fetched; the third pipeline tells."""


class RecordItem:
    """What a spider delivers: for exporters and ``ItemAdapter`` it is its record.

    That is: the keys of the output, without what is absent, read as plain Python. Pipelines change ``record``
    itself.
    """

    record_type: ClassVar[type[Record] | type[PermitRecord]]
    record: Record | PermitRecord
    delivery: object | None
    """What the state learns once every output has the record durably; the extension StateKeeper's."""


@dataclass(slots=True)
class WooItem(RecordItem):
    """One document: the record that is delivered, its source, and the reporter of its findings."""

    record_type = Record

    record: Record
    source: Source | None
    """None for the record of a withdrawal, which tells no metadata."""
    report: Reporter
    delivery: object | None = None


@dataclass(slots=True)
class PermitItem(RecordItem):
    """One permit case, in the version that this run reports."""

    record_type = PermitRecord

    record: PermitRecord
    delivery: object | None = None


class RecordItemAdapter(AdapterInterface):
    """Lets Scrapy's feeds and other projects' pipelines read a :class:`RecordItem` as its record.

    An adapter reads the record once, when it is first asked; exporters ask for each key several times.
    """

    item: RecordItem

    @classmethod
    def is_item_class(cls, item_class: type) -> bool:
        """Whether this adapter is for *item_class*."""
        return issubclass(item_class, RecordItem)

    @classmethod
    def get_field_names_from_class(cls, item_class: type) -> list[str]:
        """The keys that a record can have."""
        record_type: type[Any] = item_class.record_type  # type: ignore[attr-defined]  # asked only of our own
        return [key for _, key in json_keys(record_type)]

    def field_names(self) -> KeysView[str]:
        """All keys, also those that are absent: the columns of a CSV file are those of its first item."""
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
