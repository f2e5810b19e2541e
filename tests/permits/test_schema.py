from __future__ import annotations

from importlib.resources import files

import pytest
from lxml import etree

from tests.permits.test_mapping import FULL_KERN, FULL_MANTEL, FULL_META
from woo_harvester.permits import schema
from woo_harvester.permits.demo_messages import delete_message, document_message, message
from woo_harvester.permits.mapping import conform

XS = "{http://www.w3.org/2001/XMLSchema}"


@pytest.fixture(scope="module")
def files_of_schema() -> list[etree._Element]:
    folder = files("woo_harvester.permits.schema")
    names = sorted(each.name for each in folder.iterdir() if each.name.endswith(".xsd"))
    return [etree.fromstring(folder.joinpath(name).read_bytes()) for name in names]


def test_a_message_in_the_namespaces_of_the_schema_is_valid_as_it_is() -> None:
    for content in [
        message(kern=FULL_KERN, mantel=FULL_MANTEL, meta=FULL_META),
        document_message(),
        delete_message(),
    ]:
        root = etree.fromstring(content)
        assert schema.is_valid(root), content
        before = etree.tostring(root)
        assert conform(root) == [], content
        assert etree.tostring(root) == before, content


def test_every_schema_file_names_itself_and_its_version(files_of_schema: list[etree._Element]) -> None:
    assert len(files_of_schema) == 4
    for root in files_of_schema:
        assert root.get("version") == "1.0.0"
        assert root.findtext(f"{XS}annotation/{XS}documentation", "").strip()


def test_every_element_may_have_unknown_attributes(
    files_of_schema: list[etree._Element],
) -> None:
    for root in files_of_schema:
        for kind in root.iter(f"{XS}complexType"):
            assert kind.find(f".//{XS}anyAttribute") is not None, kind.get("name")


@pytest.mark.parametrize("space", [b"", schema.MESSAGE_NS.encode(), schema.DOCUMENT_NS.encode()])
def test_every_element_of_the_metadata_gets_its_namespace(space: bytes) -> None:
    full = message(kern=FULL_KERN, mantel=FULL_MANTEL, meta=FULL_META)
    root = etree.fromstring(full)
    for element in root.iterdescendants():
        if (name := etree.QName(element)).namespace == schema.CASE_NS:
            element.tag = f"{{{space.decode()}}}{name.localname}" if space else name.localname
    assert not schema.is_valid(root)
    assert conform(root) == []
    assert schema.is_valid(root)
    assert [each.tag for each in root.iter()] == [each.tag for each in etree.fromstring(full).iter()]


def test_an_element_of_another_namespace_is_not_changed() -> None:
    tree = etree.fromstring(
        f'<message xmlns="{schema.MESSAGE_NS}"><x:meta xmlns:x="https://elders.nl/"/></message>'
    )
    conform(tree)
    assert tree[0].tag == "{https://elders.nl/}meta"


def test_a_fault_is_located_although_one_prefix_stands_for_several_namespaces() -> None:
    content = message(aanmaakdatum="nu").replace(
        b"<zaak:meta>", b'<zaak:meta xmlns:overheidvg="https://elders.nl/">'
    )
    (fault,) = schema.faults_of(etree.fromstring(content))
    assert (fault.code, fault.line, fault.element) == ("ipm.datum", 9, "aanmaakdatum")
