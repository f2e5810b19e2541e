from __future__ import annotations

import json
from datetime import UTC, date, datetime
from io import BytesIO

import pytest
from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter, CsvItemExporter, JsonLinesItemExporter

from tests.samples import SAMPLES
from tests.utils.crawlers import LOC, fetched_of, item_of
from woo_harvester.items import Fetched, Sample, StreamedResponse, WooItem
from woo_harvester.record import Bestand, Oorzaak, Versie, Waarde
from woo_harvester.state.deliveries import KnownFile
from woo_harvester.utils.urls import record_id


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


def sampled(data: bytes, *, is_complete: bool = False, size: int | None = None, **headers: str) -> Fetched:
    """A document whose headers were requested, and then a sample with these headers."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    fetched = fetched_of(media_type="text/html", size=100)
    fetched.sample = Sample(StreamedResponse(LOC, headers=given), data, is_complete=is_complete, size=size)
    return fetched


def test_the_headers_of_a_sample_count_as_those_of_the_document() -> None:
    fetched = sampled(b"%PDF-", Content_Type="application/pdf", Content_Disposition="inline; filename=a.pdf")
    assert fetched.media_type == "application/pdf"
    assert fetched.disposition == b"inline; filename=a.pdf"
    assert sampled(b"%PDF-").media_type is None


def test_the_size_is_that_of_the_document_and_not_that_of_the_sample() -> None:
    assert sampled(b"%PDF-", size=9000).size == 9000
    assert sampled(b"%PDF-").size == 100
    assert sampled(b"%PDF-", size=9000).sha256 is None
    assert sampled(b"%PDF-", size=9000).file is None


def test_the_content_is_that_of_the_bytes_that_are_there() -> None:
    archive = SAMPLES["ZIP"].read_bytes()
    as_part, as_whole = sampled(archive).content, sampled(archive, is_complete=True).content
    assert as_part is not None
    assert as_whole is not None
    assert len(as_part.may_be) > 1
    assert [filetype.code for filetype in as_whole.may_be] == ["ZIP"]
    assert fetched_of(media_type="application/pdf").content is None


def test_the_content_is_detected_once() -> None:
    fetched = fetched_of(SAMPLES["PDF"].read_bytes())
    content = fetched.content
    fetched.response.close()
    assert fetched.content is content


def test_the_content_of_a_document_that_was_not_modified_is_that_of_an_earlier_run() -> None:
    known = KnownFile(sha256=b"x", media_type="application/rtf", file_name="a.rtf")
    fetched = Fetched(StreamedResponse(LOC, status=304), known)
    assert fetched.content is not None
    assert [filetype.code for filetype in fetched.content.may_be] == ["RTF"]
    item = item_of(fetched=fetched)
    assert item.source is not None
    claims, name = item.source.claims_and_name(LOC)
    assert (claims.media_type, name) == ("application/rtf", "a.rtf")
