"""The hosts of a run: which are visited, how far the visit of each is, and its capacity for documents.

Backpressure: a listed document becomes a request only when there is capacity and time for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from math import ceil, inf
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from woo_harvester.crawl.document_sample import DocumentSample
from woo_harvester.findings import Finding, Reporter, Severity
from woo_harvester.items import WooItem
from woo_harvester.register import Register
from woo_harvester.register.names import find_organisations
from woo_harvester.register.register import Published, PublishedCategories, shard_of
from woo_harvester.report.funnel import CATEGORY_CONFLICT, Account
from woo_harvester.running.arguments import WooArguments
from woo_harvester.running.causes import ArgumentError
from woo_harvester.sitemaps.robots import SitemapLine
from woo_harvester.sitemaps.selection import Index, Sitemap, UrlSelection
from woo_harvester.state.resources import KnownHost
from woo_harvester.tooi.lists import informatiecategorieen
from woo_harvester.utils.document_set import DocumentSet
from woo_harvester.utils.program import counted
from woo_harvester.utils.urls import host_of

if TYPE_CHECKING:
    from scrapy import Request


logger = logging.getLogger(__name__)

#: Most organisations without a location that are named.
_NAMED = 5


def select_hosts(register: Register, arguments: WooArguments) -> tuple[Register, tuple[str, ...]]:
    """Return the register as this run sees it, and the hosts to visit.

    Hosts in ``domains`` count as registered for this run, and are those that ``meant_host`` of the register
    returns. Raises :class:`ArgumentError` for an organisation that the register does not have, and if the
    arguments together leave no host.
    """
    hosts = register.hosts
    if arguments.organisation:
        hosts = _hosts_of(register, arguments.organisation)
    if arguments.domains:
        domains = tuple(dict.fromkeys(register.meant_host(typed) for typed in arguments.domains))
        narrowed = set(domains).intersection(hosts) if arguments.organisation else domains
        hosts = tuple(host for host in domains if host in narrowed)
        register = register.with_domains(domains)
    if not hosts:
        raise ArgumentError("no host is left: domains and organisation have none in common")
    if arguments.shard:
        number, total = arguments.shard
        hosts = tuple(host for host in hosts if shard_of(host, total) == number)
    return register, hosts


def renamed_hosts(register: Register, domains: Iterable[str]) -> dict[str, str]:
    """Return the domains that the register has under another name, by the host that is read."""
    meant = {register.meant_host(typed): typed for typed in domains}
    return {host: typed for host, typed in meant.items() if host != typed}


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


def _first(texts: Iterable[str]) -> str:
    """Return the first of *texts* with commas between, and how many more there are."""
    every = list(texts)
    more = [f"en nog {len(every) - _SHOWN}"] if len(every) > _SHOWN else []
    return ", ".join([*every[:_SHOWN], *more])


def _label(uri: str) -> str:
    return informatiecategorieen()[uri].label


#: Seconds to wait for capacity before the caller checks whether the run is being closed.
_TIMEOUT = 1.0


class Backlog:
    """The requests of one host that wait or are being downloaded; at most *limit* at once."""

    def __init__(self, limit: int) -> None:
        self.under_way = 0
        """Number of requests that wait or are being downloaded."""
        self._limit = limit
        self._has_changed = asyncio.Event()

    async def has_capacity(self, timeout: float = _TIMEOUT) -> bool:  # noqa: ASYNC109 -- the caller must go on
        """Return whether another request may be made; wait at most *timeout* seconds until it may."""
        if self.under_way >= self._limit:
            self._has_changed.clear()
            try:
                await asyncio.wait_for(self._has_changed.wait(), timeout)
            except TimeoutError:
                return False
        return self.under_way < self._limit

    def begin_request(self) -> None:
        """Count a request that is made."""
        self.under_way += 1

    def end_request(self) -> None:
        """Stop counting a request that is done, and wake the caller that waits for capacity."""
        self.under_way -= 1
        self._has_changed.set()


class Budget:
    """The time in which documents of one host may be requested, in seconds from now; None for no bound."""

    def __init__(self, seconds: float | None) -> None:
        self._end = inf if seconds is None else monotonic() + seconds
        self.requested = 0
        """Number of documents that were requested."""
        self.left = 0
        """Number of documents that were not requested, because the time was used up."""

    def is_over(self) -> bool:
        """Return whether it is used up."""
        return monotonic() >= self._end

    def give_up(self) -> None:
        """Use up all of it."""
        self._end = -inf

    @property
    def days_left(self) -> int:
        """Estimated number of daily runs that the remaining documents take."""
        return ceil(self.left / max(1, self.requested))


class Look(NamedTuple):
    """A file to look into: a sitemap in robots.txt that is no index by its name, or one that it lists."""

    line: SitemapLine
    """The line of robots.txt that it is about."""
    url: str
    """The URL of the file."""
    is_inside: bool = False
    """True if the file in robots.txt is an index that lists this one."""


#: Errors about a name in robots.txt that does not follow the convention: nothing of the host is missing.
_ONLY_A_NAME = frozenset({"index.naam", "index.infocat-onbekend"})


class Visit(Backlog):
    """The reading of one host in one run: indexes first, then their sitemaps, one at a time.

    At most one sitemap of a host is being read, whatever its size, while the next one is downloaded. Hosts
    are read side by side.
    """

    def __init__(
        self,
        host: str,
        organisation: str | None,
        known: KnownHost,
        backlog: int,
        report: Reporter,
        is_registered: Callable[[str], bool],
        account: Account,
        budget: float | None = None,
    ) -> None:
        super().__init__(backlog)
        self.host = host
        self.is_test = False
        """True if it is asked with a password or a certificate that a harvest does not have."""
        self.known = known
        """The host as the state knows it."""
        self.account = account
        """The counts of the documents that the host lists, by what was done with them."""
        self.budget = Budget(budget)
        self._run_report = report
        self.report = Reporter(self._send, host=host, organisation=organisation)
        """The reporter of findings about the files of the host, with the only organisation that has it."""
        self.incomplete: list[str] = []
        """Reasons why the host was not read completely; mostly codes of findings."""
        self.selection = UrlSelection(is_registered, self.report)
        self.indexes: deque[Index] = deque()
        """Indexes to request."""
        self.sitemaps: deque[Sitemap] = deque()
        """Sitemaps to request."""
        self.looks: deque[Look] = deque()
        """Other sitemaps in robots.txt, which an audit looks into after that: they may be for the Woo."""
        self.files_requested = 0
        """Number of files that were requested and are not read yet."""
        self.turn = asyncio.Lock()
        """Locked while a sitemap is being read."""
        self.own_sitemaps: set[int] = set()
        """Numbers of all sitemaps of the host that the state knows."""
        self.read: set[int] = set()
        """Sitemaps that were read to their end, or that are unchanged since they were."""
        self.unchanged: set[int] = set()
        """Sitemaps in ``read`` that are unchanged since they were read."""
        self.lacking: dict[int, Sequence[int]] = {}
        """Documents that a sitemap in ``read`` no longer lists, by sitemap."""
        self.named = DocumentSet()
        """Documents with an entry that counts and was read in this run; not those of unchanged sitemaps."""
        self.unusable = 0
        """Number of entries whose loc cannot be used and says nothing: missing documents may be theirs."""
        self.audit_sample: DocumentSample | None = None
        """The documents to request when all has been read; None if each is requested when it is read."""

    def _send(self, finding: Finding) -> None:
        """Send a finding. After an error, the host does not count as read completely."""
        if finding.severity is Severity.ERROR and finding.code not in _ONLY_A_NAME:
            self.incomplete.append(finding.code)
        self._run_report.send(finding)

    @property
    def reading_done(self) -> bool:
        """True if nothing is left to read."""
        left = self.indexes or self.sitemaps or self.looks
        return not (self.files_requested or left)

    @property
    def is_complete(self) -> bool:
        """True if nothing kept the host from being read completely, and the spider left out no file of it."""
        return not self.incomplete and not self.selection.is_narrowed

    @property
    def finished(self) -> bool:
        """True if nothing is left to read or to download."""
        return self.reading_done and not self.under_way and self.audit_sample is None

    def leave_unjudged(self, request: Request) -> None:
        """Report that an index or a sitemap is not among the files of an audit: it does not count."""
        if request.meta["woo_kind"] == "index":
            self.account.indexes -= 1
        else:
            self.account.sitemaps -= 1
        self.account.leave_unjudged("files")
        self.incomplete.append("bestand.ontbreekt")
        self.report("bestand.ontbreekt", url=request.url, action="niet beoordeeld")

    def about_error(self, request: Request) -> dict[str, str | None]:
        """Return what a finding says of an error of the harvester itself on a file of the host."""
        return {"url": request.url, "host": self.host, "organisation": self.report.organisation}
