"""The rows of cases and documents while messages are applied to them, and what is refused.

Each organisation has rows of its own, so that nobody's dates count against another's. Of a case at most one
row is alive: that of the organisation that has the case. A document is part of the case of the same
organisation only; two organisations may each have it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from woo_harvester.findings import Reporter
from woo_harvester.permits.messages import Soort, Transactie
from woo_harvester.permits.mutations import Key, Known, Mutation
from woo_harvester.permits.parsing import REFUSED
from woo_harvester.permits.rights import Right, Rights, is_own_host
from woo_harvester.urls import host_of

Rows = dict[Key, dict[str, Known]]
"""The rows about each identifier, by organisation."""


class Ledger:
    """Rows, and the messages that are applied to them."""

    def __init__(self, known: Iterable[Known], rights: Rights, report: Reporter) -> None:
        self._rights = rights
        self._report = report
        self.published: dict[str, Known] = {}
        """Of each case the row that its last record came from."""
        self.before: Rows = {}
        for row in known:
            self._add(self._current(row))
        self.rows: Rows = {key: dict(group) for key, group in self.before.items()}
        self.applied: dict[tuple[Key, str], Mutation] = {}
        """The last message that took effect, by what it is about and by organisation."""
        self.of_documents: dict[str, list[Mutation]] = {}
        """What was applied to documents, by the case that has them and by the one that had them."""
        self.codes: dict[str, list[str]] = {}
        """Codes of findings about a case."""
        self.refused: list[Mutation] = []
        """Messages about another organisation's case."""
        self.displaced: list[Mutation] = []
        """Messages that took effect in an earlier run, about what is another organisation's now."""
        self._own_host = {
            (row.key.identifier, row.mutation.organisatie)
            for row in self._all()
            if row.key.soort is Soort.ZAAK and (row.eigen or is_own_host(row.key.identifier, row.mutation))
        }
        self._claimed: dict[str, None] = {}
        """Cases that an organisation offered for the first time."""

    def _current(self, row: Known) -> Known:
        """Return *row* with the organisation that its entry page has today."""
        mutation = self._rights.current(row.mutation)
        return row if mutation is row.mutation else replace(row, mutation=mutation)

    def apply(self, mutations: Sequence[Mutation]) -> None:
        """Apply *mutations* in their order; of those that tie the one given last counts."""
        cases = [mutation for mutation in mutations if mutation.key.soort is Soort.ZAAK]
        for mutation in self._in_turn(cases):
            self._apply_to_case(mutation)
        # A document's message counts or not by whose the case is in the end.
        documents = (mutation for mutation in mutations if mutation.key.soort is Soort.DOCUMENT)
        for mutation in sorted(documents, key=lambda mutation: mutation.order):
            self._apply_to_document(mutation)
        self._displace_documents()
        self._report_orphans()

    def changed(self) -> Iterator[Key]:
        """Yield what has other rows than before."""
        for key, group in self.rows.items():
            before = self.before.get(key, {})
            if len(group) != len(before) or any(row is not before.get(name) for name, row in group.items()):
                yield key

    def right(self, case: str, mutation: Mutation) -> Right:
        """Return the right on *case* of the organisation that offers *mutation*."""
        own_host = (case, mutation.organisatie) in self._own_host or is_own_host(case, mutation)
        return self._rights.right(case, mutation, own_host=own_host)

    def _add(self, row: Known) -> None:
        """Add a row of the state; an organisation that has another name now may have two for one thing."""
        case, group = row.key.identifier, self.before.setdefault(row.key, {})
        if row.key.soort is Soort.ZAAK and row.opgehaald is not None:
            last = self.published.get(case)
            if last is None or last.opgehaald is None or last.opgehaald < row.opgehaald:
                self.published[case] = row
        other = group.get(row.mutation.organisatie)
        if other is None or other.mutation.order <= row.mutation.order:
            group[row.mutation.organisatie] = row

    def _all(self) -> Iterator[Known]:
        for group in self.rows.values():
            yield from group.values()

    def _row(self, mutation: Mutation) -> Known | None:
        return self.rows.get(mutation.key, {}).get(mutation.organisatie)

    def _in_turn(self, cases: Sequence[Mutation]) -> list[Mutation]:
        """Sort messages about cases: the strongest claim first, then who has the case, then who came first.

        All messages of one organisation about a case come together, in their own order: so the dates of one
        organisation do not count against another's.
        """
        first: dict[tuple[Key, str], int] = {}
        for place, mutation in enumerate(cases):
            first.setdefault((mutation.key, mutation.organisatie), place)
            if is_own_host(mutation.message.identifier, mutation):
                self._own_host.add((mutation.message.identifier, mutation.organisatie))

        def turn(mutation: Mutation) -> tuple[int, bool, int]:
            row = self._row(mutation)
            has_it = row is not None and row.mutation.alive
            right = self.right(mutation.message.identifier, mutation)
            return -right, not has_it, first[mutation.key, mutation.organisatie]

        turns = {key: turn(cases[place]) for key, place in first.items()}
        return sorted(cases, key=lambda each: (turns[each.key, each.organisatie], each.order))

    def _apply_to_case(self, mutation: Mutation) -> None:
        case, row = mutation.message.identifier, self._row(mutation)
        if (owner := self._owner(case, mutation)) is not None:
            self._refuse(mutation, owner)
            return
        if row is None:
            self._claimed[case] = None
        if row is not None and not self._is_newer(row, mutation, case):
            self._put(replace(self._row(mutation) or row, eigen=self._is_own_host(mutation)))
        else:
            self._note_known(mutation, row, case)
            self.applied[mutation.key, mutation.organisatie] = mutation
            known = row or Known(mutation)
            self._put(replace(known, mutation=mutation, zaak=case, eigen=self._is_own_host(mutation)))
        self._displace_case(case)

    def _apply_to_document(self, mutation: Mutation) -> None:
        row = self._row(mutation)
        case = mutation.message.zaak or (row.zaak if row else None)
        if case is not None and (owner := self._owner(case, mutation)) is not None:
            self._refuse(mutation, owner)
            return
        others = self._publisher(mutation) if case is None else None
        if others is not None:  # it is kept all the same: an older message of its own may come later
            self._refuse(mutation, others)
        if row is not None and not self._is_newer(row, mutation, case):
            return
        if others is None:
            self._note_known(mutation, row, case)
        self.applied[mutation.key, mutation.organisatie] = mutation
        for touched in filter(None, {case, row.zaak if row else None}):
            self.of_documents.setdefault(touched, []).append(mutation)
        self._put(replace(row or Known(mutation), mutation=mutation, zaak=case))

    def _owner(self, case: str, mutation: Mutation) -> str | None:
        """Return whose *case* is, where the organisation of *mutation* may not touch it."""
        right = self.right(case, mutation)
        if right is Right.NONE:
            return self._rights.registered_owners(case)
        for organisation, row in self.rows.get(Key(Soort.ZAAK, case), {}).items():
            if organisation != mutation.organisatie:
                theirs = self.right(case, row.mutation)
                if theirs > right or (theirs == right and row.mutation.alive):
                    return organisation
        return None

    def _publisher(self, mutation: Mutation) -> str | None:
        """Return another organisation that has the document of *mutation* in a case."""
        for organisation, row in self.rows.get(mutation.key, {}).items():
            if organisation != mutation.organisatie and row.mutation.alive and row.zaak is not None:
                return organisation
        return None

    def _is_own_host(self, mutation: Mutation) -> bool:
        return (mutation.message.identifier, mutation.organisatie) in self._own_host

    def _is_newer(self, row: Known, mutation: Mutation, case: str | None) -> bool:
        """Return whether *mutation* comes after what *row* has; one that comes too late is reported."""
        if row.mutation.message == mutation.message:
            # In another file, or in the same one again: it says nothing new.
            if mutation.order > row.mutation.order:
                self._put(replace(row, mutation=mutation))
            return False
        if mutation.order < row.mutation.order:
            self._note("ipm.overgeslagen", mutation, case, _late(mutation, row.mutation), "overgeslagen")
            return False
        return True

    def _put(self, row: Known) -> None:
        group, organisation = self.rows.setdefault(row.key, {}), row.mutation.organisatie
        if group.get(organisation) != row:
            group[organisation] = row

    def _displace_case(self, case: str) -> None:
        """Take the case from an organisation that another one comes before."""
        group = self.rows[Key(Soort.ZAAK, case)]
        strongest = max(self.right(case, row.mutation) for row in group.values())
        for organisation, row in list(group.items()):
            if row.mutation.alive and self.right(case, row.mutation) < strongest:
                del group[organisation]
                self._claimed[case] = None
                self.displaced.append(row.mutation)

    def _displace_documents(self) -> None:
        """Have documents that others offered for a case count as refused, once it is another's."""
        if not self._claimed:
            return
        for row in self._all():
            if row.key.soort is Soort.DOCUMENT and row.mutation.alive and row.zaak in self._claimed:
                is_new = (row.key, row.mutation.organisatie) in self.applied
                if not is_new and self._owner(row.zaak, row.mutation) is not None:
                    self.displaced.append(row.mutation)

    def _refuse(self, mutation: Mutation, owner: str) -> None:
        """Refuse a message: it is no finding about the case itself."""
        self.refused.append(mutation)
        self._emit("ipm.andere-organisatie", mutation, f"de zaak is van {owner}", REFUSED)

    def _note_known(self, mutation: Mutation, row: Known | None, case: str | None) -> None:
        """Report a create of what is there, or a delete of what never was."""
        is_case = mutation.message.soort is Soort.ZAAK
        there = row is not None and row.mutation.alive
        if mutation.message.transactie is Transactie.CREATE and there and is_case:
            self._note("ipm.zaak-bekend", mutation, case, "C", "bijgewerkt")
        elif not mutation.alive and row is None and not (is_case and self.is_there(case)):
            code = "ipm.zaak-onbekend" if is_case else "ipm.document-onbekend"
            self._note(code, mutation, case, mutation.message.identifier, "onthouden")

    def is_there(self, case: str | None) -> bool:
        """Return whether an organisation has the case."""
        if case is None:
            return False
        return any(row.mutation.alive for row in self.rows.get(Key(Soort.ZAAK, case), {}).values())

    def _report_orphans(self) -> None:
        """Report documents that came for a case that is not there."""
        for (key, _), mutation in self.applied.items():
            if key.soort is Soort.DOCUMENT and mutation.alive and not self.is_there(mutation.message.zaak):
                case = mutation.message.zaak
                self._note("ipm.document-zonder-zaak", mutation, case, case, "bewaard tot de zaak er is")

    def _note(self, code: str, mutation: Mutation, case: str | None, seen: str | None, action: str) -> None:
        if case is not None:
            self.codes.setdefault(case, []).append(code)
        self._emit(code, mutation, seen, action)

    def _emit(self, code: str, mutation: Mutation, seen: str | None, action: str) -> None:
        self._report(
            code,
            url=mutation.bestand,
            host=host_of(mutation.ingang),
            organisation=mutation.organisatie,
            seen=seen,
            action=action,
        )


def by_case(rows: Rows) -> Mapping[str, list[Known]]:
    """Return the rows of cases and documents by the URL of the case."""
    found: dict[str, list[Known]] = {}
    for group in rows.values():
        for row in group.values():
            if row.zaak is not None:
                found.setdefault(row.zaak, []).append(row)
    return found


def _late(mutation: Mutation, applied: Mutation) -> str:
    """Return both mutations, for the finding that one comes too late."""
    return f"{_shown(mutation)}; verwerkt is {_shown(applied)}"


def _shown(mutation: Mutation) -> str:
    message = mutation.message
    return f"{message.transactie} van {message.aanmaakdatum}, transactieID {message.transactie_id}"
