"""Two fictional municipalities with permits, and the harvest of ``scrapy demo vergunningen``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any, Self, cast

from rich.console import Console
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.settings import SETTINGS_PRIORITIES

from woo_harvester.demo import harvest
from woo_harvester.demo.harvest import FOLDER, OWN_FOLDER, RECORDS, DemoHarvest
from woo_harvester.demo.server import Authority, Page
from woo_harvester.demo.site import Location, RooEntry, Site, register_xml
from woo_harvester.extensions.findings import Findings
from woo_harvester.findings import explain
from woo_harvester.permits.demo_messages import delete_message, document_message, message
from woo_harvester.report.audit_summary import print_summary
from woo_harvester.report.run_folder import AUDIT
from woo_harvester.running.command import AUDIT_SETTINGS
from woo_harvester.running.process import HarvestProcess
from woo_harvester.utils.program import program

_LISTING = "/vergunningen/"
_SPIDER_PAGE = "/vergunningen.html"
_FIRST_DAY = "2026-04-01"
_SECOND_DAY = "2026-04-15"
#: What is in the place of a message.
_ERROR_PAGE = b"<!DOCTYPE html><html><body>Fout in de database</body></html>"


@dataclass(frozen=True, slots=True)
class _Permit:
    """The subject and location of a permit. x and y are metres of the Rijksdriehoek."""

    number: int
    title: str
    product: str
    x: int
    y: int
    postcode: str = "1234 AB"

    def message(
        self, transactie: str, gemeente: str, url: str, *, fase: str = "aanvraag", day: str = _FIRST_DAY
    ) -> bytes:
        """Return a message about the case at *url*."""
        return message(
            transactie,
            transactie_id=str(self.number),
            aanmaakdatum=day,
            identifier=url,
            title=self.title,
            creator=gemeente,
            modified=day,
            kern=f'<dcterms:spatial scheme="overheid:Gemeente">{escape(gemeente)}</dcterms:spatial>',
            meta=(
                "<zaak:product>"
                f'<zaak:producttype scheme="overheidvg:Product">{escape(self.product)}</zaak:producttype>'
                f"</zaak:product><zaak:termijn><zaak:fase>{fase}</zaak:fase></zaak:termijn><zaak:object>"
                f"<zaak:adres><zaak:postcodeHuisnummer><zaak:postcode>{self.postcode}</zaak:postcode>"
                f"<zaak:huisnummer>{self.number}</zaak:huisnummer></zaak:postcodeHuisnummer></zaak:adres>"
                f"<zaak:coordinaten><zaak:x-waarde>{self.x}</zaak:x-waarde>"
                f"<zaak:y-waarde>{self.y}</zaak:y-waarde></zaak:coordinaten></zaak:object>"
            ),
        )


_OAKS = _Permit(1, "Kappen van twee eiken achter het raadhuis", "kapvergunning", 155_010, 463_020)
_FAIR = _Permit(2, "Voorjaarskermis op het marktplein", "evenementenvergunning", 155_240, 463_180)
_DORMER = _Permit(3, "Plaatsen van een dakkapel", "omgevingsvergunning", 154_880, 462_910)
_TERRACE = _Permit(4, "Terras voor een eethuis aan de haven", "terrasvergunning", 121_030, 487_410)
_SHED = _Permit(5, "Bouwen van een schuur bij een boerderij", "omgevingsvergunning", 121_980, 488_060)


class PermitDemo:
    """The servers of both municipalities. Their register and certificates are written to a folder.

    ::

        with PermitDemo(folder) as demo:
            demo.entries         # for -a entries=
            demo.register_path   # for -a register=
            demo.ca_path         # for SSL_CERT_FILE
            demo.second_day()    # a fortnight later
    """

    def __init__(self, folder: Path) -> None:
        authority = Authority()
        self.town = Site(authority)
        self.village = Site(authority)
        self._stack = ExitStack()
        self.ca_path = authority.write_bundle(folder / "demo-ca.pem")
        self.register_path = folder / "demo-register.xml"
        named = ((self.town, "Voorbeeldstad", "90000001"), (self.village, "Modeldorp", "90000002"))
        organisations = [
            RooEntry(naam=f"Gemeente {name}", systeem_id=number, locations=[Location(site.url("/woo"))])
            for site, name, number in named
        ]
        self.register_path.write_text(register_xml(organisations), encoding="utf-8")
        self._first_day()

    @property
    def entries(self) -> str:
        """The URLs of both entry pages, with a comma between."""
        return f"{self.town.url(_LISTING)},{self.village.url(_SPIDER_PAGE)}"

    def __enter__(self) -> Self:
        for site in (self.town, self.village):
            self._stack.enter_context(site)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _town(self, permit: _Permit, transactie: str, **given: str) -> bytes:
        return permit.message(transactie, "Voorbeeldstad", self.town.url(f"/zaken/{permit.number}"), **given)

    def _village(self, permit: _Permit, transactie: str, **given: str) -> bytes:
        return permit.message(transactie, "Modeldorp", self.village.url(f"/zaak?id={permit.number}"), **given)

    def _first_day(self) -> None:
        """Publish applications, and messages with mistakes."""
        # Without the title, which a create needs.
        untitled = self._town(_DORMER, "C").replace(b"dcterms:title", b"dcterms:titel")
        self._list(
            {
                "zaak-1.xml": ("01-Apr-2026 10:02", self._town(_OAKS, "C")),
                "zaak-2.xml": ("01-Apr-2026 10:05", self._town(_FAIR, "C")),
                "zaak-3.xml": ("01-Apr-2026 10:07", untitled),
            }
        )
        self._link(
            {
                "terras.xml": self._village(_TERRACE, "U"),
                "schuur.xml": self._village(_SHED, "C"),
                "oprit.xml": _ERROR_PAGE,
            }
        )

    def second_day(self) -> None:
        """Publish decisions, a removal, a corrected file, and a message about another municipality's case."""
        decision = document_message(
            transactie_id="1",
            aanmaakdatum=_SECOND_DAY,
            identifier=self.town.url("/zaken/1/besluit.pdf"),
            title="Besluit over twee eiken",
            case=self.town.url("/zaken/1"),
        )
        granted = {"fase": "verlening", "day": _SECOND_DAY}
        removal = delete_message(
            transactie_id="2", aanmaakdatum=_SECOND_DAY, identifier=self.town.url("/zaken/2")
        )
        self._list(
            {
                "zaak-1.xml": ("01-Apr-2026 10:02", self._town(_OAKS, "C")),
                "zaak-2.xml": ("01-Apr-2026 10:05", self._town(_FAIR, "C")),
                "zaak-1-verleend.xml": ("15-Apr-2026 09:30", self._town(_OAKS, "U", **granted)),
                "zaak-1-besluit.xml": ("15-Apr-2026 09:31", decision),
                "zaak-2-verwijderd.xml": ("15-Apr-2026 09:40", removal),
                "zaak-3.xml": ("15-Apr-2026 09:45", self._town(_DORMER, "C")),
            }
        )
        elsewhere = _OAKS.message("D", "Modeldorp", self.town.url("/zaken/1"), day=_SECOND_DAY)
        self._link(
            {
                "terras.xml": self._village(_TERRACE, "U", **granted),
                "schuur.xml": self._village(_SHED, "C"),
                "oprit.xml": _ERROR_PAGE,
                "eiken.xml": elsewhere,
            }
        )

    def _list(self, files: Mapping[str, tuple[str, bytes]]) -> None:
        """Publish files of the town in a directory listing of nginx."""
        rows = "\n".join(f'<a href="{name}">{name}</a>   {date}   2345' for name, (date, _) in files.items())
        page = f'<h1>Index of {_LISTING}</h1><hr><pre><a href="../">../</a>\n{rows}\n</pre>'
        self.town.pages[_LISTING] = Page(page, content_type="text/html; charset=utf-8")
        for name, (_, body) in files.items():
            self.town.pages[_LISTING + name] = Page(body, content_type="application/xml")

    def _link(self, files: Mapping[str, bytes]) -> None:
        """Publish files of the village on a page with links; their headers have the dates."""
        items = "".join(f'<li><a href="berichten/{name}">{name}</a></li>' for name in files)
        self.village.pages[_SPIDER_PAGE] = Page(f"<ul>{items}</ul>", content_type="text/html; charset=utf-8")
        for name, body in files.items():
            headers = {
                "Last-Modified": "Wed, 01 Apr 2026 08:00:00 GMT",
                "ETag": f'"{sha256(body).hexdigest()[:16]}"',
            }
            self.village.pages[f"/berichten/{name}"] = Page(body, headers=headers, content_type="text/xml")


