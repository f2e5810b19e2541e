"""The spider that harvests the documents that Dutch public organisations publish under the Woo."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.spiders import SitemapSpider
from scrapy.utils.deprecate import method_is_overridden

from woo_harvester.crawl.document_sample import DocumentSample
from woo_harvester.crawl.documents import Documents, wanted_depth
from woo_harvester.crawl.entries import Entries
from woo_harvester.crawl.files import HostReader
from woo_harvester.crawl.hosts import RegisterComparison, Visit, renamed_hosts, select_hosts
from woo_harvester.crawl.withdrawals import Withdrawals
from woo_harvester.extensions.figures import counted
from woo_harvester.findings import Finding
from woo_harvester.items import WooItem
from woo_harvester.kinds import WOO
from woo_harvester.register import Register, RegisterError
from woo_harvester.report.coverage import RunRegister
from woo_harvester.report.funnel import OWN_ERROR
from woo_harvester.running.arguments import WooArguments
from woo_harvester.running.ending import end_run
from woo_harvester.running.setting import NO_CONTACT, has_contact
from woo_harvester.sitemaps.decide import Terms
from woo_harvester.sitemaps.robots import INDEX_URL
from woo_harvester.spiders.base import HarvestSpider
from woo_harvester.state import NOWHERE
from woo_harvester.state.documents import count_by_host
from woo_harvester.state.resources import KnownHost, begin_reads, begin_run, hosts_of_state, note_unregistered
from woo_harvester.state.withdrawal import WithdrawalLimits
from woo_harvester.utils.dates import to_microseconds

if TYPE_CHECKING:
    from scrapy.http import Response

logger = logging.getLogger(__name__)  # not that of the spider: a run that cannot start drops its log

#: What a subclass may set without effect, with the reason.
_UNUSED = {
    "sitemap_urls": "the register says which hosts are read",
    "sitemap_rules": "documents have no callback; change their items in a pipeline",
    "sitemap_alternate_links": "only the loc of an entry is harvested",
    "parse": "documents have no callback, and it requests no page itself; change items in a pipeline",
}
_NO_EFFECT = "%s sets %s, which has no effect in a WooSpider: %s"

_FOLLOWS_NONE = (
    "sitemap_follow of %(spider)s matches none of the indexes that robots.txt names, so nothing was read: it "
    "is compared with the URLs of indexes, such as https://www.a.nl/sitemapindex-diwoo-infocat014.xml"
)

#: Why no host is read completely in a run that chooses some of the entries.
_CHOICE = "keuze"

#: Seconds in a day.
_DAY = 86_400


class WooSpider(HarvestSpider, SitemapSpider):
    """The spider for hosts: it reads their robots.txt, indexes and sitemaps, and yields their documents.

    Its callbacks are those of :class:`~woo_harvester.crawl.files.HostReader`. The arguments are those
    of :class:`~woo_harvester.running.arguments.WooArguments`. A subclass may set ``sitemap_follow``, and
    override ``sitemap_filter``, which gets each entry that is about to be delivered. What these leave out is
    not harvested and not withdrawn, and a later run without them delivers it. The other attributes of
    SitemapSpider have no effect.
    """

    sitemap_follow = (INDEX_URL,)
    """The indexes in robots.txt that are read: here, those that follow the naming convention."""

    name = "woo"
    record_kind = WOO
    delivers_known = True
    arguments_type = WooArguments
    arguments: WooArguments
    visits: Mapping[str, Visit] = MappingProxyType({})
    """The visits of the hosts of this run, by host."""

    def select(self, register: Register) -> Register:
        """Select the hosts, and make the parts that read them."""
        settings, keeper = self.settings, self.keeper
        requests_pages = method_is_overridden(type(self), WooSpider, "start")  # parse may be their callback
        for name, reason in _UNUSED.items():
            is_own = getattr(type(self), name) is not getattr(WooSpider, name)
            if is_own and not (requests_pages and name == "parse"):
                logger.warning(_NO_EFFECT, self.name, name, reason)
        if self.arguments.is_over_register and not has_contact(settings["USER_AGENT"]):
            logger.warning(NO_CONTACT)
        if not (register.hosts or self.arguments.domains):
            raise RegisterError(self._no_host(register))
        self.renamed = renamed_hosts(register, self.arguments.domains or ())
        register, self.run_hosts = select_hosts(register, self.arguments)
        self.hosts = self.run_hosts
        keeper.open(self.hosts, reset=self.arguments.deltafetch_reset)
        if self.arguments.is_over_register and not self.arguments.is_choosing:
            self._keep_register(register)
        uses_content = settings["FILES_STORE"] or settings.getbool("WOO_TEXT")
        mode = self.arguments.documents or ("download" if uses_content else "head")
        self._sample = settings.getint("WOO_DOCUMENT_SAMPLE") if mode == "head" else 0
        keeper.depth = wanted_depth(mode, settings)
        terms = Terms(
            refused_interval=settings.getfloat("WOO_FULL_READ_DAYS") * _DAY,
            depth=keeper.depth,
            delivers_all=keeper.delivers_all,
        )
        # Without an override, no entry is made into a dict.
        keeps = self.sitemap_filter if method_is_overridden(type(self), WooSpider, "sitemap_filter") else None
        self.entries = Entries(
            register,
            self.vocabulary,
            self.report,
            keeper,
            terms,
            self.arguments.choice,
            keeps,
            checks_schema=bool(self.on_disk),
        )
        documents = Documents(mode, keeper, self.crawler)
        self.crawler.stats.set_value("woo/documents/mode", mode)
        self.reader = HostReader(self.crawler, keeper, self.entries, documents)
        documents.finish = self.reader.finish
        self.register_comparison = RegisterComparison(self.report)
        limits = WithdrawalLimits(
            settings.getfloat("WOO_WITHDRAW_SHARE"),
            settings.getint("WOO_WITHDRAW_DOCUMENTS"),
            settings.getint("WOO_WITHDRAW_ALL_OF"),
            settings.getint("WOO_WITHDRAW_RUNS"),
        )
        pending = self.run_folder.pending
        with keeper.begin() as connection:
            began = begin_run(connection, to_microseconds(datetime.now(UTC)))
        self.withdrawals = Withdrawals(register, keeper, self.report, limits, pending, began)
        return register

    def first_requests(self) -> list[Request]:
        """Return the requests for the robots.txt of each host."""
        self.crawler.stats.set_value("woo/hosts/selected", len(self.hosts))
        self.common_cause.expect(self.run_hosts)
        with self.keeper.begin() as connection:  # one transaction for what may be a thousand hosts
            known = count_by_host(connection)
            # The hosts with most known documents begin first: they take longest.
            hosts = sorted(self.hosts, key=lambda host: -known.get(host, 0))
            state = hosts_of_state(connection, hosts)
            visits = [self._visit(host, state[host]) for host in hosts]
            self.visits = {visit.host: visit for visit in visits}
            host_ids = [visit.known.id for visit in visits]
            if not self.arguments.is_choosing:  # a choice of entries changes nothing about earlier reads
                begin_reads(connection, host_ids)
            note_unregistered(connection, self.is_registered)
            return self.reader.first_requests(visits, connection)

    def is_asked(self, finding: Finding) -> bool:
        """Return whether a finding about the register is about an organisation on the hosts of this run."""
        on_hosts = chain.from_iterable(map(self.register.organisations_of_host, self.run_hosts))
        return finding.organisation in (None, *(each.identifier for each in on_hosts))

    def _no_host(self, register: Register) -> str:
        """Return what is wrong with a register without a host, in one line."""
        source = self.arguments.register_source or self.settings["WOO_REGISTER"]
        unusable = self.crawler.stats.get_value("woo/findings/register.url-ongeldig", 0)
        unusable += sum(finding.code == "register.url-ongeldig" for finding in self.of_register)
        return (
            f"the register {source} has no host to harvest: expected a URL in the Woo-index of one "
            f"organisation or more, got {counted(len(register.organisations), 'organisation')} without one, "
            f"and {counted(unusable, 'URL')} that cannot be used"
        )

    async def all_read(self, response: Response) -> AsyncIterator[Request | WooItem]:
        """Yield the records of withdrawals, when all hosts have been read."""
        if self._follows_none():
            logger.warning(_FOLLOWS_NONE, {"spider": self.name})
        for outcome, count in self.entries.counts.items():
            self.crawler.stats.inc_value(f"woo/documents/{outcome.name.lower()}", count)
        self.crawler.stats.inc_value("deltafetch/skipped", self.entries.skipped)
        self.register_comparison.report_conflicts({account.host: account for account in self.accounts})
        self.register_comparison.report_others()
        # A run that chooses reads no host completely, and without a state nothing is known to be gone.
        if self.arguments.is_choosing or self.settings["WOO_STATE_URL"] == NOWHERE:
            return
        try:
            for item in self.withdrawals.items(list(self.visits.values())):
                yield item
            if self.arguments.is_over_register:
                for item in self.withdrawals.items_of_unregistered():
                    yield item
        except OSError as error:
            end_run(self.crawler, "report_failed", f"pending withdrawals could not be listed: {error}")

    def _keep_register(self, register: Register) -> None:
        """Write the register to the folder of the run, for the coverage in its report."""
        try:
            RunRegister.of(register, self.arguments.shard).write(self.run_folder.register)
        except OSError as error:
            raise RegisterError(f"The register of this run could not be kept: {error}") from error

    def note_incomplete(self, host: str) -> None:
        """Let a host count as read incompletely, so that nothing of it is withdrawn."""
        if (visit := self.visits.get(host)) is not None:
            visit.incomplete.append(OWN_ERROR)

    def _visit(self, host: str, known: KnownHost) -> Visit:
        organisations = self.register.organisations_of_host(host)
        account = self.accounts.of(host)
        account.organisations = [{"id": each.identifier, "name": each.name} for each in organisations]
        visit = Visit(
            host,
            organisations[0].identifier if len(organisations) == 1 else None,
            known,
            self.settings.getint("WOO_HOST_BACKLOG"),
            self.report,
            self.is_registered,
            account,
            self.settings.getfloat("WOO_HOST_BUDGET") or None,
        )
        visit.is_test = host in self.settings.getlist("WOO_TEST_HOSTS")
        visit.selection.looks = self.settings.getbool("WOO_AUDIT")
        if self.sitemap_follow is not WooSpider.sitemap_follow:
            visit.selection.follows = self._is_followed
        if self.arguments.is_choosing:
            visit.incomplete.append(_CHOICE)
        if self._sample:
            visit.audit_sample = DocumentSample(self._sample)
        return visit

    def _is_followed(self, url: str) -> bool:
        """Return whether a subclass reads the index at *url*."""
        return any(re.search(pattern, url) for pattern in self.sitemap_follow)

    def _follows_none(self) -> bool:
        """Return whether a subclass left out every index of the hosts in this run."""
        visits = self.visits.values()
        return any(visit.selection.is_narrowed for visit in visits) and not any(
            visit.account.indexes for visit in visits
        )
