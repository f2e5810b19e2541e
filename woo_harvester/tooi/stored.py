"""The value lists that ``scrapy tooi update`` keeps in the data folder for runs, and what an update changes.

They are one file, ``tooi.json``, which an update replaces in one step: each list with its edition, its
values, and the values that it had once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from msgspec import json

from woo_harvester.tooi.list_files import Edition, ListFile, ListFiles, checked_list
from woo_harvester.tooi.lists import NAMES, ValueLists, bundled, bundled_files
from woo_harvester.tooi.values import Concept
from woo_harvester.utils.atomic import replace_file

FILE = "tooi.json"


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


@dataclass(frozen=True, slots=True)
class _Stored:
    edition: Edition
    values: list[Concept]
    former: list[Concept]


def known_lists(data_dir: Path) -> KnownLists:
    """Return the newest lists. A file in the data folder that cannot be used is left alone, and reported."""
    path = data_dir / FILE
    try:
        stored = json.decode(path.read_bytes(), type=dict[str, _Stored])
        lists = {
            name: checked_list(name, replace(stored[name].edition, is_bundled=False), stored[name].values)
            for name in NAMES
        }
    except (FileNotFoundError, NotADirectoryError):
        return KnownLists(bundled_files(), {})
    except (KeyError, OSError, ValueError) as error:
        reason = f"it lacks the list {error}" if isinstance(error, KeyError) else error
        return KnownLists(bundled_files(), {}, f"{path} cannot be used: {reason}")
    newest = {name: max(bundled_files()[name], lists[name], key=_rank) for name in NAMES}
    former = {}
    for name, chosen in newest.items():
        known = {concept.uri for concept in chosen.concepts}
        every = (*bundled_files()[name].concepts, *stored[name].former, *lists[name].concepts)
        former[name] = list({one.uri: one for one in every if one.uri not in known}.values())
    return KnownLists(newest, former)


def store_lists(data_dir: Path, lists: ListFiles, former: Mapping[str, Sequence[Concept]]) -> None:
    """Make these the lists in the data folder. Raises OSError."""
    data_dir.mkdir(parents=True, exist_ok=True)
    stored = {
        name: _Stored(lists[name].edition, [*lists[name].concepts], [*former.get(name, ())]) for name in NAMES
    }
    replace_file(data_dir / FILE, json.format(json.encode(stored)), durable=True)


def _rank(file: ListFile) -> tuple[date, int, bool]:
    """Return a key by which the newest edition is the largest; of the same edition, the one in the folder."""
    return *file.edition.rank, not file.edition.is_bundled


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


def compare(known: KnownLists, given: ListFiles) -> Update:
    """Return what the *given* lists change. A value that is gone stays known: documents may still have it."""
    lists, former, changes, older = {}, {}, [], []
    for name, file in known.files.items():
        new = given[name]
        if new.edition.rank < file.edition.rank:
            older.append(name)
            new = file
        change = _change(name, file, new)
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
