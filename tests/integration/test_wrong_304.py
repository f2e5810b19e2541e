"""Documents whose server says wrongly that they are not modified: for ``WOO_FULL_READ_DAYS`` at most."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.utils.command import DATA, Run
from tests.utils.daily import FIRST, NEWER, Harvester, causes, publish
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import html_page, pdf

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
            for name in ("harvested", "fetched_at", "unchanged_since", "fault_since", "refused_at"):
                connection.execute(f"UPDATE documents SET {name} = {name} - {seconds}")
            connection.execute(f"UPDATE resources SET read_at = read_at - {seconds}")

    def known(self, name: str = "a") -> dict[str, Any]:
        """What the state knows of a document."""
        with closing(sqlite3.connect(self.folder / DATA / "woo-state.sqlite")) as connection:
            connection.row_factory = sqlite3.Row
            query = "SELECT * FROM documents WHERE loc LIKE ?"
            (row,) = connection.execute(query, [f"%/{name}.pdf"]).fetchall()
            return dict(row)


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


@pytest.fixture
def changed(site: Site, harvester: Installation) -> Installation:
    """An installation that got a wrong 304 for a document, three days after it had received that."""
    publish(site, {"a": FIRST})
    put(site, OLD)
    harvester.fetch()
    harvester.pass_days(3)
    publish(site, {"a": NEWER})
    put(site, NEW)
    second = harvester.fetch()
    assert causes(second) == {"a": "wijziging"}
    assert hash_of(second) == hashlib.sha256(OLD).hexdigest()
    return harvester


def test_a_wrong_304_is_followed_by_a_request_for_the_whole_within_seven_days(
    site: Site, changed: Installation
) -> None:
    changed.pass_days(3.9)
    same = changed.fetch()
    assert (causes(same), conditional(site)) == ({}, [False, True])
    assert same.stats["woo/sitemaps/unchanged"] == 1
    changed.pass_days(0.2)
    late = changed.fetch()
    assert conditional(site) == [False, True, False]
    assert causes(late) == {"a": "wijziging"}
    assert hash_of(late) == hashlib.sha256(NEW).hexdigest()
    (record,) = late.records
    assert record["herkomst"]["lastmod"] == record["versies"][0]["mutatiedatumtijd"] == NEWER
    assert record["versies"][0]["openbaarmakingsdatum"] == "2024-04-02"
    assert record["document"]["titelcollectie"]["officieleTitel"] == "Besluit"
    assert late.stats["woo/documents/rechecked"] == 1


def test_a_304_that_was_right_delivers_nothing_and_the_sums_close(site: Site, changed: Installation) -> None:
    put(site, OLD)
    changed.pass_days(5)
    late = changed.fetch()
    assert conditional(site) == [False, True, False]
    assert (causes(late), late.stats["woo/documents/same"]) == ({}, 1)
    assert late.report is not None
    account = late.report / "hosts.jsonl"
    assert '"unchanged": 1' in account.read_text()
    assert '"lost": {}' in account.read_text()
    known = changed.known()
    assert known["unchanged_since"] is None
    assert known["sha256"] == hashlib.sha256(OLD).digest()
    assert (known["size"], known["media_type"]) == (len(OLD), "application/pdf")
    # The sitemap is relied on again: the next run does not even read it.
    assert changed.fetch().stats["woo/sitemaps/unchanged"] == 1


def test_a_web_page_in_its_place_is_refused_and_left_alone_for_a_while(
    site: Site, changed: Installation
) -> None:
    changed.pass_days(5)
    site.pages["/d/a.pdf"] = html_page("Inloggen")
    asked = len(site.requested("/d/a.pdf"))
    for _ in range(3):
        refused = changed.fetch()
        assert causes(refused) == {}
        assert [finding["code"] for finding in refused.about("document.html-pagina")] == [
            "document.html-pagina"
        ]
    assert len(site.requested("/d/a.pdf")) == asked + 1
    put(site, NEW)
    changed.pass_days(8)
    assert hash_of(changed.fetch()) == hashlib.sha256(NEW).hexdigest()
