"""What the messages of a case come to, in whatever order and over however many runs they arrive.

What is known is one row for each identifier, that of a case or of a document: the message that was applied
last. A later message replaces it, an earlier one never does, so that what is left at the end does not
depend on the order of arrival. A removal is kept as such, or an older message that comes late would bring
the case back. The documents of a removed case are kept too, and are there again when it returns.

Source: seed "Vergunningen op Internet IPM 4.0: Harvesting van metadata", sections "XML bestand per mutatie
van de zaak" and "Verwijderen van informatie uit de zoekdienst".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from woo_harvester.dates import moment_after
from woo_harvester.findings import Finding, Report
from woo_harvester.permits.messages import Message, Soort, Transactie
from woo_harvester.permits.mutations import Key, Known, Mutation
from woo_harvester.permits.parsing import REFUSED
from woo_harvester.record import Oorzaak


@dataclass(frozen=True)
class Outcome:
    """The net result for one case: the record that goes out, and what is known once it has."""

    identifier: str
    oorzaak: Oorzaak
    zaak: Mutation
    """The message that the metadata of the case are from; of a withdrawn case the delete."""
    documenten: tuple[Mutation, ...]
    """Those of the documents that the case has, by volgnummer and URL; none of a withdrawn case."""
    mutatie: Mutation
    """The message that the version comes from: the last of the case itself, else of its documents."""
    bevindingen: tuple[str, ...]
    """Codes of findings, each once."""
    opgehaald: datetime
    """The moment of the record: after that of the one before, whatever the clock did."""
    rows: tuple[Known, ...]
    """The rows that changed with it, to be kept once the record is durable."""


@dataclass(frozen=True)
class Settlement:
    """What a number of messages came to."""

    outcomes: list[Outcome]
    """One for each case that changed for who reads the records."""
    rows: list[Known]
    """Other rows that changed, to be kept at once: a removal of what never was, a document without a case."""


def settle(
    known: Iterable[Known], mutations: Iterable[Mutation], report: Report, now: datetime
) -> Settlement:
    """Apply *mutations*, in any order, to what is *known*, at the moment *now*.

    *known* holds at least the rows of the identifiers and cases (``Known.zaak``) that the mutations are
    about, and all rows of those cases. Of two mutations that tie in their order the one given last counts,
    so give them as they were fetched. Reports ``ipm.zaak-onbekend``, ``ipm.zaak-bekend``,
    ``ipm.overgeslagen``, ``ipm.andere-organisatie``, ``ipm.document-onbekend``,
    ``ipm.document-zonder-zaak``, with the file as url.
    """
    ledger = _Ledger(known, report, now)
    for mutation in sorted(mutations, key=lambda mutation: mutation.order):
        ledger.apply(mutation)
    return ledger.settlement()


class Visible(NamedTuple):
    """What who reads the records sees of a case."""

    zaak: Mutation
    documenten: tuple[Mutation, ...]


class _Ledger:
    """The rows while mutations are applied."""

    def __init__(self, known: Iterable[Known], report: Report, now: datetime) -> None:
        self._before = {row.key: row for row in known}
        self._rows = dict(self._before)
        self._report = report
        self._now = now
        self._applied: dict[Key, Mutation] = {}
        self._of_documents: dict[str, list[Mutation]] = {}
        """What was applied to documents, by the case that has them and by the one that had them."""
        self._codes: dict[str, list[str]] = {}

    def apply(self, mutation: Mutation) -> None:
        """Let a mutation take effect, unless it comes too late or is not this organisation's to make."""
        row = self._rows.get(mutation.key)
        case = mutation.message.zaak or (row.zaak if row else None)
        if (owner := self._owner(mutation, case)) is not None:
            self._note("ipm.andere-organisatie", mutation, case, f"de zaak is van {owner}", REFUSED)
            return
        if row is not None and row.mutation.organisatie == mutation.organisatie:
            if row.mutation.message == mutation.message:
                self._offered_again(row, mutation)
                return
            if mutation.order < row.mutation.order:
                self._note("ipm.overgeslagen", mutation, case, _late(mutation, row.mutation), "overgeslagen")
                return
        elif row is not None and not mutation.alive:
            self._note_known(mutation, None, case)  # another body's, which it cannot remove
            return
        self._note_known(mutation, row, case)
        self._applied[mutation.key] = mutation
        if mutation.message.soort is Soort.DOCUMENT:
            for touched in filter(None, {case, row.zaak if row else None}):
                self._of_documents.setdefault(touched, []).append(mutation)
        self._rows[mutation.key] = replace(row or Known(mutation), mutation=mutation, zaak=case)

    def settlement(self) -> Settlement:
        """The net result."""
        self._report_orphans()
        changed = {key: row for key, row in self._rows.items() if row is not self._before.get(key)}
        before, after = _by_case(self._before.values()), _by_case(self._rows.values())
        cases = [row.zaak for key in changed for row in (self._before.get(key), self._rows[key]) if row]
        outcomes = []
        for case in dict.fromkeys(filter(None, cases)):
            own = [row for row in after.get(case, []) if row.key in changed]
            outcome = self._outcome(case, _visible(before.get(case, [])), _visible(after.get(case, [])), own)
            if outcome is not None:
                outcomes.append(outcome)
        kept = {row.key for outcome in outcomes for row in outcome.rows}
        return Settlement(outcomes, [row for key, row in changed.items() if key not in kept])

    def _owner(self, mutation: Mutation, case: str | None) -> str | None:
        """The other organisation that made what a mutation would touch, if there is one."""
        touched = [self._visible_case(case)]
        if mutation.message.soort is Soort.DOCUMENT and (row := self._rows.get(mutation.key)) is not None:
            holder = self._visible_case(row.zaak)
            if row.mutation.alive and holder and holder.organisatie == row.mutation.organisatie:
                touched.append(holder)
        others = (each.organisatie for each in touched if each and each.organisatie != mutation.organisatie)
        return next(others, None)

    def _visible_case(self, case: str | None) -> Mutation | None:
        row = self._rows.get(Key(Soort.ZAAK, case)) if case is not None else None
        return row.mutation if row is not None and row.mutation.alive else None

    def _offered_again(self, row: Known, mutation: Mutation) -> None:
        """The same message in another file, or in the same one again: it tells nothing new."""
        if mutation.order > row.mutation.order:
            self._rows[mutation.key] = replace(row, mutation=mutation)

    def _note_known(self, mutation: Mutation, row: Known | None, case: str | None) -> None:
        """A create of what is there, or a delete of what never was."""
        is_case = mutation.message.soort is Soort.ZAAK
        there = row is not None and row.mutation.alive
        if mutation.message.transactie is Transactie.CREATE and there and is_case:
            self._note("ipm.zaak-bekend", mutation, case, "C", "bijgewerkt")
        elif not mutation.alive and row is None:
            code = "ipm.zaak-onbekend" if is_case else "ipm.document-onbekend"
            self._note(code, mutation, case, mutation.message.identifier, "onthouden")

    def _report_orphans(self) -> None:
        """Documents that came for a case that is not there."""
        for key, mutation in self._applied.items():
            case = self._rows[key].zaak
            if key.soort is Soort.DOCUMENT and mutation.alive and self._visible_case(case) is None:
                self._note("ipm.document-zonder-zaak", mutation, case, case, "bewaard tot de zaak er is")

    def _outcome(
        self, case: str, before: Visible | None, after: Visible | None, changed: list[Known]
    ) -> Outcome | None:
        """What changed of a case; None where nothing did for who reads the records."""
        row = self._rows.get(Key(Soort.ZAAK, case))
        if row is None or (cause := _cause(row.present, before, after)) is None:
            return None
        at = moment_after(row.opgehaald, self._now)
        kept = replace(row, present=after is not None, opgehaald=at)
        documents = after.documenten if after else ()
        return Outcome(
            identifier=case,
            oorzaak=cause,
            zaak=row.mutation,
            documenten=documents,
            mutatie=self._source(case, row),
            bevindingen=self._codes_of(case, row, documents),
            opgehaald=at,
            rows=(kept, *(each for each in changed if each.key != kept.key)),
        )

    def _source(self, case: str, row: Known) -> Mutation:
        """The message that a version comes from."""
        if row.key in self._applied:
            return row.mutation
        return max(
            self._of_documents.get(case, []), key=lambda mutation: mutation.order, default=row.mutation
        )

    def _codes_of(self, case: str, row: Known, documents: tuple[Mutation, ...]) -> tuple[str, ...]:
        codes = [*row.mutation.bevindingen, *(code for each in documents for code in each.bevindingen)]
        return tuple(dict.fromkeys(codes + self._codes.get(case, [])))

    def _note(self, code: str, mutation: Mutation, case: str | None, seen: str | None, action: str) -> None:
        # What another organisation tries is no finding about the case itself.
        if case is not None and code != "ipm.andere-organisatie":
            self._codes.setdefault(case, []).append(code)
        self._report(
            Finding(
                code=code, url=mutation.bestand, organisation=mutation.organisatie, seen=seen, action=action
            )
        )


