# ruff: noqa: E501  -- a fault a line

"""The rules are those of the official schema: they accept and refuse the same documents."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.diwoo.schema import DiwooSchema
from tests.samples import DIWOO
from woo_harvester.audit.schema import GROUPS, MAX_FAULTS, schema_faults
from woo_harvester.diwoo.given import DIWOO_NAMESPACE, ELEMENTS

MADE = f"{{{DIWOO_NAMESPACE}}}"

#: What the official schema says where only a value of a list is wrong.
ABOUT_LISTS = ("attribute 'resource'",)


@pytest.fixture(scope="module")
def schema() -> DiwooSchema:
    return DiwooSchema(DIWOO)


def document(inside: str) -> etree._Element:
    text = f'<diwoo:Document xmlns:diwoo="{DIWOO_NAMESPACE}">{inside}</diwoo:Document>'
    return etree.fromstring(text.replace("<+", "<diwoo:").replace("</+", "</diwoo:"))


GOOD = """<+DiWoo>
<+publisher>gemeente Amsterdam</+publisher>
<+titelcollectie><+officieleTitel>Besluit</+officieleTitel></+titelcollectie>
<+classificatiecollectie><+informatiecategorieen>
<+informatiecategorie>adviezen</+informatiecategorie>
</+informatiecategorieen></+classificatiecollectie>
<+creatiedatum>2024-05-01</+creatiedatum>
<+documenthandelingen><+documenthandeling>
<+soortHandeling>ontvangst</+soortHandeling><+atTime>2024-05-01T10:00:00</+atTime>
</+documenthandeling></+documenthandelingen>
</+DiWoo>"""


def faults(inside: str) -> list[tuple[str, str]]:
    return [(fault.path, fault.message) for fault in schema_faults(document(inside))]


def test_a_good_document_has_no_faults() -> None:
    assert faults(GOOD) == []
    assert faults("") == []


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        ("<+publisher>gemeente Amsterdam</+publisher>", "", ("DiWoo", "<publisher> ontbreekt")),
        ("2024-05-01</", "31-02-2024</", ("DiWoo/creatiedatum", "“31-02-2024” is geen xs:date, zoals 2026-01-31")),
        (
            "<+creatiedatum>",
            "<+wijk>Haven</+wijk><+creatiedatum>",
            ("DiWoo/wijk", "<wijk> hoort hier niet; hier mag: identifiers, publisher"),
        ),
        (
            "</+titelcollectie>",
            "<+officieleTitel>Nog een</+officieleTitel></+titelcollectie>",
            ("DiWoo/titelcollectie/officieleTitel", "<officieleTitel> staat er vaker dan één keer"),
        ),
        ("<+publisher>", '<+publisher uri="x">', ("DiWoo/publisher", "het attribuut uri hoort hier niet")),
        ("<+creatiedatum>", "los<+creatiedatum>", ("DiWoo", "hier staat tekst, waar alleen elementen horen")),
        ("Besluit", "<+b>Besluit</+b>", ("DiWoo/titelcollectie/officieleTitel", "hier hoort alleen tekst, en geen <b>")),
        ("<+creatiedatum>", '<taal xmlns="urn:x"/><+creatiedatum>', ("DiWoo/taal", "<taal> hoort hier niet")),
        (
            "<+creatiedatum>",
            '<naamOpsteller xmlns="urn:x">Jan</naamOpsteller><+creatiedatum>',
            ("DiWoo/naamOpsteller", f"<naamOpsteller> heeft niet de naamruimte {DIWOO_NAMESPACE}, maar urn:x"),
        ),
    ],
)  # fmt: skip
def test_a_fault_is_reported_with_its_path(before: str, after: str, fault: tuple[str, str]) -> None:
    assert before in GOOD
    ((path, message),) = faults(GOOD.replace(before, after, 1))
    assert path == fault[0]
    assert message.startswith(fault[1])


def test_own_metadata_have_an_order_and_a_namespace_with_its_prefix() -> None:
    velden = "<+extraMetadatavelden><+extraMetadataveld><+values><+value>1</+value></+values><+key>k</+key></+extraMetadataveld></+extraMetadatavelden>"
    assert [message for _, message in faults(f"<+extraMetadata><+prefix>p</+prefix>{velden}</+extraMetadata>")] == [
        "de volgorde is niet: key, values",
        "<namespace> en <prefix> horen bij elkaar; <namespace> ontbreekt",
    ]  # fmt: skip


def test_beyond_a_number_of_faults_one_more_says_that_the_rest_was_not_checked() -> None:
    *all_checked, _ = faults("<+x/>" * MAX_FAULTS)[:-3]  # three elements are missing too
    *found, last = faults("<+x/>" * (MAX_FAULTS + 100))
    assert found[: len(all_checked)] == all_checked
    assert len(found) == MAX_FAULTS
    assert last[1] == f"hier zijn er al {MAX_FAULTS} fouten in dit document; de rest is niet bekeken"


def remove(element: etree._Element) -> None:
    parent = element.getparent()
    assert parent is not None
    parent.remove(element)


def double(element: etree._Element) -> None:
    element.addnext(etree.fromstring(etree.tostring(element, with_tail=False)))


def rename(element: etree._Element) -> None:
    element.tag = f"{MADE}{etree.QName(element).localname}x"


def to_the_front(element: etree._Element) -> None:
    parent = element.getparent()
    assert parent is not None
    parent.insert(0, element)


def other_text(element: etree._Element) -> None:
    element.text = "31-02-2024"


def attribute(element: etree._Element) -> None:
    element.set("taal", "nl")


CHANGES: list[Callable[[etree._Element], None]] = [
    remove,
    double,
    rename,
    to_the_front,
    other_text,
    attribute,
]


def test_the_official_schema_and_this_table_agree(schema: DiwooSchema) -> None:
    @settings(max_examples=150)
    @given(st.data(), schema.documents(set()))
    def agree(data: st.DataObject, drawn: object) -> None:
        element = drawn.element  # type: ignore[attr-defined]
        assert list(schema_faults(element)) == []
        inner = [each for each in element.iter() if each is not element and isinstance(each.tag, str)]
        if inner:
            data.draw(st.sampled_from(CHANGES))(data.draw(st.sampled_from(inner)))
            official = [fault for fault in schema.faults(element) if not any(x in fault for x in ABOUT_LISTS)]
            assert bool(official) == bool(list(schema_faults(element))), etree.tostring(element)

    agree()


def test_what_reads_the_metadata_knows_the_same_names() -> None:
    assert {child.name for group in GROUPS.values() for child in group.children} == ELEMENTS


def test_what_is_outside_the_document_is_checked_too() -> None:
    (diwoo,) = document("<+DiWoo><+creatiedatum>2024</+creatiedatum></+DiWoo>")
    (own,) = document("<+extraMetadata/>")
    second = document("<+x/>")  # which metadata.dubbel reports
    found = [(fault.path, fault.message) for fault in schema_faults(None, [diwoo, second, own])]
    assert ("DiWoo/creatiedatum", "“2024” is geen xs:date, zoals 2026-01-31") in found
    assert ("DiWoo", "<publisher> ontbreekt") in found
    assert ("extraMetadata", "<extraMetadatavelden> ontbreekt") in found
    assert not [path for path, _ in found if path.startswith("x")]
    assert list(schema_faults(None)) == []
