from __future__ import annotations

import csv
import json
from datetime import UTC, date, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from scrapy.exporters import JsonLinesItemExporter
from scrapy.utils.test import get_crawler

from woo_harvester.findings import Reporter
from woo_harvester.items import WooItem
from woo_harvester.kinds import Kind
from woo_harvester.outputs.columns import all_columns, columns_of
from woo_harvester.outputs.feeds import (
    DutchCsvItemExporter,
    RecordCsvItemExporter,
    RecordJsonLinesItemExporter,
)
from woo_harvester.permits.geojson import GeoJsonItemExporter
from woo_harvester.permits.record import PermitRecord, Vergunning
from woo_harvester.permits.spider import PermitItem, VergunningenSpider
from woo_harvester.record import Herkomst, Oorzaak, Versie, Waarde, bare_record
from woo_harvester.running.causes import StartError
from woo_harvester.spiders.woo import WooSpider


def woo_item(name: str, title: str | None = None) -> WooItem:
    record = bare_record(f"https://a.nl/{name}.pdf", Versie(Oorzaak.AANLEVERING), Herkomst())
    record.document.titelcollectie.officieleTitel = title
    return WooItem(record, None, Reporter(lambda finding: None))


def export(
    path: Path, *items: Any, spider: type[Any] | None = WooSpider, columns: str = "", **options: Any
) -> list[list[str]]:
    crawler = get_crawler(spider, {"WOO_CSV_COLUMNS": columns})
    with path.open("wb") as file:
        exporter = RecordCsvItemExporter.from_crawler(crawler, file, **options)  # type: ignore[arg-type]  # as Scrapy does
        exporter.start_exporting()
        for item in items:
            exporter.export_item(item)
        exporter.finish_exporting()
    return rows(path)


def rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


def test_the_columns_do_not_depend_on_the_records(tmp_path: Path) -> None:
    (bare, *_) = export(tmp_path / "a.csv", woo_item("x"))
    (titled, row) = export(tmp_path / "b.csv", woo_item("x", "Één kade"))
    assert bare == titled == list(columns_of(Kind.woo))
    assert dict(zip(titled, row, strict=True))["titel"] == "Één kade"


def test_a_run_without_records_writes_the_header(tmp_path: Path) -> None:
    for spider, kind in ((WooSpider, Kind.woo), (VergunningenSpider, Kind.vergunningen)):
        assert export(tmp_path / "a.csv", spider=spider) == [list(columns_of(kind))], kind
        assert export(tmp_path / "b.csv", spider=spider, columns="all") == [list(all_columns(kind))], kind


def test_a_setting_chooses_columns_and_refuses_others(tmp_path: Path) -> None:
    header, row = export(tmp_path / "a.csv", woo_item("x"), columns="link,document,id")
    assert header == ["link", "document", "id"]
    assert row[:2] == ["https://a.nl/x.pdf", '{"weblocatie": "https://a.nl/x.pdf"}']
    with pytest.raises(StartError, match="WOO_CSV_COLUMNS: unknown column lnk: did you mean link"):
        export(tmp_path / "b.csv", columns="lnk")


def test_a_spreadsheet_recognises_the_encoding(tmp_path: Path) -> None:
    export(tmp_path / "a.csv", woo_item("x"))
    assert (tmp_path / "a.csv").read_bytes().startswith(b'\xef\xbb\xbf"titel",')
    export(tmp_path / "b.csv", woo_item("x"), columns="titel,id", encoding="latin-1")
    assert (tmp_path / "b.csv").read_bytes().startswith(b'"titel",')


def test_a_file_for_excel_in_dutch_has_semicolons(tmp_path: Path) -> None:
    with (tmp_path / "a.csv").open("wb") as file:
        exporter = DutchCsvItemExporter.from_crawler(get_crawler(WooSpider), file)  # type: ignore[arg-type]  # as Scrapy does
        exporter.start_exporting()
        exporter.export_item(woo_item("x", "=1+1;2"))
        exporter.finish_exporting()
    assert (tmp_path / "a.csv").read_bytes().startswith(b'\xef\xbb\xbf"titel";"organisatie";')
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as text:
        header, row = csv.reader(text, delimiter=";")
    assert header == list(columns_of(Kind.woo))
    assert row[0] == "'=1+1;2"


