"""Runs over any number of hosts that look like those of a real register, for tests of the report's pages."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from tests.report.runs import about_document, about_host, write_run
from woo_harvester.findings import Finding
from woo_harvester.report.funnel import FIELDS, Account
from woo_harvester.report.outputs import make_report
from woo_harvester.tooi import informatiecategorieen

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
    account.count_index(f"https://{host}/api/sitemapindex-diwoo.xml")
    account.count_sitemap(f"https://{host}{PATHS[number % len(PATHS)]}")
    account.count_entries(documents, documents - new)
    account.harvested = {"aanlevering": new}
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
