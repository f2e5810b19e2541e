"""What newer value lists change: which values are new, have another label, or are gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from woo_harvester.tooi.list_files import Edition, ListFile, ListFiles, ListsError
from woo_harvester.tooi.stored import KnownLists
from woo_harvester.tooi.values import Concept


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
