"""The rows of permits in an exported state, checked on import: entry pages, files, messages and cases."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from woo_harvester.findings import explain
from woo_harvester.permits.messages import is_in_future
from woo_harvester.permits.mutations import PermitRow
from woo_harvester.state.row_types import ExportedRow, Hex, Host, Seconds, Url
from woo_harvester.urls import host_of, loc_problem, secured


class _Fault(BaseModel):
    """A finding about an invalid file."""

    model_config = ConfigDict(extra="forbid")

    code: str
    line: int | None = None
    element: str | None = None
    seen: str | None = None
    given: str | None = None
    action: str | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        explain(self.code)
        if self.code == "ipm.datum-toekomst":
            is_in_future(self.seen or "", datetime.now(UTC))
        return self


_FAULTS = TypeAdapter(Annotated[list[_Fault], Field(min_length=1)])


def _checked_faults(value: str) -> str:
    try:
        _FAULTS.validate_json(value)
    except ValidationError:
        raise ValueError("expected findings as JSON, as a run stores them") from None
    return value


def _checked_message(value: str) -> str:
    """Return the JSON of a message. Raise ValueError unless a run can apply it."""
    try:
        mutation = PermitRow.load(value).mutation
        for url in (mutation.key.identifier, mutation.case, mutation.ingang, mutation.bestand):
            if url is not None:
                host_of(url)
    except ValueError:
        raise ValueError("expected a message as JSON, as a run stores it") from None
    return value


def _checked_page(value: str) -> str:
    if loc_problem(secured(value)):
        raise ValueError(f"expected the URL of an entry page, got {value!r}")
    return value


_Faults = Annotated[str, AfterValidator(_checked_faults)]
_Message = Annotated[str, AfterValidator(_checked_message)]
_Page = Annotated[str, AfterValidator(_checked_page)]
_ListedDate = Annotated[str, Field(max_length=40)]


class EntryRow(ExportedRow):
    """An entry page. Its files, messages and cases come after it."""

    kind: Literal["entry"] = "entry"
    host: Host
    url: _Page
    organisation: str | None = None
    """The organisation that an operator named for it."""
    complete_since: Seconds | None = None
    complete_at: Seconds | None = None
    gone_at: Seconds | None = None

    @model_validator(mode="after")
    def _check_host(self) -> Self:
        if host_of(self.url) != self.host:
            raise ValueError(f"expected an entry page on {self.host}, got {self.url}")
        return self


class _OfEntry(ExportedRow):
    """What an entry page has."""

    host: Host
    entry: _Page
    """URL of the entry page."""

    def _check_entry(self, data: str | None) -> Self:
        if data is not None and (entry := PermitRow.load(data).mutation.ingang) != self.entry:
            raise ValueError(f"expected a message of the entry page {self.entry}, got one of {entry}")
        return self


class PermitFileRow(_OfEntry):
    """A file of an entry page that was read."""

    kind: Literal["permit_file"] = "permit_file"
    url: Url
    digest: Hex
    date: _ListedDate | None = None
    """The date in the listing, as the state keeps it."""
    now: bool = False
    etag: str | None = None
    last_modified: str | None = None
    read_at: Seconds
    faults: _Faults | None = None
    faults_since: Seconds | None = None
    refused: _Message | None = None
    case_url: Url | None = None
    dated_at: Seconds | None = None
    first_seen: Seconds | None = None
    gone_at: Seconds | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        return self._check_entry(self.refused)


class MessageRow(_OfEntry):
    """A message that waits until it is applied."""

    kind: Literal["message"] = "message"
    data: _Message

    @model_validator(mode="after")
    def _check(self) -> Self:
        return self._check_entry(self.data)


class CaseRow(_OfEntry):
    """What is known of a case or a document of a case."""

    kind: Literal["case"] = "case"
    data: _Message

    @model_validator(mode="after")
    def _check(self) -> Self:
        return self._check_entry(self.data)


PermitHostRow = EntryRow | PermitFileRow | MessageRow | CaseRow
