from __future__ import annotations

from tests.utils.crawlers import item_of
from woo_harvester.diwoo.given import GivenMetadata, Value
from woo_harvester.findings import Finding
from woo_harvester.pipelines.record import MetadataPipeline
from woo_harvester.record import Waarde


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


def test_items_of_other_spiders_pass() -> None:
    other = {"a": 1}
    assert MetadataPipeline().process_item(other) is other