def _late(mutation: Mutation, applied: Mutation) -> str:
    """Both mutations, for the finding that one comes too late."""
    return f"{_shown(mutation)}; verwerkt is {_shown(applied)}"


def _shown(mutation: Mutation) -> str:
    message = mutation.message
    return f"{message.transactie} van {message.aanmaakdatum}, transactieID {message.transactie_id}"


def _by_case(rows: Iterable[Known]) -> dict[str, list[Known]]:
    found: dict[str, list[Known]] = {}
    for row in rows:
        if row.zaak is not None:
            found.setdefault(row.zaak, []).append(row)
    return found


def _visible(rows: list[Known]) -> Visible | None:
    """A case by its rows, with the documents of its own organisation; None where it is not there."""
    case = next((row.mutation for row in rows if row.key.soort is Soort.ZAAK), None)
    if case is None or not case.alive:
        return None
    documents = [
        row.mutation
        for row in rows
        if row.key.soort is Soort.DOCUMENT
        and row.mutation.alive
        and row.mutation.organisatie == case.organisatie
    ]
    documents.sort(key=lambda mutation: (mutation.message.volgnummer, mutation.message.identifier))
    return Visible(case, tuple(documents))


def _cause(present: bool | None, before: Visible | None, after: Visible | None) -> Oorzaak | None:
    """Why there is a version, if there is one."""
    if after is None:
        return Oorzaak.INTREKKING if present else None
    if present is None:
        return Oorzaak.AANLEVERING
    if not present:
        return Oorzaak.HERPUBLICATIE
    return Oorzaak.WIJZIGING if before is None or _messages(before) != _messages(after) else None


def _messages(visible: Visible) -> list[Message]:
    return [visible.zaak.message, *(document.message for document in visible.documenten)]
