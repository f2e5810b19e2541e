from __future__ import annotations

from datetime import date

import pytest

from woo_harvester.crawl.select_hosts import LocationCategories
from woo_harvester.diwoo.given import GivenMetadata
from woo_harvester.findings import Finding, Reporter
from woo_harvester.items import Source, WooItem
from woo_harvester.record import Herkomst, Oorzaak, Versie, Waarde, bare_record
from woo_harvester.register import Location, Organisation, Register
from woo_harvester.register.register import Match
from woo_harvester.report.funnel import Account
from woo_harvester.tooi import category_of_index
from woo_harvester.tooi.lists import bundled

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
    register, compared = Register([A, B], given), LocationCategories(Reporter(findings.append))
    for each in items:
        if each.source is not None:
            each.source.match = register.organisation_of(each.record.document.weblocatie, HOST)
        compared.count(each)
    seen = account or Account(HOST, visited=True, complete=True, listed=len(items))
    compared.report_conflicts({HOST: seen})
    return findings


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


def test_the_finding_has_a_bounded_length() -> None:
    locations = tuple(Location(A, URL, category(number)) for number in range(1, 6))
    (finding,) = found(item(1, 6, 7, 8, 9, 10), locations=locations)
    assert finding.seen is not None
    registered, _, seen = finding.seen.partition("; 1 document in deze oogst: ")
    assert registered.endswith(", en nog 2")
    assert seen.endswith(" (1), en nog 2")


def test_a_url_of_several_organisations_names_none_of_them() -> None:
    (finding,) = found(item(1, 10), locations=(Location(A, URL, category(1)), Location(B, URL, category(2))))
    assert finding.organisation is None


def test_a_withdrawal_does_not_count() -> None:
    assert found(item(1, 10, cause=Oorzaak.INTREKKING)) == []


@pytest.mark.parametrize(
    "account",
    [
        Account(HOST, visited=True, complete=False, listed=1),
        Account(HOST, visited=True, complete=None, listed=1),
        Account(HOST, visited=True, complete=True, listed=2, unchanged=1),
    ],
)
def test_a_run_that_did_not_see_all_documents_of_the_host_reports_nothing(account: Account) -> None:
    assert found(item(1, 10), account=account) == []


def test_a_run_that_did_not_visit_the_host_that_lists_a_document_reports_nothing() -> None:
    assert found(item(1, 10, host="www.b.nl")) == []
