from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.coverages import HOSTS, registered, run_with_each_gap, unread, write_whole_run
from tests.report.runs import about_document, about_host, read, write_run
from woo_harvester.findings import Finding
from woo_harvester.findings.common_cause import OWN_FAULT
from woo_harvester.register.register import shard_of
from woo_harvester.report.assemble import assemble_report
from woo_harvester.report.coverage import RunRegister, host_gap, hosts_without_figures
from woo_harvester.report.finding_counts import HostFindings, read_findings
from woo_harvester.report.funnel import Account
from woo_harvester.report.json_file import read_head
from woo_harvester.report.model import Coverage
from woo_harvester.report.run_folder import RunFolder, finding_line

HOST = "www.a.nl"


def coverage_of(folder: RunFolder) -> Coverage:
    assemble_report(folder)
    coverage = read_head(folder.report).coverage
    assert coverage is not None
    return coverage


def findings_of(tmp_path: Path, *findings: Finding) -> HostFindings:
    path = tmp_path / "findings.jsonl"
    path.write_text("".join(map(finding_line, findings)), encoding="utf-8")
    return read_findings(path).get(HOST, HostFindings())


@pytest.mark.parametrize(
    ("code", "seen", "indexes", "kind"),
    [
        ("robots.ontbreekt", "HTTP 404", 0, "no_robots"),
        ("robots.onbereikbaar", "HTTP 403", 0, "no_robots"),
        ("robots.onbereikbaar", "afgebroken", 0, "no_robots"),
        ("robots.onbereikbaar", "doorverwijzing naar http://a.nl/", 0, "no_robots"),
        ("host.niet-geregistreerd", "doorverwijzing naar https://b.nl/", 0, "no_robots"),
        ("robots.onbereikbaar", "time-out", 0, "dead"),
        ("robots.onbereikbaar", None, 0, "dead"),
        ("tls.ongeldig", "het certificaat is verlopen", 0, "dead"),
        ("host.bestaat-niet", "de naam bestaat niet", 0, "dead"),
        ("host.prive-adres", "10.0.0.1", 0, "dead"),
        ("robots.geen-diwoo-index", None, 0, "no_index"),
        ("robots.geen-diwoo-index, index.naam", "sitemapindex_diwoo.xml", 0, "no_index"),
        ("index.geen-https", None, 0, "no_index"),
        ("index.onbereikbaar", "HTTP 404", 1, "no_index"),
        ("tls.ongeldig, index.ongeldig", None, 2, "no_index"),
        ("tls.ongeldig", None, 1, "no_index"),
        ("sitemap.leeg", None, 1, None),
    ],
)
def test_the_findings_say_why_no_sitemap_of_a_host_could_be_read(
    tmp_path: Path, code: str, seen: str | None, indexes: int, kind: str | None
) -> None:
    *other, last = code.split(", ")
    findings = [*map(about_host, other), about_host(last, seen=seen)]
    found = host_gap(unread(HOST, indexes=indexes), findings_of(tmp_path, *findings))
    assert (found and (found.kind, found.code)) == (kind and (kind, last))


def test_a_host_of_which_a_sitemap_was_requested_has_no_gap(tmp_path: Path) -> None:
    errors = findings_of(tmp_path, about_host("index.onbereikbaar"), about_host("sitemap.ongeldig"))
    assert host_gap(read(), errors) is None
    for findings in ([], [about_document("titel.ontbreekt")]):
        assert host_gap(unread(HOST, indexes=1), findings_of(tmp_path, *findings)) is None


def test_a_host_that_only_findings_name_has_a_gap_only_if_they_are_about_robots_txt(tmp_path: Path) -> None:
    account = Account(HOST)
    assert host_gap(account, findings_of(tmp_path, about_host("sitemap.ongeldig"))) is None
    found = host_gap(account, findings_of(tmp_path, about_host("robots.ontbreekt")))
    assert found is not None
    assert found.kind == "no_robots"


