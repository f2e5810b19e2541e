"""Findings that are kept back, because a fault on our own side may be their cause and not the hosts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO
from urllib.request import getproxies

from woo_harvester.findings import Finding
from woo_harvester.report.run_folder import OWN_FAULT, finding_line

if TYPE_CHECKING:
    from woo_harvester.findings.common_cause import Cause, CommonCause


#: The finding that the host was not read completely: a consequence of the others, so it explains nothing.
_CONSEQUENCE = "intrekking.onvolledig"

_DIRECT = "publishers are asked without the proxy that the environment names"

#: For each cause: how the connections failed, in English and Dutch, and what to check on this machine.
_CAUSE_TEXTS: dict[Cause, tuple[str, str, str]] = {
    "tls": (
        "TLS",
        "TLS",
        "SSL_CERT_FILE, SSL_CERT_DIR, this machine's clock, and proxies that open TLS",
    ),
    "dns": (
        "no address for the name",
        "geen adres bij de naam",
        "this machine's name server (/etc/resolv.conf)",
    ),
    "refused": ("no connection", "geen verbinding", "this machine's network and firewall"),
    "timeout": ("no answer in time", "geen antwoord op tijd", "this machine's network and firewall"),
    "address": (
        "an address that is not public",
        "een adres dat niet openbaar is",
        "this machine's name server, and WOO_ALLOW_PRIVATE_HOSTS",
    ),
    "proxy": (
        "a password is asked for on the way",
        "onderweg wordt om een wachtwoord gevraagd",
        "the proxy or network login between here and the hosts",
    ),
    "lost": ("connection lost", "verbinding verbroken", "this machine's network and firewall"),
}


class KeptBack:
    """The findings that are kept back, in memory, and in a file in case the run is killed.

    There are only a few per host: when the first request to a host failed, nothing else of it is read.
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
        self._file.write(finding_line(finding))

    def take(self, is_ready: Callable[[Finding], bool]) -> list[Finding]:
        """Remove and return the findings for which *is_ready* is true. Raises OSError.

        The file is removed together with the last finding.
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


def explanation(common: CommonCause, cause: Cause, kept: KeptBack) -> tuple[Finding, str]:
    """Return the finding that replaces those kept back, and the line that the operator reads."""
    english, dutch, check = _CAUSE_TEXTS[cause]
    count, tried = len(common.hosts(cause)), common.hosts_tried
    seen = Counter(each.seen for each in kept.findings if each.seen and each.code != _CONSEQUENCE)
    most = [text for text, _ in seen.most_common(1)]
    if cause != "tls" and getproxies().keys() & {"http", "https", "all"}:
        check += f" ({_DIRECT})"
    finding = Finding(
        code=OWN_FAULT,
        seen=f"{count} van {tried} hosts: {', zoals: '.join([dutch, *most])}",
        action=f"bevindingen over deze hosts apart gehouden in {kept.path.name}",
    )
    line = (
        f"{count} of {tried} hosts were out of reach in the same way ({': '.join([english, *most])}), so the "
        f"cause is likely on this side: check {check}. What was found of these hosts is in {kept.path}"
    )
    return finding, line
