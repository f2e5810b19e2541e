"""A model of entry pages of permits: what each lists and serves on each day."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from hashlib import sha256
from typing import Literal

from tests.simulation.publishers import HTML
from tests.simulation.runs import Answer
from woo_harvester.permits.demo_messages import delete_message, document_message, message

#: Links of a page: files, scripts, links that may lead to anything, and an archive that nobody can read.
FILES = ("a.xml", "b.xml", "c.xml.gz")
SCRIPTS = ("z.php?id=1", "z.aspx?id=2")
OTHERS = ("zaak/4", "contact")
ARCHIVE = "berichten.zip"
NAMES = (*FILES, *SCRIPTS, *OTHERS)
#: How links and pages are served when they are not served as they should be.
FAULTS = ("500", "404", "cut", "reset", "html", "html")
PAGE_FAULTS = ("500", "cut", "empty", "reset")
#: What a run is served at a link: nothing at all is ``gone``.
Kind = Literal["message", "html", "gone", "failed"]
#: Days of which the numbers of the messages make their aanmaakdatum, with so many numbers each.
A_DAY = 20


@dataclass(frozen=True)
class Message:
    """A message; the one with the highest number is the latest about its case or document."""

    number: int
    letter: str
    case: str | None
    """None for the delete of a document that does not name its case."""
    document: str | None
    day: int
    """When it was put there."""

    @property
    def subject(self) -> str:
        """The URL of its document, or else of its case."""
        return self.document or self.case or ""

    @property
    def is_alive(self) -> bool:
        return self.letter != "D"

    @property
    def body(self) -> bytes:
        day = str(date(2026, 1, 1) + timedelta(days=self.number // A_DAY))
        given = {"identifier": self.subject, "transactie_id": str(self.number), "aanmaakdatum": day}
        if self.document:
            return document_message(self.letter, title=f"Bericht {self.number}", case=self.case, **given)
        if self.letter == "D":
            return delete_message(**given)
        return message(self.letter, title=f"Bericht {self.number}", **given)


@dataclass(frozen=True)
class Link:
    """A link of an entry page, and what is behind it."""

    url: str
    changed: datetime
    message: Message | None = None
    """None for a page of HTML."""
    media_type: str = "application/xml"
    fault: str = ""
    has_date: bool = True

    @property
    def date(self) -> str | None:
        """Its date in the listing."""
        return f"{self.changed:%d-%b-%Y %H:%M}" if self.has_date else None

    @property
    def is_file(self) -> bool:
        return ".xml" in self.url

    def serve(self, known: str | None, *, has_etag: bool) -> tuple[Kind, Answer]:
        """Return what a server sends to somebody who knows an ETag."""
        is_message = self.message is not None and self.fault != "html"
        body = self.message.body if self.message and is_message else HTML
        body = gzip.compress(body, mtime=0) if self.url.endswith(".gz") and is_message else body
        etag = f'"{sha256(body).hexdigest()[:16]}"'
        headers = {"Content-Type": self.media_type if is_message else "text/html"}
        headers |= {"ETag": etag} if has_etag else {}
        match self.fault:
            case "reset":
                return "failed", Answer(0)
            case "404" if not self.is_file:
                return "gone", Answer(404)
            case "500" | "404":
                return "failed", Answer(int(self.fault))
            case "cut":
                return "failed", Answer(200, headers, body[:-30], is_dropped=True)
        status = 304 if has_etag and etag == known else 200
        return "message" if is_message else "html", Answer(status, headers, body if status == 200 else b"")


@dataclass
class Page:
    """An entry page, and who owns it."""

    url: str
    owner: str
    """The organisation that the operator names: of the register or not; empty for none."""
    links: dict[str, Link] = field(default_factory=dict)
    """By name."""
    unlisted: dict[str, Link] = field(default_factory=dict)
    """What it listed before."""
    has_dates: bool = True
    has_etags: bool = False
    fault: str = ""

    def serve(self) -> tuple[list[Link], Answer]:
        """Return the links that a reader gets to see, and what the server sends."""
        links = [replace(link, has_date=self.has_dates) for link in self.links.values()]
        match self.fault:
            case "reset":
                return [], Answer(0)
            case "500":
                return [], Answer(500)
            case "empty":
                return [], Answer(200, {"Content-Type": "text/html"}, HTML)
            case "cut":
                links = links[: len(links) // 2]
        rows = "".join(
            f'<a href="{link.url.removeprefix(self.url)}">{link.url}</a>   {link.date or ""}   2345\n'
            for link in links
        )
        body = f'<html><body><pre><a href="../">../</a>\n{rows}'.encode()
        is_cut = self.fault == "cut"
        return links, Answer(200, {"Content-Type": "text/html"}, body, is_dropped=is_cut)