def test_the_coverage_has_every_gap_of_the_register(tmp_path: Path) -> None:
    coverage = coverage_of(run_with_each_gap(tmp_path / "woo-21"))
    assert (coverage.organisations, coverage.with_location) == (6, 5)
    assert (coverage.hosts, coverage.hosts_not_reached) == (5, 0)
    assert [(one.name, one.system_id) for one in coverage.no_location] == [("Dienst", "id-Dienst")]
    assert [gap.host for gap in coverage.no_robots] == ["geen-robots.nl", "kapot.nl"]
    (dead,) = coverage.dead
    assert dead.model_dump() == {
        "host": "dood.nl",
        "organisations": [
            {
                "id": "id-Gemeente dood.nl",
                "name": "Gemeente dood.nl",
                "system_id": "id-Gemeente dood.nl",
                "kind": "Gemeente",
                "locations": ["https://dood.nl/woo"],
                "remarks": [],
            }
        ],
        "code": "robots.onbereikbaar",
        "seen": "time-out",
    }
    assert [gap.host for gap in coverage.no_index] == ["geen-index.nl"]
    assert [(row.kind, row.organisations, row.with_location) for row in coverage.kinds] == [
        ("Gemeente", 5, 5),
        ("Dienst", 1, 0),
    ]


def test_a_host_that_several_organisations_share_is_one_gap_with_all_of_them(tmp_path: Path) -> None:
    shared = [
        registered("B", "https://s.nl/b", "https://s.nl/b2", "https://b.nl/"),
        registered("A", "https://s.nl/a"),
    ]
    accounts = [unread("s.nl"), read("b.nl", harvested=1)]
    run = write_whole_run(
        tmp_path / "woo-21", shared, accounts, [about_host("robots.ontbreekt", host="s.nl")]
    )
    (gap,) = coverage_of(run).no_robots
    assert [(one.name, one.locations) for one in gap.organisations] == [
        ("A", ["https://s.nl/a"]),
        ("B", ["https://s.nl/b", "https://s.nl/b2"]),
    ]


def test_a_run_that_is_not_over_the_whole_register_has_no_coverage(tmp_path: Path) -> None:
    for run in (
        write_run(tmp_path / "woo-21", [read(harvested=1)]),
        write_whole_run(tmp_path / "woo-22", [], [read(harvested=1)], shards=[(1, 2)]),
    ):
        assemble_report(run)
        assert read_head(run.report).coverage is None


def test_hosts_that_a_fault_on_our_own_side_kept_away_are_not_dead(tmp_path: Path) -> None:
    organisations = [registered(f"Gemeente {host}", f"https://{host}/woo") for host in HOSTS]
    found = [about_host("robots.onbereikbaar", host=host, seen="time-out") for host in HOSTS]
    run = write_whole_run(tmp_path / "woo-21", organisations, [], [*found, Finding(code=OWN_FAULT)])
    coverage = coverage_of(run)
    assert (coverage.hosts_not_reached, coverage.dead) == (5, [])
    head = read_head(run.report)
    assert (head.totals.hosts, head.hosts_without_figures) == (0, sorted(HOSTS))


def test_a_shard_has_the_figures_of_its_own_hosts_and_several_shards_those_of_all() -> None:
    organisations = [registered(f"Gemeente {host}", f"https://{host}/woo") for host in HOSTS]
    shards = [hosts_without_figures(RunRegister([(number, 2)], organisations), known=()) for number in (1, 2)]
    assert sorted([*shards[0], *shards[1]]) == sorted(HOSTS)
    assert all(shard_of(host, 2) == 1 for host in shards[0])
    for numbers in ([1, 2], [1, 3]):
        merged = RunRegister([(number, 3) for number in numbers], organisations)
        assert hosts_without_figures(merged, known=HOSTS.keys() - {"dood.nl"}) == ["dood.nl"]
