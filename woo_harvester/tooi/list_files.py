"""The files of the value lists: ``index.csv``, and a CSV file for each list. Reading checks them.

``index.csv`` has the columns ``list,tooi_set,published,values``: the name of a list, the URI of its TOOI set
with the version at its end, its date of publication, and the number of its values. The file of a list has its
name, and the columns ``uri,label``. Other columns, and other lists in the index, are left alone.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from io import StringIO
from pathlib import Path

from woo_harvester.tooi.values import Concept, is_tooi_organisation
from woo_harvester.utils.inputs import check_regular

INDEX = "index"
_COLUMNS = ("list", "tooi_set", "published", "values")
#: Largest file that is read, in bytes. The largest list of 2025 has 45 kB; as JSON from TOOI it has 1 MB.
MAXSIZE = 20 * 1024 * 1024
#: Longest URI and label of a value, in characters. The longest label of 2025 has 161.
_URI_MAX = 2083
_LABEL_MAX = 1000
_SHOWN = 60

_SET = "https://identifier.overheid.nl/tooi/set/"
#: The URI of a value: an absolute URL, without white space and what no URI may have (RFC 3986, 2).
_URI = re.compile(r"https?://[^\s\x00-\x1f\x7f<>\"{}|\\^`]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


class ListsError(ValueError):
    """Value lists cannot be used; the message is one line for the operator."""


@dataclass(frozen=True, slots=True)
class Edition:
    """The edition of a value list that is in use."""

    set_uri: str
    """URI of the TOOI set; its last segment is the version."""
    published: date
    values: int
    """Number of values in the list."""
    checked: date | None = None
    """Day on which TOOI's site was last seen to have no newer version; None if that is not known."""
    is_bundled: bool = True
    """True if it ships with the project; False if ``scrapy tooi update`` fetched it."""

    @property
    def rank(self) -> tuple[date, int]:
        """A key by which the newest edition of a list is the largest."""
        return self.published, self.version

    @property
    def version(self) -> int:
        """The number of the version."""
        return int(self.set_uri.rpartition("/")[2])

    def age(self, today: date) -> int:
        """Return for how many days the list may have been out of date: since it was published or checked."""
        return (today - max(self.published, self.checked or self.published)).days


@dataclass(frozen=True, slots=True)
class ListFile:
    """A value list as it is in its file: its edition, and its values in the order of the file."""

    edition: Edition
    concepts: Sequence[Concept]


ListFiles = Mapping[str, ListFile]
"""Value lists by name, such as ``scw_toplijst``."""


def read_lists(
    read: Callable[[str], bytes], names: Iterable[str], today: date, *, is_bundled: bool = False
) -> dict[str, ListFile]:
    """Return the lists with these names. *read* returns the content of the file with a name.

    Raises ListsError for a file that cannot be used. A date after *today* is one: no newer list would replace
    that list.
    """
    rows = {row["list"].strip(): row for row in read_rows(INDEX, read(INDEX), *_COLUMNS)}
    found = {}
    for name in names:
        if name not in rows:
            raise ListsError(f"{INDEX}.csv lacks the list {name}")
        edition = _edition(name, rows[name], today, is_bundled=is_bundled)
        found[name] = checked_list(name, edition, _concepts(name, read(name)))
    return found


def read_from_folder(folder: Path) -> Callable[[str], bytes]:
    """Return a function that reads a file of *folder* by its name. It raises ListsError."""

    def read(name: str) -> bytes:
        path = folder / f"{name}.csv"
        try:
            check_regular(path)
            with path.open("rb") as file:
                content = file.read(MAXSIZE + 1)
        except OSError as error:
            raise ListsError(f"{path}: {error.strerror or error}") from error
        if len(content) > MAXSIZE:
            raise ListsError(f"{path} is larger than {MAXSIZE:,} bytes")
        return content

    return read


def checked_list(name: str, edition: Edition, concepts: Sequence[Concept]) -> ListFile:
    """Return a list, after a check of its values. Raises ListsError."""
    seen: set[str] = set()
    for concept in concepts:
        if not _URI.fullmatch(concept.uri) or len(concept.uri) > _URI_MAX:
            raise ListsError(f"{name}: expected the URI of a value, got {_shown(concept.uri)}")
        if name.startswith("rwc_") and not is_tooi_organisation(concept.uri):
            raise ListsError(f"{name}: expected the TOOI URI of an organisation, got {_shown(concept.uri)}")
        if not concept.label or len(concept.label) > _LABEL_MAX or _CONTROL.search(concept.label):
            raise ListsError(f"{name}: expected a label for {concept.uri}, got {_shown(concept.label)}")
        if concept.uri in seen:
            raise ListsError(f"{name}: {concept.uri} is there twice")
        seen.add(concept.uri)
    if len(seen) != edition.values or not seen:
        raise ListsError(f"{name} has {len(seen)} values, and {edition.values} were expected")
    return ListFile(edition, tuple(concepts))


def read_day(text: str, today: date) -> date:
    """Return a date of publication. Raises ValueError if it is none, or lies after *today*.

    A day more is accepted, since the clocks of two machines may differ.
    """
    day = date.fromisoformat(text.strip()[:10])
    if (day - today).days > 1:
        raise ValueError(f"{day} lies in the future")
    return day


def set_uri(name: str, version: int) -> str:
    """Return the URI of a version of a list."""
    return f"{_SET}{name}/{version}"


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """Return a CSV file, as those that ship with the project."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue().encode()


def _edition(name: str, row: Mapping[str, str], today: date, *, is_bundled: bool) -> Edition:
    """Return the edition of a list in a row of the index. Raises ListsError."""
    uri = row["tooi_set"].strip()
    if not re.fullmatch(rf"{re.escape(f'{_SET}{name}/')}[0-9]{{1,6}}", uri):
        raise ListsError(f"{INDEX}.csv: expected a URI such as {set_uri(name, 1)}, got {_shown(uri)}")
    try:
        published = read_day(row["published"], today)
        checked = read_day(row["checked"], today) if row.get("checked") else None
        return Edition(uri, published, int(row["values"]), checked, is_bundled)
    except ValueError as error:
        raise ListsError(f"{INDEX}.csv: {name}: {_shown(str(error))}") from error


def _concepts(name: str, content: bytes) -> list[Concept]:
    """Return the values in the file of a list. Raises ListsError."""
    rows = read_rows(name, content, "uri", "label")
    return [Concept(row["uri"].strip(), row["label"].strip()) for row in rows]


def read_rows(name: str, content: bytes, *columns: str) -> Iterator[dict[str, str]]:
    """Yield the rows of the CSV file with this name, which has these columns. Raises ListsError."""
    try:
        rows = csv.DictReader(StringIO(content.decode("utf-8-sig"), newline=""), strict=True, restval="")
        given = rows.fieldnames or ()
        if not set(columns).issubset(given):
            expected = ",".join(columns)
            raise ListsError(f"{name}.csv: expected the columns {expected}, got {_shown(','.join(given))}")
        yield from rows
    except UnicodeDecodeError as error:
        raise ListsError(f"{name}.csv is not UTF-8 ({error.reason} at byte {error.start})") from error
    except csv.Error as error:
        raise ListsError(f"{name}.csv is not CSV: {error}") from error


def _shown(text: str) -> str:
    """Return a text of others in one line, and not too long."""
    shown = " ".join(_CONTROL.sub(" ", text).split()) or "nothing"
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"
