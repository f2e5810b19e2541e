"""Days of entry pages of permits, read by the real spider: files, scripts, menus, error pages, kills.

Each page is of an organisation of its own: the other simulation of permits has the quarrels about cases.
The oracle knows what the publishers served and what the runs delivered. What a run that was killed was served
may be known or not; what a run that ended well was served must be.
"""

from __future__ import annotations

import asyncio
import gzip
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import time_machine
from scrapy import Request
from scrapy.exceptions import DownloadConnectionRefusedError
from scrapy.http import Headers
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector
from sqlalchemy import delete, insert, select
from twisted.python.failure import Failure

from tests.simulation.play import KilledError, Simulation
from woo_harvester.demo.permit_messages import delete_message, message
from woo_harvester.extensions.state import StateKeeper
from woo_harvester.findings import Finding, Reporter
from woo_harvester.findings.common_cause import CommonCause
from woo_harvester.items import PermitItem, StreamedResponse
from woo_harvester.register import Register
from woo_harvester.register.names import Vocabulary
from woo_harvester.report.accounts import Accounts
from woo_harvester.report.run_folder import RunFolder
from woo_harvester.settings import BOT_NAME
from woo_harvester.spiders.vergunningen import VergunningenSpider
from woo_harvester.state import NOWHERE
from woo_harvester.state.permits import entry_page_id, links_without_message
from woo_harvester.state.schema import permit_cases, permit_entries, permit_files, permit_messages
from woo_harvester.state.store import State
from woo_harvester.tooi.lists import bundled

DAY = timedelta(days=1)
BEGIN = datetime(2026, 7, 1, 6, tzinfo=UTC)
HOSTS = ("een.nl", "twee.nl", "drie.nl")
FOLDER = "/xml/"
#: The links of a page: files, scripts, and links that show nothing.
XML = ("a.xml", "b.xml", "c.xml.gz")
SCRIPTS = ("z.php?id=1", "z.php?id=2", "z.aspx?id=3")
PLAIN = ("zaak/4", "contact")
ARCHIVE = "berichten.zip"
NAMES = (*XML, *SCRIPTS, *PLAIN, ARCHIVE)
MEDIA_TYPES = ("application/xml", "text/xml", "text/html", "application/octet-stream")
CASES = 4
FAULTS = ("500", "404", "cut", "reset", "html", "html")
#: A link that led to no message is asked for again after so long at least, and so long at most.
LEAST = {name: timedelta(hours=20) if name in SCRIPTS else 3 * DAY for name in (*SCRIPTS, *PLAIN)}
MOST = 7 * DAY
TABLES = (permit_entries, permit_files, permit_messages, permit_cases)
#: What may happen, and how often. A run is what comes after the underscore.
KINDS = {
    "offer": 20, "unlist": 4, "menu": 3, "break": 8, "repair": 10, "break_page": 3, "toggle_dates": 2,
    "toggle_etags": 2, "toggle_sessions": 2, "archive": 1, "back_up": 1,
    "put_back": 1, "set_clock_back": 1, "run_all": 12, "run_some": 5, "run_killed": 7, "run_two_at_once": 4,
}  # fmt: skip
HTML = b"<!DOCTYPE html><html><body>Een ogenblik</body></html>"


@dataclass
class Link:
    """A link of an entry page."""

    name: str
    order: int | None = None
    """Number of the message behind it; None for a page of HTML."""
    changed: datetime = BEGIN
    media_type: str = "application/xml"
    fault: str = ""


@dataclass
class Page:
    """An entry page."""

    host: str
    links: dict[str, Link] = field(default_factory=dict)
    has_dates: bool = True
    has_etags: bool = False
    has_sessions: bool = False
    had_sessions: bool = False
    session: int = 0
    """Number of the last session, if each link has one."""
    is_followed: bool = False
    """True if the last run knows all links by that session, and at least two."""
    fault: str = ""

    def listing(self) -> bytes:
        rows = "\n".join(
            f'<a href="{self.href(link)}">{link.name}</a>'
            + (f"   {link.changed:%d-%b-%Y %H:%M}   2345" if self.has_dates else "")
            for link in self.links.values()
        )
        return f'<html><body><pre><a href="../">../</a>\n{rows}\n</pre></body></html>'.encode()

    def href(self, link: Link) -> str:
        """The address of a link in the page; that of an archive has no session."""
        mark = "&" if "?" in link.name else "?"
        has_one = self.has_sessions and link.name != ARCHIVE
        return f"{link.name}{mark}s=x{self.session}" if has_one else link.name

    def date_of(self, link: Link) -> str | None:
        return f"{link.changed:%Y-%m-%dT%H:%M}" if self.has_dates else None


