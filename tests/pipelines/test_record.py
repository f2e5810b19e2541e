from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from scrapy.exceptions import DropItem
from scrapy.utils.misc import build_from_crawler

from tests.samples import SAMPLES
from tests.utils.crawlers import LOC, crawler_of, fetched_of, item_of
from woo_harvester.diwoo.given import GivenMetadata, Value
from woo_harvester.findings import Finding
from woo_harvester.items import Fetched, WooItem
from woo_harvester.pipelines.record import DefaultsPipeline, FileTypePipeline, MetadataPipeline
from woo_harvester.record import Bestand, Oorzaak, Versie, Waarde
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

DOCX_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PDF = "http://publications.europa.eu/resource/authority/file-type/PDF"


def process(item: WooItem) -> dict[str, object]:
    """The item through the pipeline; gives the statistics."""
    crawler = crawler_of()
    assert FileTypePipeline.from_crawler(crawler).process_item(item) is item
    return {key: value for key, value in crawler.stats.get_stats().items() if key.startswith("woo/")}


def fetched(media_type: str | None = "application/pdf", content: bytes | None = None) -> Fetched:
    return fetched_of(content, media_type=media_type, size=20480)


def sample(code: str) -> bytes:
    return SAMPLES[code].read_bytes()


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


def test_what_the_publisher_gave_is_mapped_to_the_record() -> None:
    given = GivenMetadata(has_diwoo=True, officiele_titel="Convenant", documentsoorten=[Value("Brief", None)])
    item = item_of(given)
    assert MetadataPipeline().process_item(item) is item
    document = item.record.document
    assert document.titelcollectie.officieleTitel == "Convenant"
    uri = "https://identifier.overheid.nl/tooi/def/thes/kern/c_7652d853"
    assert document.classificatiecollectie.documentsoorten == [Waarde(None, uri, "brief")]


def test_findings_about_it_stand_in_the_record() -> None:
    findings: list[Finding] = []
    item = item_of(GivenMetadata(), findings=findings)
    MetadataPipeline().process_item(item)
    assert "metadata.ontbreekt" in item.record.herkomst.bevindingen
    assert [finding.code for finding in findings] == item.record.herkomst.bevindingen


def test_the_file_is_described_by_what_the_response_says() -> None:
    disposition = 'attachment; filename="Besluit 12.pdf"'
    item = item_of(
        fetched=fetched_of(
            sample("PDF"),
            media_type="application/pdf",
            disposition=disposition,
            size=20480,
            digest="ab" * 32,
        )
    )
    process(item)
    assert item.record.versies[0].bestanden == [
        Bestand(LOC, "application/pdf", "Besluit 12.pdf", 20480, "ab" * 32)
    ]


def test_without_a_request_the_loc_tells_type_and_name() -> None:
    item = item_of()
    assert process(item) == {"woo/defaults/document.format": 1}
    assert item.record.document.format == Waarde(None, PDF, "PDF")
    assert item.record.herkomst.standaardwaarden == {"document.format": "extensie"}
    assert item.record.versies[0].bestanden == [Bestand(LOC, "application/pdf", "besluit.pdf")]


def test_the_media_type_tells_where_the_loc_does_not() -> None:
    item = item_of(loc="https://www.a.nl/documenten/1/download", fetched=fetched("application/pdf"))
    process(item)
    assert item.record.herkomst.standaardwaarden == {"document.format": "content-type"}


def test_a_given_format_is_no_default() -> None:
    item = item_of(GivenMetadata(format=Value("PDF", PDF)), fetched=fetched())
    item.record.document.format = given = Waarde(None, PDF, "PDF")
    assert process(item) == {}
    assert item.record.document.format is given
    assert item.record.herkomst.standaardwaarden == {}


def test_a_format_that_says_nothing_keeps_its_bronwaarde_when_another_source_tells() -> None:
    item = item_of(GivenMetadata(format=Value("document", None)), fetched=fetched())
    item.record.document.format = Waarde(bronwaarde="document")
    process(item)
    assert item.record.document.format == Waarde(None, PDF, "PDF", "document")


