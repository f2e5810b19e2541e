"""Documents whose server says wrongly that they are not modified: believed for ``WOO_FULL_READ_DAYS``."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.utils.command import DATA, Run
from tests.utils.daily import FIRST, NEWER, Harvester, causes, publish
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import pdf

OLD, NEW = pdf("Besluit"), pdf("Gewijzigd besluit")
DAY = 24 * 3600


class Installation(Harvester):
    """The harvester that fetches documents, on a clock that a test moves on."""

    def fetch(self, *args: str, **settings: object) -> Run:
        run = self.day("-a", "documents=download", *args, **settings)
        assert run.returncode == 0, run.stderr
        return run

    def pass_days(self, days: float) -> None:
        """Make all that the state knows of documents and sitemaps so much older."""
        seconds = int(days * DAY)
        with closing(sqlite3.connect(self.folder / DATA / "woo-state.sqlite")) as connection, connection:
            for name in ("harvested", "fetched_at", "fault_since", "refused_at"):
                connection.execute(f"UPDATE documents SET {name} = {name} - {seconds}")
            connection.execute(f"UPDATE resources SET read_at = read_at - {seconds}")


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site) -> Installation:
    return Installation(tmp_path, ca_bundle, [site])


def put(site: Site, body: bytes, etag: str = '"altijd"', name: str = "a") -> None:
    """Serve a document with an ETag that may stay the same."""
    site.pages[f"/d/{name}.pdf"] = Page(body, content_type="application/pdf", headers={"ETag": etag})


def hash_of(run: Run) -> str:
    (record,) = run.records
    return str(record["versies"][0]["bestanden"][0]["hash"])


def conditional(site: Site, name: str = "a") -> list[bool]:
    """Of each request for the document, whether it was conditional."""
    return ["if-none-match" in request.headers for request in site.requested(f"/d/{name}.pdf")]


def test_a_server_is_believed_for_seven_days_since_it_sent_the_document(
    site: Site, harvester: Installation
) -> None:
    publish(site, {"a": FIRST})
    put(site, OLD)
    harvester.fetch()
    put(site, NEW)
    for days, lastmod, body in ((3, NEWER, OLD), (5, "2024-06-02T10:00:00+02:00", NEW)):
        harvester.pass_days(days)
        publish(site, {"a": lastmod})
        run = harvester.fetch()
        assert causes(run) == {"a": "wijziging"}
        assert hash_of(run) == hashlib.sha256(body).hexdigest()
    assert conditional(site) == [False, True, False]
