"""Reading the metadata of a ``diwoo:Document``, as given."""

from __future__ import annotations

import re

from msgspec.structs import replace

from tests.diwoo.documents import LOC, NAMESPACE, SITEMAP, read, read_diwoo
from woo_harvester.diwoo.given import (
    ELEMENTS,
    NAMES_MAX,
    Extra,
    ExtraField,
    GivenMetadata,
    Handling,
    Relation,
    Value,
    meant_element,
    meant_elements,
    read_metadata,
)
from woo_harvester.sitemaps.reader import SitemapReader

EVERYTHING = """
<d:Document xmlns:d="https://standaarden.overheid.nl/diwoo/metadata/">
  <d:DiWoo>
    <d:redenVerwijderingVervanging resource="urn:reden">reden</d:redenVerwijderingVervanging>
    <d:identifiers><d:identifier>Z-1</d:identifier><d:identifier>Z-2</d:identifier></d:identifiers>
    <d:publisher resource="urn:uitgever">uitgever</d:publisher>
    <d:verantwoordelijke resource="urn:v">verantwoordelijke</d:verantwoordelijke>
    <d:medeverantwoordelijken>
      <d:medeverantwoordelijke resource="urn:m1"/>
      <d:medeverantwoordelijke>mede 2</d:medeverantwoordelijke>
    </d:medeverantwoordelijken>
    <d:opsteller resource="urn:o">opsteller</d:opsteller>
    <d:naamOpsteller>A. Opsteller</d:naamOpsteller>
    <d:titelcollectie>
      <d:alternatieveTitels><d:alternatieveTitel>Anders</d:alternatieveTitel></d:alternatieveTitels>
      <d:verkorteTitels><d:verkorteTitel>Kort</d:verkorteTitel></d:verkorteTitels>
      <d:officieleTitel>Besluit</d:officieleTitel>
    </d:titelcollectie>
    <d:omschrijvingen><d:omschrijving>Over water</d:omschrijving></d:omschrijvingen>
    <d:classificatiecollectie>
      <d:trefwoorden><d:trefwoord>water</d:trefwoord><d:trefwoord>dijk</d:trefwoord></d:trefwoorden>
      <d:themas><d:thema resource="urn:t">thema</d:thema></d:themas>
      <d:documentsoorten><d:documentsoort resource="urn:s">soort</d:documentsoort></d:documentsoorten>
      <d:informatiecategorieen>
        <d:informatiecategorie resource="urn:c">categorie</d:informatiecategorie>
      </d:informatiecategorieen>
    </d:classificatiecollectie>
    <d:creatiedatum>2024-04-01</d:creatiedatum>
    <d:geldigheid><d:einddatum>2025</d:einddatum><d:begindatum>2024</d:begindatum></d:geldigheid>
    <d:language resource="urn:nl">Nederlands</d:language>
    <d:format resource="urn:pdf">PDF</d:format>
    <d:aggregatiekenmerk>dossier 1</d:aggregatiekenmerk>
    <d:isPartOf resource="urn:geheel">geheel</d:isPartOf>
    <d:hasParts><d:hasPart resource="urn:deel">deel</d:hasPart></d:hasParts>
    <d:documenthandelingen>
      <d:documenthandeling>
        <d:wasAssociatedWith resource="urn:wie">wie</d:wasAssociatedWith>
        <d:atTime>2024-04-01T10:00:00</d:atTime>
        <d:soortHandeling resource="urn:h">vaststelling</d:soortHandeling>
      </d:documenthandeling>
    </d:documenthandelingen>
    <d:documentrelaties>
      <d:documentrelatie>
        <d:relation resource="urn:ander">ander</d:relation><d:role resource="urn:rol">rol</d:role>
      </d:documentrelatie>
    </d:documentrelaties>
  </d:DiWoo>
  <d:extraMetadata>
    <d:namespace>https://www.gemeente.nl/velden</d:namespace>
    <d:prefix>gem</d:prefix>
    <d:extraMetadatavelden>
      <d:extraMetadataveld>
        <d:key>wijk</d:key><d:values><d:value>Noord</d:value><d:value>Oost</d:value></d:values>
      </d:extraMetadataveld>
    </d:extraMetadatavelden>
  </d:extraMetadata>
</d:Document>
"""

URI = "https://identifier.overheid.nl/tooi/id/gemeente/gm0363"
DIWOO = "<diwoo:DiWoo><diwoo:creatiedatum>{}</diwoo:creatiedatum></diwoo:DiWoo>"
OWN = "<diwoo:extraMetadata><diwoo:prefix>{}</diwoo:prefix></diwoo:extraMetadata>"