@pytest.mark.parametrize(
    ("loc", "media_type", "code"),
    [
        ("https://www.a.nl/besluit.exe", None, "format.niet-ondersteund"),
        ("https://www.a.nl/besluit.pdf", "video/mp4", "format.niet-ondersteund"),
        ("https://www.a.nl/besluit", None, "format.onbekend"),
        ("https://www.a.nl/besluit.pdf", "text/html", "document.html-pagina"),
    ],
)
def test_what_is_not_of_the_19_types_is_left_out_with_a_finding(
    loc: str, media_type: str | None, code: str
) -> None:
    crawler = crawler_of()
    item = item_of(loc=loc, fetched=fetched(media_type))
    with pytest.raises(DropItem, match=f"{loc}: {code}"):
        FileTypePipeline.from_crawler(crawler).process_item(item)
    assert item.report.codes == [code]


def test_what_the_bytes_tell_is_the_media_type_in_the_record() -> None:
    item = item_of(GivenMetadata(format=Value("PDF", PDF)), fetched=fetched(content=sample("DOCX")))
    item.record.document.format = given = Waarde(None, PDF, "PDF")
    process(item)
    assert item.record.document.format is given
    assert item.record.versies[0].bestanden[0].mime_type == DOCX_TYPE
    assert item.source is not None
    assert item.source.filetype is not None
    assert item.source.filetype.code == "DOCX"
    assert item.report.codes == ["format.strijdig"]


def test_what_the_bytes_tell_is_the_format_where_the_publisher_gave_none() -> None:
    item = item_of(loc="https://www.a.nl/1/download", fetched=fetched(None, sample("ODT")))
    assert process(item) == {"woo/defaults/document.format": 1}
    assert item.record.document.format == Waarde(None, PDF.replace("PDF", "ODT"), "ODT")
    assert item.record.herkomst.standaardwaarden == {"document.format": "inhoud"}


def test_a_slide_show_of_old_has_the_media_type_of_a_presentation() -> None:
    item = item_of(loc="https://www.a.nl/a.pps", fetched=fetched(None, sample("PPS")))
    process(item)
    assert item.record.versies[0].bestanden[0].mime_type == "application/vnd.ms-powerpoint"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"<!DOCTYPE html><title>Inloggen</title>", "document.html-pagina"),
        (b"MZ\x90\x00", "format.niet-ondersteund"),
    ],
)
def test_bytes_that_may_not_be_harvested_are_left_out(content: bytes, code: str) -> None:
    item = item_of(GivenMetadata(format=Value("PDF", PDF)), fetched=fetched(content=content))
    with pytest.raises(DropItem, match=code):
        FileTypePipeline.from_crawler(crawler_of()).process_item(item)
    assert item.report.codes == [code]


def test_a_page_that_leads_to_documents_is_harvested_with_a_finding() -> None:
    findings: list[Finding] = []
    item = item_of(loc="https://www.a.nl/besluit", fetched=fetched("text/html"), findings=findings)
    assert item.source is not None
    assert item.source.fetched is not None
    item.source.fetched.leads_to = ("https://www.a.nl/a.pdf", "https://www.a.nl/b.odt")
    process(item)
    assert item.record.versies[0].bestanden[0].mime_type == "text/html"
    (found,) = findings
    assert (found.code, found.action) == ("document.landingspagina", "geoogst als HTML")
    assert found.seen == "bedoelde u https://www.a.nl/a.pdf, https://www.a.nl/b.odt?"


@pytest.mark.parametrize("pipeline", [DefaultsPipeline, MetadataPipeline, FileTypePipeline])
def test_items_of_other_spiders_pass(pipeline: type[Any]) -> None:
    other = {"a": 1}
    assert build_from_crawler(pipeline, crawler_of()).process_item(other) is other
