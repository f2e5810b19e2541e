"""Kill -9 while permits are harvested: in the end the outputs hold what an undisturbed run would have."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.utils.command import environment, in_project
from tests.utils.disturbed_runs import KILLED, POINTS, Fault, KillAt, Started, lines
from tests.utils.vergunningen import CASE, FOLDER, Permits, about, case, causes, publish
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.permits.demo_messages import document_message

CASES = 60
#: A create and an update of each case and a document, and those that move one.
FILES = 3 * CASES + CASES // 10
#: Small, so that a run of a second comes to many commits.
SETTINGS: dict[str, Any] = {"WOO_DURABLE_RECORDS": 7, "WOO_DURABLE_INTERVAL": 0.1, "WOO_HOST_BACKLOG": 4}


@pytest.fixture
def permits(tmp_path: Path, ca_bundle: Path) -> Permits:
    return Permits(tmp_path, ca_bundle)


@pytest.fixture
def entry(site: Site) -> str:
    """Cases with a later change each, and documents, some of which moved from one case to another."""
    files: dict[str, bytes | Page] = {}
    for number in range(CASES):
        files[f"c{number}.xml"] = Page(about(number), delay=0.002)
        files[f"u{number}.xml"] = about(number, "U", title="Verleend", aanmaakdatum="2026-04-02")
        document = {"identifier": f"{case(number)}/besluit.pdf", "transactie_id": str(number)}
        files[f"d{number}.xml"] = document_message(case=case(number), **document)
        if number % 10 == 0:
            moved = {**document, "aanmaakdatum": "2026-04-03"}
            files[f"m{number}.xml"] = document_message("U", case=case(number + 1), **moved)
    publish(site, files)
    return site.url(FOLDER)


def start(permits: Permits, entry: str, fault: Fault | None = None) -> Started:
    argv = in_project(permits.arguments(entry), permits.folder, SETTINGS)
    return Started(argv, permits.folder, environment(permits.ca_bundle), fault)


def delivered(permits: Permits, kills: int) -> dict[str, Any]:
    """The latest record of each case.

    Records of cases between which a document moved are confirmed together: a kill between them has the first
    come again. No other comes twice.
    """
    found = list(lines(sorted(permits.folder.glob("records/*.jsonl"))))
    assert len(found) - len({record["id"] for record in found}) <= kills
    return {record["vergunning"]["identifier"].removeprefix(CASE): record for record in found}


def expected(records: dict[str, Any]) -> None:
    """What the messages come to."""
    assert set(records) == {str(number) for number in range(CASES)}
    for name, record in records.items():
        number = int(name)
        assert record["vergunning"]["title"] == "Verleend"
        documents = [number] if number % 10 else []
        if number % 10 == 1:
            documents = [number - 1, number]
        urls = [f"{case(each)}/besluit.pdf" for each in documents]
        assert sorted(each["identifier"] for each in record.get("documenten", [])) == sorted(urls)


@pytest.mark.parametrize("point", POINTS)
def test_a_kill_between_the_output_and_the_state_loses_nothing(
    point: str, permits: Permits, entry: str
) -> None:
    for kills in count():
        status = start(permits, entry, KillAt(point, 1 + 3 * kills)).status()
        if status != KILLED:
            break
    assert (status, kills > 0) == (0, True)
    expected(delivered(permits, kills))


def test_what_was_fetched_before_a_kill_is_not_fetched_again(
    permits: Permits, entry: str, site: Site
) -> None:
    assert start(permits, entry, KillAt("before the fsync")).status() == KILLED
    asked = [request for request in site.requests if request.path.endswith(".xml")]
    site.requests.clear()
    run = start(permits, entry).wait()
    assert asked
    assert [request for request in site.requests if request.path.endswith(".xml")] == []
    assert len(causes(run)) == CASES
