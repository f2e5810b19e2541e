from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.register.exports import AMSTERDAM, organisation, read
from woo_harvester.crawl.select_hosts import select_hosts
from woo_harvester.findings import Finding, Reporter
from woo_harvester.register import Register
from woo_harvester.running.arguments import WooArguments
from woo_harvester.running.causes import ArgumentError

REGISTER = read(
    organisation(
        "gemeente Amsterdam",
        "https://www.amsterdam.nl/woo",
        "https://open.amsterdam.nl/",
        id="10",
        uri=AMSTERDAM,
    ),
    organisation("Omgevingsdienst", "https://www.od.nl/", id="11"),
    organisation("Raad zonder site", id="12"),
    organisation("Commissie zonder site", id="13"),
)
ALL = ("open.amsterdam.nl", "www.amsterdam.nl", "www.od.nl")


def select(**arguments: str) -> tuple[Register, tuple[str, ...], list[Finding]]:
    return select_of(REGISTER, arguments)


def select_of(
    register: Register, arguments: dict[str, str]
) -> tuple[Register, tuple[str, ...], list[Finding]]:
    findings: list[Finding] = []
    seen, hosts = select_hosts(register, WooArguments.read(arguments), Reporter(findings.append))
    return seen, hosts, findings


def test_without_arguments_every_host_of_the_register_is_visited() -> None:
    register, hosts, findings = select()
    assert (register, hosts, findings) == (REGISTER, ALL, [])


def test_domains_narrow_the_run_to_these_hosts_in_their_order() -> None:
    _, hosts, findings = select(domains="www.od.nl,open.amsterdam.nl")
    assert hosts == ("www.od.nl", "open.amsterdam.nl")
    assert findings == []


def test_a_domain_that_is_not_registered_counts_as_registered_for_this_run_with_a_finding() -> None:
    register, hosts, findings = select(domains="www.nieuw.nl:8443")
    assert hosts == ("www.nieuw.nl:8443",)
    assert register.is_registered("www.nieuw.nl:8443")
    assert not REGISTER.is_registered("www.nieuw.nl:8443")
    (finding,) = findings
    assert (finding.code, finding.host) == ("register.domein-ontbreekt", "www.nieuw.nl:8443")
    assert finding.url == "https://www.nieuw.nl:8443/"


def test_hosts_that_are_not_named_stay_registered_for_documents() -> None:
    register, _, _ = select(domains="www.od.nl")
    assert register.is_registered("www.amsterdam.nl")


@pytest.mark.parametrize("key", [AMSTERDAM, "gm0363", "10", "gemeente Amsterdam", "GM0363", "amsterdam"])
def test_an_organisation_narrows_the_run_to_its_hosts(key: str) -> None:
    assert select(organisation=key)[1] == ("open.amsterdam.nl", "www.amsterdam.nl")


def test_several_organisations_narrow_the_run_to_the_hosts_of_all() -> None:
    assert select(organisation="11,gm0363")[1] == ALL


def test_an_organisation_without_a_location_is_named_beside_others(caplog: pytest.LogCaptureFixture) -> None:
    assert select(organisation="11,12")[1] == ("www.od.nl",)
    assert caplog.messages == [
        "Without a registered location in the Woo-index, so not visited: Raad zonder site"
    ]


def test_domains_and_organisation_together_are_what_they_have_in_common() -> None:
    assert select(organisation="gm0363", domains="www.amsterdam.nl,www.od.nl")[1] == ("www.amsterdam.nl",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"organisation": "Rotterdam"}, "argument organisation: no organisation 'Rotterdam' in the register"),
        ({"organisation": "12"}, "argument organisation: Raad zonder site has registered no location"),
        ({"organisation": "12,13"}, "argument organisation: none of these 2 organisations has registered a"),
        ({"organisation": "11", "domains": "www.amsterdam.nl"}, "no host is left"),
    ],
)
def test_arguments_that_leave_no_host_are_refused(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        select(**arguments)


def test_a_name_of_several_bodies_is_refused_with_the_choices() -> None:
    register = read(
        organisation("Directie", "https://a.nl/", id="1"), organisation("Directie", "https://b.nl/", id="2")
    )
    with pytest.raises(ArgumentError, match="choose one of 1, 2"):
        select_of(register, {"organisation": "Directie"})


def test_a_shard_of_few_hosts_may_be_empty() -> None:
    shards = [select(shard=f"{number}/8")[1] for number in range(1, 9)]
    assert () in shards


@given(st.sets(st.from_regex(r"[a-z]{1,8}\.nl", fullmatch=True), min_size=1), st.integers(1, 9))
def test_each_host_is_in_one_shard_whatever_the_others(names: set[str], total: int) -> None:
    register = read(organisation("Raad", *(f"https://{name}/" for name in sorted(names))))
    shards = [select_of(register, {"shard": f"{number}/{total}"})[1] for number in range(1, total + 1)]
    assert sorted(host for shard in shards for host in shard) == sorted(names)
    alone = min(names)
    (number,) = [number for number, shard in enumerate(shards, 1) if alone in shard]
    assert select_of(register, {"domains": alone, "shard": f"{number}/{total}"})[1] == (alone,)
