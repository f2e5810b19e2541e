"""Runs that deliver all documents that are listed now (``DELTAFETCH_ENABLED=0``), known or not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.utils.calendar import Calendar, Story
from tests.utils.command import Line, Run
from tests.utils.daily import FIRST, NEWER, Harvester, causes, publish, reported
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site

ALL: dict[str, Any] = {"DELTAFETCH_ENABLED": 0}
#: On the third and fourth day all documents are delivered.
calendar = Calendar(Harvester, on={3: ALL, 4: ALL})

PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site) -> Harvester:
    return Harvester(tmp_path, ca_bundle, [site])


def versions(run: Run) -> dict[str, Line]:
    """Return the version in each record, by the URL of its document."""
    return {record["document"]["weblocatie"]: record["versies"][0] for record in run.records}


@calendar.story
def test_each_version_is_delivered_as_it_was(site: Site) -> Story:
    headers: Mapping[str, str] = {"ETag": '"altijd"'}
    publish(site, {"a": FIRST, "b": FIRST, "zonder": None, "straks": "2042-05-02"})
    first = yield
    publish(site, {"a": FIRST, "b": NEWER, "zonder": None, "straks": "2042-05-02"}, headers=headers)
    second = yield
    assert causes(second) == {"b": "wijziging"}
    for _ in range(2):  # though its server would answer 304
        again = yield
        assert versions(again) == versions(first) | versions(second)
        assert reported(again, site)["unchanged"] == reported(again, site)["listed"] == 4
        assert reported(again, site)["new"] == reported(again, site)["changed"] == 0
        for record in again.records:
            assert "aangevuld" not in record["herkomst"]
            assert record["herkomst"]["opgehaald"] > first.records[0]["herkomst"]["opgehaald"]
    assert causes((yield)) == {}


def test_what_is_known_of_a_file_is_delivered_without_a_request(site: Site, harvester: Harvester) -> None:
    publish(site, {"a": FIRST})
    site.pages["/d/a.pdf"] = Page(PDF, content_type="application/pdf", headers={"ETag": '"een"'})
    download, head = ("-a", "documents=download"), ("-a", "documents=head")
    first = harvester.day(*download, FILES_STORE="files")
    (file,) = versions(first)[site.url("/d/a.pdf")]["bestanden"]
    assert file["hash"]
    site.requests.clear()
    (again,) = versions(harvester.day(*head, **ALL)).values()
    (shown,) = again["bestanden"]
    assert shown == {key: value for key, value in file.items() if key != "pad"}
    assert not any(request.path.startswith("/d/") for request in site.requests)
    assert versions(harvester.day(*download, FILES_STORE="files", **ALL)) == versions(first)
    assert [
        request.headers.get("if-none-match") for request in site.requests if request.path == "/d/a.pdf"
    ] == ['"een"']
    site.requests.clear()
    assert causes(harvester.day(*download, FILES_STORE="files")) == {}
    assert not any(request.path.startswith("/d/") for request in site.requests)
