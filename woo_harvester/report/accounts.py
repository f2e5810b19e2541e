"""The accounts of all hosts of a run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain

from woo_harvester.findings import Finding
from woo_harvester.report.funnel import Account


class Accounts:
    """The accounts of a run, by host.

    Those of hosts with entry pages of permits are kept apart: they count no documents, so no report is made
    of them. Findings count also if they are made before the account of their host.
    """

    def __init__(self) -> None:
        self._accounts: dict[str, Account] = {}
        self._of_permits: dict[str, Account] = {}
        self._early = defaultdict[str, Counter[str]](Counter)

    def __iter__(self) -> Iterator[Account]:
        return iter(self._accounts.values())

    def __len__(self) -> int:
        return len(self._accounts)

    def of(self, host: str) -> Account:
        """Return the account of *host*; make it if there is none."""
        return self._of(host, self._accounts)

    def of_permits(self, host: str) -> Account:
        """Return the account of a host with entry pages of permits; make it if there is none."""
        return self._of(host, self._of_permits)

    def all(self) -> Iterator[Account]:
        """Return all accounts, also those of hosts with entry pages."""
        return chain(self._accounts.values(), self._of_permits.values())

    def _of(self, host: str, accounts: dict[str, Account]) -> Account:
        if (account := accounts.get(host)) is None:
            account = accounts[host] = Account(host, findings=dict(self._early.pop(host, {})))
        return account

    def add(self, account: Account) -> None:
        """Add an account that was made elsewhere."""
        self._accounts[account.host] = account

    def leave_out(self, hosts: Iterable[str]) -> None:
        """Remove the accounts of *hosts*."""
        for host in hosts:
            self._accounts.pop(host, None)

    def count_finding(self, finding: Finding) -> None:
        """Count the finding in the account of its host, now or when the account is made."""
        if finding.host is None:
            return
        account = self._accounts.get(finding.host) or self._of_permits.get(finding.host)
        if account is not None:
            account.count_finding(finding)
        else:
            self._early[finding.host][finding.code] += 1
