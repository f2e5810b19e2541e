"""Makes the record of a case from the outcome of its messages."""

from __future__ import annotations

from woo_harvester.permits.record import (
    PermitHerkomst,
    PermitRecord,
    PermitVersie,
    Vergunning,
    VergunningDocument,
)
from woo_harvester.permits.transactions import Outcome
from woo_harvester.record import Oorzaak
from woo_harvester.urls import record_id


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
