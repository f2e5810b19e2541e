"""The organisations and locations of the register of a run, which the run leaves for its report."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Self

from pydantic import TypeAdapter

from woo_harvester.findings import Severity, explain
from woo_harvester.register import Organisation, Register
from woo_harvester.register.register import shard_of
from woo_harvester.report.finding_counts import HostFindings
from woo_harvester.report.funnel import Account, HostGapKind
from woo_harvester.report.model import (
    Coverage,
    HostGap,
    KindCoverage,
    OrganisationOnHost,
    RegisteredOrganisation,
)
from woo_harvester.utils.atomic import replace_file
from woo_harvester.utils.inputs import check_regular, parse_object
from woo_harvester.utils.urls import host_of

_WHOLE = (1, 1)


@dataclass(frozen=True, slots=True)
class Registered:
    """An organisation of the register, with its locations."""

    system_id: str
    name: str
    uri: str | None
    kind: str | None
    locations: list[str]
    """The URLs that it registered, each once."""
    remarks: dict[str, str] = field(default_factory=dict)
    """What it says in the register of some of those URLs (``toelichting``)."""
    abbreviation: str | None = None

    @property
    def id(self) -> str:
        """The identifier in the report: the TOOI URI, else the systeemId, else the name."""
        return self.uri or self.system_id or self.name

    def remarks_on(self, urls: Iterable[str]) -> list[str]:
        """Return what it says of these URLs."""
        return [self.remarks[url] for url in urls if url in self.remarks]


@dataclass(frozen=True, slots=True)
class RunRegister:
    """The register of a run over all its hosts, or over some shards of them."""

    shards: list[tuple[int, int]]
    """Number and total of each shard that was harvested; (1, 1) for a run over all hosts."""
    organisations: list[Registered]

    @classmethod
    def of(cls, register: Register, shard: tuple[int, int] | None) -> Self:
        """Return what a run over a register leaves."""
        places: dict[Organisation, dict[str, dict[str, None]]] = {one: {} for one in register.organisations}
        for location in register.locations:
            remarks = places[location.organisation].setdefault(location.url, {})
            if location.remark:
                remarks[location.remark] = None  # another category of the same URL mostly has the same
        organisations = []
        for one, urls in places.items():
            said = {url: "; ".join(remarks) for url, remarks in urls.items() if remarks}
            about = (one.system_id, one.name, one.uri, one.kind, [*urls], said, one.abbreviation)
            organisations.append(Registered(*about))
        return cls([shard or _WHOLE], organisations)

    def places(self) -> dict[str, list[tuple[Registered, list[str]]]]:
        """Return for each registered host its organisations, each with the URLs that it registered there."""
        places: dict[str, list[tuple[Registered, list[str]]]] = {}
        for organisation in self.organisations:
            urls: dict[str, list[str]] = {}
            for url in organisation.locations:
                urls.setdefault(host_of(url), []).append(url)
            for host, there in urls.items():
                places.setdefault(host, []).append((organisation, there))
        return places

    @staticmethod
    def read(path: Path) -> RunRegister | None:
        """Read the file of a run; None if there is none. Raises OSError, and ValueError with the path."""
        if not path.exists():
            return None
        check_regular(path)
        try:
            return _ADAPTER.validate_python(parse_object(path.read_bytes()))
        except ValueError as error:
            reason = " ".join(str(error).split())
            raise ValueError(f"{path}: expected the register of a run: {reason}") from error

    def write(self, path: Path) -> None:
        """Write the file of a run in one step: a run that is killed leaves all of it or nothing."""
        replace_file(path, (json.dumps(asdict(self), ensure_ascii=False) + "\n").encode())

    @property
    def is_whole(self) -> bool:
        """True if the shards together have all hosts of the register."""
        totals = {total for _, total in self.shards}
        return len(totals) == 1 and {number for number, _ in self.shards} == set(range(1, totals.pop() + 1))


def together(registers: Sequence[RunRegister]) -> RunRegister:
    """Return the register of several shards, one at least. Each shard reads all of the register."""
    return RunRegister([shard for each in registers for shard in each.shards], registers[0].organisations)


_ADAPTER = TypeAdapter(RunRegister)


def hosts_without_figures(register: RunRegister, known: Container[str]) -> list[str]:
    """Return the hosts that the runs over a register should have visited, except those that are *known*.

    One shard visits its own hosts only. Several shards are one run over the whole register.
    """
    hosts = {host_of(url) for one in register.organisations for url in one.locations}
    if len(register.shards) == 1:
        number, total = register.shards[0]
        hosts = {host for host in hosts if shard_of(host, total) == number}
    return sorted(host for host in hosts if host not in known)


#: What was seen of a robots.txt that is unreachable although its host answers.
_ANSWERED = re.compile(r"HTTP [0-9]|afgebroken|doorverwijzing|max redirections")

#: The beginnings of codes that say why no sitemap could be read, the first cause first.
_CAUSES = ("robots.ontbreekt", "robots.onbereikbaar", "robots.geen-diwoo-index", "index.")


class _Found(NamedTuple):
    """Why no sitemap of a host could be read."""

    kind: HostGapKind
    code: str
    seen: str | None


def find_coverage(
    register: RunRegister,
    accounts: Iterable[Account],
    findings: Mapping[str, HostFindings],
) -> Coverage:
    """Return the coverage of a run over the whole register."""
    by_host = {account.host: account for account in accounts}
    places = register.places()
    gaps: dict[HostGapKind, list[HostGap]] = {"no_robots": [], "no_index": [], "dead": []}
    not_reached = 0
    for host in sorted(places):
        account = by_host.get(host)
        found = host_gap(account, findings.get(host, HostFindings())) if account is not None else None
        if found is not None:
            gaps[found.kind].append(_host_gap(host, found, places[host]))
        elif account is None or (account.complete is None and not account.indexes):
            not_reached += 1
    without = sorted((one for one in register.organisations if not one.locations), key=_by_name)
    return Coverage(
        organisations=len(register.organisations),
        with_location=len(register.organisations) - len(without),
        hosts=len(places),
        hosts_not_reached=not_reached,
        kinds=_kinds(register),
        no_location=[RegisteredOrganisation(**_reference(one)) for one in without],
        **gaps,
    )


def host_gap(account: Account, found: HostFindings) -> _Found | None:
    """Return why no sitemap of a host could be read; None if one could, or if the run does not know it.

    The findings say so: the run requests robots.txt and the indexes, and not the registered URLs.
    """
    if account.sitemaps:
        return None
    codes = (code for code, about_document in found.counts if not about_document)
    errors = [code for code in codes if explain(code).severity is Severity.ERROR]
    code = min(errors, key=_order, default=None)
    if code is None or not (account.visited or code.startswith(_CAUSES[:3])):
        return None
    seen = found.examples((code, False))[-1].get("seen")
    kind: HostGapKind = "dead"
    if account.indexes or code.startswith(_CAUSES[2:]):
        kind = "no_index"
    elif code == _CAUSES[0] or _ANSWERED.match(seen or ""):
        kind = "no_robots"
    return _Found(kind, code, seen)


def _order(code: str) -> tuple[int, str]:
    return next((at for at, cause in enumerate(_CAUSES) if code.startswith(cause)), len(_CAUSES)), code


def _host_gap(host: str, found: _Found, organisations: list[tuple[Registered, list[str]]]) -> HostGap:
    on_host = [
        OrganisationOnHost(**_reference(one), locations=urls, remarks=one.remarks_on(urls))
        for one, urls in sorted(organisations, key=lambda each: _by_name(each[0]))
    ]
    return HostGap(host=host, organisations=on_host, code=found.code, seen=found.seen)


def _kinds(register: RunRegister) -> list[KindCoverage]:
    every = Counter(one.kind for one in register.organisations)
    located = Counter(one.kind for one in register.organisations if one.locations)
    return [
        KindCoverage(kind=kind, organisations=count, with_location=located[kind])
        for kind, count in sorted(every.items(), key=lambda each: (-each[1], each[0] or ""))
    ]


def _reference(one: Registered) -> dict[str, Any]:
    return {"id": one.id, "name": one.name, "system_id": one.system_id, "kind": one.kind}


def _by_name(one: Registered) -> tuple[str, str]:
    return one.name.casefold(), one.id
