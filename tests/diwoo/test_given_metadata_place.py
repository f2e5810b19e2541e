"""Reading metadata that are in another place than the schema's."""

from __future__ import annotations

import pytest

from tests.diwoo.documents import read, read_diwoo
from woo_harvester.diwoo.given import Extra, GivenMetadata, Handling, Value

URI = "https://identifier.overheid.nl/tooi/id/gemeente/gm0363"
DIWOO = "<diwoo:DiWoo><diwoo:creatiedatum>{}</diwoo:creatiedatum></diwoo:DiWoo>"
OWN = "<diwoo:extraMetadata><diwoo:prefix>{}</diwoo:prefix></diwoo:extraMetadata>"


def test_metadata_directly_in_the_entry_are_read_and_named_once() -> None:
    given = read(DIWOO.format(2024) + OWN.format("a") + OWN.format("b"))
    assert given == GivenMetadata(
        has_diwoo=True,
        creatiedatum="2024",
        extra=[Extra(prefix="a"), Extra(prefix="b")],
        outside=["DiWoo", "extraMetadata"],
    )


def test_metadata_beside_a_document_are_read_with_those_in_it() -> None:
    given = read(
        f"{OWN.format('naast')}<diwoo:Document>{DIWOO.format(2024)}{OWN.format('in')}</diwoo:Document>"
    )
    assert (given.creatiedatum, given.outside, given.doubled) == ("2024", ["extraMetadata"], [])
    assert [extra.prefix for extra in given.extra] == ["in", "naast"]
    given = read(f"<diwoo:Document>{OWN.format('in')}</diwoo:Document>{DIWOO.format(2024)}")
    assert (given.creatiedatum, given.outside, given.doubled) == ("2024", ["DiWoo"], [])


def test_the_first_of_two_documents_counts_and_the_second_is_named() -> None:
    document = f"<diwoo:Document>{DIWOO}{OWN}</diwoo:Document>"
    given = read(document.format(2024, "a") + document.format(2025, "b") + document.format(2026, "c"))
    assert given == GivenMetadata(
        has_diwoo=True, creatiedatum="2024", extra=[Extra(prefix="a")], doubled=["Document"]
    )


@pytest.mark.parametrize(
    "first", [DIWOO.format(2024), f"<diwoo:Document>{DIWOO.format(2024)}</diwoo:Document>"]
)
def test_a_second_diwoo_is_named_and_not_mixed_with_the_first(first: str) -> None:
    given = read(first + DIWOO.format(2025) + "<diwoo:DiWoo><diwoo:format>x</diwoo:format></diwoo:DiWoo>")
    assert (given.creatiedatum, given.format, given.doubled) == ("2024", None, ["DiWoo"])


def test_mdto_directly_in_the_entry_is_only_noticed() -> None:
    assert read('<MDTO xmlns="urn:mdto"><naam>x</naam></MDTO>') == GivenMetadata(has_mdto=True)


@pytest.mark.parametrize(
    "publisher",
    [
        f"<diwoo:publisher>gemeente A<resource>{URI}</resource></diwoo:publisher>",
        f"<diwoo:publisher>\n<diwoo:resource> {URI} </diwoo:resource>\ngemeente A</diwoo:publisher>",
        f"<diwoo:publisher><naam>gemeente A</naam><resource>{URI}</resource></diwoo:publisher>",
        f'<diwoo:publisher resource="{URI}">gemeente A<resource>urn:x</resource></diwoo:publisher>',
        f"<diwoo:publisher>gemeente A<resource/><resource>{URI}</resource></diwoo:publisher>",
    ],
)
def test_a_uri_in_an_element_is_read_as_the_attribute(publisher: str) -> None:
    given = read_diwoo(publisher)
    assert (given.publisher, given.resource_elements) == (Value("gemeente A", URI), ["publisher"])


def test_a_uri_in_an_element_is_read_of_every_value_and_each_is_named_once() -> None:
    category = f"<diwoo:informatiecategorie>x<resource>{URI}</resource></diwoo:informatiecategorie>"
    given = read_diwoo(
        f"""<diwoo:format><resource>{URI}</resource></diwoo:format>
        <diwoo:classificatiecollectie>
        <diwoo:informatiecategorieen>{category * 2}</diwoo:informatiecategorieen>
        </diwoo:classificatiecollectie><diwoo:documenthandelingen><diwoo:documenthandeling>
        <diwoo:soortHandeling>y<resource>{URI}</resource></diwoo:soortHandeling>
        </diwoo:documenthandeling></diwoo:documenthandelingen>"""
    )
    assert given.format == Value(None, URI)
    assert given.informatiecategorieen == [Value("x", URI)] * 2
    assert given.handelingen == [Handling(Value("y", URI), None, None)]
    assert given.resource_elements == ["format", "informatiecategorie", "soortHandeling"]
    assert given.unread == []


def test_other_elements_in_a_value_are_its_text_as_before() -> None:
    given = read_diwoo("<diwoo:publisher>gemeente <b>A</b></diwoo:publisher>")
    assert (given.publisher, given.resource_elements) == (Value("gemeente A", None), [])
