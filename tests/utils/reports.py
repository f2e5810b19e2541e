"""Runs for tests of the report's pages: every kind of host, a long coverage, a register of any size."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from tests.permits.test_inventory import finding as of_permit
from tests.permits.test_inventory import run as run_of_permits
from tests.report.coverages import HOSTS, registered, run_with_each_gap
from tests.report.runs import HOST, ORGANISATION, about_document, about_host, read, write_run
from woo_harvester.findings import Finding
from woo_harvester.permits.inventory import read_inventory, supplier_page
from woo_harvester.report.assemble import make_report
from woo_harvester.report.funnel import FIELDS, Account
from woo_harvester.report.run_folder import ReportsFolder
from woo_harvester.tooi.lists import informatiecategorieen

NAMES = ("Beverwijk", "Sint-Michielsgestel", "Súdwest-Fryslân", "Ede", "Zoetermeer", "Bergen op Zoom", "Echt")
PATHS = ("/api/sitemap/2025/5.xml", "/apps/opencatalogi/api/woo/sitemaps/1.xml", "/sitemap-woo.xml")

#: What can be wrong with the documents of a host: the code, what was seen, and the element.
OF_DOCUMENTS = (
    ("loc.geen-https", "http://www.gemeente.nl/documenten/jaarverslag.pdf", None),
    ("titel.ontbreekt", None, "titelcollectie/officieleTitel"),
    (
        "waarde.label-onbekend",
        "WOO verzoek (https://www.gemeente.nl/themas/afval)",
        "documentsoort",
    ),
    ("document.onbereikbaar", "HTTP 404", None),
    ("creatiedatum.ontbreekt", None, "creatiedatum"),
    ("format.niet-ondersteund", "application/vnd.adobe.flash.movie", "format"),
)
OF_HOSTS = ("robots.ontbreekt", "robots.onbereikbaar", "robots.geen-diwoo-index", "tls.ongeldig")


def report_of_many_hosts(folder: Path, hosts: int, days: int = 3) -> Path:
    """Make the reports of runs on *days* days over *hosts* hosts, and return the page of the last one."""
    for day in range(1, days + 1):
        accounts, findings = _run(hosts, day)
        moment = f"2026-11-{day:02}T08:00:00+01:00"
        run = write_run(folder / f"woo-2026-11-{day:02}T07-00-00.0", accounts, findings, finish_time=moment)
        page = make_report(run)
    return page


def _run(hosts: int, day: int) -> tuple[list[Account], list[Finding]]:
    accounts, findings = [], []
    for number in range(hosts):
        draw = random.Random(number)
        account = _account(draw, number, day)
        for finding in _findings(draw, account):
            findings.append(finding)
            account.count_finding(finding)
        accounts.append(account)
    return accounts, findings


def _account(draw: random.Random, number: int, day: int) -> Account:
    name = NAMES[number % len(NAMES)]
    host = f"open.{name.lower().replace(' ', '')}-{number}.nl".encode("idna").decode()
    organisation = {"id": f"gm{number:04}", "name": f"gemeente {name} {number}"}
    account = Account(host, organisations=[organisation], visited=True, complete=True)
    if number % 7 == 3:
        account.complete = False
        return account
    documents = draw.randrange(1, 4000) + 10 * day
    new = min(documents, draw.randrange(40) + 2)
    account.indexes += 1
    account.sitemaps += 1
    account.count_entries(documents, documents - new)
    account.new = new
    account.fields = {field: draw.randrange(new + 1) for field in FIELDS}
    account.categories = {concept.uri: draw.randrange(1, 9) for concept in list(informatiecategorieen())[:5]}
    return account


def _findings(draw: random.Random, account: Account) -> Iterator[Finding]:
    if not account.indexes:
        yield about_host(draw.choice(OF_HOSTS), account.host, seen="HTTP 503", action="overgeslagen")
        return
    for code, seen, element in draw.sample(OF_DOCUMENTS, draw.randrange(4)):
        for number in range(draw.randrange(1, 5)):
            if code in ("loc.geen-https", "document.onbereikbaar", "format.niet-ondersteund"):
                account.count_entries(1, 0)
            yield about_document(code, account.host, number + 1, seen=seen, element=element)


def publishers(number: int) -> tuple[list[Account], list[Finding]]:
    """Hosts of every kind: well, with faults, unreachable, without organisation, shared."""
    seen = "http://www.a.nl/documenten/jaarverslag van de gemeente.pdf"
    faults = [
        about_document("loc.geen-https", url=seen, seen=seen),
        about_document("titel.ontbreekt", number=2, element="titelcollectie/officieleTitel"),
        about_document("lastmod.ongeldig", number=3, seen="vorige week dinsdag"),
        about_document("creatiedatum.ontbreekt", number=4),
        about_document("loc.ongeldig", number=5, url="javascript:alert(1)", seen="x" * 400),
    ]
    shared = [about_host("sitemap.naamruimte", host=host, seen="urn:x") for host in (HOST, "www.c.nl")]
    missing = about_host("robots.ontbreekt", host="www.b.nl:8443")
    well = read("www.c.nl", harvested=3)
    well.organisations = [ORGANISATION, {"id": "2", "name": "Waterschap Vallei en Veluwe"}]
    accounts = [
        read(harvested=7, unchanged=2, findings=faults),
        Account("www.b.nl:8443", visited=True, complete=False),
        well,
        *(read(f"open.gemeente-{each}.nl", harvested=each % 5 + 1) for each in range(number - 3)),
    ]
    return accounts, [*faults, *shared, missing, Finding(code="register.onbereikbaar")]


def coverage_of_many(folder: Path) -> Path:
    """The page of coverage of a register with many organisations without a location, and long addresses."""
    without = [registered(f"Stichting {number}", kind="rwt") for number in range(40)]
    long = registered(
        "Regionale uitvoeringsdienst", f"https://lang.nl/zoek?q={'x' * 400}", "https://lang.nl/b"
    )
    hosts = {**HOSTS, "lang.nl": ("tls.ongeldig", "het certificaat is verlopen")}
    run = run_with_each_gap(folder, hosts, *without, long)
    make_report(run)
    return run.coverage_page


def page_of_supplier(folder: Path) -> Path:
    """The page of the errors of a supplier, some of them fixed, with a long name and a long address."""
    long = "Omgevingsdienst-met-een-naam-zonder-spaties-van-veel-letters"
    errors = [of_permit(file=f"{'x' * 80}{number}.xml", line=1234, seen="y" * 90) for number in range(25)]
    run_of_permits(folder, 1, *errors, of_permit("ipm.datum-nu", organisation=long))
    run_of_permits(folder, 2, *errors)
    page = folder / "supplier.html"
    inventory = read_inventory(ReportsFolder(folder), date(2026, 4, 1), date(2026, 4, 30), {})
    page.write_text(supplier_page(inventory, inventory.suppliers()[0], "beheer@voorbeeld.nl"))
    return page