def test_every_element_is_read_in_any_order() -> None:
    assert read(EVERYTHING) == GivenMetadata(
        has_diwoo=True,
        identifiers=["Z-1", "Z-2"],
        publisher=Value("uitgever", "urn:uitgever"),
        verantwoordelijke=Value("verantwoordelijke", "urn:v"),
        medeverantwoordelijken=[Value(None, "urn:m1"), Value("mede 2", None)],
        opsteller=Value("opsteller", "urn:o"),
        naam_opsteller="A. Opsteller",
        officiele_titel="Besluit",
        verkorte_titels=["Kort"],
        alternatieve_titels=["Anders"],
        omschrijvingen=["Over water"],
        informatiecategorieen=[Value("categorie", "urn:c")],
        documentsoorten=[Value("soort", "urn:s")],
        themas=[Value("thema", "urn:t")],
        trefwoorden=["water", "dijk"],
        creatiedatum="2024-04-01",
        begindatum="2024",
        einddatum="2025",
        language=Value("Nederlands", "urn:nl"),
        format=Value("PDF", "urn:pdf"),
        aggregatiekenmerk="dossier 1",
        is_part_of=Value("geheel", "urn:geheel"),
        has_parts=[Value("deel", "urn:deel")],
        handelingen=[
            Handling(Value("vaststelling", "urn:h"), "2024-04-01T10:00:00", Value("wie", "urn:wie"))
        ],
        relaties=[Relation(Value("rol", "urn:rol"), Value("ander", "urn:ander"))],
        reden=Value("reden", "urn:reden"),
        extra=[Extra("https://www.gemeente.nl/velden", "gem", [ExtraField("wijk", ["Noord", "Oost"])])],
    )


def test_of_a_misspelt_namespace_all_is_read_and_the_namespace_kept() -> None:
    for namespace in ["http://standaarden.overheid.nl/diwoo/metadata/", f"{NAMESPACE}0.9.8", SITEMAP]:
        given = read(EVERYTHING.replace(NAMESPACE, namespace))
        assert given == replace(read(EVERYTHING), namespace=namespace), namespace


def test_without_a_namespace_all_is_read_too() -> None:
    document = '<Document xmlns=""><DiWoo><creatiedatum>2024-04-01</creatiedatum></DiWoo></Document>'
    assert read(document) == GivenMetadata(has_diwoo=True, namespace="", creatiedatum="2024-04-01")


def test_without_metadata_nothing_is_given() -> None:
    assert read("") == read("<diwoo:Document/>") == read_metadata(None) == GivenMetadata()


def test_mdto_in_a_document_or_directly_in_the_entry_is_only_noticed() -> None:
    for tag in ["<diwoo:Document>{}</diwoo:Document>", "{}"]:
        mdto = '<MDTO xmlns="urn:mdto"><naam>x</naam></MDTO>'
        assert read(tag.format(mdto)) == GivenMetadata(has_mdto=True), tag


def test_a_value_is_its_text_without_markup_and_white_space_and_its_uri() -> None:
    for publisher in [
        '<diwoo:publisher resource=" urn:a\n">\n  gemeente A\n </diwoo:publisher>',
        '<diwoo:publisher diwoo:resource="urn:a">gemeente A</diwoo:publisher>',
        '<diwoo:publisher resource="urn:a">gemeente <b>A</b></diwoo:publisher>',
    ]:
        given = read_diwoo(publisher)
        assert (given.publisher, given.resource_elements) == (Value("gemeente A", "urn:a"), []), publisher


def test_an_element_without_a_value_counts_as_absent() -> None:
    for element in [
        "<diwoo:publisher/>",
        '<diwoo:publisher resource=" "> </diwoo:publisher>',
        "<diwoo:titelcollectie><diwoo:officieleTitel>\n</diwoo:officieleTitel></diwoo:titelcollectie>",
        "<diwoo:identifiers><diwoo:identifier/></diwoo:identifiers>",
        "<diwoo:documenthandelingen><diwoo:documenthandeling/></diwoo:documenthandelingen>",
        "<diwoo:documenthandelingen> </diwoo:documenthandelingen>",
        "<diwoo:documentrelaties><diwoo:documentrelatie><diwoo:role/></diwoo:documentrelatie>"
        "</diwoo:documentrelaties>",
    ]:
        assert read_diwoo(element) == GivenMetadata(has_diwoo=True), element


def test_markup_within_a_value_is_not_lost_and_a_comment_is_no_part_of_it() -> None:
    given = read_diwoo(
        "<diwoo:naamOpsteller>A<!-- niet --> &amp; <![CDATA[<B>]]> &#233;</diwoo:naamOpsteller>"
        "<diwoo:omschrijvingen><diwoo:omschrijving>Over <b>hoog</b> water</diwoo:omschrijving>"
        "</diwoo:omschrijvingen>"
    )
    assert (given.naam_opsteller, given.omschrijvingen) == ("A & <B> é", ["Over hoog water"])


