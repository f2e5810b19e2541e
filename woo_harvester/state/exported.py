"""Reads and writes the files of an exported state: JSON Lines, a row on each line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from woo_harvester.state.rows import (
    ROW,
    CaseRow,
    DocumentRow,
    EntryRow,
    FileRow,
    HostRow,
    ListingRow,
    MessageRow,
    PermitFileRow,
    Row,
)
from woo_harvester.utils.inputs import check_regular


class ExportedError(ValueError):
    """The file is not an exported state. The message names the file, the line and what was expected."""


def write(rows: Iterable[Row], file: IO[str]) -> None:
    """Write *rows* to *file*."""
    for row in rows:
        values = row.model_dump(mode="json", exclude_none=True)
        file.write(json.dumps(values, ensure_ascii=False) + "\n")


def read(path: Path) -> Iterator[Row]:
    """Yield the rows of an exported file, each checked. Raises :class:`ExportedError`."""
    order = _OrderCheck()
    line = 1
    try:
        check_regular(path)  # an import reads the file more than once, which a pipe does not allow
        with path.open(encoding="utf-8-sig", newline="") as file:
            for line, text in enumerate(file, start=1):  # noqa: B007  # an error names the line
                if text.strip():
                    row = ROW.validate_json(text)
                    order.check(row)
                    yield row
    except ValueError as error:
        raise ExportedError(f"{path}, line {line}: {_explain(error)}") from None
    except OSError as error:
        raise ExportedError(f"{path}: {error.strerror or error}") from None


def _explain(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"][1:])
    message = first["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message


class _OrderCheck:
    """Check of the order of rows: each host once, then its files, then its documents; entry pages alike."""

    def __init__(self) -> None:
        self._hosts: set[str] = set()
        self._host = ""
        self._files: set[str] = set()
        self._permit_hosts: set[str] = set()
        self._permit_host = ""
        self._entries: set[str] = set()
        self._entry = ""
        self._permit_files: set[str] = set()

    def check(self, row: Row) -> None:
        """Raise ValueError if *row* may not come here."""
        match row:
            case HostRow():
                if row.host in self._hosts:
                    raise ValueError(f"expected each host once, got {row.host} a second time")
                self._hosts.add(row.host)
                self._host, self._files = row.host, set()
            case FileRow() | DocumentRow() | ListingRow() if row.host != self._host:
                raise ValueError(f"expected the line of the host {row.host} before those of what it has")
            case FileRow():
                if row.url in self._files:
                    raise ValueError(f"expected each file of a host once, got {row.url} a second time")
                self._files.add(row.url)
            case DocumentRow() | ListingRow() if row.sitemap not in self._files:
                raise ValueError(
                    f"expected a line of the sitemap {row.sitemap} before those of its documents"
                )
            case EntryRow():
                self._check_entry(row)
            case PermitFileRow() | MessageRow() | CaseRow():
                self._check_of_entry(row)

    def _check_entry(self, row: EntryRow) -> None:
        if row.url in self._entries:
            raise ValueError(f"expected each entry page once, got {row.url} a second time")
        if row.host != self._permit_host and row.host in self._permit_hosts:
            raise ValueError(f"expected the entry pages of {row.host} after each other")
        self._permit_hosts.add(row.host)
        self._entries.add(row.url)
        self._permit_host, self._entry, self._permit_files = row.host, row.url, set()

    def _check_of_entry(self, row: PermitFileRow | MessageRow | CaseRow) -> None:
        if (row.host, row.entry) != (self._permit_host, self._entry):
            raise ValueError(f"expected the line of the entry page {row.entry} before those of what it has")
        if isinstance(row, PermitFileRow):
            if row.url in self._permit_files:
                raise ValueError(f"expected each file of an entry page once, got {row.url} a second time")
            self._permit_files.add(row.url)
