"""Selects the hosts that a run visits: those of the register, narrowed by the spider's arguments."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain

from woo_harvester.findings import Reporter
from woo_harvester.items import WooItem
from woo_harvester.register import Register
from woo_harvester.register.names import find_organisations, organisation_meant
from woo_harvester.register.register import Published, PublishedCategories, shard_of
from woo_harvester.report.funnel import CATEGORY_CONFLICT, Account
from woo_harvester.running.arguments import WooArguments
from woo_harvester.running.causes import ArgumentError
from woo_harvester.running.setting import shown
from woo_harvester.tooi import informatiecategorieen
from woo_harvester.utils.program import counted
from woo_harvester.utils.urls import host_of

logger = logging.getLogger(__name__)

#: Most organisations without a location that are named.
_NAMED = 5


def select_hosts(register: Register, arguments: WooArguments) -> tuple[Register, tuple[str, ...]]:
    """Return the register as this run sees it, and the hosts to visit.

    Hosts in ``domains`` count as registered for this run, and are those that :func:`meant_host` returns.
    Raises :class:`ArgumentError` for an organisation that the register does not have, and if the arguments
    together leave no host.
    """
    hosts = register.hosts
    if arguments.organisation:
        hosts = _hosts_of(register, arguments.organisation)
    if arguments.domains:
        domains = tuple(dict.fromkeys(meant_host(register, typed) for typed in arguments.domains))
        narrowed = set(domains).intersection(hosts) if arguments.organisation else domains
        hosts = tuple(host for host in domains if host in narrowed)
        register = register.with_domains(domains)
    if not hosts:
        raise ArgumentError("no host is left: domains and organisation have none in common")
    if arguments.shard:
        number, total = arguments.shard
        hosts = tuple(host for host in hosts if shard_of(host, total) == number)
    return register, hosts


def meant_host(register: Register, typed: str) -> str:
    """Return the registered host that a domain means: with or without ``www.``; else the domain as typed."""
    if register.is_registered(typed):
        return typed
    other = typed.removeprefix("www.") if typed.startswith("www.") else f"www.{typed}"
    return other if register.is_registered(other) else typed


def notes_on(register: Register, domains: Iterable[str]) -> dict[str, str]:
    """Return what to say of domains that the register has under another name, by the host that is read."""
    notes = {}
    for typed in domains:
        host = meant_host(register, typed)
        if host != typed:
            notes[host] = f"typed as {typed}, which is not in the register"
        elif not register.is_registered(host) and (meant := organisation_meant(register, host)) is not None:
            hosts = _first(register.hosts_of(meant), "and {} more")
            notes[host] = f"not in the register; {shown(meant.name)} registered {hosts or 'no location'}"
    return notes


def _hosts_of(register: Register, key: str) -> tuple[str, ...]:
    """Return the hosts of the organisations that *key* names, in alphabetical order."""
    try:
        organisations = find_organisations(register, key)
    except ValueError as error:
        raise ArgumentError(f"argument organisation: {error}") from None
    hosts = {organisation: register.hosts_of(organisation) for organisation in organisations}
    if not any(hosts.values()):
        several = f"none of these {len(organisations)} organisations has registered a location"
        one = f"{organisations[0].name} has registered no location"
        what = one if len(organisations) == 1 else several
        raise ArgumentError(f"argument organisation: {what} in the Woo-index")
    if without := [organisation.name for organisation in organisations if not hosts[organisation]]:
        more = f" and {len(without) - _NAMED} more" if len(without) > _NAMED else ""
        names = ", ".join(without[:_NAMED]) + more
        logger.warning("Without a registered location in the Woo-index, so not visited: %s", names)
    return tuple(sorted(set(chain(*hosts.values()))))


#: The number of categories that a finding names.
_SHOWN = 3

_ACTION = "niets: de categorie van elk document zelf telt"


class RegisterComparison:
    """The comparison of the register with what a run harvests: the categories and the organisations."""

    def __init__(self, report: Reporter) -> None:
        self._published = PublishedCategories()
        self._report = report
        self._others: dict[tuple[str, str], Counter[str]] = {}
        """Documents of other organisations, by the host and the organisation that registered it."""

    def count(self, item: WooItem) -> None:
        """Count the document of an item that passed all pipelines."""
        if item.source is None:  # a withdrawal
            return
        given = item.record.document.classificatiecollectie.informatiecategorieen
        categories = [waarde.id for waarde in given if waarde.id is not None]
        self._published.count(item.source.match, categories, item.report.host or "")
        host = host_of(item.record.document.weblocatie)
        if host == item.report.host and (other := _other_organisation(item)) is not None:
            self._others.setdefault((host, item.report.organisation or ""), Counter())[other] += 1

    def report_others(self) -> None:
        """Report of each host how many documents it lists of organisations that did not register it."""
        for (host, own), others in self._others.items():
            self._report(
                "publisher.andere-organisatie",
                host=host,
                organisation=own,
                url=f"https://{host}/",
                element="publisher",
                seen=_first([f"{name} ({count})" for name, count in others.most_common()]),
            )

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
        documents = counted(found.documents, "document", "documenten")
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


def _other_organisation(item: WooItem) -> str | None:
    """Return the organisation that a publisher gave to a document, if another one registered its place."""
    document, own = item.record.document, item.report.organisation
    if own is None or not own.startswith("https:"):  # an organisation without a URI may be any of them
        return None
    filled_in = item.record.herkomst.standaardwaarden
    given = [
        value
        for name, value in (
            ("document.publisher", document.publisher),
            ("document.verantwoordelijke", document.verantwoordelijke),
        )
        if value and name not in filled_in
    ]
    if not given or any(value.id in (own, None) for value in given):
        return None
    return given[0].label or given[0].id


def _registered(found: Published) -> str:
    return _first(sorted(map(_label, found.registered.categories)))


def _seen(categories: Counter[str]) -> str:
    return _first([f"{_label(uri)} ({count})" for uri, count in categories.most_common()])


def _first(texts: Iterable[str], rest: str = "en nog {}") -> str:
    """Return the first of *texts* with commas between, and how many more there are."""
    every = list(texts)
    more = [rest.format(len(every) - _SHOWN)] if len(every) > _SHOWN else []
    return ", ".join([*every[:_SHOWN], *more])


def _label(uri: str) -> str:
    return informatiecategorieen()[uri].label
