"""Keeps back findings about hosts until it is clear whether they are about the hosts at all."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO
from urllib.request import getproxies

from woo_harvester.findings import Finding
from woo_harvester.report.build import OWN_FAULT

if TYPE_CHECKING:
    from woo_harvester.findings.common_cause import Cause, CommonCause


#: Says that no withdrawals are concluded, which follows from the others.
ONLY_FOLLOWS = "intrekking.onvolledig"

_DIRECT = "publishers are asked without the proxy that the environment names"

#: How the connections failed, and what to check on this side.
WORDS: dict[Cause, tuple[str, str]] = {
    "tls": (
        "TLS",
        "SSL_CERT_FILE, SSL_CERT_DIR, this machine's clock, and proxies that open TLS",
    ),
    "dns": ("no address for the name", "this machine's name server (/etc/resolv.conf)"),
    "refused": ("no connection", "this machine's network and firewall"),
    "timeout": ("no answer in time", "this machine's network and firewall"),
    "address": ("an address that is not public", "this machine's name server, and WOO_ALLOW_PRIVATE_HOSTS"),
    "proxy": ("a password is asked for on the way", "the proxy or network login between here and the hosts"),
    "lost": ("connection lost", "this machine's network and firewall"),
}


class KeptBack:
    """The findings that are kept back, in memory and in a file for when the run is killed.

    Bounded by the number of hosts: of a host whose first request failed nothing else is read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.findings: list[Finding] = []
        self._file: TextIO | None = None

    def add(self, finding: Finding) -> None:
        """Keep a finding back. Raises OSError."""
        self.findings.append(finding)
        if self._file is None:
            self._file = self.path.open("w", encoding="utf-8", buffering=1)
        self._file.write(line_of(finding))

    def take(self, is_ready: Callable[[Finding], bool]) -> list[Finding]:
        """Remove and return the findings that are ready. Raises OSError.

        The file is removed with the last one.
        """
        ready = [finding for finding in self.findings if is_ready(finding)]
        if not ready:
            return ready
        kept = [finding for finding in self.findings if not is_ready(finding)]
        self.close()
        self.path.unlink()
        self.findings = []
        for finding in kept:
            self.add(finding)
        return ready

    def close(self) -> None:
        """Close the file. Raises OSError."""
        if self._file is not None:
            file, self._file = self._file, None
            file.close()


def line_of(finding: Finding) -> str:
    """Return the finding as a line of ``findings.jsonl``."""
    return json.dumps(finding.as_dict(), ensure_ascii=False) + "\n"


def explanation(common: CommonCause, cause: Cause, kept: KeptBack) -> tuple[Finding, str]:
    """Return the finding of the run, and the line for the operator."""
    what, check = WORDS[cause]
    count, tried = len(common.hosts(cause)), common.hosts_tried
    seen = Counter(finding.seen for finding in kept.findings if finding.seen and finding.code != ONLY_FOLLOWS)
    example = f", such as: {seen.most_common(1)[0][0]}" if seen else ""
    if cause != "tls" and getproxies().keys() & {"http", "https", "all"}:
        check += f" ({_DIRECT})"
    finding = Finding(
        code=OWN_FAULT,
        seen=f"{count} van {tried} hosts: {what}{example}",
        action=f"bevindingen over deze hosts apart gehouden in {kept.path.name}",
    )
    line = (
        f"{count} of {tried} hosts could not be reached in the same way ({what}{example}), so the cause is "
        f"likely on this side: check {check}. What was found of these hosts is in {kept.path}"
    )
    return finding, line
