"""Applies messages to the rows of cases and documents, and refuses those of the wrong organisation.

Each organisation has its own rows, so that the dates of one do not count against another's. At most one row
of a case is alive: that of the organisation that has the case. A document is part of a case of the same
organisation only, and two organisations may each have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from woo_harvester.findings import Reporter
from woo_harvester.permits.messages import Soort, Transactie
from woo_harvester.permits.mutations import Key, Mutation, PermitRow, in_order
from woo_harvester.permits.parsing import UNPROCESSED
from woo_harvester.permits.rights import Right, Rights
from woo_harvester.utils.urls import host_of

#: The error of a message about a case of another organisation.
REFUSED = "ipm.andere-organisatie"

_Rows = dict[Key, dict[str, PermitRow]]
"""The rows for each key, by organisation."""


class Ledger:
    """Rows of cases and documents, and the effect of the messages that are applied to them."""

    def __init__(self, known: Iterable[PermitRow], rights: Rights, report: Reporter) -> None:
        self.rights = rights
        self._report = report
        self.published: dict[str, PermitRow] = {}
        """The row that the last record of each case came from, by URL of the case."""
        self.before: _Rows = {}
        """The rows before any message was applied."""
        for row in known:
            self._add(self._current(row))
        self.rows: _Rows = {key: dict(group) for key, group in self.before.items()}
        """The rows with the messages applied."""
        self.applied: dict[tuple[Key, str], Mutation] = {}
        """The last message that took effect, by key and organisation."""
        self.of_documents: dict[str, list[Mutation]] = {}
        """Messages about documents that took effect, by the case that has the document or had it."""
        self.codes: dict[str, list[str]] = {}
        """Codes of findings, by URL of the case."""
        self.refused: list[tuple[Mutation, str]] = []
        """Messages about another's case, with whose it is; also those of earlier runs that counted then."""

    def _current(self, row: PermitRow) -> PermitRow:
        """Return *row* with the organisation that its entry page has today."""
        mutation = self.rights.current(row.mutation)
        return row if mutation is row.mutation else replace(row, mutation=mutation)

    def apply(self, mutations: Sequence[Mutation]) -> None:
        """Apply *mutations* in their own order. If two are equal in it, the one given last counts."""
        cases = [mutation for mutation in mutations if mutation.key.soort is Soort.ZAAK]
        for mutation in self._in_turn(cases):
            self._apply_to_case(mutation)
        # Documents come last: whether a message about one counts depends on who has the case in the end.
        documents = (mutation for mutation in mutations if mutation.key.soort is Soort.DOCUMENT)
        for mutation in in_order(documents):
            self._apply_to_document(mutation)
        self._report_orphans()

    def changed(self) -> Iterator[Key]:
        """Yield the keys whose rows have changed."""
        for key, group in self.rows.items():
            before = self.before.get(key, {})
            if len(group) != len(before) or any(row is not before.get(name) for name, row in group.items()):
                yield key

    def shown(self, mutation: Mutation) -> Mutation:
        """Return *mutation* with the organisation that its record names."""
        return replace(mutation, organisatie=self.rights.shown(mutation))

    def _add(self, row: PermitRow) -> None:
        """Add a row of the state. An organisation with a new name may have two rows for one key."""
        case, group = row.key.identifier, self.before.setdefault(row.key, {})
        if row.key.soort is Soort.ZAAK and row.opgehaald is not None:
            last = self.published.get(case)
            if last is None or last.opgehaald is None or last.opgehaald < row.opgehaald:
                self.published[case] = row
        other = group.get(row.mutation.organisatie)
        if other is None or not row.mutation.order < other.mutation.order:
            group[row.mutation.organisatie] = row

    def _row(self, mutation: Mutation) -> PermitRow | None:
        return self.rows.get(mutation.key, {}).get(mutation.organisatie)

    def _in_turn(self, cases: Sequence[Mutation]) -> list[Mutation]:
        """Sort messages about cases: strongest right first, then who has the case, then who came first.

        The messages of one organisation about a case stay together, in their own order. So the dates of one
        organisation do not count against another's.
        """
        first: dict[tuple[Key, str], int] = {}
        for place, mutation in enumerate(cases):
            first.setdefault((mutation.key, mutation.organisatie), place)

        def turn(mutation: Mutation) -> tuple[int, bool, int]:
            row = self._row(mutation)
            has_it = row is not None and row.mutation.alive
            right = self.rights.right(mutation.key.identifier, mutation)
            return -right, not has_it, first[mutation.key, mutation.organisatie]

        turns = {key: turn(cases[place]) for key, place in first.items()}
        return sorted(in_order(cases), key=lambda each: turns[each.key, each.organisatie])

    def _apply_to_case(self, mutation: Mutation) -> None:
        case, row = mutation.key.identifier, self._row(mutation)
        if (owner := self._owner(case, mutation)) is not None:
            self._refuse(mutation, owner)
            return
        if row is None or self._is_newer(row, mutation, case):
            self._note_known(mutation, row, case)
            self.applied[mutation.key, mutation.organisatie] = mutation
            self._put(replace(row or PermitRow(mutation), mutation=mutation, zaak=case))
        self._displace(case)

    def _apply_to_document(self, mutation: Mutation) -> None:
        row = self._row(mutation)
        case = mutation.case or (row.case if row else None)
        if case is not None and (owner := self._owner(case, mutation)) is not None:
            self._refuse(mutation, owner)
            return
        others = self._publisher(mutation) if case is None else None
        if others is not None:  # the row is kept all the same: an older message about it may come later
            self._refuse(mutation, others)
        if row is not None and not self._is_newer(row, mutation, case):
            return
        if others is None:
            self._note_known(mutation, row, case)
        self.applied[mutation.key, mutation.organisatie] = mutation
        for touched in filter(None, {case, row.case if row else None}):
            self.of_documents.setdefault(touched, []).append(mutation)
        self._put(replace(row or PermitRow(mutation), mutation=mutation, zaak=case))

    def _owner(self, case: str, mutation: Mutation) -> str | None:
        """Return who has *case* if the organisation of *mutation* may not change it, else None."""
        right = self.rights.right(case, mutation)
        if right is Right.NONE:
            return ", ".join(sorted(self.rights.owners(case)))
        for organisation, row in self.rows.get(Key(Soort.ZAAK, case), {}).items():
            if organisation != mutation.organisatie:
                theirs = self.rights.right(case, row.mutation)
                if theirs > right or (theirs == right and row.mutation.alive):
                    return organisation
        return None

    def _publisher(self, mutation: Mutation) -> str | None:
        """Return another organisation that has the document of *mutation* in a case, or None."""
        for organisation, row in self.rows.get(mutation.key, {}).items():
            if organisation != mutation.organisatie and row.mutation.alive and row.case is not None:
                return organisation
        return None

    def _is_newer(self, row: PermitRow, mutation: Mutation, case: str | None) -> bool:
        """Return whether *mutation* comes after the message in *row*. Report it if it comes too late."""
        given, known = mutation.message, row.mutation.message
        if given == known:
            # The same message, in another file or in the same file again.
            if row.mutation.order < mutation.order:
                self._put(replace(row, mutation=mutation))
            return False
        says_same = given.undated() == known.undated()
        if mutation.order < row.mutation.order:
            applies = not says_same and given.transactie is not Transactie.CREATE
            code = "ipm.niet-toegepast" if applies and self._would_show(row, mutation) else "ipm.overgeslagen"
            self._note(code, mutation, case, _late(mutation, row.mutation), "overgeslagen")
            return False
        if says_same:
            seen = f"{given.aanmaakdatum}; eerder {known.aanmaakdatum}"
            self._note("ipm.datum-gegenereerd", mutation, case, seen, "geen wijziging")
            self._put(replace(row, mutation=mutation))
        return not says_same

    def _would_show(self, row: PermitRow, mutation: Mutation) -> bool:
        """Return whether a reader of the records would see it if a late *mutation* was applied to *row*."""
        if mutation.alive != row.mutation.alive:
            return row.key.soort is Soort.ZAAK or self.is_there(row.case)
        return mutation.alive and mutation.message.gegevens != row.mutation.message.gegevens

    def _put(self, row: PermitRow) -> None:
        group, organisation = self.rows.setdefault(row.key, {}), row.mutation.organisatie
        if group.get(organisation) != row:
            group[organisation] = row

    def _displace(self, case: str) -> None:
        """Take *case* from organisations with a weaker right than the strongest."""
        group = self.rows[Key(Soort.ZAAK, case)]
        strongest = max(self.rights.right(case, row.mutation) for row in group.values())
        for organisation, row in list(group.items()):
            if row.mutation.alive and self.rights.right(case, row.mutation) < strongest:
                del group[organisation]
                self.refused.append((row.mutation, _of_others(self._owner(case, row.mutation))))

    def _refuse(self, mutation: Mutation, owner: str) -> None:
        """Refuse a message and report it. The code is not added to the case, which is not at fault."""
        self.refused.append((mutation, _of_others(owner)))
        self._emit(REFUSED, mutation, _of_others(owner), UNPROCESSED)

    def _note_known(self, mutation: Mutation, row: PermitRow | None, case: str | None) -> None:
        """Report a create of a case that exists, or a delete of what never existed."""
        is_case = mutation.message.soort is Soort.ZAAK
        exists = row is not None and row.mutation.alive
        if mutation.message.transactie is Transactie.CREATE and exists and is_case:
            self._note("ipm.zaak-bekend", mutation, case, "C", "bijgewerkt")
        elif not mutation.alive and row is None and not (is_case and self.is_there(case)):
            code = "ipm.zaak-onbekend" if is_case else "ipm.document-onbekend"
            self._note(code, mutation, case, mutation.message.identifier, "onthouden")

    def is_there(self, case: str | None) -> bool:
        """Return whether any organisation has the case."""
        if case is None:
            return False
        return any(row.mutation.alive for row in self.rows.get(Key(Soort.ZAAK, case), {}).values())

    def _report_orphans(self) -> None:
        """Report documents that arrived for a case that does not exist."""
        for (key, _), mutation in self.applied.items():
            if key.soort is Soort.DOCUMENT and mutation.alive and not self.is_there(mutation.case):
                seen, action = mutation.message.zaak, "bewaard tot de zaak er is"
                self._note("ipm.document-zonder-zaak", mutation, mutation.case, seen, action)

    def _note(self, code: str, mutation: Mutation, case: str | None, seen: str | None, action: str) -> None:
        if case is not None:
            self.codes.setdefault(case, []).append(code)
        self._emit(code, mutation, seen, action)

    def _emit(self, code: str, mutation: Mutation, seen: str | None, action: str) -> None:
        self._report(
            code,
            url=mutation.bestand,
            host=host_of(mutation.ingang),
            organisation=self.rights.shown(mutation),
            sitemap=mutation.ingang,
            seen=seen,
            action=action,
        )


def by_case(rows: _Rows) -> Mapping[str, list[PermitRow]]:
    """Return the rows of cases and documents, by URL of the case."""
    found: dict[str, list[PermitRow]] = {}
    for group in rows.values():
        for row in group.values():
            if row.case is not None:
                found.setdefault(row.case, []).append(row)
    return found


def _of_others(owner: str | None) -> str:
    """Return the text of the finding that a message is about a case of another organisation."""
    return f"de zaak is van {owner}"


def _late(mutation: Mutation, applied: Mutation) -> str:
    """Return the text of the finding that *mutation* comes after *applied* has been applied."""
    return f"{_shown(mutation)}; verwerkt is {_shown(applied)}"


def _shown(mutation: Mutation) -> str:
    message = mutation.message
    return f"{message.transactie} van {message.aanmaakdatum}, transactieID {message.transactie_id}"
