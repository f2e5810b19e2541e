"""Reads and writes the files of an exported state: JSON Lines, a row on each line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from pydantic import ValidationError

from woo_harvester.state.rows import Row, parse_row, row_line
from woo_harvester.utils.inputs import check_regular


class ExportedError(ValueError):
    """The file is not an exported state. The message names the file, the line and what was expected."""


def write(rows: Iterable[Row], file: IO[str]) -> None:
    """Write *rows* to *file*."""
    for row in rows:
        file.write(row_line(row))


def read(path: Path) -> Iterator[Row]:
    """Yield the rows of an exported file, each checked. Raises :class:`ExportedError`."""
    order = _OrderCheck()
    line = 1
    try:
        check_regular(path)  # an import reads the file more than once, which a pipe does not allow
        with path.open(encoding="utf-8-sig", newline="") as file:
            for line, text in enumerate(file, start=1):  # noqa: B007  # an error names the line
                if text.strip():
                    row = parse_row(text)
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
    place = ".".join(str(part) for part in first["loc"])
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
        match row["kind"]:
            case "host":
                self._check_once(row["host"], self._hosts, "host")
                self._host, self._files = row["host"], set()
            case "entry":
                self._check_once(row["url"], self._entries, "entry page")
                self._check_entry(row)
            case "file" | "document" | "listing":
                self._check_of_host(row)
            case _:
                self._check_of_entry(row)

    def _check_once(self, name: str, earlier: set[str], what: str) -> None:
        if name in earlier:
            raise ValueError(f"expected each {what} once, got {name} a second time")
        earlier.add(name)

    def _check_of_host(self, row: Row) -> None:
        if row["host"] != self._host:
            raise ValueError(f"expected the line of the host {row['host']} before those of what it has")
        if row["kind"] == "file":
            self._check_once(row["url"], self._files, "file of a host")
        elif row["sitemap"] not in self._files:
            raise ValueError(f"expected a line of the sitemap {row['sitemap']} before those of its documents")

    def _check_entry(self, row: Row) -> None:
        if row["host"] != self._permit_host and row["host"] in self._permit_hosts:
            raise ValueError(f"expected the entry pages of {row['host']} after each other")
        self._permit_hosts.add(row["host"])
        self._permit_host, self._entry, self._permit_files = row["host"], row["url"], set()

    def _check_of_entry(self, row: Row) -> None:
        if (row["host"], row["entry"]) != (self._permit_host, self._entry):
            raise ValueError(
                f"expected the line of the entry page {row['entry']} before those of what it has"
            )
        if row["kind"] == "permit_file":
            self._check_once(row["url"], self._permit_files, "file of an entry page")