@dataclass(frozen=True)
class Mutation:
    """A message: the one with the highest number counts."""

    order: int
    host: str
    case: int
    letter: str

    @property
    def url(self) -> str:
        return f"https://{self.host}/zaken/{self.case}"

    @property
    def body(self) -> bytes:
        day = str(date(2026, 1, 1) + timedelta(days=self.order))
        given = {"identifier": self.url, "transactie_id": str(self.order), "aanmaakdatum": day}
        if self.letter == "D":
            return delete_message(**given)
        return message(self.letter, title=f"Zaak {self.order}", **given)


@dataclass
class Asked:
    """The last answers at a link, of runs that ended well."""

    first: datetime
    last: datetime
    date: str | None


@dataclass
class Knowledge:
    """What an installation must know, and what it may know."""

    sure: dict[str, set[int]] = field(default_factory=dict)
    """Numbers of the messages about a case that runs were served that ended well."""
    maybe: dict[str, set[int]] = field(default_factory=dict)
    """Those that any run was served."""
    confirmed: dict[str, int | None] = field(default_factory=dict)
    """By case the message of its last record; None for a withdrawn one."""
    messages: set[str] = field(default_factory=set)
    """Links that led to a message in some run."""
    sure_messages: set[str] = field(default_factory=set)
    """Those of runs that ended well."""
    fruitless: dict[str, Asked] = field(default_factory=dict)
    """Links that led to no message at last."""
    read: dict[str, tuple[str | None, int]] = field(default_factory=dict)
    """By link the date and the message of the last good answer."""
    unsure: set[str] = field(default_factory=set)
    """Links whose last answer a run got that was killed."""
    last_html: dict[str, datetime] = field(default_factory=dict)
    """When a link gave a page of HTML at last, in any run."""


@dataclass
class Run:
    """One run, what it was served and what it delivered."""

    hosts: Sequence[str]
    random: Random
    now: datetime
    kill_in: int | None = None
    ended: bool = False
    pages: set[str] = field(default_factory=set)
    """Hosts whose page was served from beginning to end."""
    begun: dict[str, set[str]] = field(default_factory=dict)
    """By host the links in a page that was broken off."""
    unsure: frozenset[str] = frozenset()
    """Links of which it was not sure what is known when it began."""
    answers: dict[str, str] = field(default_factory=dict)
    """By URL of a link: ``message``, ``html``, ``failed``; ``gone`` if nothing was at a script."""
    findings: list[Finding] = field(default_factory=list)
    accounts: Accounts = field(default_factory=Accounts)