def table(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a head, and a line for each record, for a terminal."""
    yield f"{'':14} {'zaak':44} {'product':22} {'fase':10} documenten"
    for record in records:
        permit = record["vergunning"]
        title = permit.get("title", permit["identifier"])
        product = permit.get("product", {}).get("producttype", {}).get("label", "")
        fase = permit.get("termijn", {}).get("fase", "")
        documents = len(record.get("documenten", ())) or ""
        oorzaak = record["versies"][0]["oorzaak"]
        yield f"{oorzaak:14} {title[:44]:44} {product:22} {fase:10} {documents}".rstrip()


_PLACES = f"{FOLDER}/records/%(run)s.geojson"


class PermitHarvest(DemoHarvest):
    """The harvests of two days, and an audit."""

    def harvest_permits(self, demo: PermitDemo, data: Path) -> None:
        """Harvest two days, one after the other, audit the entry pages, and show the results."""
        process = self.process(demo.register_path, demo.ca_path, data)
        feeds = {RECORDS: {"format": "jsonlines"}, _PLACES: {"format": "geojson"}}
        process.settings.set("FEEDS", feeds, "cmdline")
        first, second = (process.create_crawler("vergunningen") for _ in range(2))
        audit = _audit(process)

        def begin_second() -> None:
            demo.second_day()
            process.crawl(second, entries=demo.entries).add_done_callback(begin_audit)

        def begin_audit(_: object) -> None:
            process.crawl(audit, entries=demo.entries)

        print("Harvesting two fictional municipalities on this machine, a fortnight apart ...")
        print(OWN_FOLDER)
        failure = process.run(first, {"entries": demo.entries}, begin_second)
        for day, crawler in (("On 1 April", first), ("On 15 April", second)):
            if not self.is_finished(failure, crawler):
                return
            print(f"\n{day}:\n")
            _show_permits(crawler)
        if self.is_finished(failure, audit):
            print(
                f"\nWhat `{program()} audit --permits` answers to both municipalities, "
                "or to their supplier:\n"
            )
            folder = cast("Findings", audit.get_extension(Findings)).run_folder
            print_summary(folder, Console())
            print(f"\nReport:   {folder.page.absolute().as_uri()}")
            if self.opts.portal:
                self.serve_portal([first, second])
            else:
                self.offer_portal("vergunningen")


def _audit(process: HarvestProcess) -> Crawler:
    """Return a crawler that audits entry pages; it knows nothing of the harvests before it."""
    settings = process.settings.copy()
    # Scrapy gives a crawler the settings of the process that have the same priority.
    settings.setdict(AUDIT_SETTINGS, SETTINGS_PRIORITIES["cmdline"] + 1)
    crawler = Crawler(process.spider_loader.load("vergunningen"), settings)
    crawler.signals.connect(lambda: crawler.stats.set_value(AUDIT, 1), signals.engine_started, weak=False)
    return crawler


def _show_permits(crawler: Crawler) -> None:
    findings = cast("Findings", crawler.get_extension(Findings))
    records, places = harvest.record_files(crawler)
    for line in table(harvest.records(records)):
        print(f"  {line}")
    print("\nFindings:\n")
    for finding in findings.run_folder.read_findings():
        print(f"  {finding['url']}: {finding['code']}: {explain(finding['code']).what}")
    print(f"\nRecords:  {records}\nGeoJSON:  {places}\nFindings: {findings.run_folder.findings}")
    print(f"Report:   {findings.run_folder.page.absolute().as_uri()}")
