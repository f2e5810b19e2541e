"""What holds for permits whatever publishers and machines do, from what was served and what came out.

The oracle knows which messages runs were served, and what the records, findings and report of each run say.
A run that ended well has applied each message that it was served, or has reported it as refused. What a run
that was killed or stopped was served may be applied or not, so a case may be what either makes of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from tests.simulation.entry_pages import ARCHIVE, Kind, Link, Message, Page
from tests.simulation.oracle import AFTER
from tests.simulation.publishers import DAY, day_of, host_of
from tests.simulation.runs import Line, Run, read_lines

#: A link that led to no message is requested again after so long at least, and so long at most.
LEAST, MOST = 20 / 24 * DAY, 7 * DAY
#: A file whose date is the moment of the request may change without another date.
JUST_NOW = 180.0


class Version(NamedTuple):
    """What a record shows of a case."""

    owner: str
    number: int
    """That of the message about the case itself."""
    documents: frozenset[tuple[str, int]] = frozenset()
    """Each document with the number of its message."""


State = Version | Literal["withdrawn"] | None
"""What the last record of a case says; None without a record."""
WITHDRAWN: State = "withdrawn"


@dataclass
class Offer:
    """A message in a file, which some run was served."""

    message: Message
    url: str
    owner: str
    state: Literal["maybe", "applied", "refused", "taken"] = "maybe"
    """``taken`` if another organisation got the case after it had been applied."""

    def __str__(self) -> str:
        return f"message {self.message.number} of {self.owner} in {self.url} since day {self.message.day}"


class Read(NamedTuple):
    """The last answer at a link that a run got which ended well."""

    date: str | None
    at: float
    is_message: bool


@dataclass(eq=False)
class PermitRun(Run):
    """A run of permits, and what it was served."""

    pages: dict[str, Page] = field(default_factory=dict)
    is_named: bool = True
    """The operator names the organisation of each page."""
    listed: dict[str, list[Link]] = field(default_factory=dict)
    """By URL of a page: the links that the run got to see."""
    requested: list[tuple[Link, Kind]] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)
    """By URL of a page: what is wrong with it."""

    def links(self) -> Iterator[tuple[Page, Link]]:
        for url, links in self.listed.items():
            for link in links:
                yield self.pages[url], link


@dataclass
class Knowledge:
    """What there is in a state, and in its back-up."""

    offers: dict[tuple[str, int], Offer] = field(default_factory=dict)
    """By URL of the file and number of the message."""
    cases: dict[str, list[State]] = field(default_factory=dict)
    """What the harvester may hold a case to be; the last one is what a reader sees."""
    read: dict[str, Read] = field(default_factory=dict)
    """By URL of a link, if a run that ended well got its last answer."""
    was_html: dict[str, float] = field(default_factory=dict)
    """When a link may have led to no message."""
    messages: set[str] = field(default_factory=set)
    """Links that led to a message in a run that ended well."""
    named: set[str] = field(default_factory=set)
    """Pages whose organisation an operator has named."""
    killed: list[tuple[PermitRun, Line, str, list[State]]] = field(default_factory=list)
    """Records in the files of killed runs, with what their cases were before."""


class PermitOracle:
    """Follows what was served and what came out, and fails where a promise is broken."""

    def __init__(self, owners: dict[str, set[str]], pages: dict[str, Page]) -> None:
        self.owners, self.pages = owners, pages
        """The organisations that registered each host."""
        self.knows = Knowledge()
        self.unsettled: set[str] = set()
        """Cases whose host has other owners since, and of which no owner has sent a message yet."""

    # Whose a case is

    def right(self, case: str, owner: str) -> int:
        """Return the right on a case: 0 for none, 2 for that of its owner, 1 where it has no owner."""
        host = host_of(case)
        if owners := self.owners.get(host):
            return 2 if (self.owners.get(owner) or {owner}) <= owners else 0
        return (
            2 if any(page.owner == owner and host_of(page.url) == host for page in self.pages.values()) else 1
        )

    def _cases(self) -> set[str]:
        return {one.message.case for one in self.knows.offers.values() if one.message.case}

    def _of(self, case: str) -> dict[str, set[Message | None]]:
        """Return which message of each organisation about a case or document may be its last."""
        owners = {one.owner for one in self.knows.offers.values() if one.message.subject == case}
        return {owner: self._last(case, owner) for owner in sorted(owners)}

    def _last(self, subject: str, owner: str) -> set[Message | None]:
        offers = [
            one for one in self.knows.offers.values() if (one.message.subject, one.owner) == (subject, owner)
        ]
        applied = [one.message for one in offers if one.state == "applied"]
        last = max(applied, key=lambda message: message.number, default=None)
        others = [one.message for one in offers if one.state in ("maybe", "taken")]
        return {last, *(each for each in others if last is None or each.number > last.number)}

    @staticmethod
    def _may_live(last: set[Message | None]) -> bool:
        return any(each is not None and each.is_alive for each in last)

    @staticmethod
    def _must_live(last: set[Message | None]) -> bool:
        return all(each is not None and each.is_alive for each in last)

    def _was_message(self, url: str) -> bool:
        """Return whether a link led to a message in any run."""
        return any(one.url == url for one in self.knows.offers.values())

    # What a run did

    def follow(self, *runs: PermitRun) -> None:
        """Learn of runs that went on at the same time, and check each."""
        self._read_killed()
        before = {case: self._of(case) for case in self._cases()}
        fresh: set[tuple[str, int]] = set()
        known = set(self.knows.offers)
        for run in runs:
            self._check_requested(run, is_alone=len(runs) == 1)
            fresh |= self._learn(run)
        for run in runs:
            self._deliver(run)
        for run in runs:
            if run.ended == "well":
                if len(runs) == 1:
                    self._check_refused(run, before, fresh)
                    self._check_late(run, known)
                self._check_read(run)
                self._check_report(run)
        self._take(before)
        if all(run.ended == "well" for run in runs):
            self._check_cases()

    def _read_killed(self) -> None:
        """What a killed run wrote and the state does not know is cut off its file by the next run."""
        for run, line, case, before in self.knows.killed:
            if run.file is not None and line not in read_lines(run.file):
                self.knows.cases[case] = before
        self.knows.killed = []

    def _check_requested(self, run: PermitRun, *, is_alone: bool) -> None:
        """A file is requested once, and what led to no message not again at once.

        A message is, if it was refused or another run of the moment takes its case.
        """
        refused = {one.url for one in self.knows.offers.values() if one.state != "applied"}
        for url, count in Counter(link.url for link, kind in run.requested if kind != "failed").items():
            assert count == 1, f"{url} is requested {count} times in a run"
        for link, _ in run.requested:
            assert not link.url.endswith(ARCHIVE), f"{link.url} is requested"
            read = self.knows.read.get(link.url)
            if read is None or read.date != link.date or run.now < read.at:
                continue
            if read.is_message:
                is_open = link.url in self.knows.was_html or link.url in refused
                is_read = is_alone and link.date is not None and not is_open
                assert not is_read, f"{link.url} is requested, and has the date of day {day_of(read.at)}"
            elif not link.is_file and not self._was_message(link.url):
                assert run.now - read.at >= LEAST, (
                    f"{link.url} is requested, and was on day {day_of(read.at)}"
                )

    def _learn(self, run: PermitRun) -> set[tuple[str, int]]:
        """Learn what a run was served; return the messages that it applied or refused now."""
        knows, is_sure = self.knows, run.ended == "well"
        got = {link.url: kind for link, kind in run.requested}
        refused = run.found("ipm.andere-organisatie")
        fresh = set()
        for page, link in run.links():
            if (message := link.message) is None:
                continue
            key, kind = (link.url, message.number), got.get(link.url)
            if kind == "message" and key not in knows.offers:
                knows.offers[key] = Offer(message, link.url, page.owner)
                fresh.add(key)
            offer = knows.offers.get(key)
            if offer is None:
                continue
            if offer.state == "refused":  # one that a stopped run got may have counted before others came
                fresh.add(key)
            if not is_sure or kind in ("failed", "html", "gone"):
                offer.state = "maybe" if offer.state == "refused" else offer.state
            elif link.url in refused:
                if message.document is None or offer.state != "taken":  # of a document it counts on
                    offer.state = "refused" if message.case and not self._may_be_older(offer) else "maybe"
            elif kind == "message" or (offer.state != "taken" and link.url not in knows.was_html):
                offer.state = "applied"
        for link, kind in run.requested:
            self._note_read(run, link, kind)
        if is_sure and run.is_named:
            knows.named |= {url for url, page in run.pages.items() if page.owner != host_of(url)}
        return fresh

    def _may_be_older(self, offer: Offer) -> bool:
        """Return whether a finding about a file may be about an older message in it."""
        others = (one for one in self.knows.offers.values() if one.url == offer.url and one is not offer)
        return any(one.state == "maybe" for one in others)

    def _note_read(self, run: PermitRun, link: Link, kind: Kind) -> None:
        url, knows = link.url, self.knows
        if kind in ("html", "gone"):
            knows.was_html[url] = run.now
        if run.ended != "well" or kind == "failed" or (kind == "gone" and url in knows.messages):
            knows.read.pop(url, None)
            return
        is_now = abs(run.now - link.changed.timestamp()) < JUST_NOW
        if kind == "message":
            knows.messages.add(url)
            knows.was_html.pop(url, None)
        knows.read[url] = Read(None if is_now else link.date, run.now, kind == "message")

    def _deliver(self, run: PermitRun) -> None:
        """Learn of the records of a run."""
        count = Counter(line["vergunning"]["identifier"] for line in run.lines)
        assert len(count) == len(run.lines), f"delivered twice in a run: {count.most_common(1)}"
        for line in run.lines:
            case, cause = line["vergunning"]["identifier"], line["versies"][-1]["oorzaak"]
            before = self.knows.cases.get(case, [None])
            kinds = {
                None if each is None else "published" if isinstance(each, Version) else each
                for each in before
            }
            assert AFTER[cause] in kinds, f"{case} is delivered as {cause}, and is {before}"
            page = self.pages[line["herkomst"]["ingang"]]
            self._check_organisation(run, line, page)
            state: State = WITHDRAWN
            if cause == "intrekking":
                last = self._last(case, page.owner)
                assert any(each and not each.is_alive for each in last), (
                    f"{case} is withdrawn, and was not deleted"
                )
            else:
                state = self._version(line, page.owner)
                assert [state] != before, f"{case} is delivered twice as {state}"
            self.knows.cases[case] = [state]
            if run.ended == "killed":
                self.knows.cases[case] = [*before, state]
                self.knows.killed.append((run, line, case, before))

    def _check_organisation(self, run: PermitRun, line: Line, page: Page) -> None:
        """A record names the organisation that the arguments of its run give."""
        if page.url in run.pages:
            host = host_of(page.url)
            of_host = self.owners.get(host, set())
            by_host = next(iter(of_host)) if len(of_host) == 1 else host
            name = page.owner if run.is_named else by_host
            given = line["herkomst"]["organisatie"]
            assert given == identifier_of(name), f"{line['herkomst']['bestand']} is of {given}, not of {name}"

    @staticmethod
    def _version(line: Line, owner: str) -> Version:
        numbers = {one["identifier"]: int(one["title"].split()[-1]) for one in line.get("documenten", [])}
        number = int(line["vergunning"]["title"].split()[-1])
        return Version(owner, number, frozenset(numbers.items()))

    # What must have been done

    def _take(self, before: dict[str, dict[str, set[Message | None]]]) -> None:
        """An organisation with a stronger right takes a case; what others sent of it may count no more."""
        for case in self._cases():
            of, shown = self._of(case), self.knows.cases.get(case, [None])[-1]
            claims = {owner for owner, last in of.items() if last != {None}}
            is_new = bool(claims - {owner for owner, last in before.get(case, {}).items() if last != {None}})
            strongest = max((self.right(case, owner) for owner in claims), default=0)
            for one in self.knows.offers.values():
                is_weaker = self.right(case, one.owner) < strongest
                is_document = one.message.subject != case
                if is_document and isinstance(shown, Version):
                    is_weaker |= one.owner != shown.owner
                if is_weaker and case in self._cases_of(one) and (is_new or one.state == "applied"):
                    one.state = "taken" if one.state == "applied" else one.state
                    self.knows.read.pop(one.url, None)
                    self.knows.messages.discard(one.url)

    def _cases_of(self, offer: Offer) -> set[str]:
        """Return the case of a message; of the delete of a document all that it may be of."""
        if offer.message.case:
            return {offer.message.case}
        others = self.knows.offers.values()
        return {
            one.message.case
            for one in others
            if one.message.subject == offer.message.subject and one.message.case
        }

    def _check_cases(self) -> None:
        """Each case is what the messages of its owner come to."""
        for case in self._cases():
            of, shown = self._of(case), self.knows.cases.get(case, [None])[-1]
            applied = [owner for owner in of if None not in of[owner]]
            strongest = max((self.right(case, owner) for owner in applied), default=0)
            of = {
                owner: last
                for owner, last in of.items()
                if case in self.unsettled or self.right(case, owner) >= strongest
            }
            numbers = {
                (owner, each.number) for owner, last in of.items() for each in last if each and each.is_alive
            }
            if isinstance(shown, Version):
                assert (shown.owner, shown.number) in numbers, (
                    f"{case} is shown as {shown}, and not as {self._described(numbers)}"
                )
                self._check_documents(case, shown)
            elif case not in self.unsettled:
                living = [owner for owner, last in of.items() if self._must_live(last)]
                assert not living, f"{case} is {shown or 'not delivered'}, and not {self._described(numbers)}"

    def _described(self, numbers: set[tuple[str, int]]) -> list[str]:
        return [str(one) for one in self.knows.offers.values() if (one.owner, one.message.number) in numbers]

    def _check_documents(self, case: str, shown: Version) -> None:
        documents = {one.message.document for one in self.knows.offers.values() if one.message.document}
        for document in sorted(documents):
            last = self._last(document, shown.owner)
            numbers = {each.number if each and each.is_alive and each.case == case else None for each in last}
            number = dict(shown.documents).get(document)
            assert number in numbers, (
                f"{case} has {document} of message {number}, and not as "
                f"{self._described({(shown.owner, each) for each in numbers if each})}"
            )

    def _check_refused(
        self, run: PermitRun, before: dict[str, dict[str, set[Message | None]]], fresh: set[tuple[str, int]]
    ) -> None:
        """What another organisation sends about a case is refused and reported, and nothing else is."""
        reported = run.found("ipm.andere-organisatie")
        got = {link.url: kind for link, kind in run.requested}
        for _, link in run.links():
            offer = self.knows.offers.get((link.url, link.message.number)) if link.message else None
            if offer is None or (case := offer.message.case) is None or case in self.unsettled:
                continue
            right = self.right(case, offer.owner)
            must = may = not right
            for owner, last in self._of(case).items():
                if owner == offer.owner:
                    continue
                theirs, then = self.right(case, owner), before.get(case, {}).get(owner, {None})
                must |= theirs > right and None not in last
                may |= theirs > right and last != {None}
                must |= theirs == right and self._must_live(last) and self._must_live(then)
                may |= theirs == right and (self._may_live(last) or self._may_live(then))
            is_sure = (link.url, offer.message.number) in fresh and offer.state != "maybe"
            if link.url in reported:
                is_again = got.get(link.url) != "message"  # what is known of the file is reported again
                assert may or is_again or offer.state == "maybe", f"{offer} is refused"
            elif is_sure:
                assert not must, f"{offer} is applied, and {case} is another's"
        for key in fresh:
            offer = self.knows.offers[key]
            case = offer.message.subject
            if offer.state == "applied" and case in self.unsettled and self.right(case, offer.owner) == 2:
                self.unsettled.discard(case)

    def _check_late(self, run: PermitRun, known: set[tuple[str, int]]) -> None:
        """A message is late if a later one came in a run before; those of one run count in their order."""
        late = run.found("ipm.niet-toegepast") | run.found("ipm.overgeslagen")
        before = [
            (one.message.subject, one.message.number)
            for key, one in self.knows.offers.items()
            if key in known
        ]
        for _, link in run.links():
            message = link.message
            if message is not None and link.url in late:
                is_late = any(
                    subject == message.subject and number > message.number for subject, number in before
                )
                assert is_late, f"{link.url}: message {message.number} is said to be late"

    def _check_read(self, run: PermitRun) -> None:
        """Each message that is listed is read, and what cannot be read is reported."""
        got = {link.url: kind for link, kind in run.requested}
        unread = run.found("ipm.bericht-onbereikbaar")
        for page, link in run.links():
            url, kind = link.url, got.get(link.url)
            if link.message is not None and kind is None:
                html = self.knows.was_html.get(url)
                is_excused = html is not None and 0 <= run.now - html < MOST
                is_known = (url, link.message.number) in self.knows.offers
                seen = f"message {link.message.number} since day {link.message.day}"
                assert is_excused or is_known, f"{url} is not requested, and has {seen}"
            is_message = url in self.knows.messages or link.is_file
            if is_message and kind in ("failed", "gone"):
                assert url in unread, f"{url} failed, and is not reported"
            is_passed = url.endswith(ARCHIVE) or (kind == "failed" and not is_message)
            if is_passed and not self._was_message(url):
                assert page.url in run.found("ipm.link-overgeslagen"), f"{url} is passed over in silence"

    def _check_report(self, run: PermitRun) -> None:
        for url, fault in run.faults.items():
            code = "ipm.ingang-zonder-links" if fault == "empty" else "ipm.ingang-onbereikbaar"
            assert url in run.found(code), f"{url}: {fault}, and {code} is missing"
        for host in run.hosts:
            account = run.accounts[host]
            lost = sum(each["documents"] for stage in account["funnel"] for each in stage["lost"])
            assert account["listed"] == account["harvested"] + lost, f"{host}: its sums do not agree"

    # What others do

    def change(self, host: str, owners: set[str]) -> None:
        """A host is registered for others."""
        self.owners[host] = owners
        self.unsettled |= {
            case
            for one in self.knows.offers.values()
            for case in self._cases_of(one)
            if host_of(case) == host
        }

    def back_up(self) -> Knowledge:
        return deepcopy(self.knows)

    def put_back(self, knowledge: Knowledge) -> None:
        """The state is what it was, and so are the records."""
        self.knows = deepcopy(knowledge)


def identifier_of(owner: str) -> str:
    """Return how a record names an organisation: those of the register have one letter."""
    return f"9000{ord(owner)}" if len(owner) == 1 and owner in "AB" else owner
