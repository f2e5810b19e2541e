"""Copies of stored documents under names that people read (``scrapy state documents``).

A copy is a file of its own. A hard or symbolic link would let whoever edits it change the document in the
store, whose name is the hash of its content. File systems that can share blocks, such as Btrfs and XFS, do so
for a copy, which then takes no room.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import file_digest
from itertools import chain, count
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from unicodedata import normalize

from pydantic import StringConstraints, TypeAdapter, ValidationError
from scrapy.exceptions import UsageError

from woo_harvester.documents import from_media_type, from_metadata, title_name
from woo_harvester.operating.output import writing
from woo_harvester.outputs.columns import cells, columns_of
from woo_harvester.outputs.definition import Status, values_at
from woo_harvester.outputs.document import in_present_shape
from woo_harvester.pipelines.folder import DurableFolder
from woo_harvester.pipelines.stored import path_of
from woo_harvester.record import Oorzaak, Record
from woo_harvester.report.csv_file import TextWriter, cell
from woo_harvester.running.setting import shown
from woo_harvester.utils.atomic import replace_file, replacing

#: The list of the copies, and the file by which the next run knows which files in the folder are copies.
LIST, _MEMORY = "documenten.csv", ".woo-harvester.json"

#: The longest name of a folder, and of a file without number and extension, in bytes: a path with two folders
#: and a name stays below the 260 characters of Windows.
_FOLDER_LENGTH, _NAME_LENGTH = 60, 90

#: Bytes that the kernel is asked to copy at a time.
_AT_ONCE = 1 << 30

_COLUMNS = ("bestand", "titel", "organisatie", "categorieën", "datum", "status", "link", "id")
_OF_RECORD = {name: path for name, path in columns_of(Record).items() if name in _COLUMNS}


@dataclass(slots=True)
class _Copy:
    """A document that has a copy, or had one until it was withdrawn."""

    wanted: str
    """The path that its record gives, without a number."""
    path: str
    """Path of the copy in the folder; empty for a withdrawn document."""
    sha256: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
    row: dict[str, str]
    """Its row in the list, by the names of the columns."""


@dataclass(slots=True)
class _Memory:
    """What the folder has: the content of ``.woo-harvester.json``."""

    list_sha256: str = ""
    copies: dict[str, _Copy] = field(default_factory=dict)
    """By the id of the record."""


_JSON = TypeAdapter(_Memory)


class _Place(NamedTuple):
    """The place of a document by its record."""

    folders: tuple[str, str]
    stem: str
    suffix: str

    def __str__(self) -> str:
        return "/".join([*self.folders, self.stem + self.suffix])


class CopiesFolder:
    """A folder with copies of stored documents by organisation and category, and a list of them.

    It never overwrites or removes a file that it did not make, or that was changed since. Names that differ
    only in case count as equal, as on Windows. What a killed run copied is recognised by its content.

    Raises UsageError for a folder with other files, or in the store, and OSError.
    """

    def __init__(self, path: Path, store: DurableFolder) -> None:
        self.path = path
        self._store = store
        self._memory = _read_memory(path, store.path)
        self._owners = {_folded(copy.path): key for key, copy in self._memory.copies.items() if copy.path}
        self._listed: dict[str, dict[str, str]] = {}
        """The names in each folder as they are on the disk, by their folded form."""
        self._list("")[_folded(LIST)] = LIST  # no organisation may have that name
        self._numbers: dict[str, int] = {}
        """The last number that was tried for a name."""
        self.copied = self.withdrawn = 0
        self.lost = 0
        """Documents whose file should be in the store, and is not."""
        self.notes: list[str] = []
        """A line for each file that was changed by hand, and for which there is another one now."""

    def __contains__(self, record_id: str) -> bool:
        copy = self._memory.copies.get(record_id)
        return copy is not None and bool(copy.path)

    def __len__(self) -> int:
        return len(self._owners)

    def update(self, lines: Iterable[bytes]) -> None:
        """Copy the documents of these records, the latest of each document, and write the list."""
        for line in lines:
            record = json.loads(line)
            if "vergunning" not in record:
                self._add(in_present_shape(record))
        self._write_list()
        replace_file(self.path / _MEMORY, _JSON.dump_json(self._memory), durable=True)

    def _add(self, record: Mapping[str, Any]) -> None:
        key, version = record["id"], record["versies"][-1]
        known = self._memory.copies.get(key)
        if version["oorzaak"] == Oorzaak.INTREKKING:
            if known is not None and known.path:
                self._withdraw(known)
            return
        file: Mapping[str, Any] = next(iter(version.get("bestanden", ())), {})
        sha256 = self._stored(file)
        if sha256 is None:
            self.lost += "pad" in file
            return
        place = _place(record, file)
        if (
            known is not None
            and (known.sha256, known.wanted) == (sha256, str(place))
            and self._has(known.path)
        ):
            path = known.path
        else:
            path = self._copy_to_place(key, place, sha256)
            if known is not None and known.path not in ("", path):
                self._remove(known, f"the document is {path} now")
            self._owners[_folded(path)] = key
        self._memory.copies[key] = _Copy(str(place), path, sha256, _row(record, path))

    def _stored(self, file: Mapping[str, Any]) -> str | None:
        """Return the SHA-256 of a file if the store has it."""
        sha256 = str(file.get("hash"))
        with suppress(ValueError):  # it has none, or one of other software
            if self._store.has(path_of(sha256)):
                return sha256
        return None

    def _withdraw(self, copy: _Copy) -> None:
        self._remove(copy, "its document is withdrawn")
        copy.path = copy.row["bestand"] = ""
        copy.row["status"] = Status.INGETROKKEN
        self.withdrawn += 1

    def _copy_to_place(self, key: str, place: _Place, sha256: str) -> str:
        """Copy a document to its place, with a number if a file of that name is there; return the path."""
        known, folder = self._memory.copies.get(key), self._folder(place.folders)
        earlier = [known.path] if known is not None and known.path and known.wanted == str(place) else []
        paths = chain(earlier, self._numbered(folder, place.stem, place.suffix))
        return next(path for path in paths if self._take(path, key, sha256))

    def _take(self, path: str, key: str, sha256: str) -> bool:
        """Have the copy of a document at a path; return False if another file is there."""
        if self._owners.get(_folded(path), key) != key:
            return False
        if (found := self._on_disk(path)) is not None:
            known = self._memory.copies.get(key)
            earlier = known.sha256 if known is not None and known.path == path else sha256
            digest = _digest(self.path / found)
            if found != path or digest not in (sha256, earlier):
                return False
            if digest == sha256:
                return True
        self._copy(sha256, path)
        return True

    def _copy(self, sha256: str, path: str) -> None:
        source = self._store.path / path_of(sha256)
        with source.open("rb") as document, replacing(self.path / path) as copy:
            with suppress(AttributeError, OSError):  # another system, or file systems that cannot
                while os.copy_file_range(document.fileno(), copy.fileno(), _AT_ONCE):
                    pass
            shutil.copyfileobj(document, copy)  # what is left
        folder, _, name = path.rpartition("/")
        self._list(folder)[_folded(name)] = name
        self.copied += 1

    def _remove(self, copy: _Copy, why: str) -> None:
        """Remove a copy, and folders that are empty then; note *why* if a person has changed it."""
        self._owners.pop(_folded(copy.path), None)
        path = self.path / copy.path
        if not self._has(copy.path):
            return
        if _digest(path) != copy.sha256:
            self.notes.append(f"{path} was changed by hand, and is kept: {why}")
            return
        path.unlink()
        self._forget(copy.path)
        for folder in path.parents[:2]:
            with suppress(OSError):  # it has other files
                folder.rmdir()
                self._forget(folder.relative_to(self.path).as_posix())

    def _folder(self, names: Iterable[str]) -> str:
        """Return the path of a folder in a folder, which are made if they are not there."""
        path = ""
        for name in names:
            path = next(each for each in self._numbered(path, name, "", again=True) if self._is_folder(each))
            path = self._on_disk(path) or path
        return path

    def _is_folder(self, path: str) -> bool:
        """Have a folder at a path; return False if a file is there."""
        if (found := self._on_disk(path)) is not None:
            return (self.path / found).is_dir() and _is_inside(self.path, f"{found}/.x")
        (self.path / path).mkdir()
        parent, _, name = path.rpartition("/")
        self._list(parent)[_folded(name)] = name
        return True

    def _numbered(self, folder: str, stem: str, suffix: str, *, again: bool = False) -> Iterator[str]:
        """Yield a path, and then that with a number; each only once in a run, unless *again*."""
        begin = f"{folder}/{stem}" if folder else stem
        key = _folded(begin + suffix)
        for number in count(1 if again else self._numbers.get(key, 0) + 1):
            self._numbers[key] = number
            yield f"{begin} ({number}){suffix}" if number > 1 else begin + suffix

    def _has(self, path: str) -> bool:
        return bool(path) and self._on_disk(path) is not None

    def _on_disk(self, path: str) -> str | None:
        """Return the path on the disk that is equal to *path* but for case; None if there is none."""
        folder, slash, name = path.rpartition("/")
        found = self._list(folder).get(_folded(name))
        return None if found is None else f"{folder}{slash}{found}"

    def _list(self, folder: str) -> dict[str, str]:
        if folder not in self._listed:
            self._listed[folder] = {}
            with suppress(FileNotFoundError):
                for name in os.listdir(self.path / folder):  # noqa: PTH208 -- iterdir() makes a Path of each
                    self._listed[folder][_folded(name)] = name
        return self._listed[folder]

    def _forget(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        self._list(folder).pop(_folded(name), None)

    def _write_list(self) -> None:
        """Write the list. One that a person has changed gets another name."""
        path = self.path / LIST
        if path.is_symlink() or (path.exists() and self._memory.list_sha256 not in ("", _digest(path))):
            stem, _, suffix = LIST.partition(".")
            names = self._numbered("", stem, f".{suffix}")
            other = self.path / next(name for name in names if self._on_disk(name) is None)
            path.rename(other)
            self.notes.append(f"{path} was changed by hand, and is {other.name} now")
        with writing(path, "utf-8-sig") as file:
            writer = TextWriter(file, delimiter=";")
            writer.writerow(_COLUMNS)
            rows = (copy.row for copy in self._memory.copies.values())
            for row in sorted(rows, key=lambda row: (row["status"], row["bestand"])):
                writer.write_named(row, _COLUMNS)
        self._memory.list_sha256 = _digest(path)


def _read_memory(path: Path, store: Path) -> _Memory:
    """Return what a folder has by the file in it; make both if they are not there. Raises UsageError."""
    if store.resolve() in (path.resolve(), *path.resolve().parents):
        raise UsageError(f"{path} is in FILES_STORE, whose files keep their names: name another folder")
    memory = path / _MEMORY
    try:
        if memory.is_symlink():
            raise ValueError("it is a link")
        read = _JSON.validate_json(memory.read_bytes())
        _check_paths(path, read)
    except ValidationError:
        raise UsageError(f"{memory} is damaged: name another folder") from None
    except ValueError as error:
        raise UsageError(f"{memory} cannot be used: {error}; name another folder") from None
    except FileNotFoundError:
        if path.is_dir() and any(path.iterdir()):
            raise UsageError(
                f"{path} has files that this command did not make: name a new or an empty folder"
            ) from None
        path.mkdir(parents=True, exist_ok=True)
        replace_file(memory, _JSON.dump_json(_Memory()), durable=True)
        return _Memory()
    return read


def _check_paths(folder: Path, memory: _Memory) -> None:
    """Raise ValueError for a copy outside *folder*: anybody may have written the file that names it."""
    for copy in memory.copies.values():
        if copy.path and not _is_inside(folder, copy.path):
            raise ValueError(f"it names {shown(copy.path)}, which is no file in this folder")


def _is_inside(folder: Path, path: str) -> bool:
    """Return whether a path is plain and relative, and leads through no link to another folder."""
    if not set(path.split("/")).isdisjoint(("", ".", "..")) or "\0" in path:
        return False
    return Path(os.path.realpath((folder / path).parent)).is_relative_to(os.path.realpath(folder))


def _place(record: Mapping[str, Any], file: Mapping[str, Any]) -> _Place:
    """Return the place of a document: organisation, category, day and title."""
    organisation = _first(record, "document.verantwoordelijke.label", "document.publisher.label")
    category = _first(record, "document.classificatiecollectie.informatiecategorieen.label")
    title = _first(record, "document.titelcollectie.officieleTitel")
    suffix = _suffix(record, file)
    if suffix and title.casefold().endswith(suffix):
        title = title[: -len(suffix)]
    folders = (_named(organisation, _FOLDER_LENGTH), _named(category, _FOLDER_LENGTH))
    day = _first(record, "versies.openbaarmakingsdatum", default="")
    return _Place(folders, _named(f"{day} {title}", _NAME_LENGTH), suffix)


def _suffix(record: Mapping[str, Any], file: Mapping[str, Any]) -> str:
    """Return the extension by what the file is; no publisher's own, which could name a program."""
    label, uri = (_first(record, f"document.format.{key}", default="") for key in ("label", "id"))
    for claim in (from_media_type(str(file.get("mime-type") or "")), from_metadata(label, uri)):
        if claim.filetype is not None:
            return f".{claim.filetype.extensions[0]}"
    return ""


def _named(text: str, length: int) -> str:
    """Return a text as a name that stands in the list as it is: no sign comes after a comma, as in "5,-"."""
    name = title_name(text, length) or "onbekend"
    return name if cell(name, ";") == name else name.replace(",", "")


def _first(record: Mapping[str, Any], *paths: str, default: str = "onbekend") -> str:
    """Return the first value at one of these paths as a text."""
    return next((str(value) for path in paths for value in values_at(record, path)), default)


def _row(record: Mapping[str, Any], path: str) -> dict[str, str]:
    found = zip(_OF_RECORD, map(str, cells(record, _OF_RECORD.values())), strict=True)
    return {**dict(found), "bestand": path, "status": Status.GEPUBLICEERD}


def _folded(path: str) -> str:
    """Return a path as file systems compare it that ignore case."""
    return normalize("NFC", path).casefold()


def _digest(path: Path) -> str:
    """Return the SHA-256 of a file; an empty text for anything else."""
    if path.is_symlink() or not path.is_file():
        return ""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
