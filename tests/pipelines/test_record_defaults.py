from __future__ import annotations

from datetime import date

from tests.utils.crawlers import crawler_of, item_of
from woo_harvester.pipelines.record import DefaultsPipeline
from woo_harvester.record import Oorzaak, Versie, Waarde
from woo_harvester.register.register import Match, Organisation

BODY = Organisation("12", "Omgevingsdienst Ergens")
VERSION = Versie(Oorzaak.AANLEVERING, date(2024, 4, 2))
FILLED_IN = {
    "document.publisher": "register",
    "document.verantwoordelijke": "publisher",
    "document.titelcollectie.officieleTitel": "bestandsnaam",
    "document.classificatiecollectie.informatiecategorieen": "onbekend",
    "document.creatiedatum": "openbaarmakingsdatum",
}


def test_what_is_absent_is_filled_in_named_and_counted() -> None:
    pipeline = DefaultsPipeline.from_crawler(crawler := crawler_of())
    item = item_of(loc="https://www.a.nl/woo-besluit.pdf", match=Match(BODY), version=VERSION)
    assert pipeline.process_item(item) is item
    document = item.record.document
    assert document.publisher == document.verantwoordelijke == Waarde(label="Omgevingsdienst Ergens")
    assert document.titelcollectie.officieleTitel == "woo besluit"
    assert document.creatiedatum == date(2024, 4, 2)
    assert item.record.herkomst.standaardwaarden == FILLED_IN
    assert all(crawler.stats.get_value(f"woo/defaults/{field}") == 1 for field in FILLED_IN)


def test_what_was_given_stays() -> None:
    crawler = crawler_of()
    item = item_of(match=Match(BODY), version=VERSION)
    document = item.record.document
    document.publisher = document.verantwoordelijke = Waarde("gemeente", "https://x", "gemeente X")
    document.titelcollectie.officieleTitel = "Besluit"
    document.classificatiecollectie.informatiecategorieen = [Waarde(None, "https://y", "adviezen")]
    document.creatiedatum = date(2020, 1, 1)
    DefaultsPipeline.from_crawler(crawler).process_item(item)
    assert document.publisher.label == "gemeente X"
    assert document.titelcollectie.officieleTitel == "Besluit"
    assert document.creatiedatum == date(2020, 1, 1)
    assert item.record.herkomst.standaardwaarden == {}
    assert not [key for key in crawler.stats.get_stats() if key.startswith("woo/defaults/")]


def test_items_of_other_spiders_pass() -> None:
    other = {"a": 1}
    assert DefaultsPipeline.from_crawler(crawler_of()).process_item(other) is other
