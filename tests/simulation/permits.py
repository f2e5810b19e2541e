"""Days of entry pages of permits: messages in any order, strangers, faults, runs, and operators between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

from tests.simulation.entry_pages import (
    ARCHIVE,
    FAULTS,
    FILES,
    NAMES,
    OTHERS,
    PAGE_FAULTS,
    SCRIPTS,
    Link,
    Message,
    Page,
)
from tests.simulation.permit_oracle import PermitOracle, PermitRun, identifier_of
from tests.simulation.play import STATE, Simulation, main
from tests.simulation.publishers import DAY, ROBOTS, host_of
from tests.simulation.runs import Answer, Installation, Line, Operated, Run, web

#: What may happen, and how often. A run is what comes after the underscore.
KINDS = {
    "offer": 26, "unlist": 4, "list_again": 4, "show_page": 3, "break": 8, "repair": 10, "break_page": 3,
    "set_up_anew": 3, "change_register": 2, "set_clock_back": 1,
    "back_up": 1, "put_back": 1,
    "run_all": 12, "run_some": 6, "run_bare": 3, "run_killed": 7, "run_stopped": 3, "run_two_at_once": 3,
}  # fmt: skip
#: Entry pages, by host and path, and who owns them: bodies of the register, others, or nobody by name. The
#: hosts aa and c are nobody's; that of e is of two bodies.
PAGES = {("a", "/xml/"): "A", ("aa", "/a/"): "A", ("b", "/xml/"): "B", ("c", "/xml/"): "Waterschap V"}
PAGES |= {("aa", "/w/"): "Waterschap W", ("e", "/xml/"): ""}
MEDIA_TYPES = ("application/xml", "text/xml", "text/html", "application/octet-stream")


class Permits(Operated):
    """Entry pages, an installation that harvests them, and the oracle that follows it."""

    oracle: PermitOracle

    def __init__(self, random: Random, state: str = "", planted: str = "") -> None:
        hosts = web().hosts
        self.pages = {
            (url := f"https://{hosts[name]}{path}"): Page(url, owner or hosts[name])
            for (name, path), owner in PAGES.items()
        }
        self.owners = {hosts["a"]: {"A"}, hosts["b"]: {"B"}, hosts["e"]: {"A", "B"}}
        on = (f"{hosts['a']}/1", f"{hosts['a']}/2", f"{hosts['e']}/1", f"{hosts['c']}/1", "elders.nl/1")
        self.cases = [f"https://{each}" for each in random.sample(on, random.randint(1, 3))]
        self.documents = (f"https://{hosts['a']}/besluit.pdf", "https://elders.nl/besluit.pdf")
        installation = PermitInstallation(self.pages, state)
        super().__init__(PermitOracle(self.owners, self.pages), installation, planted, has_server=bool(state))
        self.numbers: set[int] = set()
        self.dates: set[tuple[str, str]] = set()
        for page in self.pages.values():
            self._set_up_anew(page, random)
            for name in random.sample(NAMES, 2):
                self._put(page, name, random)

    def do(self, kind: str, random: Random) -> None:
        if kind.startswith("run_"):
            self.now += random.choice((0.1, 1, 1, 1, 2, 8)) * DAY + 60 * random.randrange(60)
        getattr(self, f"_{kind}")(random.choice(list(self.pages.values())), random)

    def end(self) -> None:
        """All is well for some days: then each message is read, and each case is what its owner says."""
        for page in self.pages.values():
            self._repair(page, Random(0))
        for _ in range(3):
            self.now += 8 * DAY
            self._run(self._make(list(self.pages.values())))
        for page in self.pages.values():
            for link in page.links.values():
                if link.message is not None:
                    is_read = (link.url, link.message.number) in self.oracle.knows.offers
                    assert is_read, f"{link.url} was never read since day {link.message.day}"

    # What publishers do

    def _put(self, page: Page, name: str, random: Random) -> None:
        """Put a message in a new file, or in place of what was there; it may be older than others."""
        number = max(100, *self.numbers, 0) + 5 - random.choice((0, 0, 0, 7, 30))
        while number in self.numbers:
            number -= 1
        self.numbers.add(number)
        case, letter, document = random.choice(self.cases), random.choice("CUUD"), None
        if random.random() < 0.35:
            document = random.choice(self.documents)
        is_named = letter != "D" or not document or random.random() < 0.5
        message = Message(number, letter, case if is_named else None, document, self.today)
        media_type = "application/xml" if name in FILES else random.choice(MEDIA_TYPES)
        self._list(page, name, Link(page.url + name, self._date(page, name, random), message, media_type))
        self.note(f"{page.url}{name} has message {number}: {letter} of {document or ''} {message.case or ''}")

    def _date(self, page: Page, name: str, random: Random) -> datetime:
        """Return a date that the link never had; it may be older than those."""
        before = timedelta(random.choice((0, 0, 0, 1, 300)), minutes=random.randrange(30))
        changed = datetime.fromtimestamp(self.now, UTC) - before
        while (key := (page.url + name, f"{changed:%Y-%m-%d %H:%M}")) in self.dates:
            changed -= timedelta(minutes=1)
        self.dates.add(key)
        return changed

    @staticmethod
    def _list(page: Page, name: str, link: Link) -> None:
        page.unlisted.pop(name, None)
        page.links[name] = link

    def _offer(self, page: Page, random: Random) -> None:
        self._put(page, random.choice(NAMES), random)

    def _unlist(self, page: Page, random: Random) -> None:
        if page.links:
            name = random.choice(list(page.links))
            page.unlisted[name] = page.links.pop(name)
            self.note(f"{page.url} lists {name} no longer")

    def _list_again(self, page: Page, random: Random) -> None:
        if page.unlisted:
            name = random.choice(list(page.unlisted))
            self._list(page, name, page.unlisted[name])
            self.note(f"{page.url} lists {name} again")

    def _show_page(self, page: Page, random: Random) -> None:
        """A link leads to a page of HTML, or to an archive."""
        name = random.choice((*SCRIPTS, *OTHERS, ARCHIVE))
        self._list(page, name, Link(page.url + name, self._date(page, name, random)))
        self.note(f"{page.url}{name} is no message")

    def _break(self, page: Page, random: Random) -> None:
        if page.links:
            name = random.choice(list(page.links))
            page.links[name] = replace(page.links[name], fault=random.choice(FAULTS))
            self.note(f"{page.url}{name} breaks: {page.links[name].fault}")

    def _repair(self, page: Page, random: Random) -> None:
        page.fault = ""
        page.links = {name: replace(link, fault="") for name, link in page.links.items()}
        self.note(f"{page.url} is well")

    def _break_page(self, page: Page, random: Random) -> None:
        page.fault = random.choice(PAGE_FAULTS)
        self.note(f"{page.url} breaks: {page.fault}")

    def _set_up_anew(self, page: Page, random: Random) -> None:
        """Another server lists the files."""
        page.has_dates, page.has_etags = random.random() < 0.6, random.random() < 0.5
        self.note(f"{page.url} has dates: {page.has_dates}, and ETags: {page.has_etags}")

    # What operators and machines do

    def _change_register(self, page: Page, random: Random) -> None:
        """The host of a case gets another owner."""
        host, owners = random.choice((("a", "A"), ("a", "B"), ("c", ""), ("c", "A"), ("c", "AB")))
        self.oracle.change(web().hosts[host], set(owners))
        self.note(f"{host}.nl is registered for {owners or 'nobody'}")

    def _set_clock_back(self, page: Page, random: Random) -> None:
        self.now -= random.choice((0.1, 1, 2)) * DAY
        self.note("the clock is set back")

    # Runs

    def _run_all(self, page: Page, random: Random) -> None:
        self._run(self._make(list(self.pages.values())))

    def _run_some(self, page: Page, random: Random) -> None:
        self._run(self._make(self._some(random)))

    def _run_bare(self, page: Page, random: Random) -> None:
        """The operator names no organisation; those of pages that had one before are known."""
        named = [page for page in self.pages.values() if self._is_clear(page)]
        if named:
            self._run(self._make(named, is_named=False))

    def _is_clear(self, page: Page) -> bool:
        """Return whether nobody but the operator's organisation can be meant by the page alone."""
        host = host_of(page.url)
        of_host = self.owners.get(host, set())
        is_known = page.url in self.oracle.knows.named and (len(of_host) != 1 or of_host == {page.owner})
        return is_known or page.owner == host

    def _run_killed(self, page: Page, random: Random) -> None:
        self._run(self._make(self._some(random), kill_at=random.randrange(40)))

    def _run_stopped(self, page: Page, random: Random) -> None:
        self._run(self._make(self._some(random), stop_at=random.randrange(1, 25)))

    def _run_two_at_once(self, page: Page, random: Random) -> None:
        """Two runs on hosts of their own, one of which may be killed."""
        hosts = random.sample(sorted({host_of(url) for url in self.pages}), 3)
        parts = [
            [one for one in self.pages.values() if host_of(one.url) in on] for on in (hosts[:1], hosts[1:])
        ]
        kill_at = random.choice((random.randrange(40), 1_000_000))
        self._run(self._make(parts[0]), self._make(parts[1], kill_at=kill_at))

    def _some(self, random: Random) -> list[Page]:
        pages = list(self.pages.values())
        return pages if random.random() < 0.5 else random.sample(pages, random.randint(1, len(pages)))

    def _make(
        self,
        pages: list[Page],
        kill_at: int | None = None,
        stop_at: int | None = None,
        *,
        is_named: bool = True,
    ) -> PermitRun:
        owners = {(host, of): of for host, names in self.owners.items() for of in names}
        given = {page.url: page for page in pages}
        hosts = sorted({host_of(url) for url in given})
        return PermitRun(hosts, owners, self.now, kill_at, stop_at, pages=given, is_named=is_named)

    def _run(self, *runs: PermitRun) -> None:
        for run in runs:
            self.now += 60
            run.now = self.now
        self.installation.run(*runs)
        for run in runs:
            did = [_described(line) for line in run.lines]
            refused = sorted(run.found("ipm.andere-organisatie"))
            how = "" if run.is_named else "without names "
            self.note(f"a run over {', '.join(run.pages)} {how}ended {run.ended}: {did}, refused: {refused}")
        self.oracle.follow(*runs)


