"""Reports locations for which the register gives another informatiecategorie than their documents have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from woo_harvester.findings import Reporter
from woo_harvester.items import WooItem
from woo_harvester.register.categories import Published, PublishedCategories
from woo_harvester.report.funnel import CATEGORY_CONFLICT, Account
from woo_harvester.tooi import informatiecategorieen
from woo_harvester.urls import host_of

#: The number of categories that a finding names.
_SHOWN = 3

_ACTION = "niets: de categorie van elk document zelf telt"


class LocationCategories:
    """The comparison of the categories in the register with those of the documents that a run harvests."""

    def __init__(self, report: Reporter) -> None:
        self._published = PublishedCategories()
        self._report = report

    def count(self, item: WooItem) -> None:
        """Count the document of an item that passed all pipelines."""
        if item.source is None:  # a withdrawal
            return
        given = item.record.document.classificatiecollectie.informatiecategorieen
        categories = [waarde.id for waarde in given if waarde.id is not None]
        self._published.count(item.source.match, categories, item.report.host or "")

    def report_conflicts(self, accounts: Mapping[str, Account]) -> None:
        """Report each location with which no document agrees, if the run has seen all documents there.

        *accounts* are those of the hosts that were visited.
        On most days a run sees only the few documents that changed. Those say nothing about the others.
        """
        for found in self._published.conflicts():
            host = host_of(found.registered.url)
            listing = [accounts.get(each) for each in {host, *found.hosts}]
            if all(account is not None and account.has_seen_all for account in listing):
                self._report_conflict(found, host)

    def _report_conflict(self, found: Published, host: str) -> None:
        organisation = found.organisation
        documents = "1 document" if found.documents == 1 else f"{found.documents} documenten"
        registered, seen = _registered(found), _seen(found.categories)
        self._report(
            CATEGORY_CONFLICT,
            host=host,
            organisation=organisation.identifier if organisation is not None else None,
            url=found.registered.url,
            element="documentLocatie/informatiecategorie",
            seen=f"geregistreerd voor {registered}; {documents} in deze oogst: {seen}",
            action=_ACTION,
        )


def _registered(found: Published) -> str:
    return _first(sorted(map(_label, found.registered.categories)))


def _seen(categories: Counter[str]) -> str:
    return _first([f"{_label(uri)} ({count})" for uri, count in categories.most_common()])


def _first(texts: Iterable[str]) -> str:
    """Return the first of *texts* with commas between, and how many more there are."""
    every = list(texts)
    more = [f"en nog {len(every) - _SHOWN}"] if len(every) > _SHOWN else []
    return ", ".join([*every[:_SHOWN], *more])


def _label(uri: str) -> str:
    return informatiecategorieen()[uri].label
