"""A clock that was ahead and is set back does not make a new version look older than the one before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.utils.clock import put_ahead
from tests.utils.command import run_scrapy
from tests.utils.daily import FIRST, NEWER, Harvester, publish
from tests.utils.vergunningen import FOLDER, Permits, about
from tests.utils.vergunningen import NEWER as NEWER_FILE
from tests.utils.vergunningen import publish as publish_permits
from woo_harvester.demo.site import Site


def latest(folder: Path) -> list[dict[str, Any]]:
    """What is latest in all records of an installation, withdrawn documents included."""
    files = [str(path) for path in sorted((folder / "records").glob("*.jsonl"))]
    done = run_scrapy(["state", "latest", "--withdrawn", *files], folder)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def harvester(tmp_path: Path, ca_bundle: Path, site: Site) -> Harvester:
    return Harvester(tmp_path, ca_bundle, [site])


def test_a_change_a_withdrawal_and_a_return_after_it_are_the_latest_each_in_turn(
    site: Site, harvester: Harvester
) -> None:
    publish(site, {"a": FIRST, "b": FIRST})
    harvester.day()
    put_ahead(harvester.folder)
    for documents, cause in [
        ({"a": FIRST, "b": NEWER}, "wijziging"),
        ({"a": FIRST}, "intrekking"),
        ({"a": FIRST, "b": "2024-06-02"}, "herpublicatie"),
    ]:
        publish(site, documents)
        (record,) = harvester.day().records
        assert record["versies"][0]["oorzaak"] == cause
        assert [one for one in latest(harvester.folder) if one["id"] == record["id"]] == [record]
        files = [str(path) for path in (harvester.folder / "records").glob("*.jsonl")]
        assert run_scrapy(["state", "check", *files], harvester.folder).returncode == 0


def test_a_case_that_changes_after_it_is_the_latest(tmp_path: Path, site: Site, ca_bundle: Path) -> None:
    permits = Permits(tmp_path, ca_bundle)
    publish_permits(site, {"1.xml": about(1)})
    permits.run(site.url(FOLDER))
    put_ahead(tmp_path)
    publish_permits(site, {"2.xml": about(1, "U", title="Kappen", aanmaakdatum="2026-04-02")}, NEWER_FILE)
    (record,) = permits.run(site.url(FOLDER)).records
    assert record["versies"][0]["oorzaak"] == "wijziging"
    assert latest(tmp_path) == [record]
