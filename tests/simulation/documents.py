"""Days of publishers that list, change and drop documents, of runs, and of operators between these."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from random import Random

from tests.simulation.oracle import Oracle
from tests.simulation.play import STATE, Simulation, main
from tests.simulation.publishers import (
    DAY,
    FAULTS,
    FOLDERS,
    HTML,
    INDEXES,
    ROBOTS,
    Entry,
    File,
    Publisher,
    Sitemap,
    forms,
    host_of,
    lastmod_of,
)
from tests.simulation.runs import Answer, Asked, Installation, Operated, Run, web

#: What may happen, and how often. A run is what comes after the underscore.
KINDS = {
    "list": 6, "renew": 16, "drop": 8, "drop_everywhere": 6, "copy": 7, "move": 4, "relist": 6,
    "empty": 2, "remove_sitemap": 2, "toggle_index": 4, "repeat": 6, "list_in_both": 1, "break": 9,
    "repair": 7, "list_wrongly": 2, "list_insecurely": 3, "leave_out": 6, "rename": 2, "page": 2,
    "toggle_etags": 2, "leave_register": 2, "change_owner": 2, "set_clock_back": 3,
    "confirm": 4, "restore": 2, "forget": 1, "back_up": 1, "put_back": 1,
    "run_all": 18, "run_shards": 5, "run_some": 6, "run_killed": 7, "run_stopped": 4,
    "run_refused": 3, "run_two_at_once": 3, "run_since": 2,
}  # fmt: skip


class Documents(Operated):
    """Publishers, an installation that harvests them, and the oracle that follows it."""

    oracle: Oracle

    def __init__(self, random: Random, state: str = "", planted: str = "") -> None:
        hosts = web().hosts
        self.publishers = {host: Publisher(host, name) for name, host in hosts.items()}
        installation = DocumentInstallation(self.publishers, state)
        super().__init__(Oracle(), installation, planted, has_server=bool(state))
        self.hosts = list(self.publishers)
        self.all_owners = {
            (host, folder): of for name, host in hosts.items() for folder, of in FOLDERS[name].items()
        }
        self.owners = dict(self.all_owners)
        self.downloads = random.random() < 0.3
        count, shared = random.randint(1, 6), random.randint(0, 2)
        for number, publisher in enumerate(self.publishers.values()):
            publisher.sitemaps = {"/s0.xml": Sitemap(), "/s1.xml": Sitemap(indexes={1})}
            for name in range(count):
                self._list_at(publisher, f"/s{name % 2}.xml", self._loc(publisher.host, name), -1)
            for name in range(min(shared, count)):
                before = self.hosts[number - 1]
                self._list_at(publisher, "/s0.xml", self._loc(before, name), -1 + 50 * (name % 2))
        self.story.append(f"each host lists {count} documents of its own, and {shared} of the host before it")

    def _loc(self, host: str, name: int) -> str:
        """One of the host's documents; where it has two folders, some are in the second."""
        folders = list(FOLDERS[self.publishers[host].name])
        return f"https://{host}/{folders[-1] if name in (1, 5, 7) else folders[0]}/{name}.pdf"

    def _list_at(self, publisher: Publisher, path: str, loc: str, day: int, form: str = "utc") -> None:
        publisher.put(path, publisher.make(loc, lastmod_of(day, form)))

    def do(self, kind: str, random: Random) -> None:
        if kind.startswith("run_"):
            self.now += random.choice((1, 1, 1, 1, 2, 8)) * DAY
        getattr(self, f"_{kind}")(self.publishers[random.choice(self.hosts)], random)

    def end(self) -> None:
        self._settle()

    # What publishers do

    def _list(self, publisher: Publisher, random: Random) -> None:
        """List a document anew, mostly one of its own."""
        host = random.choice((publisher.host, publisher.host, *self.hosts))
        loc = self._loc(host, random.randrange(8))
        self._put(publisher, loc, random, self.today - random.randrange(3))

    def _put(self, publisher: Publisher, loc: str, random: Random, day: int) -> None:
        if publisher.sitemaps:
            path = random.choice(list(publisher.sitemaps))
            entry = publisher.make(loc, lastmod_of(day, forms(random)), random.random() < 0.3)
            publisher.put(path, entry)
            self._tell_of(publisher, path, entry)

    def _tell_of(self, publisher: Publisher, path: str, entry: Entry) -> None:
        self.note(f"{publisher.host}{path} has {entry.loc} as {entry.title} of {entry.lastmod or 'no day'}")

    def _renew(self, publisher: Publisher, random: Random) -> None:
        """Give a document that is listed a newer lastmod; now and then one ahead, or an older one."""
        if (found := self._any(publisher, random)) is not None:
            path, entry = found
            day = self.today + random.choice((0, 0, 0, 3, 50, -5))
            entry = publisher.make(entry.loc, lastmod_of(day, forms(random)), entry.described)
            publisher.put(path, entry)
            if publisher.host == host_of(entry.loc):
                publisher.versions[entry.loc] = publisher.versions.get(entry.loc, 0) + 1
            self._tell_of(publisher, path, entry)

    def _drop(self, publisher: Publisher, random: Random) -> None:
        """List a document no longer, in one sitemap or all."""
        if (found := self._any(publisher, random)) is not None:
            path = random.choice((found[0], None))
            publisher.drop(found[1].loc, path)
            self.note(f"{publisher.host}{path or ''} drops {found[1].loc}")

    def _drop_everywhere(self, publisher: Publisher, random: Random) -> None:
        """A document is gone from all sitemaps of all hosts."""
        if (found := self._any(publisher, random)) is not None:
            for each in self.publishers.values():
                each.drop(found[1].loc)
            self.note(f"all hosts drop {found[1].loc}")

    def _copy(self, publisher: Publisher, random: Random) -> None:
        """List a document that another host lists, with a lastmod of its own."""
        if (found := self._any(self.publishers[random.choice(self.hosts)], random)) is not None:
            day = self.today + random.choice((0, -1, -2, 50))
            self._put(publisher, found[1].loc, random, day)

    def _repeat(self, publisher: Publisher, random: Random) -> None:
        """List a document once more, in the same sitemap or another one, mostly with another lastmod."""
        if (found := self._any(publisher, random)) is not None:
            path, entry = random.choice(list(publisher.sitemaps)), found[1]
            day = self.today + random.choice((0, -1, -9, 9))
            lastmod = random.choice((entry.lastmod, lastmod_of(day, forms(random))))
            publisher.put(path, entry := publisher.make(entry.loc, lastmod), beside=True)
            self._tell_of(publisher, path, entry)

    def _move(self, publisher: Publisher, random: Random) -> None:
        """A document moves to another sitemap or host, as it is."""
        if (found := self._any(publisher, random)) is not None:
            entry, to = found[1], random.choice((publisher, self.publishers[random.choice(self.hosts)]))
            publisher.drop(entry.loc)
            if to.sitemaps:
                path = random.choice(list(to.sitemaps))
                to.put(path, entry := to.make(entry.loc, entry.lastmod, entry.described))
                self.note(f"{publisher.host} drops {entry.loc}")
                self._tell_of(to, path, entry)

    def _relist(self, publisher: Publisher, random: Random) -> None:
        """List a document that was withdrawn, as it was or newer."""
        if gone := self._withdrawn():
            loc = random.choice(gone)
            owner, before = self.publishers[host_of(loc)], self.oracle.knows.documents[loc].entry
            to = random.choice((owner, owner, publisher))
            if random.random() < 0.6 and before is not None and to.sitemaps:
                path = random.choice(list(to.sitemaps))
                to.put(path, entry := to.make(loc, before.lastmod))
                self._tell_of(to, path, entry)
            else:
                self._put(to, loc, random, self.today)

    def _withdrawn(self) -> list[str]:
        known = self.oracle.knows.documents
        return sorted(loc for loc, one in known.items() if one.states == {"withdrawn"} and one.entry)

    def _empty(self, publisher: Publisher, random: Random) -> None:
        """A sitemap is empty from now on."""
        if publisher.sitemaps:
            path = random.choice(list(publisher.sitemaps))
            publisher.sitemaps[path].entries = []
            self.note(f"{publisher.host}{path} is empty")

    def _remove_sitemap(self, publisher: Publisher, random: Random) -> None:
        """An index lists a sitemap no longer."""
        if len(publisher.sitemaps) > 1:
            path = random.choice(list(publisher.sitemaps))
            del publisher.sitemaps[path]
            self.note(f"{publisher.host}{path} is gone")

    def _rename(self, publisher: Publisher, random: Random) -> None:
        if publisher.sitemaps:
            path = random.choice(list(publisher.sitemaps))
            publisher.rename(path)
            self.note(f"{publisher.host}{path} has another name: {list(publisher.sitemaps)}")

    def _page(self, publisher: Publisher, random: Random) -> None:
        publisher.page(random.randint(2, 4))
        self.note(f"{publisher.host} has pages: {list(publisher.sitemaps)}")

    def _toggle_index(self, publisher: Publisher, random: Random) -> None:
        """robots.txt names an index no longer, or again."""
        publisher.hidden_indexes ^= {random.randrange(2)}
        self.note(f"{publisher.host}/robots.txt leaves out the indexes {sorted(publisher.hidden_indexes)}")

    def _list_in_both(self, publisher: Publisher, random: Random) -> None:
        """A sitemap is in both indexes, or in the other one."""
        if publisher.sitemaps:
            path = random.choice(list(publisher.sitemaps))
            publisher.sitemaps[path].indexes = random.choice(({0, 1}, {0}, {1}))
            self.note(f"{publisher.host}{path} is in the indexes {publisher.sitemaps[path].indexes}")

    def _break(self, publisher: Publisher, random: Random) -> None:
        """A file is served wrongly from now on."""
        path = random.choice((ROBOTS, *INDEXES, *INDEXES, *publisher.sitemaps, *publisher.sitemaps))
        publisher.faults[path] = random.choice(FAULTS)
        self.note(f"{publisher.host}{path}: {publisher.faults[path]}")

    def _repair(self, publisher: Publisher, random: Random) -> None:
        """A host serves all its files as it should."""
        publisher.mend()
        self.note(f"{publisher.host} is well")

    def _list_wrongly(self, publisher: Publisher, random: Random) -> None:
        """A sitemap has entries with an http loc, or none any more."""
        if publisher.sitemaps:
            path = random.choice(list(publisher.sitemaps))
            publisher.sitemaps[path].wrong = random.randrange(3)
            self.note(f"{publisher.host}{path} has {publisher.sitemaps[path].wrong} entries with an http loc")

    def _list_insecurely(self, publisher: Publisher, random: Random) -> None:
        """The entries of a document have an http loc, or no longer."""
        if (found := self._any(publisher, random)) is not None:
            publisher.insecure ^= {found[1].loc}
            self.note(f"{publisher.host} lists {sorted(publisher.insecure)} with http")

    def _leave_out(self, publisher: Publisher, random: Random) -> None:
        """All documents are without an entry, or half of them, or the other half."""
        half = random.choice((set(), {0}, {1}, {0, 1}, {0, 1}))
        publisher.left_out = {entry.loc for _, entry in publisher.listed() if ord(entry.loc[-5]) % 2 in half}
        self.note(f"{publisher.host} leaves out {sorted(publisher.left_out)}")

    def _toggle_etags(self, publisher: Publisher, random: Random) -> None:
        """A server answers 304 whatever has changed, or does so no longer."""
        publisher.fixed_etags ^= True
        self.note(f"{publisher.host}: ETags are {'always the same' if publisher.fixed_etags else 'right'}")

    @staticmethod
    def _any(publisher: Publisher, random: Random) -> tuple[str, Entry] | None:
        """One of the entries of a host, with the path of its sitemap."""
        found = publisher.listed()
        return random.choice(found) if found else None

    # What operators and machines do

    def _leave_register(self, publisher: Publisher, random: Random) -> None:
        """A host leaves the register, or returns."""
        places = {place: of for place, of in self.all_owners.items() if place[0] == publisher.host}
        fewer = {place: of for place, of in self.owners.items() if place[0] != publisher.host}
        self.owners = fewer if fewer and len(fewer) < len(self.owners) else {**self.owners, **places}
        self.oracle.change(self.now)
        is_there = any(host == publisher.host for host, _ in self.owners)
        self.note(f"{publisher.host} is {'in' if is_there else 'missing from'} the register")

    def _change_owner(self, publisher: Publisher, random: Random) -> None:
        """Organisations merge or split: a host is another one's, or its first one's again."""
        for place in [place for place in self.owners if place[0] == publisher.host]:
            self.owners[place] = random.choice((self.all_owners[place], *"ABCDE"))
            self.note(f"{place} is registered for {self.owners[place]}")
        self.oracle.change(self.now)

    def _set_clock_back(self, publisher: Publisher, random: Random) -> None:
        """The clock of the machine was ahead."""
        self.now -= random.choice((0.1, 1.5, 3, 30)) * DAY
        self.oracle.change(self.now)
        self.note("the clock is set back")

    def _type(self, *arguments: str) -> None:
        shown = self.installation.command(self.now, "state", *arguments)
        self.note(f"woo-harvester state {' '.join(arguments)}: {shown.strip()}")

    def _is_known(self, host: str) -> bool:
        """Return whether the state has the host for sure: a killed run may have left nothing of it."""
        known = self.oracle.knows.hosts.get(host)
        return known is not None and known.fewest_reads > 0

    def _confirm(self, publisher: Publisher, random: Random) -> None:
        if self._is_known(publisher.host):
            self._type("confirm", publisher.host)
            self.oracle.confirm(publisher.host)

    def _restore(self, publisher: Publisher, random: Random) -> None:
        """Withdrawn documents of a host are to be delivered again; mostly one that is listed again."""
        gone = self._withdrawn()
        listed = {entry.loc for one in self.publishers.values() for _, entry in one.listed()}
        hosts = [host_of(loc) for loc in gone if loc in listed] or [host_of(loc) for loc in gone]
        if hosts and self._is_known(host := random.choice(hosts)):
            self._type("restore", host)
            self.oracle.restore(host)

    def _forget(self, publisher: Publisher, random: Random) -> None:
        """A document or a host is to be forgotten; what others list of the host may be gone from it."""
        known = sorted(loc for loc, one in self.oracle.knows.documents.items() if None not in one.states)
        if random.random() < 0.5 and self._is_known(publisher.host):
            self._type("forget", publisher.host)
            self.oracle.forget_host(publisher.host)
            if random.random() < 0.5:
                self._empty(publisher, random)
        elif known:
            loc = random.choice(known)
            self._type("forget", loc)
            self.oracle.forget_document(loc)

    # Runs

    def _run_all(self, publisher: Publisher, random: Random) -> None:
        self._run(self._make(self._registered()))

    def _run_shards(self, publisher: Publisher, random: Random) -> None:
        hosts = self._registered()
        random.shuffle(hosts)
        middle = random.randint(1, max(1, len(hosts) - 1))
        for part in (hosts[:middle], hosts[middle:]):
            if part:
                self._run(self._make(part))

    def _run_some(self, publisher: Publisher, random: Random) -> None:
        self._run(self._make(self._some(random)))

    def _run_killed(self, publisher: Publisher, random: Random) -> None:
        self._run(self._make(self._some(random), kill_at=random.randrange(80)))

    def _run_stopped(self, publisher: Publisher, random: Random) -> None:
        self._run(self._make(self._some(random), stop_at=random.randrange(1, 40)))

    def _run_refused(self, publisher: Publisher, random: Random) -> None:
        """Some documents cannot be fetched, and others are refused when they are."""
        listed = sorted({entry.loc for one in self.publishers.values() for _, entry in one.listed()})
        found = random.sample(listed, min(len(listed), 5))
        run = self._make(self._registered())
        run.bad = dict.fromkeys(found[:3], "503") | dict.fromkeys(found[3:], "html")
        self._run(run)

    def _run_two_at_once(self, publisher: Publisher, random: Random) -> None:
        """Two runs on hosts of their own, one of which may be killed."""
        hosts = self._registered()
        random.shuffle(hosts)
        middle = random.randint(1, max(1, len(hosts) - 1))
        runs = [self._make(part) for part in (hosts[:middle], hosts[middle:]) if part]
        runs[-1].kill_at = random.choice((random.randrange(80), 1_000_000))
        self._run(*runs)

    def _run_since(self, publisher: Publisher, random: Random) -> None:
        run = self._make(self._some(random))
        run.since = lastmod_of(self.today - random.randrange(5), "day")
        self._run(run)

    def _registered(self) -> list[str]:
        return sorted({host for host, _ in self.owners})

    def _some(self, random: Random) -> list[str]:
        hosts = self._registered()
        return hosts if random.random() < 0.6 else random.sample(hosts, random.randint(1, len(hosts)))

    def _make(self, hosts: list[str], kill_at: int | None = None, stop_at: int | None = None) -> Run:
        return Run(hosts, dict(self.owners), self.now, kill_at, stop_at, downloads=self.downloads)

    def _run(self, *runs: Run) -> None:
        for run in runs:
            self.now += 60
            run.now = self.now
        self.installation.run(*runs)
        for run in runs:
            did = [f"{one.oorzaak} {one.loc} {one.title}".strip() for one in run.records]
            found = [one for one in run.findings if "intrekking" in one["code"]]
            codes = sorted({f"{one['code']} {one.get('host')}" for one in found})
            given = {"since": run.since, "bad": run.bad}
            how = {name: value for name, value in given.items() if value}
            self.note(f"a run over {', '.join(run.hosts)} {how or ''} ended {run.ended}: {did} {codes}")
        self.oracle.follow(*runs)

    # What is true when all is well

    def _settle(self) -> None:
        """All is well for some days: then all that is listed is known, and nothing else."""
        for each in self.publishers.values():
            each.mend()
            each.sitemaps.setdefault("/s0.xml", Sitemap())
        self.note("all hosts are well")
        for days in (8, 1, 8, 1, 1):
            self.now += days * DAY
            self._run(self._make(self._registered()))
        for loc, known in self.oracle.knows.documents.items():
            registered = set(self._registered())
            listed = {host: self.publishers[host].listed() for host in registered}
            hosts = {host for host in registered if any(entry.loc == loc for _, entry in listed[host])}
            rows = self.oracle.rows_of(loc)  # also those of hosts that nobody reads any more
            is_known = any(row.sure for row in rows.values())
            is_gone = not hosts and is_known and {*rows, host_of(loc)} <= registered
            assert not (known.is_published and is_gone), f"{loc} is not withdrawn, and nobody lists it"
            is_missing = known.states == {None} and hosts and host_of(loc) in registered
            assert not is_missing, f"{loc} was never delivered"