class EntryDays:
    """Publishers of permits, an installation that harvests them, and the oracle that follows it."""

    def __init__(self, random: Random, url: str = NOWHERE) -> None:
        self.story: list[str] = []
        self.state = State.open(url)
        self._clear()
        self.pages = {host: Page(host, has_dates=random.random() < 0.6) for host in HOSTS}
        self.mutations: dict[int, Mutation] = {}
        self.knowledge = Knowledge()
        self.shown: dict[str, int | None] = {}
        """By case the message of the last record that a reader has; None for a withdrawn one."""
        self.lost: set[str] = set()
        """Cases whose last records a back-up does not know."""
        self.dates: set[tuple[str, str, str]] = set()
        self.backed_up: tuple[list[list[dict[str, Any]]], Knowledge] | None = None
        self.now = BEGIN
        for host in HOSTS:
            for name in random.sample(NAMES[:-1], 4):
                self._put(self.pages[host], name, random)

    def _clear(self) -> None:
        with self.state.begin() as connection:
            for table in reversed(TABLES):
                connection.execute(delete(table))

    def tell(self, line: str) -> None:
        self.story.append(f"day {(self.now - BEGIN) / DAY:.1f}: {line}")

    def do(self, kind: str, random: Random) -> None:
        if kind.startswith("run_"):
            self.now += random.choice((0.1, 1, 1, 1, 2, 8)) * DAY + timedelta(minutes=random.randrange(60))
        getattr(self, f"_{kind}")(self.pages[random.choice(HOSTS)], random)

    def end(self) -> None:
        """In the end all servers are well again, and after two weeks every message is read."""
        for page in self.pages.values():
            page.fault = ""
            for link in page.links.values():
                link.fault = ""
        self.tell("all servers are well again")
        for _ in range(3):
            self.now += 8 * DAY
            self._run(Run(HOSTS, Random(0), self.now))
        for page in self.pages.values():
            for link in page.links.values():
                if link.order is not None:
                    case = self.mutations[link.order].url
                    assert link.order in self.knowledge.maybe.get(case, ()), f"{link.name} was never read"
                    # A run that was killed may have read it; then it is known all the same.
                    self.knowledge.sure.setdefault(case, set()).add(link.order)
            self._check_cases(page.host)

    def close(self) -> None:
        self.state.close()

    # What publishers do

    def _put(self, page: Page, name: str, random: Random) -> None:
        order = len(self.mutations) + 1
        mutation = Mutation(order, page.host, random.randrange(CASES), random.choice("CUUD"))
        self.mutations[order] = mutation
        media_type = random.choice(MEDIA_TYPES) if name in SCRIPTS + PLAIN else "application/xml"
        page.links[name] = Link(name, order, self._new_date(page, name, random), media_type)
        self.tell(f"{page.host} offers {name}: {mutation.letter} of case {mutation.case}, message {order}")

    def _new_date(self, page: Page, name: str, random: Random) -> datetime:
        """Return a date that the link never had; it may be older than those."""
        changed = self.now - random.choice((0, 0, 0, 1, 300)) * DAY - timedelta(minutes=random.randrange(30))
        while (page.host, name, minute := f"{changed:%d %H:%M %Y %m}") in self.dates:
            changed -= timedelta(minutes=1)
        self.dates.add((page.host, name, minute))
        return changed

    def _offer(self, page: Page, random: Random) -> None:
        self._put(page, random.choice(NAMES[:-1]), random)

    def _unlist(self, page: Page, random: Random) -> None:
        if page.links:
            name = random.choice(list(page.links))
            del page.links[name]
            self.tell(f"{page.host} lists {name} no longer")

    def _menu(self, page: Page, random: Random) -> None:
        name = random.choice(SCRIPTS + PLAIN)
        page.links[name] = Link(name, None, self._new_date(page, name, random), "text/html")
        self.tell(f"{page.host} has a page at {name}")

    def _archive(self, page: Page, random: Random) -> None:
        page.links[ARCHIVE] = Link(ARCHIVE)
        self.tell(f"{page.host} lists {ARCHIVE}")

    def _break(self, page: Page, random: Random) -> None:
        if page.links:
            link = random.choice(list(page.links.values()))
            link.fault = random.choice(FAULTS)
            self.tell(f"{link.name} of {page.host} breaks: {link.fault}")

    def _repair(self, page: Page, random: Random) -> None:
        page.fault = ""
        for link in page.links.values():
            link.fault = ""
        self.tell(f"{page.host} is repaired")

    def _break_page(self, page: Page, random: Random) -> None:
        page.fault = random.choice(("500", "cut", "empty", "reset"))
        self.tell(f"the page of {page.host} breaks: {page.fault}")

    def _toggle_dates(self, page: Page, random: Random) -> None:
        page.has_dates = not page.has_dates
        self.tell(f"{page.host} lists files with{'' if page.has_dates else 'out'} dates")

    def _toggle_etags(self, page: Page, random: Random) -> None:
        page.has_etags = not page.has_etags
        self.tell(f"{page.host} sends {'ETags' if page.has_etags else 'no ETags'}")

    def _toggle_sessions(self, page: Page, random: Random) -> None:
        """Each run gets other links, or the same ones again: what was known of the old ones is not."""
        page.has_sessions, page.had_sessions = not page.has_sessions, True
        self._lose_track(page)
        self.tell(f"{page.host} lists files with{'' if page.has_sessions else 'out'} sessions")

    def _lose_track(self, page: Page) -> None:
        """Nothing is sure of the next requests for a page's links."""
        page.is_followed = False
        urls = {page.host + name for name in NAMES}
        self.knowledge.unsure |= urls
        self.knowledge.sure_messages -= urls

    # What operators do

    def _back_up(self, page: Page, random: Random) -> None:
        with self.state.begin() as connection:
            rows = [[row._asdict() for row in connection.execute(select(table))] for table in TABLES]
        self.backed_up = rows, deepcopy(self.knowledge)
        self.tell("the state is backed up")

    def _put_back(self, page: Page, random: Random) -> None:
        if self.backed_up is None:
            return
        self._clear()
        rows, knowledge = self.backed_up
        with self.state.begin() as connection:
            for table, given in zip(TABLES, rows, strict=True):
                if given:
                    connection.execute(insert(table), given)
        self.knowledge = deepcopy(knowledge)
        for each in self.pages.values():
            if each.had_sessions:
                self._lose_track(each)
            each.is_followed = False
        self.lost = {case for case in self.shown if self.shown[case] != knowledge.confirmed.get(case)}
        self.tell("the back-up is put back")

    def _set_clock_back(self, page: Page, random: Random) -> None:
        self.now -= random.choice((0.1, 1, 2)) * DAY
        self.tell("the clock is set back")

    # Runs

    def _run_all(self, page: Page, random: Random) -> None:
        self._run(Run(HOSTS, random, self.now))

    def _run_some(self, page: Page, random: Random) -> None:
        self._run(Run(random.sample(HOSTS, random.randint(1, 2)), random, self.now))

    def _run_killed(self, page: Page, random: Random) -> None:
        self._run(Run(HOSTS, random, self.now, kill_in=random.randrange(25)))

    def _run_two_at_once(self, page: Page, random: Random) -> None:
        first, *others = random.sample(HOSTS, 3)
        both = [Run(hosts, Random(random.random()), self.now) for hosts in ([first], others)]
        self._run(*both)

    def _run(self, *runs: Run) -> None:
        for run in runs:
            for page in (self.pages[host] for host in run.hosts):
                is_shared = len(page.links.keys() - {ARCHIVE}) > 1
                if page.has_sessions and not (page.is_followed and is_shared):
                    self._lose_track(page)
                page.is_followed = False  # until the run has ended well
        for run in runs:
            run.unsure = frozenset(self.knowledge.unsure)
        with time_machine.travel(self.now, tick=False):
            asyncio.run(self._go(runs))
        for run in runs:
            self.tell(f"a run over {', '.join(run.hosts)} {'ends' if run.ended else 'is killed'}")
            if run.ended:
                self._learn(run)
                self._check(run)
            else:
                self.knowledge.unsure.update(run.answers)

    async def _go(self, runs: Sequence[Run]) -> None:
        results = await asyncio.gather(*(_Crawl(self, run).go() for run in runs), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, KilledError):
                raise result

    # What the oracle sees

    def asked(self, run: Run, page: Page, link: Link) -> None:
        """A run asks for a link: not what it knows, and not what was no message a moment ago."""
        url, date = page.host + link.name, page.date_of(link)
        assert link.name != ARCHIVE, "an archive is asked for"
        if page.fault == "cut" or url in self.knowledge.unsure:  # the date may be cut off
            return
        before = self.knowledge.fruitless.get(url)
        if before is not None and before.date == date and self.now >= before.last:
            least = LEAST[SCRIPTS[0]] if page.has_sessions else LEAST[link.name]  # it has a query then
            assert self.now - before.last >= least, f"{link.name} is asked for again too soon"
        read = self.knowledge.read.get(url)
        if read is not None and date is not None and url not in self.knowledge.last_html:
            assert read[0] != date, f"{link.name} is asked for although its date is the same"

    def answered(self, run: Run, page: Page, link: Link, answer: str) -> None:
        """A run was served something at a link."""
        url = page.host + link.name
        run.answers[url] = answer
        if answer == "html" or (answer == "gone" and url not in self.knowledge.sure_messages):
            self.knowledge.last_html[url] = self.now
        if answer == "message" and link.order is not None:
            self.knowledge.maybe.setdefault(self.mutations[link.order].url, set()).add(link.order)
            self.knowledge.messages.add(url)

    def delivered(self, run: Run, item: PermitItem) -> None:
        """A run has delivered a record."""
        record = item.record
        case, cause = record.vergunning.identifier, str(record.versies[-1].oorzaak)
        known, orders = self.knowledge.confirmed, self.knowledge.maybe.get(case, set())
        if cause == "intrekking":
            assert known.get(case) is not None, f"{case} is withdrawn, and was not there"
            assert any(self.mutations[order].letter == "D" for order in orders), f"nobody deleted {case}"
            order = None
        else:
            order = int(str(record.vergunning.title).removeprefix("Zaak "))
            assert order in orders, f"{case} is delivered with message {order}, which was never served"
            expected = "wijziging" if known.get(case) else "herpublicatie" if case in known else "aanlevering"
            assert cause == expected, f"{case} is delivered as {cause}"
            assert known.get(case) != order, f"{case} is delivered twice"
        self.lost.discard(case)
        known[case] = self.shown[case] = order

    def _learn(self, run: Run) -> None:
        """What a run that ended well was served is known."""
        for host in run.hosts:
            page = self.pages[host]
            for link in page.links.values():
                url = host + link.name
                date = page.date_of(link) if host in run.pages else None  # a page may be cut off before it
                answer = run.answers.get(url)
                if answer is not None:
                    self.knowledge.unsure.discard(url)
                if answer == "message" and link.order is not None:
                    self.knowledge.sure_messages.add(url)
                    self.knowledge.sure.setdefault(self.mutations[link.order].url, set()).add(link.order)
                    self.knowledge.fruitless.pop(url, None)
                    self.knowledge.last_html.pop(url, None)
                    is_now = abs(self.now - link.changed) < timedelta(minutes=3)
                    self.knowledge.read[url] = (None if is_now else date, link.order)
                elif answer is not None:
                    self.knowledge.read.pop(url, None)
                is_none = answer in ("html", "gone") and url not in self.knowledge.messages
                if is_none and link.name in LEAST:
                    first = self.knowledge.fruitless.get(url, Asked(self.now, self.now, date)).first
                    self.knowledge.fruitless[url] = Asked(first, self.now, date)
                elif answer in ("failed", "gone"):
                    self.knowledge.fruitless.pop(url, None)
            if host in run.pages and page.has_sessions:
                self._follow(page)
            if host in run.pages:
                for url in [url for url in self.knowledge.fruitless if url.startswith(host)]:
                    if url.removeprefix(host) not in page.links:
                        del self.knowledge.fruitless[url]

    def _follow(self, page: Page) -> None:
        """After a complete read the links of tomorrow are known; those that went are not."""
        gone = {page.host + name for name in NAMES if name not in page.links}
        self.knowledge.sure_messages -= gone
        for url in gone:
            self.knowledge.read.pop(url, None)
        known = self.knowledge.read.keys() | self.knowledge.fruitless.keys()
        is_sure = sum(page.host + name in known - self.knowledge.unsure for name in page.links) > 1
        page.is_followed = is_sure and any(name in page.links for name in XML)

    def _check(self, run: Run) -> None:
        """What is true after a run that ended well."""
        for host in run.hosts:
            self._check_cases(host)
            listed = self.pages[host].links if host in run.pages else run.begun.get(host, ())
            self._check_all_is_read(run, self.pages[host], listed)
            if host in run.pages:
                self._check_forgotten(self.pages[host])
                self._check_passed_over(run, self.pages[host])

    def _check_cases(self, host: str) -> None:
        for number in range(CASES):
            case = f"https://{host}/zaken/{number}"
            if case in self.lost:
                continue
            sure, maybe = self.knowledge.sure.get(case, set()), self.knowledge.maybe.get(case, set())
            top = max(sure, default=0)
            possible = [self._state(order) for order in (top, *(order for order in maybe if order > top))]
            assert self.shown.get(case) in possible, (
                f"{case} is shown with message {self.shown.get(case)}, and not with {possible}"
            )

    def _state(self, order: int) -> int | None:
        return order if order and self.mutations[order].letter != "D" else None

    def _check_forgotten(self, page: Page) -> None:
        """The state does not grow by links that are no messages, and are listed no longer."""
        with self.state.begin() as connection:
            number = entry_page_id(connection, f"https://{page.host}{FOLDER}", page.host)
            for url, _ in links_without_message(connection, number):
                assert _name_of(url) in page.links, f"{url} is not forgotten"

    def _check_all_is_read(self, run: Run, page: Page, listed: Collection[str]) -> None:
        for link in page.links.values():
            if link.name not in listed:
                continue
            url = page.host + link.name
            if link.order is None or link.name == ARCHIVE or url in run.answers:
                continue
            case = self.mutations[link.order].url
            html = self.knowledge.last_html.get(url)
            is_excused = html is not None and timedelta() <= self.now - html < MOST
            is_known = link.order in self.knowledge.maybe.get(case, ())
            assert is_excused or is_known, f"{link.name} is not asked for"

    def _check_passed_over(self, run: Run, page: Page) -> None:
        """Each link that may have a message and was not read is counted."""
        if any(page.host + name in run.unsure for name in page.links):
            return
        knows = self.knowledge
        answers = {name: run.answers.get(page.host + name) for name in page.links}
        failed = {name for name, answer in answers.items() if answer == "failed"} | {
            name
            for name, answer in answers.items()
            if answer == "gone" and page.host + name in knows.sure_messages
        }
        tried = {name for name in failed & LEAST.keys() if page.host + name not in knows.sure_messages}
        least = (ARCHIVE in page.links) + sum(page.host + name not in knows.messages for name in tried)
        most = (ARCHIVE in page.links) + len(tried)
        found = run.accounts.of_permits(page.host).passed_over
        assert least <= found <= most, (
            f"{found} links of {page.host} are counted as passed over, not {least} to {most}"
        )
        found_at = {one.url or "" for one in run.findings if one.code == "ipm.bericht-onbereikbaar"}
        reported = {url.partition(FOLDER)[0] + FOLDER + _name_of(url) for url in found_at}
        for name in sorted(failed - tried - {ARCHIVE}):
            assert f"https://{page.host}{FOLDER}{name}" in reported, f"{name} failed, and is not reported"


