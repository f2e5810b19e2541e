"""Copies of stored documents under names that people read (``scrapy state documents``).

A copy is a file of its own. A hard or symbolic link would let whoever edits it change the document in the
store. File systems that can share blocks, such as Btrfs and XFS, do so for a copy, which then takes no space.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any

from scrapy.exceptions import UsageError

from woo_harvester.documents.filename import title_name
from woo_harvester.documents.formats import from_media_type, from_metadata
from woo_harvester.kinds import Kind, record_kind_of
from woo_harvester.operating.output import writing
from woo_harvester.outputs.columns import cells, columns_of
from woo_harvester.outputs.definition import Status, values_at
from woo_harvester.pipelines.folder import DurableFolder
from woo_harvester.pipelines.stored import path_of
from woo_harvester.record import Oorzaak
from woo_harvester.report.csv_file import TextWriter, cell
from woo_harvester.utils.atomic import replacing

#: The list of the copies. The next run reads it, to know which files of the folder are copies.
LIST = "documenten.csv"

#: The longest name of a folder, and of a file without hash and extension, in bytes: a path with two folders
#: and a name stays below the 260 characters of Windows.
_FOLDER_LENGTH, _NAME_LENGTH = 60, 90

#: The characters of the SHA-256 at the end of a name.
_HASH_LENGTH = 8

#: Bytes that the kernel is asked to copy at a time.
_AT_ONCE = 1 << 30

_COLUMNS = ("bestand", "titel", "organisatie", "categorieën", "datum", "status", "link", "id")
_OF_RECORD = {name: path for name, path in columns_of(Kind.woo).items() if name in _COLUMNS}


@dataclass(slots=True)
class Copied:
    """What became of the documents."""

    copied: int = 0
    """Files that were copied. Documents with the same content and name have one."""
    withdrawn: int = 0
    lost: int = 0
    """Documents whose file should be in the store, and is not."""
    listed: int = 0
    """Documents that have a copy now."""


def copy_documents(folder: Path, store: DurableFolder, lines: Iterable[bytes]) -> Copied:
    """Copy the documents of these records, the latest of each document, and write the list.

    The name of a copy ends with the beginning of its SHA-256. So a file of that name is there already, and
    another version has another name. Of earlier copies, those that are no longer listed are removed if
    nobody has changed them. Raises UsageError and OSError.
    """
    rows = _read_list(folder / LIST)
    before = {row["bestand"] for row in rows.values()}
    done = Copied()
    for line in lines:
        record = json.loads(line)
        if record_kind_of(record) is not Kind.woo:
            continue
        key, version = record["id"], record["versies"][-1]
        if version["oorzaak"] == Oorzaak.INTREKKING:
            if (row := rows.get(key)) is not None:
                done.withdrawn += bool(row["bestand"])
                row.update(bestand="", status=Status.INGETROKKEN)
            continue
        file: Mapping[str, Any] = next(iter(version.get("bestanden", ())), {})
        if (stored := _stored(file, store)) is None:
            done.lost += "pad" in file
            continue
        path = _place(record, file)
        done.copied += _copy(stored, folder, path)
        rows[key] = _row(record, path)
    for path in before - {row["bestand"] for row in rows.values()}:
        _remove(folder, path)
    _write_list(folder / LIST, rows.values())
    done.listed = sum(bool(row["bestand"]) for row in rows.values())
    return done


def _read_list(path: Path) -> dict[str, dict[str, str]]:
    """Return the rows of the list by the id of the record. Raises UsageError for a file of somebody else."""
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            reader = csv.DictReader(file, _COLUMNS, delimiter=";", restval="")
            if tuple(next(reader, {}).values()) != _COLUMNS:
                raise UsageError(f"{path} was not made by this command: name another folder")
            return {row["id"]: row for row in reader}
    except FileNotFoundError:
        return {}


def _write_list(path: Path, rows: Iterable[Mapping[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with writing(path, "utf-8-sig") as file:
        writer = TextWriter(file, delimiter=";")
        writer.writerow(_COLUMNS)
        for row in sorted(rows, key=lambda row: (row["status"], row["bestand"])):
            writer.write_named(row, _COLUMNS)


def _stored(file: Mapping[str, Any], store: DurableFolder) -> Path | None:
    """Return the path of a file in the store; None if it is not there."""
    with suppress(ValueError):  # it has no hash, or one of other software
        path = path_of(str(file.get("hash")))
        if store.has(path):
            return store.path / path
    return None


def _copy(source: Path, folder: Path, path: str) -> bool:
    """Copy a document; return False if its copy is there. Raises UsageError for a link out of the folder."""
    target = folder / path
    if target.exists():
        return False
    if not _is_inside(folder, target):
        raise UsageError(f"{target.parent} leads out of {folder}: name another folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    with source.open("rb") as document, replacing(target) as copy:
        with suppress(AttributeError, OSError):  # another system, or file systems that cannot
            while os.copy_file_range(document.fileno(), copy.fileno(), _AT_ONCE):
                pass
        shutil.copyfileobj(document, copy)  # what is left
    return True


def _remove(folder: Path, path: str) -> None:
    """Remove a copy that nobody has changed, and its folders if they are empty then."""
    target = folder / path
    if not (path and target.is_file() and _is_inside(folder, target)):
        return
    with target.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
    if f" {digest[:_HASH_LENGTH]}" not in target.name:
        return
    target.unlink()
    with suppress(OSError):  # it has other files
        target.parent.rmdir()
        target.parent.parent.rmdir()


def _is_inside(folder: Path, path: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _place(record: Mapping[str, Any], file: Mapping[str, Any]) -> str:
    """Return the path of a copy: organisation, category, day, title, hash and extension."""
    organisation = _first(record, "document.verantwoordelijke.label", "document.publisher.label")
    category = _first(record, "document.classificatiecollectie.informatiecategorieen.label")
    title = _first(record, "document.titelcollectie.officieleTitel")
    suffix = _suffix(record, file)
    if suffix and title.casefold().endswith(suffix):
        title = title[: -len(suffix)]
    day = _first(record, "versies.openbaarmakingsdatum", default="")
    name = f"{_named(f'{day} {title}', _NAME_LENGTH)} {file['hash'][:_HASH_LENGTH]}{suffix}"
    return "/".join((_named(organisation, _FOLDER_LENGTH), _named(category, _FOLDER_LENGTH), name))


def _suffix(record: Mapping[str, Any], file: Mapping[str, Any]) -> str:
    """Return the extension by what the file is; no publisher's own, which could name a program."""
    label, uri = (_first(record, f"document.format.{key}", default="") for key in ("label", "id"))
    for claim in (from_media_type(str(file.get("mime-type") or "")), from_metadata(label, uri)):
        if claim.filetype is not None:
            return f".{claim.filetype.extensions[0]}"
    return ""


def _named(text: str, length: int) -> str:
    """Return a text as a name that stands in the list as it is: it does not begin as a formula."""
    name = title_name(text, length)
    return (name if cell(name) == name else name.lstrip("=+-@ ")) or "onbekend"


def _first(record: Mapping[str, Any], *paths: str, default: str = "onbekend") -> str:
    """Return the first value at one of these paths as a text."""
    return next((str(value) for path in paths for value in values_at(record, path)), default)


def _row(record: Mapping[str, Any], path: str) -> dict[str, str]:
    found = zip(_OF_RECORD, map(str, cells(record, _OF_RECORD.values())), strict=True)
    return {**dict(found), "bestand": path, "status": Status.GEPUBLICEERD}
