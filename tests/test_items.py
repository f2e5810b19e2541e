from __future__ import annotations

import json
from datetime import UTC, date, datetime
from io import BytesIO

import pytest
from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter, CsvItemExporter, JsonLinesItemExporter

from tests.utils.crawlers import LOC, item_of
from woo_harvester.items import WooItem
from woo_harvester.record import Bestand, Oorzaak, Versie, Waarde
from woo_harvester.urls import record_id


def an_item() -> WooItem:
    version = Versie(
        Oorzaak.AANLEVERING,
        date(2024, 4, 2),
        datetime(2024, 4, 2, 8, tzinfo=UTC),
        bestanden=[Bestand(LOC, "application/pdf", "besluit.pdf", 20480)],
    )
    item = item_of(version=version)
    item.record.document.publisher = Waarde("gemeente", "https://identifier.overheid.nl/x", "gemeente Één")
    item.record.document.titelcollectie.officieleTitel = "Besluit, met bijlage"
    return item


OUTPUT = {
    "id": record_id(LOC),
    "document": {
        "weblocatie": LOC,
        "publisher": {"type": "gemeente", "id": "https://identifier.overheid.nl/x", "label": "gemeente Één"},
        "titelcollectie": {"officieleTitel": "Besluit, met bijlage"},
    },
    "versies": [
        {
            "oorzaak": "aanlevering",
            "openbaarmakingsdatum": "2024-04-02",
            "mutatiedatumtijd": "2024-04-02T10:00:00+02:00",
            "bestanden": [
                {
                    "url": LOC,
                    "mime-type": "application/pdf",
                    "bestandsnaam": "besluit.pdf",
                    "grootte": 20480,
                }
            ],
        }
    ],
}


def exported(exporter: BaseItemExporter, file: BytesIO) -> str:
    exporter.start_exporting()
    exporter.export_item(an_item())
    exporter.finish_exporting()
    return file.getvalue().decode()


def test_an_item_reads_as_its_record_without_what_is_absent() -> None:
    adapter = ItemAdapter(an_item())
    assert adapter.asdict() == OUTPUT
    assert len(adapter) == 3
    assert "herkomst" not in adapter
    with pytest.raises(KeyError):
        adapter["herkomst"]


def test_the_keys_of_an_item_are_those_of_the_record() -> None:
    names = ["id", "document", "documentrelaties", "versies", "herkomst"]
    assert ItemAdapter.get_field_names_from_class(WooItem) == names


def test_the_output_cannot_be_changed_behind_the_record() -> None:
    adapter = ItemAdapter(an_item())
    with pytest.raises(KeyError, match="change the record of a WooItem"):
        adapter["id"] = "anders"
    with pytest.raises(KeyError, match="change the record of a WooItem"):
        del adapter["id"]


def test_other_items_are_read_as_ever() -> None:
    assert ItemAdapter({"a": 1}).asdict() == {"a": 1}


def test_scrapys_json_lines_exporter_writes_the_record_on_one_line() -> None:
    file = BytesIO()
    text = exported(JsonLinesItemExporter(file, encoding="utf-8"), file)
    assert text.count("\n") == 1
    assert "gemeente Één" in text
    assert json.loads(text) == OUTPUT


def test_scrapys_csv_exporter_writes_a_row_with_the_keys_of_the_record_as_columns() -> None:
    file = BytesIO()
    head, row = exported(CsvItemExporter(file), file).splitlines()
    assert head == "id,document,documentrelaties,versies,herkomst"
    assert row.startswith(record_id(LOC))
    assert "gemeente Één" in row