def _name_of(url: str) -> str:
    """Return the name of the link at *url*, without its session."""
    return re.sub(r"[?&]s=x\d+$", "", url.partition(FOLDER)[2])


class _Signals:
    def connect(self, *args: object, **kwargs: object) -> None:
        """No signal is sent here."""


class _Stats(MemoryStatsCollector):
    def __init__(self) -> None:
        self._stats: dict[str, Any] = {}
        self._dump = False


class _KillingState(State):
    """The state of an installation, as a run sees it that may be killed before any of its transactions."""

    def __init__(self, state: State, kill_in: int | None) -> None:
        super().__init__(state._engine, state._connection, state.name)
        self._kill_in = kill_in

    @contextmanager
    def begin(self) -> Iterator[Any]:
        if self._kill_in is not None:
            if not self._kill_in:
                raise KilledError
            self._kill_in -= 1
        with super().begin() as connection:
            yield connection

    def close(self) -> None:
        """The next run goes on with it."""


class _Keeper(StateKeeper):
    """The keeper of the state, which is there already."""

    def __init__(self, crawler: Any, state: State) -> None:
        super().__init__(crawler)
        self._given = state
        self.outputs = self.feeds = 1

    def _open_state(self, hosts: object) -> State:
        return self._given


class _Crawl:
    """A run while it goes on."""

    def __init__(self, days: EntryDays, run: Run) -> None:
        self._days, self._run = days, run
        crawler: Any = SimpleNamespace(
            settings=_SETTINGS,
            signals=_Signals(),
            stats=_Stats(),
            spidercls=VergunningenSpider,
            engine=SimpleNamespace(running=True, _slot=SimpleNamespace(closing=None)),
            spider=None,
            get_downloader_middleware=lambda cls: None,
            get_item_pipeline=lambda cls: None,
        )
        spider = VergunningenSpider(entries=",".join(f"https://{host}{FOLDER}" for host in run.hosts))
        spider.crawler, spider.settings, crawler.spider = crawler, crawler.settings, spider
        self._keeper = _Keeper(crawler, _KillingState(days.state, run.kill_in))
        spider.report, spider.keeper, spider.accounts = Reporter(self._report), self._keeper, run.accounts
        spider.run_folder, spider.common_cause = RunFolder(Path("/dev/shm")), CommonCause()
        self._spider = spider

    def _report(self, finding: Finding) -> None:
        self._run.findings.append(finding)
        self._run.accounts.count_finding(finding)

    async def go(self) -> None:
        """Do what the engine does, one request at a time, in any order."""
        spider, random = self._spider, self._run.random
        spider.vocabulary = _VOCABULARY
        spider.register = spider.select(_REGISTER)
        queue = list(spider.first_requests())
        while queue:
            request = queue.pop(random.randrange(len(queue)))
            for _ in range(random.randrange(3)):
                await asyncio.sleep(0)  # another run may go on
            made = self._answer(request)
            if made is not None:
                queue += [cast("Request", one) async for one in made]
        items = [one async for one in spider.all_read(cast("Any", None))]
        deliveries = [item.delivery for item in items]
        if items:
            self._keeper.durable(cast("Any", deliveries), {})
        for item in items:
            self._days.delivered(self._run, item)
        self._run.ended = True

    def _answer(self, request: Request) -> Any:
        host, _, path = request.url.removeprefix("https://").partition("/")
        page = self._days.pages[host]
        if f"/{path}" == FOLDER:
            return self._answer_page(request, page)
        link = page.links[_name_of(request.url)]
        self._days.asked(self._run, page, link)
        mutation = None if link.order is None else self._days.mutations[link.order]
        body = HTML if mutation is None or link.fault == "html" else mutation.body
        etag = f'"{sha256(body).hexdigest()[:16]}"' if page.has_etags else None
        answer = "message" if body is not HTML else "html"
        status, flags = 200, []
        if link.fault in ("500", "404"):
            status = int(link.fault)
            answer = "gone" if status == 404 and link.name in LEAST else "failed"
        elif link.fault == "cut":
            body, flags, answer = body[:-30], ["dataloss"], "failed"
        elif link.fault == "reset":
            self._days.answered(self._run, page, link, "failed")
            return self._fail(request)
        elif etag is not None and request.headers.get("If-None-Match") == etag.encode():
            status = 304
        self._days.answered(self._run, page, link, answer)
        if link.name.endswith(".gz") and answer == "message":
            body = gzip.compress(body)
        media_type = "text/html" if answer == "html" else link.media_type
        return self._call(request, _response(request, status, body, media_type, etag, flags))

    def _answer_page(self, request: Request, page: Page) -> Any:
        page.session += 1
        body, flags = page.listing(), []
        match page.fault:
            case "reset":
                return self._fail(request)
            case "500":
                return self._call(request, _response(request, 500, b"", "text/html", None, []))
            case "empty":
                body = HTML
            case "cut":
                body, flags = body[: len(body) // 2], ["dataloss"]
                rows = body.decode().splitlines()[:-1]
                names = {name for name in page.links if any(f">{name}<" in row for row in rows)}
                self._run.begun[page.host] = names
        if not page.fault:
            self._run.pages.add(page.host)
        return self._call(request, _response(request, 200, body, "text/html", None, flags))

    def _fail(self, request: Request) -> Any:
        failure: Any = Failure(DownloadConnectionRefusedError("refused"))  # type: ignore[no-untyped-call]
        failure.request = request
        return cast("Any", request.errback)(failure)

    def _call(self, request: Request, response: StreamedResponse) -> Any:
        return cast("Any", request.callback)(response, **request.cb_kwargs)


def _response(
    request: Request, status: int, body: bytes, media_type: str, etag: str | None, flags: list[str]
) -> StreamedResponse:
    headers = {"Content-Type": media_type, "Date": format_datetime(datetime.now(UTC), usegmt=True)}
    content = body if status == 200 else b""
    response = StreamedResponse(
        request.url,
        status=status,
        headers=Headers(headers | ({"ETag": etag} if etag else {})),
        request=request,
        file=BytesIO(content),
        size=len(content),
        sha256=sha256(content).hexdigest(),
    )
    response.flags.extend(flags)
    return response


_SETTINGS = Settings(
    {
        "BOT_NAME": BOT_NAME,
        "DELTAFETCH_ENABLED": True,
        "WOO_FULL_READ_DAYS": 7,
        "WOO_REFUSED_DAYS": 7,
        "WOO_HOST_BACKLOG": 100,
        "WOO_HOST_BUDGET": 0,
        "WOO_DOCUMENT_MAXSIZE": 1_000_000,
        "WOO_DOCUMENT_TIMEOUT": 600,
    }
    | {"WOO_MESSAGE_MAXSIZE": 20_000_000, "WOO_MESSAGE_SAMPLE": 0, "WOO_PERMIT_EXPIRED_DAYS": 365}
)
_REGISTER = Register([], [])
_VOCABULARY = Vocabulary(bundled(), _REGISTER)


def entry_days(url: str = NOWHERE) -> Simulation:
    """The simulation of entry pages, with the state at *url*."""
    return Simulation(lambda random: EntryDays(random, url), KINDS, 40)
