"""Computes the outcome of a case's messages, in whatever order and over however many runs they arrive.

There is one row for each organisation and each identifier of a case or a document: the message that was
applied last. A later message replaces it, an earlier one never does, so the end result does not depend on the
order of arrival. A delete is kept as a row too, or an older message that comes late would bring the case
back. The documents of a deleted case are also kept: they are there again when the case returns.

Source: seed "Vergunningen op Internet IPM 4.0: Harvesting van metadata", sections "XML bestand per mutatie
van de zaak" and "Verwijderen van informatie uit de zoekdienst".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from msgspec.structs import replace

from woo_harvester.findings import Reporter
from woo_harvester.permits.ledger import Ledger, by_case
from woo_harvester.permits.messages import Message, Soort
from woo_harvester.permits.mutations import Key, Mutation, PermitRow, in_order
from woo_harvester.permits.record import (
    PermitHerkomst,
    PermitRecord,
    PermitVersie,
    Vergunning,
    VergunningDocument,
)
from woo_harvester.permits.rights import Rights
from woo_harvester.record import Oorzaak
from woo_harvester.utils.dates import moment_after
from woo_harvester.utils.urls import record_id


@dataclass(frozen=True)
class Outcome:
    """The net result of the messages of one case: what its record is made from."""

    identifier: str
    """URL of the case, as the message has it that the record is made from."""
    eerste: str
    """URL that the case had in its first record: it decides the id."""
    oorzaak: Oorzaak
    zaak: Mutation
    """The message with the metadata of the case; the delete if the case is withdrawn."""
    documenten: tuple[Mutation, ...]
    """The messages of the documents of the case, by volgnummer and URL; empty if it is withdrawn."""
    mutatie: Mutation
    """The message that caused the version: the last about the case itself, else about its documents."""
    bevindingen: tuple[str, ...]
    """Codes of findings, each once."""
    opgehaald: datetime
    """The moment of the record. It is after that of the record before, whatever the clock did."""


@dataclass(frozen=True)
class Applied:
    """The result of applying messages."""

    outcomes: list[Outcome]
    """One for each case that changed for a reader of the records."""
    rows: list[PermitRow]
    """All rows of each key whose rows changed, to be kept once the records are durable."""
    refused: list[tuple[Mutation, str]]
    """Messages about another's case, with whose it is; also those of earlier runs that counted then."""


def apply_mutations(
    known: Iterable[PermitRow], mutations: Sequence[Mutation], rights: Rights, report: Reporter, now: datetime
) -> Applied:
    """Apply *mutations*, in any order, to what is *known*, at the moment *now*.

    *known* has at least the rows of the identifiers and cases (``PermitRow.zaak``) that the mutations are
    about, and all rows of those cases. Give the mutations in the order in which they were fetched: of two
    that are equal in their own order the last counts, and of two organisations with the same right on a case
    the one whose mutation comes first.

    Reports ``ipm.zaak-onbekend``, ``ipm.zaak-bekend``, ``ipm.overgeslagen``, ``ipm.niet-toegepast``,
    ``ipm.datum-gegenereerd``, ``ipm.andere-organisatie``, ``ipm.document-onbekend`` and
    ``ipm.document-zonder-zaak``, with the file as url.
    """
    ledger = Ledger(known, rights, report)
    ledger.apply(mutations)
    outcomes = _outcomes(ledger, now)
    rows = [row for key in ledger.changed() for row in ledger.rows[key].values()]
    return Applied(outcomes, rows, ledger.refused)


class _Visible(NamedTuple):
    """A case as a reader of the records sees it."""

    zaak: Mutation
    documenten: tuple[Mutation, ...]


def _outcomes(ledger: Ledger, now: datetime) -> list[Outcome]:
    """Return an outcome for each case that changed, and note in its row that it has a record."""
    before, after = by_case(ledger.before), by_case(ledger.rows)
    cases: dict[str, None] = {}
    for key in ledger.changed():
        groups = (ledger.before.get(key, {}), ledger.rows[key])
        cases.update((row.case, None) for group in groups for row in group.values() if row.case)
    found = []
    for case in cases:
        visible = _visible(before.get(case, [])), _visible(after.get(case, []))
        if (outcome := _outcome(ledger, case, *visible, now)) is not None:
            found.append(outcome)
    return found


