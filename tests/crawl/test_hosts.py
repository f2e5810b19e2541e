from __future__ import annotations

import asyncio
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.register.exports import AMSTERDAM, organisation, read
from woo_harvester.crawl import hosts as capacity
from woo_harvester.crawl.hosts import Budget, RegisterComparison, Visit, renamed_hosts, select_hosts
from woo_harvester.diwoo.given import GivenMetadata
from woo_harvester.findings import Finding, Reporter
from woo_harvester.items import Source, WooItem
from woo_harvester.record import Herkomst, Oorzaak, Versie, Waarde, bare_record
from woo_harvester.register import Location, Organisation, Register
from woo_harvester.register.register import Match
from woo_harvester.report.funnel import Account
from woo_harvester.running.arguments import WooArguments
from woo_harvester.running.causes import ArgumentError
from woo_harvester.state.resources import KnownHost
from woo_harvester.tooi.lists import bundled, category_of_index

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
    organisation("Zondersite", id="14"),
    organisation("Directie", "https://www.od.nl/", id="20"),
    organisation("Directie", "https://www.od.nl/", id="21"),
)
ALL = ("open.amsterdam.nl", "www.amsterdam.nl", "www.od.nl")


def select(**arguments: str) -> tuple[Register, tuple[str, ...]]:
    return select_of(REGISTER, arguments)


def select_of(register: Register, arguments: dict[str, str]) -> tuple[Register, tuple[str, ...]]:
    return select_hosts(register, WooArguments.read(arguments))


HOST = "www.a.nl"
URL = f"https://{HOST}/woo"
A, B = Organisation("1", "gemeente Amsterdam"), Organisation("2", "gemeente Utrecht")


def category(number: int) -> str:
    return category_of_index(number).uri


def item(number: int, *categories: int, cause: Oorzaak = Oorzaak.AANLEVERING, host: str = HOST) -> WooItem:
    version = Versie(cause, date(2026, 11, 21), None)
    record = bare_record(f"{URL}/{number}.pdf", version, Herkomst())
    given = [Waarde(None, category(each), "label") for each in categories]
    record.document.classificatiecollectie.informatiecategorieen = given
    is_gone = cause is Oorzaak.INTREKKING
    source = None if is_gone else Source(GivenMetadata(), None, Match(), bundled())
    return WooItem(record, source, Reporter(lambda finding: None, host=host))


def found(
    *items: WooItem, account: Account | None = None, locations: tuple[Location, ...] = ()
) -> list[Finding]:
    findings: list[Finding] = []
    given = locations or (Location(A, URL, category(1)),)
    register, compared = Register([A, B], given), RegisterComparison(Reporter(findings.append))
    for each in items:
        if each.source is not None:
            each.source.match = register.organisation_of(each.record.document.weblocatie, HOST)
        compared.count(each)
    seen = account or Account(HOST, visited=True, complete=True, listed=len(items))
    compared.report_conflicts({HOST: seen})
    return findings


OF_AMSTERDAM = ("open.amsterdam.nl", "www.amsterdam.nl")
#: The argument domains, and the hosts that are read: with or without www if only that is registered.
DOMAINS = {
    "www.od.nl,open.amsterdam.nl": ("www.od.nl", "open.amsterdam.nl"),
    "amsterdam.nl": ("www.amsterdam.nl",),
    "amsterdam.nl,www.amsterdam.nl": ("www.amsterdam.nl",),
    "www.open.amsterdam.nl": ("open.amsterdam.nl",),
    "https://od.nl/woo": ("www.od.nl",),
    "od.nl:8443": ("od.nl:8443",),
    "www.www.od.nl": ("www.od.nl",),
}


def test_arguments_narrow_the_run_to_hosts() -> None:
    assert select() == (REGISTER, ALL)
    for typed, hosts in DOMAINS.items():
        assert select(domains=typed)[1] == hosts, typed
    for key in (AMSTERDAM, "gm0363", "10", "gemeente Amsterdam", "GM0363"):
        assert select(organisation=key)[1] == OF_AMSTERDAM, key
    assert select(organisation="11,gm0363")[1] == ALL
    both = select(organisation="gm0363", domains="www.amsterdam.nl,www.od.nl")
    assert both[1] == ("www.amsterdam.nl",), "what both have in common"
    assert select(domains="www.od.nl")[0].is_registered("www.amsterdam.nl"), "for documents"


