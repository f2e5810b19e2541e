"""Messages, and a state in memory that they are applied to."""

from __future__ import annotations

from datetime import UTC, date, datetime

from woo_harvester.findings import Finding, Reporter
from woo_harvester.permits.messages import Message, Soort, Transactie
from woo_harvester.permits.mutations import Key, Mutation, PermitRow
from woo_harvester.permits.record import Vergunning, VergunningDocument
from woo_harvester.permits.rights import Rights
from woo_harvester.permits.transactions import Applied, Outcome, apply_mutations
from woo_harvester.record import Oorzaak, Waarde
from woo_harvester.register import Register

CASE = "https://www.voorbeeldstad.nl/zaken/1"
OTHER_CASE = "https://www.voorbeeldstad.nl/zaken/2"
DOCUMENT = "https://www.voorbeeldstad.nl/zaken/1/besluit.pdf"
ENTRY = "https://www.voorbeeldstad.nl/xml/"

NOW = datetime(2026, 4, 2, 6, tzinfo=UTC)

STAD, DORP = "gm0001", "gm0002"
NOBODYS = Rights(Register([], []), {})


class World:
    """The rows, records and findings that a spider would keep, of all runs so far."""

    def __init__(self, rights: Rights = NOBODYS) -> None:
        self.rights = rights
        self.rows: dict[Key, list[PermitRow]] = {}
        self.findings: list[Finding] = []
        self.refused: list[Mutation] = []
        self.shown: dict[str, Outcome] = {}
        """Return the last record of each case that is not withdrawn, as a reader of the records has it."""

    def run(self, *mutations: Mutation) -> list[Outcome]:
        """Apply the messages of one run, whose records all become durable; return the outcomes."""
        self.findings = []
        known = [row for rows in self.rows.values() for row in rows]
        applied = apply_mutations(known, mutations, self.rights, Reporter(self.findings.append), NOW)
        self._keep(applied)
        self.refused = [mutation for mutation, _ in applied.refused]
        for outcome in applied.outcomes:
            self._show(outcome)
        return applied.outcomes

    def _keep(self, applied: Applied) -> None:
        for row in applied.rows:
            self.rows[row.key] = []
        for row in applied.rows:
            self.rows[row.key].append(PermitRow.load(row.dump()))

    def _show(self, outcome: Outcome) -> None:
        if outcome.oorzaak is Oorzaak.INTREKKING:
            del self.shown[outcome.eerste]
        else:
            assert (outcome.eerste in self.shown) is (outcome.oorzaak is Oorzaak.WIJZIGING)
            self.shown[outcome.eerste] = outcome

    @property
    def codes(self) -> list[str]:
        """Return the codes of the findings of the last run."""
        return [finding.code for finding in self.findings]

    def state(self) -> dict[str, list[Message]]:
        """Return the messages that each existing case is made of, without what is no change in itself."""
        return {
            case: [each.message.undated() for each in (outcome.zaak, *outcome.documenten)]
            for case, outcome in self.shown.items()
        }


def mutation(
    transactie: str,
    day: int,
    *,
    transactie_id: str = "1",
    volgnummer: int = 0,
    identifier: str = CASE,
    title: str = "Kapvergunning",
    organisatie: str = STAD,
    file_date: datetime | None = None,
    moment: datetime | None = None,
    bevindingen: tuple[str, ...] = (),
) -> Mutation:
    message = Message(
        soort=Soort.ZAAK,
        transactie=Transactie(transactie),
        transactie_id=transactie_id,
        volgnummer=volgnummer,
        aanmaakdatum=date(2026, 4, day),
        identifier=identifier,
        zaak=identifier,
        gegevens=None if transactie == "D" else Vergunning(identifier=identifier, title=title),
        aanmaakmoment=moment,
    )
    return _offered(message, organisatie, file_date, bevindingen)


def document(
    transactie: str,
    day: int,
    *,
    transactie_id: str = "1",
    identifier: str = DOCUMENT,
    case: str | None = CASE,
    organisatie: str = STAD,
    title: str = "Besluit",
    file_date: datetime | None = None,
) -> Mutation:
    given = VergunningDocument(identifier=identifier, title=title, isPartOf=Waarde(id=case))
    message = Message(
        soort=Soort.DOCUMENT,
        transactie=Transactie(transactie),
        transactie_id=transactie_id,
        volgnummer=1,
        aanmaakdatum=date(2026, 4, day),
        identifier=identifier,
        zaak=case,
        gegevens=None if transactie == "D" else given,
    )
    return _offered(message, organisatie, file_date, ())


def _offered(
    message: Message, organisatie: str, file_date: datetime | None, bevindingen: tuple[str, ...]
) -> Mutation:
    name = f"{message.soort}-{message.transactie}-{message.aanmaakdatum}.xml"
    return Mutation(message, organisatie, ENTRY, ENTRY + name, file_date, bevindingen)


def causes(outcomes: list[Outcome]) -> list[str]:
    return [str(outcome.oorzaak) for outcome in outcomes]