def test_a_file_may_have_other_separators(tmp_path: Path) -> None:
    cases: list[dict[str, Any]] = [{"delimiter": ";"}, {"delimiter": "\t"}, {"quotechar": "'"}]
    for options in cases:
        export(tmp_path / "a.csv", woo_item("x"), **options)
        with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
            header, row = csv.reader(file, **options)
        assert (header, len(row)) == (list(columns_of(Kind.woo)), len(header)), options


def test_the_fields_of_a_feed_choose_columns_and_their_names(tmp_path: Path) -> None:
    cases: list[Any] = [
        ["id", "document.weblocatie"],
        {"id": "nr", "document.weblocatie": "adres"},
        ["id", "link"],
    ]
    for fields in cases:
        header, row = export(tmp_path / "a.csv", woo_item("x"), fields_to_export=fields)
        assert header == (list(fields.values()) if isinstance(fields, dict) else fields), fields
        assert row[1] == "https://a.nl/x.pdf", fields


def test_without_a_header_there_are_rows_only(tmp_path: Path) -> None:
    assert len(export(tmp_path / "a.csv", woo_item("x"), include_headers_line=False)) == 1
    assert not (tmp_path / "a.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def test_the_item_decides_the_columns_of_a_spider_that_does_not(tmp_path: Path) -> None:
    item = PermitItem(PermitRecord("1", vergunning=Vergunning()))
    assert export(tmp_path / "a.csv", item, spider=None)[0] == list(columns_of(Kind.vergunningen))


def test_items_of_other_projects_are_written_as_scrapy_does(tmp_path: Path) -> None:
    assert export(tmp_path / "a.csv", {"name": "x", "tags": ["a", "b"]}, spider=None) == [
        ["name", "tags"],
        ["x", "a,b"],
    ]
    assert export(tmp_path / "b.csv", spider=None) == []


def item_of() -> WooItem:
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


def test_the_bytes_are_those_of_scrapys_own_exporter() -> None:
    cases_item: list[Any] = [item_of(), permit_item(), {"a": "é", "b": None, "c": []}]
    cases_options: list[dict[str, Any]] = [
        {},
        {"encoding": "utf-8"},
        {"encoding": "latin-1", "fields_to_export": ["id"]},
        {"encoding": "utf-8", "fields_to_export": {"id": "nummer", "herkomst": "bron"}},
        {"encoding": "utf-8", "export_empty_fields": True},
        {"encoding": "utf-8", "sort_keys": True},
    ]
    for item in cases_item:
        for options in cases_options:
            expected = exported(JsonLinesItemExporter, item, **options)
            assert exported(RecordJsonLinesItemExporter, item, **options) == expected, (item, options)
            assert expected.count(b"\n") == 1, (item, options)


RECORD = {
    "id": "1",
    "vergunning": {"title": "Eén eik", "object": {"coordinaten": [{"wgs84": {"lat": 52.1, "lon": 5.3}}]}},
}


def exported_geojson(*items: dict[str, Any]) -> str:
    file = BytesIO()
    exporter = GeoJsonItemExporter(file)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    return file.getvalue().decode()


def test_a_feed_is_a_feature_collection() -> None:
    for count in [0, 1, 3]:
        collection = json.loads(exported_geojson(*[RECORD] * count))
        assert collection["type"] == "FeatureCollection", count
        assert [each["geometry"]["coordinates"] for each in collection["features"]] == [[5.3, 52.1]] * count


def test_each_feature_stands_on_a_line_of_its_own_in_utf_8() -> None:
    lines = exported_geojson(RECORD, RECORD).splitlines()
    assert len(lines) == 4
    assert "Eén eik" in lines[1]
