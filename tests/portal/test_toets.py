"""The queue and the results of tests of websites, with audits of hosts on this machine."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import BaseSettings

from tests.portal.test_typed_hosts import REGISTER
from tests.utils.publishers import publish
from tests.utils.sites import MakeSite, write_register
from woo_harvester.report.run_folder import slug
from woo_harvester.running.default_settings import complete
from woo_portal.asking import BusyError
from woo_portal.toets import BEGUN, FOLDER, Toets, TooSoonError

#: A host that the register has, and at which nobody answers.
SILENT = "localhost:9"


@pytest.fixture(autouse=True)
def trusting(ca_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(ca_bundle))
    monkeypatch.setenv("NO_PROXY", "localhost")
    monkeypatch.chdir(tmp_path)


def toets_of(folder: Path, *urls: str, **given: Any) -> Toets:
    """The tests of a portal over a register that has these URLs."""
    register = write_register(folder / "register.xml", REGISTER | {"Wij": [f"https://{SILENT}/", *urls]})
    local = {"WOO_REGISTER": register, "WOO_DATA_DIR": folder, "WOO_ALLOW_PRIVATE_HOSTS": True}
    made = BaseSettings({**local, "USER_AGENT": "test (+https://a.example)", **given})
    complete(made)
    return Toets(made)


async def ended(toets: Toets, *hosts: str) -> None:
    """Wait until no test of these hosts waits or goes on."""
    while any(toets.progress(host) for host in hosts):
        await asyncio.sleep(0.05)


def test_one_test_goes_on_and_the_others_have_a_place_in_the_queue(
    tmp_path: Path, make_site: MakeSite
) -> None:
    first, second, third = sites = [make_site() for _ in range(3)]
    for site in sites:
        publish(site, "/a.pdf")
    toets = toets_of(tmp_path, *(site.url() for site in sites))

    async def play() -> None:
        for number, site in enumerate(sites):
            toets.start(site.host, f"192.0.2.{number}")
        toets.start(third.host, "192.0.2.9")  # another visitor, who waits for the same
        await asyncio.sleep(0.1)
        places = [progress.place for site in sites if (progress := toets.progress(site.host))]
        assert places == [0, 1, 2]
        await ended(toets, *(site.host for site in sites))

    asyncio.run(play())
    assert [len(site.requested("/robots.txt")) for site in sites] == [1, 1, 1]
    begun = [site.requested("/robots.txt")[0].at for site in (first, second, third)]
    ends = [max(request.at for request in site.requests) for site in (first, second, third)]
    assert begun == sorted(begun)
    assert ends[0] < begun[1]
    assert ends[1] < begun[2]
    for site in sites:
        result = toets.result(site.host)
        assert result is not None
        assert result.host.host == site.host
        assert not any(other.host in result.page for other in sites if other is not site)


def test_a_damaged_result_is_none(tmp_path: Path) -> None:
    toets, folder = toets_of(tmp_path), tmp_path / FOLDER / slug(SILENT)
    (folder / "woo-2026-11-28T05-00-00").mkdir(parents=True)
    (folder / "latest").symlink_to("woo-2026-11-28T05-00-00")
    (folder / BEGUN).touch()
    for damaged in ("", "{}", '{"hosts": [{"ho'):
        (folder / "latest" / "report.json").write_text(damaged, encoding="utf-8")
        assert toets.result(SILENT) is None, damaged


def test_two_tests_may_go_on_at_once_if_the_operator_says_so(tmp_path: Path) -> None:
    toets = toets_of(tmp_path, "https://localhost:7/", WOO_TOETS_PROCESSES=2)

    async def play() -> None:
        for number, host in enumerate((SILENT, "localhost:7", "localhost:8")):
            toets.start(host, str(number))
        await asyncio.sleep(0.1)
        assert [toets.progress(host).place for host in (SILENT, "localhost:7", "localhost:8")] == [0, 0, 1]  # type: ignore[union-attr]
        await toets.close()

    asyncio.run(play())
    assert toets.progress(SILENT) is None


def test_a_visitor_starts_one_test_a_minute_and_a_network_is_one_visitor(tmp_path: Path) -> None:
    toets = toets_of(tmp_path)

    async def play() -> None:
        for visitor in ("192.0.2.1", "2001:db8::1", "::ffff:192.0.2.2", ""):
            toets.start(f"a-{len(visitor)}.nl", visitor)
        for visitor in ("192.0.2.1", "2001:db8::2:1", "192.0.2.2", ""):
            with pytest.raises(TooSoonError, match="Dat kan weer over 60 seconden") as error:
                toets.start("b.nl", visitor)
            assert error.value.seconds == 60
        toets.start("c.nl", "2001:db8:0:1::1")
        for number in range(95):
            toets.start(f"{number}.nl", f"198.51.100.{number}")
        with pytest.raises(BusyError):
            toets.start("d.nl", "203.0.113.1")
        await toets.close()

    asyncio.run(play())


def test_a_host_is_tested_once_in_the_interval_also_after_a_new_start(tmp_path: Path) -> None:
    toets = toets_of(tmp_path)

    async def play(toets: Toets, visitor: str) -> None:
        await toets.open()
        toets.start(SILENT, visitor)
        await ended(toets, SILENT)

    asyncio.run(play(toets, "192.0.2.1"))
    begun = tmp_path / FOLDER / "localhost_3a9" / BEGUN
    first = toets.result(SILENT)
    assert first is not None
    assert first.host.unreached
    assert 0 < toets.wait(SILENT) <= 600
    again = toets_of(tmp_path)
    asyncio.run(play(again, "192.0.2.2"))
    assert again.result(SILENT).head.run.name == first.head.run.name  # type: ignore[union-attr]
    os.utime(begun, (time.time() - 601,) * 2)
    asyncio.run(play(again, "192.0.2.3"))
    second = again.result(SILENT)
    assert second is not None
    assert second.head.run.name > first.head.run.name
    assert [path.name for path in begun.parent.glob("woo-*")] == [second.head.run.name]
    assert second.host.changes is not None
    assert second.host.changes.stayed == ["robots.onbereikbaar"]
    os.utime(begun, (time.time() - 30 * 24 * 3600 - 1,) * 2)
    assert again.result(SILENT) is None
    (stranger := tmp_path / FOLDER / "not-ours").mkdir()
    asyncio.run(again.open())
    assert [*(tmp_path / FOLDER).iterdir()] == [stranger]


def test_the_result_of_a_host_that_the_register_lacks_says_how_to_register(
    tmp_path: Path, make_site: MakeSite
) -> None:
    site = make_site()
    publish(site, "/a.pdf")
    toets = toets_of(tmp_path)

    async def play() -> None:
        toets.start(site.host, "192.0.2.1")
        await ended(toets, site.host)

    asyncio.run(play())
    result = toets.result(site.host)
    assert result is not None
    assert "Registreer de URL van de documentverzameling op dit domein" in result.page
    for of_terminal in ("--ca", "--user", "docs/", "findings.jsonl", "400 documenten", "alles of niets"):
        assert of_terminal not in result.page, of_terminal


def test_a_test_without_a_result_says_so_and_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    toets = toets_of(tmp_path)
    (tmp_path / "register.xml").write_text("<broken")

    async def play() -> None:
        toets.start("www.a.nl", "192.0.2.1")
        await ended(toets, "www.a.nl")
        await asyncio.sleep(0)

    asyncio.run(play())
    assert toets.result("www.a.nl") is None
    assert toets.is_unfinished("www.a.nl")
    assert not toets.is_unfinished("www.b.nl")
    assert "the test of www.a.nl has no result: " in caplog.text
    assert "register.xml" in caplog.text
