"""The accounts of the hosts of a run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from woo_harvester.findings import Finding
from woo_harvester.kinds import Kind
from woo_harvester.report.funnel import Account


class Accounts:
    """The accounts of a run, by host.

    Findings count also if they are made before the account of their host.
    """

    def __init__(self) -> None:
        self._accounts: dict[str, Account] = {}
        self._early = defaultdict[str, Counter[str]](Counter)

    def __iter__(self) -> Iterator[Account]:
        return iter(self._accounts.values())

    def __len__(self) -> int:
        return len(self._accounts)

    def get(self, host: str) -> Account | None:
        """Return the account of *host*, or None if there is none."""
        return self._accounts.get(host)

    def of(self, host: str, kind: Kind | None = None) -> Account:
        """Return the account of *host*; make it if there is none, or none of this kind."""
        account = self._accounts.get(host)
        if account is None or kind not in (None, account.kind):
            made = _type(kind or Kind.woo)
            account = self._accounts[host] = made(host, findings=self._take_early(host))
        return account

    def _take_early(self, host: str) -> dict[str, int]:
        """Return the findings of a host that were made before its account."""
        return dict(self._early.pop(host, {}))

    def add(self, account: Account, host: str | None = None) -> None:
        """Add an account that was made elsewhere; *host* is that of its findings, if its name is another."""
        self._accounts[host or account.host] = account

    def leave_out(self, hosts: Iterable[str]) -> None:
        """Remove the accounts of *hosts*."""
        for host in hosts:
            self._accounts.pop(host, None)

    def count_finding(self, finding: Finding) -> None:
        """Count the finding in the account of its host, now or when the account is made."""
        if finding.host is None:
            return
        account = self._accounts.get(finding.host)
        if account is not None:
            account.count_finding(finding)
        else:
            self._early[finding.host][finding.code] += 1


def empty_account(host: str, kind: Kind) -> Account:
    """Return the account of a host of which nothing was counted."""
    return _type(kind)(host)


def _type(kind: Kind) -> type[Account]:
    return kind.own("account", Account)


def read_account(given: Mapping[str, Any]) -> Account:
    """Return the account that a run wrote as *given*. Raises TypeError and ValueError for a wrong one."""
    kind = Kind(given.get("kind", Kind.woo))  # type: ignore[call-arg]  # mypy sees the table only
    return _type(kind).model_validate(given)
