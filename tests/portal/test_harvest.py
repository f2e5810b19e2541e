from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tests.report.coverages import registered, unread, write_whole_run
from tests.report.runs import ORGANISATION, about_document, about_host, read, write_run
from woo_harvester.report.assemble import assemble_report
from woo_harvester.report.coverage import Registered
from woo_harvester.report.run_folder import RunFolder
from woo_portal.harvest import Harvest, HarvestOfHost
from woo_portal.names import other_names

AMSTERDAM = ORGANISATION["id"]


def write_report(folder: Path, harvested: int = 3) -> RunFolder:
    lost = [about_document("loc.geen-https", number=number) for number in range(2)]
    amsterdam = Registered(
        "1",
        "gemeente Amsterdam",
        AMSTERDAM,
        "Gemeente",
        ["https://www.a.nl/woo", "https://www.a.nl/besluiten", "https://oud.nl/"],
        {"https://www.a.nl/woo": "Vanaf 2022", "https://oud.nl/": "In voorbereiding"},
        "A'dam",
    )
    accounts = [read(harvested=harvested, findings=lost), unread("oud.nl")]
    findings = [*lost, about_host("robots.ontbreekt", host="oud.nl")]
    run = write_whole_run(folder, [amsterdam, registered("B", "https://www.a.nl/b")], accounts, findings)
    assemble_report(run)
    return run


def test_an_organisation_has_its_hosts_with_what_was_read_and_lost(tmp_path: Path) -> None:
    run = write_report(tmp_path / "woo-21")
    old, new = Harvest(run.path).of(AMSTERDAM)
    assert (old.host, old.complete, old.remarks) == ("oud.nl", False, ("In voorbereiding",))
    assert [one.explanation.code for one in old.lost] == []  # oud.nl has no organisation in its account
    assert old.read is None
    assert (new.host, new.listed, new.harvested, new.complete) == ("www.a.nl", 5, 3, True)
    assert new.read is not None
    assert new.read.startswith("2026-11-21")
    assert [(one.explanation.code, one.count, one.about_document) for one in new.lost] == [
        ("loc.geen-https", 2, True)
    ]
    assert new.remarks == ("Vanaf 2022",)
    assert other_names("a’DAM") == ("gemeente Amsterdam",)
    assert Harvest(run.path).of("https://identifier.overheid.nl/tooi/id/gemeente/gm0001") == ()


def test_the_report_of_the_next_run_takes_the_place_of_that_before(tmp_path: Path) -> None:
    latest = tmp_path / "latest"
    latest.symlink_to(write_report(tmp_path / "woo-21").path)
    harvest = Harvest(latest)
    assert harvest.of(AMSTERDAM)[1].harvested == 3
    latest.unlink()
    latest.symlink_to(write_report(tmp_path / "woo-22", harvested=4).path)
    assert harvest.of(AMSTERDAM)[1].harvested == 4


def test_a_run_over_a_few_hosts_has_no_register(tmp_path: Path) -> None:
    run = write_run(tmp_path / "woo-21", [read(harvested=1)], finish_time="2026-11-21T08:00:00+01:00")
    assemble_report(run)
    (found,) = Harvest(run.path).of(AMSTERDAM)
    assert found == HarvestOfHost("www.a.nl", found.read, listed=1, harvested=1, complete=True)


def test_without_a_report_nothing_is_known(tmp_path: Path) -> None:
    for folder in (None, tmp_path / "no", tmp_path):
        assert Harvest(folder).of(AMSTERDAM) == ()


def test_a_report_that_cannot_be_read_is_named_once_and_the_one_before_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run = write_report(tmp_path / "woo-21")
    harvest = Harvest(run.path)
    before = harvest.of(AMSTERDAM)
    run.report.write_text("{", encoding="utf-8")
    with caplog.at_level(logging.ERROR, "woo_portal"):
        assert harvest.of(AMSTERDAM) == harvest.of(AMSTERDAM) == before
    assert len(caplog.messages) == 1
    assert str(run.report) in caplog.text
