"""Where nearly all hosts fail in the same way, the operator learns it, and no publisher is blamed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.utils.command import Run, read_lines, run_scrapy
from tests.utils.daily import NEWER, Harvester, causes, numbered, publish
from tests.utils.ports import closed_ports
from tests.utils.sites import MakeSite, write_register
from tests.utils.vergunningen import FOLDER, Permits
from woo_harvester.demo.server import Authority
from woo_harvester.demo.site import Site
from woo_harvester.report.json_file import read_hosts

OWN = "oogst.eigen-verbinding"
#: What is tried once fails as well as what is tried three times, and sooner.
ONCE = {"RETRY_TIMES": 0}


@pytest.fixture
def other_bundle(tmp_path: Path) -> Path:
    """The certificate of an authority that no site has its certificate of."""
    return Authority().write_bundle(tmp_path / "other.pem")


@pytest.fixture
def ten(make_site: MakeSite) -> list[Site]:
    """Sites with two documents each."""
    sites = [make_site() for _ in range(10)]
    for site in sites:
        publish(site, numbered(2))
    return sites


def last_line(run: Run) -> str:
    return run.stderr.splitlines()[-1]


def is_own_fault(run: Run, hosts: list[str]) -> bool:
    """Whether the run ends with an error about its own side, and says nothing of these hosts."""
    assert run.report is not None
    (found,) = run.about(OWN)
    assert "host" not in found
    assert {finding.get("host") for finding in run.findings} >= {*hosts}
    assert {line["host"] for line in read_lines(run.report / "hosts.jsonl")}.isdisjoint(hosts)
    assert {host.host for host in read_hosts(run.report / "report.json")}.isdisjoint(hosts)
    assert "the cause is likely on this side" in last_line(run)
    assert run.stderr.count("scrapy crawl: error:") == 1
    return run.returncode == 1


def test_an_authority_that_is_wrong_for_all_hosts_is_the_operators_fault(
    ten: list[Site], tmp_path: Path, other_bundle: Path
) -> None:
    run = Harvester(tmp_path, other_bundle, ten).day()
    assert is_own_fault(run, [site.host for site in ten])
    assert last_line(run).startswith(
        "scrapy crawl: error: 10 of 10 hosts were out of reach in the same way (TLS: "
    )
    assert "(SSL_CERT_FILE)" in last_line(run)
    assert run.stats["woo/findings/oogst.eigen-verbinding"] == 1
    assert run.hosts == []


def test_names_without_an_address_are_the_name_servers_fault(tmp_path: Path, ca_bundle: Path) -> None:
    hosts = [f"host{number}.invalid" for number in range(10)]
    register = write_register(tmp_path / "roo.xml", {host: [f"https://{host}/d"] for host in hosts})
    run = run_scrapy(["crawl", "woo", "-a", f"register={register}"], tmp_path, ca_bundle, settings=ONCE)
    assert is_own_fault(run, hosts)
    assert "no address for the name" in last_line(run)


def test_no_connection_with_any_host_is_the_networks_fault_whatever_proxy_there_is(
    tmp_path: Path, ca_bundle: Path
) -> None:
    with closed_ports(10) as ports:
        hosts = [f"localhost:{port}" for port in ports]
        register = write_register(tmp_path / "roo.xml", {host: [f"https://{host}/d"] for host in hosts})
        run = run_scrapy(
            ["crawl", "woo", "-a", f"register={register}"],
            tmp_path,
            ca_bundle,
            settings=ONCE,
            env={"https_proxy": "http://127.0.0.1:9", "NO_PROXY": ""},
        )
    assert is_own_fault(run, hosts)
    assert "network, proxies and firewall" in last_line(run)


def test_the_day_after_no_host_shows_a_bad_day(ten: list[Site], tmp_path: Path, ca_bundle: Path) -> None:
    harvester = Harvester(tmp_path, ca_bundle, ten)
    assert len(harvester.day().records) == 20
    harvester.ca_bundle = Authority().write_bundle(tmp_path / "other.pem")
    bad = harvester.day()
    assert is_own_fault(bad, [site.host for site in ten])
    assert bad.report is not None
    assert (bad.report / "index.html").exists()
    assert run_scrapy(["monitor"], tmp_path).returncode == 1

    harvester.ca_bundle = ca_bundle
    publish(ten[0], numbered(2, NEWER))
    after = harvester.day()
    assert causes(after) == {"doc0": "wijziging", "doc1": "wijziging"}
    assert after.report is not None
    hosts = list(read_hosts(after.report / "report.json"))
    assert len(hosts) == 10
    for host in hosts:
        assert [(point.listed, point.harvested) for point in host.history] == [(2, 2), (2, 2)]
        assert host.changes is not None
        assert (host.changes.came, host.changes.mended) == ([], [])
    head = json.loads((after.report / "report.json").read_text(encoding="utf-8"))
    assert [point["listed"] for point in head["totals"]["history"]] == [20, 20]
    done = run_scrapy(["monitor"], tmp_path)
    assert done.returncode == 0, done.stdout


def test_entry_pages_of_permits_that_all_fail_alike_are_the_operators_fault(
    ten: list[Site], tmp_path: Path, other_bundle: Path
) -> None:
    entries = tmp_path / "entries.csv"
    rows = [f"Gemeente {site.port},{site.url(FOLDER)}" for site in ten]
    entries.write_text("organisatie,url\n" + "\n".join(rows) + "\n", encoding="utf-8")
    run = Permits(tmp_path, other_bundle).run(str(entries))
    assert run.returncode == 1
    assert OWN in run.codes
    assert "the cause is likely on this side" in last_line(run)
    assert run_scrapy(["monitor"], tmp_path).returncode == 1
    harmless = Permits(tmp_path, other_bundle).run(str(entries), "-a", f"domains={ten[0].host}")
    assert harmless.codes == {"tls.ongeldig", "register.domein-ontbreekt"}
    assert harmless.returncode == 0, harmless.stderr