def test_an_element_that_the_schema_does_not_have_there_is_unread() -> None:
    for elements, unread in [
        ("<diwoo:uitgever>A</diwoo:uitgever>", "uitgever"),
        ("<diwoo:officieleTitel>Besluit</diwoo:officieleTitel>", "officieleTitel"),
        ("<diwoo:identifiers><diwoo:id>1</diwoo:id></diwoo:identifiers>", "id"),
        ("<diwoo:documenthandelingen><diwoo:handeling/></diwoo:documenthandelingen>", "handeling"),
        (
            "<diwoo:documentrelaties><diwoo:documentrelatie><diwoo:soort>x</diwoo:soort>"
            "</diwoo:documentrelatie></diwoo:documentrelaties>",
            "soort",
        ),
    ]:
        assert read_diwoo(elements).unread == [unread], elements


def test_text_in_the_place_of_elements_and_elements_too_many_are_not_read() -> None:
    handling = "<diwoo:documenthandeling>x</diwoo:documenthandeling>"
    name = "<diwoo:naamOpsteller>A</diwoo:naamOpsteller>"
    for elements, bare, doubled in [
        ("<diwoo:identifiers>Z-1</diwoo:identifiers>", ["identifiers"], []),
        ("<diwoo:titelcollectie>Besluit</diwoo:titelcollectie>", ["titelcollectie"], []),
        ("<diwoo:documenthandelingen>x</diwoo:documenthandelingen>", ["documenthandelingen"], []),
        (f"<diwoo:documenthandelingen>{handling}</diwoo:documenthandelingen>", ["documenthandeling"], []),
        (name * 2, [], ["naamOpsteller"]),
        (f"</diwoo:DiWoo><diwoo:DiWoo>{name}", [], ["DiWoo"]),
    ]:
        given = read_diwoo(elements)
        assert (given.bare, given.doubled, given.unread) == (bare, doubled, []), elements


def test_of_an_element_that_comes_twice_the_first_with_a_value_counts() -> None:
    given = read_diwoo(
        """<diwoo:naamOpsteller/><diwoo:naamOpsteller>A</diwoo:naamOpsteller>
        <diwoo:documenthandelingen><diwoo:documenthandeling>
          <diwoo:atTime/><diwoo:atTime>2024-04-01</diwoo:atTime><diwoo:atTime>2024-04-02</diwoo:atTime>
        </diwoo:documenthandeling></diwoo:documenthandelingen>"""
    )
    assert given == GivenMetadata(
        has_diwoo=True,
        naam_opsteller="A",
        handelingen=[Handling(None, "2024-04-01", None)],
        doubled=["atTime"],
    )


def test_lists_that_come_twice_are_read_as_one() -> None:
    words = "<diwoo:trefwoorden><diwoo:trefwoord>{}</diwoo:trefwoord></diwoo:trefwoorden>"
    collection = "<diwoo:classificatiecollectie>{}</diwoo:classificatiecollectie>"
    given = read_diwoo(collection.format(words.format("a")) + collection.format(words.format("b")))
    assert given.trefwoorden == ["a", "b"]


def test_no_more_unread_names_are_kept_than_a_finding_can_show() -> None:
    given = read_diwoo("".join(f"<x{number}/><x{number}/>" for number in range(1000)))
    assert given.unread == [f"x{number}" for number in range(NAMES_MAX)]


def test_own_metadata_comes_in_any_number_of_groups() -> None:
    given = read(
        """<diwoo:Document>
        <diwoo:extraMetadata><diwoo:extraMetadatavelden>
          <diwoo:extraMetadataveld><diwoo:key>a</diwoo:key><diwoo:values><diwoo:value>1</diwoo:value></diwoo:values>
          </diwoo:extraMetadataveld>
          <diwoo:extraMetadataveld><diwoo:values><diwoo:value>2</diwoo:value><diwoo:value/></diwoo:values>
          </diwoo:extraMetadataveld>
          <diwoo:extraMetadataveld><diwoo:key>leeg</diwoo:key><diwoo:values/></diwoo:extraMetadataveld>
          <diwoo:extraMetadataveld/>
        </diwoo:extraMetadatavelden></diwoo:extraMetadata>
        <diwoo:extraMetadata><diwoo:prefix>gem</diwoo:prefix></diwoo:extraMetadata>
        <diwoo:extraMetadata/>
        </diwoo:Document>"""
    )
    fields = [ExtraField("a", ["1"]), ExtraField(None, ["2"]), ExtraField("leeg", [])]
    assert given == GivenMetadata(extra=[Extra(fields=fields), Extra(prefix="gem")])