class DocumentInstallation(Installation):
    """The harvester of documents, and the publishers that it visits."""

    spider = "woo"

    def __init__(self, publishers: Mapping[str, Publisher], state: str) -> None:
        super().__init__(state)
        self.publishers = publishers
        self.hosts = list(publishers)

    def _arguments(self, run: Run) -> dict[str, str]:
        arguments = {"documents": "download" if run.downloads else "head"}
        if len(run.hosts) < len({host for host, _ in run.owners}):
            arguments["domains"] = ",".join(run.hosts)
        if run.since:
            arguments["since"] = run.since
        return arguments

    def _owner(self, host: str, target: str) -> str:
        return self.hosts[int(target.split("/")[2])] if target.startswith("/van/") else host

    def _answer(self, run: Run, host: str, target: str, known: str | None) -> Answer:
        path, of = target.removeprefix("/verhuisd"), host
        if target.startswith("/van/"):
            _, _, number, rest = target.split("/", 3)
            path, of = f"/{rest}", self.hosts[int(number)]
        if path.split("/")[1] in FOLDERS[self.publishers[host].name] and path.count("/") == 2:
            return self._answer_document(run, f"https://{host}{path}", known)
        publisher = self.publishers[of]
        if path == target and (to := publisher.target(path, self.hosts)) is not None:
            if not any(host_of(to) == registered for registered, _ in run.owners):  # nobody follows it
                run.asked.append(Asked(of, path, -1, File()))
            return Answer(302, {"Location": to})
        status, file = publisher.serve(path)
        if status == 200 and known == file.etag:
            status = 304
        run.asked.append(Asked(of, path, status, file))
        kind = "text/plain" if path == ROBOTS else "text/html" if file.body == HTML else "application/xml"
        headers = {"Content-Type": kind, "ETag": file.etag}
        return Answer(status, headers, file.body if status == 200 else b"", file.is_dropped)

    def _answer_document(self, run: Run, loc: str, known: str | None) -> Answer:
        bad, file = run.bad.get(loc), self.publishers[host_of(loc)].document(loc)
        if bad == "html":
            file = File(body=HTML)
        status = 503 if bad == "503" else 304 if known is not None and known == file.etag else 200
        run.documents[loc] = status, sha256(file.body).hexdigest()
        headers = {"Content-Type": "text/html" if bad == "html" else "application/pdf"}
        return Answer(status, headers | ({"ETag": file.etag} if file.etag else {}), file.body)


def documents(state: str = "", planted: str = "") -> Simulation:
    """The simulation, with the state at *state*; processes of their own have the fault *planted*."""
    return Simulation("documents", lambda random: Documents(random, state, planted), KINDS, 40)


if __name__ == "__main__":
    main(documents(STATE))
