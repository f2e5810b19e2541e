from __future__ import annotations

from datetime import UTC, date, datetime
from io import BytesIO
from typing import Any

import pytest
from scrapy.exporters import JsonLinesItemExporter

from woo_harvester.findings import Reporter
from woo_harvester.items import PermitItem, WooItem
from woo_harvester.outputs.exporters import RecordJsonLinesItemExporter
from woo_harvester.permits.record import PermitRecord, Vergunning
from woo_harvester.record import Herkomst, Oorzaak, Versie, Waarde, bare_record


def woo_item() -> WooItem:
    moment = datetime(2026, 11, 21, 23, 30, tzinfo=UTC)
    version = Versie(Oorzaak.AANLEVERING, date(2026, 11, 22), moment)
    record = bare_record("https://a.nl/één kade.pdf", version, Herkomst(opgehaald=moment))
    record.document.titelcollectie.officieleTitel = "Één \u2028 “kade” 🛶"
    record.document.publisher = Waarde("gemeente", "https://identifier.overheid.nl/x", "gemeente Ée")
    record.herkomst.standaardwaarden["document.format"] = "extensie"
    return WooItem(record, None, Reporter(lambda finding: None))


def permit_item() -> PermitItem:
    return PermitItem(PermitRecord("1", Vergunning(identifier="https://a.nl/zaken/1", title="Kap")))


def exported(kind: type[JsonLinesItemExporter], item: Any, **options: Any) -> bytes:
    exporter = kind(file := BytesIO(), **options)
    exporter.start_exporting()
    exporter.export_item(item)
    exporter.finish_exporting()
    return file.getvalue()


@pytest.mark.parametrize("item", [woo_item(), permit_item(), {"a": "é", "b": None, "c": []}])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"encoding": "utf-8"},
        {"encoding": "latin-1", "fields_to_export": ["id"]},
        {"encoding": "utf-8", "fields_to_export": {"id": "nummer", "herkomst": "bron"}},
        {"encoding": "utf-8", "export_empty_fields": True},
        {"encoding": "utf-8", "sort_keys": True},
    ],
)
def test_the_bytes_are_those_of_scrapys_own_exporter(item: Any, options: dict[str, Any]) -> None:
    expected = exported(JsonLinesItemExporter, item, **options)
    assert exported(RecordJsonLinesItemExporter, item, **options) == expected
    assert expected.count(b"\n") == 1