def test_own_metadata_in_another_form_is_unread() -> None:
    given = read(
        """<diwoo:Document><diwoo:extraMetadata>
        <diwoo:prefix>a</diwoo:prefix><diwoo:prefix>b</diwoo:prefix><diwoo:naam>x</diwoo:naam>
        <diwoo:extraMetadatavelden><diwoo:extraMetadataveld>
          <diwoo:key>c</diwoo:key><diwoo:key>d</diwoo:key><diwoo:value>1</diwoo:value>
          <diwoo:values>2</diwoo:values>
        </diwoo:extraMetadataveld></diwoo:extraMetadatavelden>
        </diwoo:extraMetadata></diwoo:Document>"""
    )
    assert given == GivenMetadata(
        extra=[Extra(prefix="a", fields=[ExtraField("c", [])])],
        unread=["naam", "value"],
        bare=["values"],
        doubled=["prefix", "key"],
    )


def test_metadata_in_a_form_that_no_schema_has_is_unread_without_an_error() -> None:
    given = read(f"<diwoo:Document><loc>{LOC}</loc><diwoo:DiWoo>tekst</diwoo:DiWoo></diwoo:Document>")
    assert given == GivenMetadata(has_diwoo=True, unread=["loc"], bare=["DiWoo"])


def test_what_was_given_outlives_the_tree_that_it_was_read_from() -> None:
    entry = f"<url><loc>{LOC}</loc>{EVERYTHING}</url>"
    reader = SitemapReader(
        [f'<urlset xmlns="{SITEMAP}">{entry * 50}</urlset>'.encode()], "urlset", 10_000_000
    )
    given = [read_metadata(entry.document) for batch in reader for entry in batch]
    assert given == [read(EVERYTHING)] * 50


# Reading metadata that are in another place than the schema's.
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


def test_a_second_diwoo_is_named_and_not_mixed_with_the_first() -> None:
    for first in [DIWOO.format(2024), f"<diwoo:Document>{DIWOO.format(2024)}</diwoo:Document>"]:
        given = read(first + DIWOO.format(2025) + "<diwoo:DiWoo><diwoo:format>x</diwoo:format></diwoo:DiWoo>")
        assert (given.creatiedatum, given.format, given.doubled) == ("2024", None, ["DiWoo"]), first


def test_a_uri_in_an_element_is_read_as_the_attribute() -> None:
    for publisher in [
        f"<diwoo:publisher>gemeente A<resource>{URI}</resource></diwoo:publisher>",
        f"<diwoo:publisher>\n<diwoo:resource> {URI} </diwoo:resource>\ngemeente A</diwoo:publisher>",
        f"<diwoo:publisher><naam>gemeente A</naam><resource>{URI}</resource></diwoo:publisher>",
        f'<diwoo:publisher resource="{URI}">gemeente A<resource>urn:x</resource></diwoo:publisher>',
        f"<diwoo:publisher>gemeente A<resource/><resource>{URI}</resource></diwoo:publisher>",
    ]:
        given = read_diwoo(publisher)
        assert (given.publisher, given.resource_elements) == (Value("gemeente A", URI), ["publisher"]), (
            publisher
        )


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


def test_elements_are_read_in_any_case_of_their_letters_and_named() -> None:
    small = read(re.sub(r"</?d:\w+", lambda tag: tag[0].lower(), EVERYTHING))
    assert small.other_case[:3] == ["diwoo", "redenverwijderingvervanging", "naamopsteller"]
    assert replace(small, other_case=[]) == read(EVERYTHING)


def test_a_uri_is_read_from_an_attribute_with_capitals_or_a_prefix() -> None:
    for name in ("Resource", "RESOURCE", "diwoo:resource", "diwoo:Resource"):
        assert read_diwoo(f'<diwoo:format {name}="{URI}"/>').format == Value(None, URI), name


def test_a_text_before_the_elements_of_a_group_is_named() -> None:
    given = read_diwoo("<diwoo:identifiers>Z-0<diwoo:identifier>Z-1</diwoo:identifier></diwoo:identifiers>")
    assert (given.identifiers, given.bare) == (["Z-1"], ["identifiers"])


# The element that a misspelt name stands for.
def test_a_name_that_is_nearly_that_of_an_element_stands_for_it() -> None:
    for name, meant in [
        ("creatieDatum", "creatiedatum"),
        ("CreatieDatum", "creatiedatum"),
        ("creatie_datum", "creatiedatum"),
        ("officieletitel", "officieleTitel"),
        ("officieleTittel", "officieleTitel"),
        ("informatiecategorien", "informatiecategorieen"),
        ("publischer", "publisher"),
        ("wijk", None),
        ("zaaknummer", None),
        ("x" * 100_000, None),
        ("", None),
    ]:
        assert meant_element(name) == meant, name


def test_a_name_of_an_element_stands_for_no_other() -> None:
    assert [name for name in ELEMENTS if meant_element(name)] == []


def test_several_names_stand_for_several_elements() -> None:
    assert meant_elements(["creatieDatum", "wijk", "Publisher"]) == {"creatiedatum", "publisher"}
