"""A municipality that publishes permit messages, and the harvester that comes by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.utils.command import Run, run_scrapy
from tests.utils.sites import write_register
from woo_harvester.demo.server import LoopbackServer, Page
from woo_harvester.permits.demo_messages import message

FOLDER = "/xml/"
XML = "application/xml"
OLD = "01-Apr-2026 10:00"
NEWER = "02-Apr-2026 10:00"
CASE = "https://www.voorbeeldstad.nl/zaken/"


def case(number: int) -> str:
    """Return the URL of a case."""
    return f"{CASE}{number}"


def about(number: int, transactie: str = "C", **given: str) -> bytes:
    """Return a message about a case."""
    return message(transactie, **{"identifier": case(number), "transactie_id": str(number), **given})


def listing(files: Mapping[str, str | None]) -> str:
    """Return a directory as nginx lists it; a file without date as a link on a page."""
    rows = _rows(files)
    return f'<html><body><h1>Index of {FOLDER}</h1><pre><a href="../">../</a>\n{rows}\n</pre></body></html>'


def _rows(files: Mapping[str, str | None]) -> str:
    return "\n".join(
        f'<a href="{name}">{name}</a>' + (f"   {date}   2345" if date else "") for name, date in files.items()
    )


def publish(
    site: LoopbackServer, files: Mapping[str, bytes | Page], date: str | None = OLD, folder: str = FOLDER
) -> None:
    """Have the site list these files, all of one date, or none."""
    site.pages[folder] = Page(listing(dict.fromkeys(files, date)), content_type="text/html; charset=utf-8")
    for name, body in files.items():
        site.pages[folder + name] = body if isinstance(body, Page) else Page(body, content_type=XML)


def publish_more(
    site: LoopbackServer, files: Mapping[str, bytes], date: str | None = OLD, folder: str = FOLDER
) -> None:
    """Have the site list these files too, beside those that it lists already."""
    page = site.pages[folder]
    assert isinstance(page, Page)
    assert isinstance(page.body, str)
    publish(site, files, date, folder)
    body = page.body.replace("</pre>", _rows(dict.fromkeys(files, date)) + "\n</pre>")
    site.pages[folder] = Page(body, content_type=page.content_type)


@dataclass
class Permits:
    """One installation that harvests permits, with its state."""

    folder: Path
    ca_bundle: Path
    organisations: dict[str, list[str]] = field(default_factory=dict)
    """The organisations of the register, with the URLs that they registered."""

    def arguments(self, entries: str, *args: str) -> list[str]:
        """Return the arguments of a run."""
        organisations = self.organisations or {"Gemeente Elders": ["https://www.elders.nl/woo"]}
        register = write_register(self.folder / "register.xml", organisations)
        return ["crawl", "vergunningen", "-a", f"entries={entries}", "-a", f"register={register}", *args]

    def run(self, entries: str, *args: str, **settings: object) -> Run:
        """Run once."""
        run = run_scrapy(self.arguments(entries, *args), self.folder, self.ca_bundle, settings=settings)
        assert "Traceback" not in run.stderr, run.stderr
        return run


def causes(run: Run) -> dict[str, str]:
    """Return the oorzaak of each record, by the number at the end of its case's URL."""
    return {
        record["vergunning"]["identifier"].rpartition("/")[2]: record["versies"][0]["oorzaak"]
        for record in run.records
    }


def files_asked(site: LoopbackServer) -> list[str]:
    """Return the files that were asked for, in alphabetical order, and forget these requests."""
    asked = sorted(
        request.path.rpartition("/")[2]
        for request in site.requests
        if request.path != "/robots.txt" and not request.path.endswith("/")
    )
    site.requests.clear()
    return asked


def codes(run: Run) -> list[tuple[str, str]]:
    """Return the code and the file of each finding."""
    return sorted((line["code"], line["url"].rpartition("/")[2]) for line in run.findings)