class PermitInstallation(Installation):
    """The harvester of permits, and the entry pages that it reads."""

    spider = "vergunningen"

    def __init__(self, pages: Mapping[str, Page], state: str) -> None:
        super().__init__(state)
        self.pages = pages

    def _arguments(self, run: Run) -> dict[str, str]:
        assert isinstance(run, PermitRun)
        if not run.is_named:
            return {"entries": ",".join(run.pages)}
        entries = self.folder / f"entries-{run.now}.csv"
        rows = [f"{self._name(page)},{page.url}\n" for page in run.pages.values()]
        entries.write_text("organisatie,url\n" + "".join(rows), encoding="utf-8")
        return {"entries": str(entries)}

    @staticmethod
    def _name(page: Page) -> str:
        if page.owner == host_of(page.url):
            return ""
        return page.owner if identifier_of(page.owner) == page.owner else f"gemeente {page.owner}"

    def _answer(self, run: Run, host: str, target: str, etag: str | None) -> Answer:
        assert isinstance(run, PermitRun)
        url = f"https://{host}{target}"
        if target == ROBOTS:
            return Answer(404)
        page = next(one for one in self.pages.values() if url.startswith(one.url))
        if url == page.url:
            run.listed[url], answer = page.serve()
            if page.fault:
                run.faults[url] = page.fault
            return answer
        link = next(one for one in page.links.values() if one.url == url)
        kind, answer = link.serve(etag, has_etag=page.has_etags)
        run.requested.append((replace(link, has_date=page.has_dates), kind))
        return answer


def _described(line: Line) -> str:
    case = line["vergunning"]
    titles = [case.get("title", ""), *(one["title"] for one in line.get("documenten", []))]
    return f"{line['versies'][-1]['oorzaak']} {case['identifier']} {', '.join(titles)}"


def permits(state: str = "", planted: str = "") -> Simulation:
    """The simulation, with the state at *state*; processes of their own have the fault *planted*."""
    return Simulation("permits", lambda random: Permits(random, state, planted), KINDS, 40)


if __name__ == "__main__":
    main(permits(STATE))
