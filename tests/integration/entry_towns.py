"""Towns with bad messages and certificates, and a server that writes no log."""

from __future__ import annotations

import gzip
from http.server import SimpleHTTPRequestHandler

from tests.utils.vergunningen import Town
from woo_harvester.demo.permit_messages import MESSAGE, message
from woo_harvester.demo.server import Authority, Certificate, Page


def page(*rows: str, **headers: str) -> Page:
    """A spider page."""
    return Page(f"<html><body>{''.join(rows)}</body></html>", content_type="text/html", headers=headers)


class ExpiredTown(Town):
    """A town whose certificate has expired."""

    def __init__(self, authority: Authority) -> None:
        super().__init__(authority, certificate=Certificate.EXPIRED)


BOMB = b'<!DOCTYPE message [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>'


def bad_messages(town: Town) -> dict[str, tuple[bytes, str]]:
    """Return messages that cannot be harvested, with the codes of their findings, by the name of the file."""
    good = town.about(9)
    root = good.partition(b"?>")[2]
    return {
        "bomb.xml": (BOMB + root, "ipm.doctype"),
        "huge.xml": (town.about(9, title="x" * 300_000), "ipm.te-groot"),
        "gzip-bomb.xml": (gzip.compress(b" " * 5_000_000), "ipm.te-groot"),
        "namespace.xml": (
            good.replace(MESSAGE.encode(), b"http://www.voorbeeldstad.nl/eigen/"),
            "ipm.schema",
        ),
        "version.xml": (good.replace(b"vergunningen/4.0/", b"vergunningen/3.0/"), "ipm.schema"),
        "two.xml": (b"<messages>" + root * 2 + b"</messages>", "ipm.schema"),
        "twice.xml": (good + root, "ipm.ongeldig"),
        "action.xml": (town.about(9, "X"), "ipm.transactie"),
        "identifier.xml": (message(identifier="zaak 9"), "ipm.identifier"),
        "date.xml": (town.about(9, aanmaakdatum="1 april"), "ipm.datum"),
        "html.xml": (b"<!DOCTYPE html><html><body>Niet gevonden</body></html>", "ipm.ongeldig"),
        "empty.xml": (b"", "ipm.ongeldig"),
    }


class QuietHandler(SimpleHTTPRequestHandler):
    """Python's own server, whose listing has no dates."""

    def log_message(self, *_: object) -> None:
        pass