def _outcome(
    ledger: Ledger, case: str, before: _Visible | None, after: _Visible | None, now: datetime
) -> Outcome | None:
    """Return the outcome of a case; None if nothing changed for a reader of the records."""
    last = ledger.published.get(case)
    cause = _cause(last.present if last is not None else None, before, after)
    if cause is None:
        return None
    row = _source_row(ledger, case)
    at = moment_after(last.opgehaald if last is not None else None, now)
    first = row.mutation.message.identifier if last is None else last.first_url
    kept = replace(row, present=after is not None, opgehaald=at, eerste=first)
    ledger.rows[kept.key][kept.mutation.organisatie] = kept
    documents = after.documenten if after else ()
    codes = [*row.mutation.bevindingen, *(code for each in documents for code in each.bevindingen)]
    return Outcome(
        identifier=row.mutation.message.identifier,
        eerste=first,
        oorzaak=cause,
        zaak=row.mutation,
        documenten=documents,
        mutatie=ledger.shown(_source(ledger, case, row)),
        bevindingen=tuple(dict.fromkeys(codes + ledger.codes.get(case, []))),
        opgehaald=at,
    )


def _source_row(ledger: Ledger, case: str) -> PermitRow:
    """Return the row that the record of a case is made from; for a withdrawn case that of the delete."""
    key = Key(Soort.ZAAK, case)

    def strength(row: PermitRow) -> tuple[bool, bool, int]:
        mutation = row.mutation
        return (
            mutation.alive,
            (key, mutation.organisatie) in ledger.applied,
            ledger.rights.right(case, mutation),
        )

    return max(ledger.rows[key].values(), key=strength)


def _source(ledger: Ledger, case: str, row: PermitRow) -> Mutation:
    """Return the message that caused a version."""
    if (row.key, row.mutation.organisatie) in ledger.applied:
        return row.mutation
    own = [
        mutation
        for mutation in ledger.of_documents.get(case, [])
        if mutation.organisatie == row.mutation.organisatie
    ]
    return in_order(own)[-1] if own else row.mutation


def _visible(rows: Iterable[PermitRow]) -> _Visible | None:
    """Return a case with the documents of its own organisation; None if no row of the case is alive."""
    rows = list(rows)
    case = next((row.mutation for row in rows if row.key.soort is Soort.ZAAK and row.mutation.alive), None)
    if case is None:
        return None
    documents = [
        row.mutation
        for row in rows
        if row.key.soort is Soort.DOCUMENT
        and row.mutation.alive
        and row.mutation.organisatie == case.organisatie
    ]
    documents.sort(key=lambda mutation: (mutation.message.volgnummer, mutation.message.identifier))
    return _Visible(case, tuple(documents))


def _cause(present: bool | None, before: _Visible | None, after: _Visible | None) -> Oorzaak | None:
    """Return the oorzaak of a new version; None if there is no new version."""
    if after is None:
        return Oorzaak.INTREKKING if present else None
    if present is None:
        return Oorzaak.AANLEVERING
    if not present:
        return Oorzaak.HERPUBLICATIE
    return Oorzaak.WIJZIGING if before is None or _shown(before) != _shown(after) else None


def _shown(visible: _Visible) -> tuple[str, list[Message]]:
    """Return what a reader sees. An aanmaakdatum that is new alone is no change."""
    messages = [visible.zaak.message, *(document.message for document in visible.documenten)]
    return visible.zaak.organisatie, [message.undated() for message in messages]


def permit_record(outcome: Outcome) -> PermitRecord:
    """Return the record of a case. That of a withdrawn case has only its URL."""
    message, source = outcome.mutatie.message, outcome.mutatie
    return PermitRecord(
        id=record_id(outcome.eerste),
        vergunning=_case(outcome),
        documenten=[
            document.message.gegevens
            for document in outcome.documenten
            if isinstance(document.message.gegevens, VergunningDocument)
        ],
        versies=[
            PermitVersie(
                oorzaak=outcome.oorzaak,
                transactie=str(message.transactie),
                transactieID=message.transactie_id,
                volgnummer=message.volgnummer,
                aanmaakdatum=message.aanmaakdatum,
                mutatiedatumtijd=source.datum,
            )
        ],
        herkomst=PermitHerkomst(
            ingang=source.ingang,
            bestand=source.bestand,
            opgehaald=outcome.opgehaald,
            organisatie=source.organisatie,
            bevindingen=list(outcome.bevindingen),
        ),
    )


def _case(outcome: Outcome) -> Vergunning:
    given = outcome.zaak.message.gegevens
    if outcome.oorzaak is Oorzaak.INTREKKING or not isinstance(given, Vergunning):
        return Vergunning(identifier=outcome.identifier)
    return given
