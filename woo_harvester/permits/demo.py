"""Two fictional municipalities with permits, and the harvest of ``scrapy demo vergunningen``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any, Self, cast

from scrapy.crawler import Crawler

from woo_harvester.demo import harvest
from woo_harvester.demo.harvest import FOLDER, OWN_FOLDER, RECORDS, DemoHarvest
from woo_harvester.demo.server import Authority, Page
from woo_harvester.demo.site import Location, RooEntry, Site, register_xml
from woo_harvester.extensions.findings import Findings
from woo_harvester.findings import explain
from woo_harvester.permits.demo_messages import delete_message, document_message, message

_LISTING = "/vergunningen/"
_SPIDER_PAGE = "/vergunningen.html"
_FIRST_DAY = "2026-04-01"
_SECOND_DAY = "2026-04-15"
#: What is in the place of a message.
_ERROR_PAGE = b"<!DOCTYPE html><html><body>Fout in de database</body></html>"

#: By number: the subject of a permit, its product, and its location in metres of the Rijksdriehoek.
_PERMITS = {
    1: ("Kappen van twee eiken achter het raadhuis", "kapvergunning", 155_010, 463_020),
    2: ("Voorjaarskermis op het marktplein", "evenementenvergunning", 155_240, 463_180),
    3: ("Plaatsen van een dakkapel", "omgevingsvergunning", 154_880, 462_910),
    4: ("Terras voor een eethuis aan de haven", "terrasvergunning", 121_030, 487_410),
    5: ("Bouwen van een schuur bij een boerderij", "omgevingsvergunning", 121_980, 488_060),
}


def _about(
    number: int, transactie: str, gemeente: str, url: str, *, fase: str = "aanvraag", day: str = _FIRST_DAY
) -> bytes:
    """Return a message about the case at *url*."""
    title, product, x, y = _PERMITS[number]
    template = Template(files(__package__).joinpath("demo_permit.xml").read_text(encoding="utf-8"))
    return message(
        transactie,
        transactie_id=str(number),
        aanmaakdatum=day,
        identifier=url,
        title=title,
        creator=gemeente,
        modified=day,
        meta=template.substitute(product=product, fase=fase, number=number, x=x, y=y),
    )


class PermitDemo:
    """The servers of both municipalities. Their register and certificates are written to a folder."""

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

    def _town(self, number: int, transactie: str, **given: str) -> bytes:
        return _about(number, transactie, "Voorbeeldstad", self.town.url(f"/zaken/{number}"), **given)

    def _village(self, number: int, transactie: str, **given: str) -> bytes:
        return _about(number, transactie, "Modeldorp", self.village.url(f"/zaak?id={number}"), **given)

    def _first_day(self) -> None:
        """Publish applications, and messages with mistakes."""
        # Without the title, which a create needs.
        untitled = self._town(3, "C").replace(b"dcterms:title", b"dcterms:titel")
        self._list(
            {
                "zaak-1.xml": ("01-Apr-2026 10:02", self._town(1, "C")),
                "zaak-2.xml": ("01-Apr-2026 10:05", self._town(2, "C")),
                "zaak-3.xml": ("01-Apr-2026 10:07", untitled),
            }
        )
        self._link(
            {
                "terras.xml": self._village(4, "U"),
                "schuur.xml": self._village(5, "C"),
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
                "zaak-1.xml": ("01-Apr-2026 10:02", self._town(1, "C")),
                "zaak-2.xml": ("01-Apr-2026 10:05", self._town(2, "C")),
                "zaak-1-verleend.xml": ("15-Apr-2026 09:30", self._town(1, "U", **granted)),
                "zaak-1-besluit.xml": ("15-Apr-2026 09:31", decision),
                "zaak-2-verwijderd.xml": ("15-Apr-2026 09:40", removal),
                "zaak-3.xml": ("15-Apr-2026 09:45", self._town(3, "C")),
            }
        )
        elsewhere = _about(1, "D", "Modeldorp", self.town.url("/zaken/1"), day=_SECOND_DAY)
        self._link(
            {
                "terras.xml": self._village(4, "U", **granted),
                "schuur.xml": self._village(5, "C"),
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
    """The harvests of two days."""

    def harvest_permits(self, demo: PermitDemo, data: Path) -> None:
        """Harvest two days, one after the other, and show the results."""
        process = self.process(demo.register_path, demo.ca_path, data)
        feeds = {RECORDS: {"format": "jsonlines"}, _PLACES: {"format": "geojson"}}
        process.settings.set("FEEDS", feeds, "cmdline")
        first, second = (process.create_crawler("vergunningen") for _ in range(2))

        def begin_second() -> None:
            demo.second_day()
            process.crawl(second, entries=demo.entries)

        print("Harvesting two fictional municipalities on this machine, a fortnight apart ...")
        print(OWN_FOLDER)
        failure = process.run(first, {"entries": demo.entries}, begin_second)
        for day, crawler in (("On 1 April", first), ("On 15 April", second)):
            if not self.is_finished(failure, crawler):
                return
            print(f"\n{day}:\n")
            _show_permits(crawler)
        if self.opts.portal:
            self.serve_portal([first, second])
        else:
            self.offer_portal("vergunningen")


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
