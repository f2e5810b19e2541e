"""Finds the parts of the register from which nothing is harvested, and since when."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from woo_harvester.findings import Severity, explain
from woo_harvester.report.coverage_model import (
    GAP_KINDS,
    Coverage,
    GapKind,
    HostGap,
    HostGapKind,
    KindCoverage,
    OrganisationGap,
    OrganisationOnHost,
)
from woo_harvester.report.finding_counts import HostFindings
from woo_harvester.report.funnel import Account
from woo_harvester.report.history import EarlierRuns, Gaps, RunResult
from woo_harvester.report.registered import Registered, RunRegister
from woo_harvester.urls import host_of

#: What was seen of a robots.txt that is unreachable although its host answers.
_ANSWERED = re.compile(r"HTTP [0-9]|afgebroken|doorverwijzing|max redirections")

#: Findings about a name in robots.txt: more precise than that no index was found.
_NAMES = ("index.naam", "index.infocat-onbekend")


@dataclass(frozen=True, slots=True)
class _Found:
    """Why no sitemap of a host could be read."""

    kind: HostGapKind
    code: str
    seen: str | None


class _Since:
    """Since when each gap is there, if *past* has the earlier runs; the last run over the register knows."""

    def __init__(self, past: EarlierRuns | None, at: str) -> None:
        self._before: Gaps = past.gaps() if past is not None else {}
        self._at = at if past is not None else None
        self.gaps: Gaps = {kind: {} for kind in GAP_KINDS}
        """What the next run goes on from."""

    def of(self, kind: GapKind, key: str) -> str | None:
        """Return since when an organisation or host has this gap; None if earlier runs are not known."""
        if self._at is None:
            return None
        return self.gaps[kind].setdefault(key, self._before.get(kind, {}).get(key, self._at))

    def keep(self, hosts: Iterable[str]) -> None:
        """Keep the gaps of hosts that this run did not reach, so that a later run goes on from them."""
        for host in hosts:
            for kind in GAP_KINDS:
                if (since := self._before.get(kind, {}).get(host)) is not None:
                    self.gaps[kind][host] = since


def find_coverage(
    register: RunRegister,
    accounts: Iterable[Account],
    findings: Mapping[str, HostFindings],
    past: EarlierRuns | None,
    now: RunResult,
) -> Coverage:
    """Return the coverage of a run over the whole register, and note in *now* since when each gap is there.

    With None for *past*, earlier runs are not known.
    """
    by_host = {account.host: account for account in accounts}
    places = _places(register)
    since = _Since(past, now.at)
    gaps: dict[HostGapKind, list[HostGap]] = {"no_robots": [], "no_index": [], "dead": []}
    not_reached = []
    for host in sorted(places):
        account = by_host.get(host)
        found = host_gap(account, findings.get(host, HostFindings())) if account is not None else None
        if found is not None:
            gap = _host_gap(host, found, places[host], since.of(found.kind, host))
            gaps[found.kind].append(gap)
        elif account is None or (account.complete is None and not account.indexes):
            not_reached.append(host)
    since.keep(not_reached)
    without = sorted((one for one in register.organisations if not one.locations), key=_by_name)
    no_location = [
        OrganisationGap(**_reference(one), since=since.of("no_location", one.id)) for one in without
    ]
    now.gaps = since.gaps
    return Coverage(
        organisations=len(register.organisations),
        with_location=len(register.organisations) - len(without),
        hosts=len(places),
        hosts_not_reached=len(not_reached),
        kinds=_kinds(register),
        no_location=no_location,
        **gaps,
    )


def host_gap(account: Account, found: HostFindings) -> _Found | None:
    """Return why no sitemap of a host could be read; None if one could, or if the run does not know it.

    The findings say so: the run requests robots.txt and the indexes, and not the registered URLs.
    """
    if account.sitemaps:
        return None
    codes = [code for code, about_document in found.counts if not about_document]
    errors = [code for code in codes if explain(code).severity is Severity.ERROR]

    def made(kind: HostGapKind, code: str) -> _Found:
        return _Found(kind, code, found.examples((code, False))[0].get("seen"))

    if "robots.ontbreekt" in errors:
        return made("no_robots", "robots.ontbreekt")
    if "robots.onbereikbaar" in errors:
        unreachable = made("dead", "robots.onbereikbaar")
        return made("no_robots", unreachable.code) if _has_answered(unreachable) else unreachable
    if "robots.geen-diwoo-index" in errors:
        return made("no_index", next((code for code in _NAMES if code in errors), "robots.geen-diwoo-index"))
    if not account.visited or not errors:
        return None
    errors.sort(key=lambda code: (not code.startswith("index."), code))
    first = made("no_index", errors[0])
    if account.indexes or first.code.startswith("index."):
        return first
    # Nothing but robots.txt was requested.
    return made("no_robots" if _has_answered(first) else "dead", first.code)


def _has_answered(found: _Found) -> bool:
    """Return whether a host answered the request for robots.txt."""
    return _ANSWERED.match(found.seen or "") is not None


def _places(register: RunRegister) -> dict[str, list[tuple[Registered, list[str]]]]:
    """Return for each registered host its organisations, each with the URLs that it registered there."""
    places: dict[str, list[tuple[Registered, list[str]]]] = {}
    for organisation in register.organisations:
        urls: dict[str, list[str]] = {}
        for url in organisation.locations:
            urls.setdefault(host_of(url), []).append(url)
        for host, there in urls.items():
            places.setdefault(host, []).append((organisation, there))
    return places


def _host_gap(
    host: str, found: _Found, organisations: list[tuple[Registered, list[str]]], since: str | None
) -> HostGap:
    on_host = [
        OrganisationOnHost(**_reference(one), locations=urls)
        for one, urls in sorted(organisations, key=lambda each: _by_name(each[0]))
    ]
    return HostGap(host=host, organisations=on_host, code=found.code, seen=found.seen, since=since)


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