def test_a_domain_that_is_not_registered_counts_as_registered_for_this_run() -> None:
    register, hosts = select(domains="www.nieuw.nl:8443")
    assert hosts == ("www.nieuw.nl:8443",)
    assert register.is_registered("www.nieuw.nl:8443")
    assert not REGISTER.is_registered("www.nieuw.nl:8443")


def test_a_name_that_is_registered_is_read_as_it_is() -> None:
    register = read(organisation("Raad", "https://a.nl/", "https://www.a.nl/"))
    assert select_of(register, {"domains": "a.nl,www.a.nl"})[1] == ("a.nl", "www.a.nl")
    assert renamed_hosts(register, ("a.nl", "www.a.nl")) == {}


def test_a_host_that_is_read_under_another_name_than_was_typed_is_noted() -> None:
    assert renamed_hosts(REGISTER, ("amsterdam.nl", "www.elders.nl")) == {"www.amsterdam.nl": "amsterdam.nl"}


def test_an_organisation_without_a_location_is_named_beside_others(caplog: pytest.LogCaptureFixture) -> None:
    assert select(organisation="11,12")[1] == ("www.od.nl",)
    assert caplog.messages == [
        "Without a registered location in the Woo-index, so not visited: Raad zonder site"
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"organisation": "Rotterdam"}, "argument organisation: no organisation 'Rotterdam' in the register"),
        ({"organisation": "12"}, "argument organisation: Raad zonder site has registered no location"),
        ({"organisation": "12,13"}, "argument organisation: none of these 2 organisations has registered a"),
        ({"organisation": "11", "domains": "www.amsterdam.nl"}, "no host is left"),
        ({"organisation": "Directie"}, "choose one of 20, 21"),
    ],
)
def test_arguments_that_leave_no_host_are_refused(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        select(**arguments)


@given(st.sets(st.from_regex(r"[a-z]{1,8}\.nl", fullmatch=True), min_size=1), st.integers(1, 9))
def test_each_host_is_in_one_shard_whatever_the_others(names: set[str], total: int) -> None:
    register = read(organisation("Raad", *(f"https://{name}/" for name in sorted(names))))
    shards = [select_of(register, {"shard": f"{number}/{total}"})[1] for number in range(1, total + 1)]
    assert sorted(host for shard in shards for host in shard) == sorted(names)
    alone = min(names)
    (number,) = [number for number, shard in enumerate(shards, 1) if alone in shard]
    assert select_of(register, {"domains": alone, "shard": f"{number}/{total}"})[1] == (alone,)


def test_the_finding_names_the_location_its_organisation_and_what_was_seen() -> None:
    (finding,) = found(item(1, 10), item(2, 11), item(3, 10))
    assert finding.as_dict() | {"at": None} == {
        "code": "register.categorie-strijdig",
        "severity": "info",
        "organisation": "1",
        "host": HOST,
        "url": URL,
        "element": "documentLocatie/informatiecategorie",
        "seen": "geregistreerd voor wetten en algemeen verbindende voorschriften; "
        "3 documenten in deze oogst: adviezen (2), convenanten (1)",
        "action": "niets: de categorie van elk document zelf telt",
        "at": None,
    }


def test_the_finding_has_a_bounded_length_and_names_no_organisation_of_several() -> None:
    locations = tuple(Location(A, URL, category(number)) for number in range(1, 6))
    (finding,) = found(item(1, 6, 7, 8, 9, 10), locations=(*locations, Location(B, URL, category(2))))
    assert finding.organisation is None
    assert finding.seen is not None
    registered, _, seen = finding.seen.partition("; 1 document in deze oogst: ")
    assert registered.endswith(", en nog 2")
    assert seen.endswith(" (1), en nog 2")


def test_a_run_that_did_not_see_all_documents_of_the_host_reports_nothing() -> None:
    accounts: list[dict[str, Any]] = [{"complete": False}, {"complete": None}, {"listed": 2, "unchanged": 1}]
    for values in accounts:
        account = Account(HOST, **{"visited": True, "complete": True, "listed": 1, **values})
        assert found(item(1, 10), account=account) == [], values
    assert found(item(1, 10, host="www.b.nl")) == [], "the host that lists it was not visited"
    assert found(item(1, 10, cause=Oorzaak.INTREKKING)) == []


def of_organisation(number: int, own: str | None, **fields: str) -> WooItem:
    """Return an item of a host with one organisation, whose document names these."""
    made = item(number)
    made.report = Reporter(lambda finding: None, host=HOST, organisation=own)
    for name, uri in fields.items():
        setattr(made.record.document, name, Waarde("gemeente", uri, uri[-6:]))
    return made


def test_documents_of_other_organisations_are_one_finding_a_host_with_their_numbers() -> None:
    findings: list[Finding] = []
    compared = RegisterComparison(Reporter(findings.append))
    gm = "https://identifier.overheid.nl/tooi/id/gemeente/gm{:04}".format
    supplied = of_organisation(7, gm(1), publisher=gm(2))
    supplied.record.herkomst.standaardwaarden["document.publisher"] = "register"
    elsewhere = of_organisation(9, gm(1), publisher=gm(2))
    elsewhere.record.document.weblocatie = "https://elders.nl/9.pdf"  # another host registered its place
    for each in (
        of_organisation(1, gm(1), publisher=gm(2)),
        of_organisation(2, gm(1), publisher=gm(3), verantwoordelijke=gm(2)),
        of_organisation(3, gm(1), publisher=gm(3)),
        of_organisation(4, gm(1), publisher=gm(1), verantwoordelijke=gm(2)),
        of_organisation(5, None, publisher=gm(2)),
        of_organisation(6, "10", publisher=gm(2)),
        supplied,
        elsewhere,
        item(8),
    ):
        compared.count(each)
    compared.report_others()
    (finding,) = findings
    assert (finding.code, finding.host, finding.organisation) == ("publisher.andere-organisatie", HOST, gm(1))
    assert finding.seen == "gm0003 (2), gm0002 (1)"


INDEX = f"https://{HOST}/sitemapindex-diwoo.xml"


def visit_of(findings: list[Finding] | None = None, backlog: int = 2) -> Visit:
    reporter = Reporter(([] if findings is None else findings).append)
    organisation = "https://identifier.overheid.nl/x"
    return Visit(HOST, organisation, KnownHost(1, None), backlog, reporter, lambda _: True, Account(HOST))


def test_a_finding_is_reported_with_the_host_and_its_body() -> None:
    findings: list[Finding] = []
    visit_of(findings).report("sitemap.leeg", url="https://www.a.nl/a.xml", line=3, seen="niets")
    given: dict[str, Any] = {"url": "https://www.a.nl/a.xml", "line": 3, "seen": "niets"}
    organisation = "https://identifier.overheid.nl/x"
    assert findings == [Finding(code="sitemap.leeg", host=HOST, organisation=organisation, **given)]


def test_an_error_means_that_the_host_was_not_read_completely_but_not_one_about_a_name() -> None:
    visit = visit_of()
    for code in ("index.naam", "index.infocat-onbekend", "index.hoofdletters", "sitemap.leeg"):
        visit.report(code, url="https://www.a.nl/")
    assert visit.is_complete
    errors = ["robots.ontbreekt", "robots.geen-diwoo-index", "index.onbereikbaar", "sitemap.afgebroken"]
    for code in [*errors, "tls.ongeldig"]:
        visit.report(code, url="https://www.a.nl/")
    assert visit.incomplete == [*errors, "tls.ongeldig"]
    assert not visit.is_complete


def test_a_visit_is_finished_when_all_is_read_and_no_document_is_under_way() -> None:
    visit = visit_of()
    visit.files_requested = 1
    assert not visit.finished
    visit.begin_request()
    visit.files_requested = 0
    assert not visit.finished
    visit.end_request()
    assert visit.finished


def test_there_is_room_until_the_backlog_is_full() -> None:
    async def run() -> list[bool]:
        visit, room = visit_of(), []
        for _ in range(3):
            room.append(await visit.has_capacity(0.01))
            visit.begin_request()
        return room

    assert asyncio.run(run()) == [True, True, False]


@pytest.mark.parametrize("is_taken", [False, True])
def test_whoever_waits_for_room_gets_it_unless_another_takes_it_first(is_taken: bool) -> None:
    async def run() -> bool:
        visit = visit_of(backlog=1)
        visit.begin_request()
        waiting = asyncio.create_task(visit.has_capacity(10))
        await asyncio.sleep(0.01)
        assert not waiting.done()
        visit.end_request()
        if is_taken:
            visit.begin_request()
        return await asyncio.wait_for(waiting, 1)

    assert asyncio.run(run()) is not is_taken


def test_the_time_of_a_host_is_used_up(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([1000, 1000, 1004.9, 1005, 1009.9, 1010, 10**9, 10**9])
    monkeypatch.setattr(capacity, "monotonic", lambda: next(moments))
    budget, unbounded = Budget(10), Budget(None)
    assert [budget.is_over() for _ in range(5)] == [False, False, False, False, True]
    assert not unbounded.is_over()
    unbounded.give_up()
    assert unbounded.is_over()
