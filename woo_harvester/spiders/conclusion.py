"""What is concluded once all hosts were read: which documents are withdrawn.

A document is gone only if its host was read completely and nothing in this run listed it. Where that cannot
be told, nothing is concluded; where much is gone at once, it is held back until it is sure.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

from sqlalchemy import Connection

from woo_harvester.dates import moment_after
from woo_harvester.extensions.delivery import Delivery, Withdrawals
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Report
from woo_harvester.findings.notes import Notes
from woo_harvester.items import WooItem
from woo_harvester.record import Document, Herkomst, Oorzaak, Record, Versie
from woo_harvester.register import Register
from woo_harvester.spiders.visit import Visit
from woo_harvester.state import documents
from woo_harvester.state.documents import BATCH, Gone
from woo_harvester.state.resources import keep_host
from woo_harvester.state.withdrawal import Judgement, Limits, Missing, judge, missing, runs_running
from woo_harvester.urls import record_id


class Conclusion:
    """Makes the records of withdrawals; *held* is the file that lists what is held back."""

    def __init__(
        self, register: Register, keeper: StateKeeper, report: Report, limits: Limits, held: Path
    ) -> None:
        self._register = register
        self._keeper = keeper
        self._report = report
        self._limits = limits
        self._held = held

    def items(self, visit: Visit) -> Iterator[WooItem]:
        """The withdrawals of one host, all of which was read."""
        with self._keeper.begin() as connection:
            if not visit.reading_done:
                visit.incomplete.append("niet uitgelezen")
            if visit.incomplete:
                if documents.count_published(connection, visit.known.id):
                    reasons = ", ".join(dict.fromkeys(visit.incomplete))
                    visit.note("intrekking.onvolledig", f"https://{visit.host}/", seen=reasons)
                return
            found = missing(connection, visit.known.id, self._keeper.listed, visit.whole)
            documents.forget(connection, found.only_seen)
            judgement = judge(found, visit.known, self._limits)
            if judgement is Judgement.NOTHING:
                _keep_host(connection, visit, held_runs=0)
        match judgement:
            case Judgement.WITHDRAW:
                yield from self._withdraw(found, visit)
            case Judgement.HOLD:
                self._hold(found, visit)

    def _withdraw(self, found: Missing, visit: Visit) -> Iterator[WooItem]:
        now = datetime.now(UTC)
        # The hold, if there was one, ends only when all of these are confirmed.
        self._keeper.expect_withdrawals(
            Withdrawals(visit.known.id, int(now.timestamp()), set(found.harvested))
        )
        for gone in self._details(found):
            yield self._item(gone, visit, now)

    def _hold(self, found: Missing, visit: Visit) -> None:
        """Withdraw nothing, and list what would have been."""
        with self._held.open("a", encoding="utf-8") as lines:
            for gone in self._details(found):
                lines.write(json.dumps({"host": visit.host, "url": gone.loc}, ensure_ascii=False) + "\n")
        runs = runs_running(found, visit.known)
        visit.note(
            "intrekking.massaal",
            f"https://{visit.host}/",
            seen=f"{len(found.harvested)} van {found.published} documenten",
            action=f"vastgehouden: volledige ronde {runs} van {self._limits.runs}; zie {self._held.name}",
        )
        with self._keeper.begin() as connection:
            _keep_host(connection, visit, held_runs=runs, held_documents=len(found.harvested))

    def _details(self, found: Missing) -> Iterator[Gone]:
        """In parts, so that no transaction is open while records are written."""
        for start in range(0, len(found.harvested), BATCH):
            with self._keeper.begin() as connection:
                part = list(documents.gone(connection, found.harvested[start : start + BATCH]))
            yield from part

    def _item(self, gone: Gone, visit: Visit, now: datetime) -> WooItem:
        match = self._register.organisation_of(gone.loc, visit.host)
        body = match.organisation.identifier if match.organisation else None
        published = date.fromisoformat(gone.published) if gone.published else None
        at = moment_after(datetime.fromtimestamp(gone.harvested, UTC), now)
        record = Record(
            id=record_id(gone.loc),
            document=Document(weblocatie=gone.loc),
            versies=[Versie(Oorzaak.INTREKKING, published, at)],
            herkomst=Herkomst(index=gone.index, sitemap=gone.sitemap, opgehaald=at, organisatie=body),
        )
        notes = Notes(self._report, url=gone.loc, host=visit.host, organisation=body, sitemap=gone.sitemap)
        item = WooItem(record, None, notes)
        self._keeper.expect(item, Delivery(withdrawn=gone.id, withdrawn_at=int(at.timestamp())))
        return item


def _keep_host(connection: Connection, visit: Visit, held_runs: int, held_documents: int = 0) -> None:
    now = int(datetime.now(UTC).timestamp())
    keep_host(connection, visit.known.id, complete_at=now, held_runs=held_runs, held_documents=held_documents)
