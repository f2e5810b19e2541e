"""From the entries of a sitemap to items, in three steps: compare, look up, decide and apply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import cast

from sqlalchemy import Connection

from woo_harvester.crawl.candidates import Changes, ListedEntry, Place
from woo_harvester.crawl.comparison import Comparison
from woo_harvester.crawl.host import Visit
from woo_harvester.crawl.lookup import LookUp
from woo_harvester.crawl.verdicts import NOT_AGAIN, Verdicts
from woo_harvester.dates import iso_seconds
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Reporter
from woo_harvester.items import WooItem
from woo_harvester.register import Register
from woo_harvester.sitemaps.url_selection import Sitemap
from woo_harvester.state import documents, faults, listings
from woo_harvester.state.decision import Verdict
from woo_harvester.state.delivery import Reading
from woo_harvester.state.resources import forget_read, sitemap_ids

FOREIGN = "loc.andere-host"
LEFT_TO_OWN = "niet gebruikt: de vermelding op de eigen host telt"


class Entries:
    """Selects what is harvested, for the hosts and organisations of one register.

    A document that was fetched and refused is left alone for *patience*. One whose server said that a newer
    version has the same bytes is fetched once more when *recheck* has passed since they were received; never
    where that is None. *is_waited_for* says whether a host is read in this run, and not yet to its end.
    """

    def __init__(
        self,
        register: Register,
        report: Reporter,
        keeper: StateKeeper,
        patience: timedelta = timedelta(0),
        recheck: timedelta | None = None,
        is_waited_for: Callable[[str], bool] = lambda host: False,
    ) -> None:
        self._register = register
        self._report = report
        self._keeper = keeper
        self._comparison = Comparison(register, report)
        self._lookup = LookUp(register, is_waited_for)
        self._verdicts = Verdicts(register, keeper, self._lookup, patience, recheck)
        self.counts = self._verdicts.counts
        """Entries by what was decided."""

    @property
    def skipped(self) -> int:
        """Entries that were known and are not harvested again."""
        return sum(count for verdict, count in self.counts.items() if verdict.cause is None)

    def place(self, connection: Connection, visit: Visit, sitemap: Sitemap, reading: Reading) -> Place:
        """Return the place of a sitemap that is about to be read, with what is known of it."""
        if not visit.own_sitemaps:
            visit.own_sitemaps.update(sitemap_ids(connection, visit.known.id))
        visit.own_sitemaps.add(reading.resource_id)
        before = documents.before(connection, reading.resource_id, visit.own_sitemaps)
        same = cast("dict[bytes | None, int]", before.same)
        return Place(visit, sitemap, reading, same, before.others if before.is_all else None)

    def lacking(self, connection: Connection, place: Place) -> list[int]:
        """Return the documents that a sitemap no longer lists, once it has been read to its end."""
        if place.others is None:
            before = listings.ids_of(connection, place.sitemap_id)
        else:
            before = [*place.same.values(), *place.others]
        return place.seen.lacks(before)

    def pass_over(self, visit: Visit, sitemap: Sitemap, resource_id: int) -> None:
        """Count the documents of a sitemap that has not changed, and report what is still wrong with some."""
        host = visit.host
        with self._keeper.begin() as connection:
            listings.all_listed_again(connection, resource_id)
            found = faults.faults_of(connection, resource_id)
            visit.account.passed_over(listings.count(connection, resource_id), len(found))
            left_to = Counter[str]()
            for ids in listings.foreign_documents(connection, resource_id):
                left_to.update(self._lookup.owners(connection, ids, host).values())
        for fault in found:
            match = self._register.organisation_of(fault.loc, host)
            organisation = match.organisation.identifier if match.organisation else None
            self._report(
                fault.code,
                seen=fault.seen,
                action=NOT_AGAIN,
                url=fault.loc,
                host=host,
                organisation=organisation,
                sitemap=sitemap.url,
                since=iso_seconds(fault.since),
            )
        self.counts[Verdict.REFUSED] += len(found)
        self.counts[Verdict.FOREIGN] += left_to.total()
        visit.account.left_to_others(left_to.total(), unchanged=True)
        self.report_foreign(visit, sitemap, left_to)

    def report_foreign(self, visit: Visit, sitemap: Sitemap, left_to: Mapping[str, int]) -> None:
        """Report to each side how many documents a sitemap lists that their own hosts list too."""
        if not left_to:
            return
        total = sum(left_to.values())
        visit.report(FOREIGN, url=sitemap.url, seen=_number(total), action=LEFT_TO_OWN)
        for host, count in sorted(left_to.items()):
            owners = self._register.organisations_of_host(host)
            self._report(
                FOREIGN,
                url=sitemap.url,
                host=host,
                organisation=owners[0].identifier if len(owners) == 1 else None,
                seen=f"{_number(count)} in een sitemap van {visit.host}",
                action=LEFT_TO_OWN,
            )

    def select(self, batch: Sequence[ListedEntry], place: Place) -> tuple[list[WooItem], int]:
        """Return the items of a batch, and how many of its entries were compared.

        Fewer than all were where an entry is not plain: the full reader must go on from there.
        """
        left_to = place.left_to.total()
        with self._keeper.begin() as connection:
            rest = [entry.loc for entry in batch if entry.digest not in place.same]
            known = documents.look_up(connection, rest)
            changes = self._comparison.compare(connection, batch, known, place)
            found = self._lookup.look_up(connection, changes, known, place)
            items = [item for one in found if (item := self._verdicts.apply(connection, one, place, changes))]
            self._keep(connection, changes, place)
        account = place.visit.account
        account.looked_at(changes.consumed - changes.postponed, changes.unchanged)
        account.left_to_others(place.left_to.total() - left_to)
        self.counts[Verdict.UNCHANGED] += changes.unchanged
        return items, changes.consumed

    @staticmethod
    def _keep(connection: Connection, changes: Changes, place: Place) -> None:
        """Have the state learn of a batch: documents first, then where they are listed, then files.

        Other runs lock them in the same order.
        """
        documents.lock_rows(connection, {*changes.moved, *changes.digests, *changes.corrected})
        documents.move(connection, changes.moved, place.sitemap_id)
        documents.keep_digests(connection, changes.digests)
        faults.end_faults(connection, changes.corrected)
        listings.add(connection, place.sitemap_id, changes.listed)
        listings.listed_again(connection, place.sitemap_id, changes.again)
        listings.keep_foreign(connection, place.sitemap_id, changes.foreign)
        for sitemap_id in sorted(changes.unread):
            forget_read(connection, sitemap_id)


def _number(count: int) -> str:
    return "1 document" if count == 1 else f"{count} documenten"
