"""Folders of runs over a whole register, for the tests of its coverage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.report.runs import about_host, read, write_run
from woo_harvester.findings import Finding
from woo_harvester.report.coverage import Registered, RunRegister
from woo_harvester.report.funnel import Account
from woo_harvester.report.run_folder import RunFolder

#: A host with each gap, and what was found of it.
HOSTS = {
    "goed.nl": None,
    "geen-robots.nl": ("robots.ontbreekt", "HTTP 404"),
    "kapot.nl": ("robots.onbereikbaar", "HTTP 503"),
    "geen-index.nl": ("robots.geen-diwoo-index", None),
    "dood.nl": ("robots.onbereikbaar", "time-out"),
}


def registered(
    name: str, *locations: str, uri: str | None = None, kind: str | None = "Gemeente"
) -> Registered:
    """Return an organisation whose systeemId is its name with ``id-`` before it."""
    return Registered(f"id-{name}", name, uri, kind, list(locations))


def unread(host: str, *, indexes: int = 0, complete: bool | None = False) -> Account:
    """Return the account of a host that was visited, and of which no sitemap was requested."""
    return Account(host, visited=True, complete=complete, indexes=indexes)


def write_whole_run(
    folder: Path,
    organisations: Iterable[Registered],
    accounts: Iterable[Account],
    findings: Iterable[Finding] = (),
    shards: Iterable[tuple[int, int]] = ((1, 1),),
) -> RunFolder:
    """Write what a run over the register leaves, and return its folder."""
    day = folder.name[-2:]
    run = write_run(folder, accounts, findings, finish_time=f"2026-11-{day}T08:00:00+01:00")
    RunRegister(list(shards), list(organisations)).write(run.register)
    return run


def run_with_each_gap(
    folder: Path, hosts: Mapping[str, tuple[str, str | None] | None] = HOSTS, *more: Registered
) -> RunFolder:
    """Write a run over a register that has an organisation on each of *hosts*, and one without a location."""
    organisations = [registered(f"Gemeente {host}", f"https://{host}/woo") for host in hosts]
    accounts = [read(host, harvested=1) if found is None else unread(host) for host, found in hosts.items()]
    findings = [about_host(found[0], host=host, seen=found[1]) for host, found in hosts.items() if found]
    nowhere = registered("Dienst", uri="https://identifier.overheid.nl/tooi/id/oorg/oorg1", kind="Dienst")
    return write_whole_run(folder, [*organisations, nowhere, *more], accounts, findings)
