"""The directory listings that web servers make themselves."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.utils.vergunningen import Permits, about, causes
from tests.utils.webservers import WebServer, apache, nginx
from woo_harvester.demo.server import Authority

Start = Callable[[Authority, str], AbstractContextManager[WebServer]]

#: Every way in which these two write a listing.
LISTINGS: dict[str, tuple[Start, str]] = {
    "nginx": (nginx, ""),
    "nginx, local time": (nginx, "autoindex_localtime on;"),
    "nginx, exact sizes off": (nginx, "autoindex_exact_size off;"),
    "Apache, plain": (apache, ""),
    "Apache, fancy": (apache, "IndexOptions FancyIndexing"),
    "Apache, as a table": (apache, "IndexOptions FancyIndexing HTMLTable VersionSort NameWidth=*"),
    "Apache, as a page": (apache, "IndexOptions FancyIndexing XHTML SuppressDescription Charset=UTF-8"),
}
APRIL = datetime(2026, 4, 1, 8, 0, tzinfo=UTC)


def put(server: WebServer, name: str, body: bytes, when: datetime = APRIL) -> None:
    """Write a file that was changed at that moment."""
    path = server.root / "xml" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(body)
    os.utime(path, (when.timestamp(), when.timestamp()))


@pytest.mark.parametrize("listing", LISTINGS)
def test_a_listing_is_read_and_its_dates_tell_what_is_new(
    listing: str, ca: Authority, ca_bundle: Path, tmp_path: Path
) -> None:
    start, options = LISTINGS[listing]
    permits = Permits(tmp_path, ca_bundle)
    with start(ca, options) as server:
        for number in range(3):
            put(server, f"zaak {number} & meer é.xml", about(number))
        put(server, "lees mij.txt", b"niets")
        (server.root / "xml" / "ouder").mkdir()
        first = permits.run(server.url("/xml/"))
        assert causes(first) == dict.fromkeys("012", "aanlevering")
        assert first.findings == []
        # Apache's plain listing has no dates: then the server is asked whether a file has changed.
        dated = listing != "Apache, plain"
        again = permits.run(server.url("/xml/"))
        assert (again.records, again.stats["woo/berichten/unchanged"]) == ([], 3)
        assert again.stats.get("downloader/response_status_count/304", 0) == (0 if dated else 3)
        assert again.stats["downloader/response_status_count/200"] == 2, "the listing, and what ends the run"
        changed = about(1, "U", title="Verleend", aanmaakdatum="2026-04-02")
        put(server, "zaak 1 & meer é.xml", changed, datetime(2026, 4, 2, 8, 0, tzinfo=UTC))
        assert causes(permits.run(server.url("/xml/"))) == {"1": "wijziging"}
