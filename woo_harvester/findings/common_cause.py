"""Counts whether nearly all hosts of a run fail in the same way: then the cause is likely on this side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal

from woo_harvester.findings.catalogue import Finding

Cause = Literal["tls", "dns", "refused", "timeout", "address", "proxy", "lost"]
"""The way in which the connection with a host failed, if that may have one cause for all hosts."""

#: The finding of a run whose hosts could not be reached because of a fault on our own side.
OWN_FAULT = "oogst.eigen-verbinding"

#: With fewer hosts in a run there is no verdict: a few publishers may share one server.
LEAST_HOSTS = 10

#: The share of the hosts of a run that must fail in the same way, in percent.
SHARE = 90

#: How the connections failed for each cause, in English and Dutch.
_CAUSE_TEXTS: dict[Cause, tuple[str, str]] = {
    "tls": ("TLS", "TLS"),
    "dns": ("no address for the name", "geen adres bij de naam"),
    "refused": ("no connection", "geen verbinding"),
    "timeout": ("no answer in time", "geen antwoord op tijd"),
    "address": ("an address that is not public", "een adres dat niet openbaar is"),
    "proxy": ("a password is asked for on the way", "onderweg wordt om een wachtwoord gevraagd"),
    "lost": ("connection lost", "verbinding verbroken"),
}
#: What an operator should check. Publishers are asked without the proxy that the environment names.
_CHECK = "this machine's network, proxies and firewall, name server, clock and certificates (SSL_CERT_FILE)"


class CommonCause:
    """The hosts of a run, by the outcome of the first request to each."""

    def __init__(self) -> None:
        self._expected: set[str] = set()
        self._outcomes: dict[str, Cause | None] = {}

    def expect(self, hosts: Iterable[str]) -> None:
        """Add the hosts that the run visits; only these count."""
        self._expected.update(hosts)

    def tried(self, host: str, cause: Cause | None) -> None:
        """Note how a request to *host* failed, or None if it did not, or in a way of its own.

        The first failure counts, and an answer comes before any failure.
        """
        if cause is None or host not in self._outcomes:
            self._outcomes[host] = cause

    @property
    def causes(self) -> set[Cause | None]:
        """The outcomes of all hosts that were tried."""
        return {*self._outcomes.values()}

    def verdict(self) -> Cause | None:
        """Return how at least 90% of at least ten hosts that were tried failed; None if they did not."""
        tried = self._tried()
        for cause, count in Counter(tried.values()).items():
            if cause is not None and len(tried) >= LEAST_HOSTS and 100 * count >= SHARE * len(tried):
                return cause
        return None

    def hosts(self, cause: Cause) -> list[str]:
        """Return the hosts of the run that failed in this way."""
        return [host for host, found in self._tried().items() if found == cause]

    def explanation(self, cause: Cause, seen: Iterable[str | None]) -> tuple[Finding, str]:
        """Return the finding of the run, and the line that the operator reads.

        *seen* is what was seen of these hosts: the most frequent is an example.
        """
        english, dutch = _CAUSE_TEXTS[cause]
        most = [text for text, _ in Counter(filter(None, seen)).most_common(1)]
        count, tried = len(self.hosts(cause)), len(self._tried())
        finding = Finding(
            code=OWN_FAULT,
            seen=f"{count} van {tried} hosts: {', zoals: '.join([dutch, *most])}",
            action="deze hosts weggelaten uit het verslag",
        )
        line = (
            f"{count} of {tried} hosts were out of reach in the same way ({': '.join([english, *most])}), so "
            f"the cause is likely on this side: check {_CHECK}. The report leaves these hosts out"
        )
        return finding, line

    def _tried(self) -> dict[str, Cause | None]:
        return {host: cause for host, cause in self._outcomes.items() if host in self._expected}
