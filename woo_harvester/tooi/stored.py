"""The value lists in the data folder, which ``scrapy tooi update`` writes and runs prefer.

``tooi`` in the data folder is a link to a folder ``tooi-<moment>-<number>`` with all lists. An update writes
a new folder and then replaces the link, which is one step. So a kill leaves the old lists or the new ones. A
reader follows the link once, so it never sees some of both. The folder is laid out as the one that ships with
the project. It also has ``former.csv``: the values that lists had once (``list,uri,label``).
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from secrets import token_hex

from woo_harvester.tooi.list_files import (
    INDEX,
    Edition,
    ListFile,
    ListFiles,
    ListsError,
    as_csv,
    read_from_folder,
    read_lists,
    read_rows,
)
from woo_harvester.tooi.lists import NAMES, ValueLists, bundled, bundled_files
from woo_harvester.tooi.values import Concept
from woo_harvester.utils.atomic import sync_folder
from woo_harvester.utils.inputs import LOCKED

FOLDER = "tooi"
_FORMER = "former"
_VERSION = re.compile(r"tooi-[0-9]{8}T[0-9]{6}-[0-9a-f]{8}")


@dataclass(frozen=True, slots=True)
class KnownLists:
    """The newest edition of each list that is there, in the data folder or in the project."""

    files: ListFiles
    former: Mapping[str, Sequence[Concept]]
    """Values that each list had once, by its name."""
    problem: str | None = None
    """Why the lists in the data folder cannot be used, in one line; None if they can, or there are none."""

    def value_lists(self) -> ValueLists:
        """Return the lists for a run."""
        if self.files is bundled_files() and not self.former:
            return bundled()
        return ValueLists.make(self.files, self.former)


def known_lists(data_dir: Path, today: date) -> KnownLists:
    """Return the newest lists. Lists in the data folder that cannot be used are left alone, and reported."""
    link = data_dir / FOLDER
    if not os.path.lexists(link):
        return KnownLists(bundled_files(), {})
    try:
        folder = link.resolve(strict=True)
        stored = read_lists(read_from_folder(folder), NAMES, today)
        gone = _read_former(folder)
    except (ListsError, OSError, RuntimeError) as error:  # RuntimeError: a link in a circle
        return KnownLists(bundled_files(), {}, f"{link} cannot be used: {error}")
    newest = {name: max(bundled_files()[name], stored[name], key=_rank) for name in NAMES}
    former = {}
    for name, chosen in newest.items():
        known = {concept.uri for concept in chosen.concepts}
        every = (*bundled_files()[name].concepts, *gone.get(name, ()), *stored[name].concepts)
        former[name] = list({one.uri: one for one in every if one.uri not in known}.values())
    return KnownLists(newest, former)


def store_lists(data_dir: Path, lists: ListFiles, former: Mapping[str, Sequence[Concept]]) -> None:
    """Make these the lists in the data folder. Raises ListsError if another update runs, and OSError."""
    data_dir.mkdir(parents=True, exist_ok=True)
    with _locked(data_dir / f"{FOLDER}.lock"):
        link = data_dir / FOLDER
        before = link.readlink().name if link.is_symlink() else None
        folder = data_dir / f"{FOLDER}-{datetime.now(UTC):%Y%m%dT%H%M%S}-{token_hex(4)}"
        _write(folder, lists, former)
        if link.is_dir() and not link.is_symlink():  # somebody's own folder: it is not removed
            link.rename(data_dir / f"{FOLDER}-own-{token_hex(4)}")
        new = data_dir / f"{folder.name}.link"
        new.symlink_to(folder.name)
        new.replace(link)
        sync_folder(data_dir)
        _remove_earlier(data_dir, {folder.name, before})


def _rank(file: ListFile) -> tuple[date, int, bool]:
    """Return a key by which the newest edition is the largest; of the same edition, the one in the folder."""
    return *file.edition.rank, not file.edition.is_bundled


def _read_former(folder: Path) -> dict[str, list[Concept]]:
    """Return the values that lists had once, by the name of the list. Raises ListsError."""
    found: dict[str, list[Concept]] = {}
    if (folder / f"{_FORMER}.csv").exists():
        content = read_from_folder(folder)(_FORMER)
        for row in read_rows(_FORMER, content, "list", "uri", "label"):
            found.setdefault(row["list"], []).append(Concept(row["uri"], row["label"]))
    return found


def _write(folder: Path, lists: ListFiles, former: Mapping[str, Sequence[Concept]]) -> None:
    folder.mkdir()
    editions = ((name, lists[name].edition) for name in NAMES)
    index = [(name, one.set_uri, one.published, one.values, one.checked or "") for name, one in editions]
    gone = [(name, concept.uri, concept.label) for name in NAMES for concept in former.get(name, ())]
    files = {
        **{name: as_csv(("uri", "label"), map(_row, lists[name].concepts)) for name in NAMES},
        _FORMER: as_csv(("list", "uri", "label"), gone),
        INDEX: as_csv(("list", "tooi_set", "published", "values", "checked"), index),
    }
    for name, content in files.items():
        with (folder / f"{name}.csv").open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    sync_folder(folder)


def _row(concept: Concept) -> tuple[str, str]:
    return concept.uri, concept.label


def _remove_earlier(data_dir: Path, kept: set[str | None]) -> None:
    """Remove folders and links of earlier updates, except the last one: a run may be reading it."""
    for path in list(data_dir.iterdir()):
        if _VERSION.fullmatch(path.name) and path.name not in kept:
            shutil.rmtree(path, ignore_errors=True)
        elif _VERSION.fullmatch(path.name.removesuffix(".link")) and path.is_symlink():
            path.unlink(missing_ok=True)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let no other update work at the same time. Raises ListsError."""
    with path.open("ab") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in LOCKED:
                raise ListsError(
                    "another update is writing the lists; try again when it has ended"
                ) from error
            raise
        yield


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one list."""

    name: str
    before: Edition
    after: Edition
    added: Sequence[Concept]
    removed: Sequence[Concept]
    renamed: Sequence[tuple[Concept, Concept]]
    """The concept before and after, for each value with another label."""

    @property
    def is_empty(self) -> bool:
        """True if edition and values are the same."""
        return self.before.rank == self.after.rank and not (self.added or self.removed or self.renamed)


@dataclass(frozen=True, slots=True)
class Update:
    """The lists after an update."""

    lists: ListFiles
    former: Mapping[str, Sequence[Concept]]
    changes: Sequence[Change]
    """The lists that are different after the update."""
    older: Sequence[str]
    """Names of the lists that were given in an older edition than that in use, which stays."""


def compare(known: KnownLists, given: ListFiles, *, allow_removed: bool = False) -> Update:
    """Return what the *given* lists change.

    A value that is gone stays known, since documents may still have it. Raises ListsError if more than half
    of the values of a list are gone, unless *allow_removed*: such a list is probably not complete.
    """
    lists, former, changes, older = {}, {}, [], []
    for name, file in known.files.items():
        new = given[name]
        if new.edition.rank < file.edition.rank:
            older.append(name)
            new = file
        change = _change(name, file, new)
        if len(change.removed) * 2 > len(file.concepts) and not allow_removed:
            raise ListsError(
                f"{name} lacks {len(change.removed)} of the {len(file.concepts)} values that are known; "
                "use --allow-removed if that is right"
            )
        if not change.is_empty:
            changes.append(change)
        lists[name] = replace(new, edition=_checked(new.edition, file.edition))
        current = {concept.uri for concept in new.concepts}
        gone = (*known.former.get(name, ()), *change.removed)
        former[name] = [concept for concept in gone if concept.uri not in current]
    return Update(lists, former, changes, older)


def _checked(edition: Edition, before: Edition) -> Edition:
    """Return an edition that keeps the day on which it was last seen to be the newest."""
    if edition.set_uri != before.set_uri:
        return edition
    days = [day for day in (edition.checked, before.checked) if day is not None]
    return replace(edition, checked=max(days, default=None))


def _change(name: str, before: ListFile, after: ListFile) -> Change:
    old = {concept.uri: concept for concept in before.concepts}
    new = {concept.uri: concept for concept in after.concepts}
    return Change(
        name,
        before.edition,
        after.edition,
        [concept for uri, concept in new.items() if uri not in old],
        [concept for uri, concept in old.items() if uri not in new],
        [(old[uri], concept) for uri, concept in new.items() if uri in old and old[uri] != concept],
    )
