"""The accounts of all hosts of a run, and how one is read from a line of ``hosts.jsonl``."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from pydantic import TypeAdapter

from woo_harvester.findings import Finding
from woo_harvester.report.funnel import Account
from woo_harvester.report.losses import HarvestKind
from woo_harvester.report.permit_account import PermitAccount

_TYPES: dict[HarvestKind, type[Account]] = {"woo": Account, "vergunningen": PermitAccount}
_READERS = {kind: TypeAdapter(type_) for kind, type_ in _TYPES.items()}
_NAMES = {kind: frozenset(one.name for one in fields(type_)) for kind, type_ in _TYPES.items()}


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

    def of(self, host: str) -> Account:
        """Return the account of *host*; make it if there is none."""
        if (account := self._accounts.get(host)) is None:
            account = self._accounts[host] = Account(host, findings=self._take_early(host))
        return account

    def of_permits(self, host: str) -> PermitAccount:
        """Return the account of a host with entry pages of permits; make it if there is none."""
        account = self._accounts.get(host)
        if not isinstance(account, PermitAccount):
            account = self._accounts[host] = PermitAccount(host, findings=self._take_early(host))
        return account

    def _take_early(self, host: str) -> dict[str, int]:
        """Return the findings of a host that were made before its account."""
        return dict(self._early.pop(host, {}))

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
        account = self._accounts.get(finding.host)
        if account is not None:
            account.count_finding(finding)
        else:
            self._early[finding.host][finding.code] += 1


def empty_account(host: str, kind: HarvestKind) -> Account:
    """Return the account of a host of which nothing was counted."""
    return _TYPES[kind](host)


def read_account(given: Mapping[str, Any]) -> Account:
    """Return the account that a run wrote as *given*. Raises ValueError for an unknown name or a wrong value.

    Earlier versions wrote no kind, and the entry pages of every host.
    """
    is_of_permits = given.get("kind") == "vergunningen" or given.get("entry_pages")
    kind: HarvestKind = "vergunningen" if is_of_permits else "woo"
    if kind == "woo":
        given = {name: value for name, value in given.items() if name != "entry_pages"}
    if unknown := given.keys() - _NAMES[kind]:
        raise ValueError(f"unknown: {', '.join(sorted(unknown))}")
    return _READERS[kind].validate_python(given)
