"""The pending withdrawals of a host: the file that lists them, and the findings that say why they wait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, TextIO

from woo_harvester.crawl.host import Visit
from woo_harvester.report.run_folder import json_line
from woo_harvester.state.withdrawal import Missing

_NOTHING_LOST = "niets ingetrokken: er zijn geen documenten die alleen in deze index stonden"


class Awaited(NamedTuple):
    """The hosts that a missing document waits for: it may be there."""

    unread: frozenset[str]
    """Hosts that were not read completely."""
    unregistered: frozenset[str]
    """Hosts that the register does not have."""

    def reasons(self) -> list[str]:
        """Return what is wrong with each host."""
        return [
            *(f"{host} is niet volledig gelezen" for host in self.unread),
            *(f"{host} staat niet meer in het register" for host in self.unregistered),
        ]


class PendingWithdrawals:
    """The pending withdrawals of one host, which are appended to the file at *path*.

    *gone_indexes* are the indexes of the host that are not named since this run.
    """

    def __init__(self, visit: Visit, path: Path, gone_indexes: Iterable[str] = ()) -> None:
        self._visit = visit
        self._path = path
        self._lines: TextIO | None = None
        self._massive = _Waiting()
        self._by_index: dict[str, _Waiting] = {index: _Waiting() for index in gone_indexes}
        """The documents of each index that the host no longer names, by its URL."""
        self._withdrawn = Counter[str]()
        """Number of documents that are withdrawn now, by the URL of such an index."""
        self._nowhere = 0
        """Number of documents that wait for this host, for a mark or an index, and that no host lists."""
        self._others = Counter[str]()
        """Number of documents that wait for another host, by what is wrong there."""

    def add(self, one: Missing, awaited: Awaited) -> bool:
        """Add a document if it waits for hosts or an index, or is marked as massive. Raises OSError.

        Returns False if it does not wait: it is withdrawn now.
        """
        reasons = awaited.reasons()
        reasons += [
            f"bij {host} zijn documenten misschien bij vergissing weg"
            for host in one.massive - {self._visit.host}
        ]
        own = [index for host, index in one.indexes if host == self._visit.host]
        if one.waits_for_index:
            for index in own:
                self._by_index.setdefault(index, _Waiting()).add(one)
            reasons += [
                f"robots.txt van {host} noemt {index} niet meer"
                for host, index in one.indexes
                if host != self._visit.host
            ]
        is_massive = self._visit.host in one.massive
        self._nowhere += is_massive or (one.waits_for_index and bool(own))
        if is_massive:
            self._massive.add(one)
        elif not reasons and not one.waits_for_index:
            self._withdrawn.update(own)
            return False
        self._others.update(reasons)
        self._write(one)
        return True

    def _write(self, one: Missing) -> None:
        if self._lines is None:
            self._lines = self._path.open("a", encoding="utf-8")
        line = {"host": self._visit.host, "url": one.loc, "rondes": one.misses}
        self._lines.write(json_line(line))

    def close(self) -> None:
        """Close the file. Raises OSError."""
        if self._lines is not None:
            self._lines.close()

    def report(self, missing: int, published: int, runs: int) -> None:
        """Report why documents wait; *runs* is the limit.

        *missing* is the number of documents that the host lacked at once, *published* that of all that it
        listed. Other hosts may still list some of those that are missing.
        """
        url, name = f"https://{self._visit.host}/", self._path.name
        if self._massive.count:
            seen = f"{missing} van {published} documenten"
            if self._nowhere < missing:
                seen += f"; {self._nowhere} daarvan staan nergens meer"
            if self._visit.unusable:
                seen += f"; vermeldingen zonder bruikbaar adres: {self._visit.unusable}"
            action = self._massive.action(runs, name)
            self._visit.report("intrekking.massaal", url=url, seen=seen, action=action)
        for index, waiting in sorted(self._by_index.items()):
            count = waiting.count or self._withdrawn[index]
            if waiting.count:
                action = waiting.action(runs, name)
            else:
                action = "ingetrokken" if count else _NOTHING_LOST
            self._visit.report("index.verdwenen", url=index, seen=_number(count), action=action)
        for seen, count in sorted(self._others.items()):
            action = f"{count} documenten nog niet ingetrokken; zie {name}"
            if count == 1:
                action = f"1 document nog niet ingetrokken; zie {name}"
            self._visit.report("intrekking.onvolledig", url=url, seen=seen, action=action)


class _Waiting:
    """The number of documents that wait for more complete reads, and how many reads have lacked them."""

    def __init__(self) -> None:
        self.count = 0
        self._rounds: set[int] = set()

    def add(self, one: Missing) -> None:
        """Add a document."""
        self.count += 1
        self._rounds.add(one.misses)

    def action(self, runs: int, file: str) -> str:
        """Return what is done with them: they wait for *runs* reads, and *file* lists them."""
        first, last = min(self._rounds), max(self._rounds)
        which = f"{first}" if first == last else f"{first} tot {last}"
        return f"nog niet ingetrokken: volledige ronde {which} van {runs}; zie {file}"


def _number(count: int) -> str:
    return "1 document" if count == 1 else f"{count} documenten"
