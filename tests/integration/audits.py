"""Audits of sites, and what they answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lxml import html

from tests.utils.command import Run, run_scrapy
from tests.utils.sites import write_register
from woo_harvester.demo.server import LoopbackServer
from woo_harvester.demo.site import Site
from woo_harvester.report.json_file import read_hosts
from woo_harvester.report.model import FindingRow, HostReport
from woo_harvester.report.run_folder import slug


@dataclass(frozen=True)
class Answer:
    """What an audit reports about hosts."""

    run: Run
    hosts: dict[str, HostReport]

    def rows(self, site: Site) -> dict[str, FindingRow]:
        return {row.code: row for row in self.hosts[site.host].findings}

    def page(self, site: Site) -> str:
        """The words of the page on which a host stands."""
        assert self.run.report is not None
        own = self.run.report / "hosts" / f"{slug(site.host)}.html"
        page = own if own.exists() else self.run.report / "index.html"
        return words(html.parse(page).getroot().text_content())


def words(text: str) -> str:
    return " ".join(text.split())


def answer_of(run: Run) -> Answer:
    assert run.returncode in (0, 1), run.stderr
    assert run.report is not None, run.stderr
    return Answer(run, {host.host: host for host in read_hosts(run.report / "report.json")})


class Auditor:
    """Runs ``scrapy audit`` in a folder of its own."""

    def __init__(self, folder: Path, bundle: Path) -> None:
        self.folder, self._bundle = folder, bundle

    def register(self, *sites: LoopbackServer) -> Path:
        bodies = {f"Publicist {number}": [site.url("/")] for number, site in enumerate(sites)}
        return write_register(self.folder / "register.xml", bodies)

    def __call__(self, *args: str, **settings: object) -> Run:
        given = {"WOO_REGISTER": self.folder / "register.xml", **settings}
        return run_scrapy(["audit", *args], self.folder, self._bundle, settings=given, timeout=300)
