from __future__ import annotations

from lxml import etree

from woo_harvester.demo.site import ROO_NAMESPACE, Location, RooEntry, register_xml

NAMES = {"p": ROO_NAMESPACE}


def test_an_organisation_is_written_as_in_the_export() -> None:
    location = Location("https://a.nl/?b=1&c=2", "Adviezen")
    body = RooEntry(
        naam="A & B", systeem_id="1", tooi="https://x.example/gm1", type="Provincie", locations=[location]
    )
    (found,) = etree.fromstring(register_xml([body]).encode()).findall("p:organisaties/p:organisatie", NAMES)
    assert dict(found.attrib) == {
        f"{{{ROO_NAMESPACE}}}systeemId": "1",
        f"{{{ROO_NAMESPACE}}}resourceIdentifierTOOI": "https://x.example/gm1",
    }
    assert found.findtext("p:naam", namespaces=NAMES) == "A & B"
    assert found.findtext("p:types/p:type", namespaces=NAMES) == "Provincie"
    assert (
        found.findtext("p:woo/p:wooIndex/p:documentLocatie/p:url", namespaces=NAMES)
        == "https://a.nl/?b=1&c=2"
    )
    assert found.findtext(".//p:informatiecategorie", namespaces=NAMES) == "Adviezen"


def test_absent_values_of_an_organisation_are_not_written() -> None:
    (found,) = etree.fromstring(register_xml([RooEntry(naam="A", systeem_id="1")]).encode())[0]
    assert [etree.QName(child).localname for child in found] == ["naam", "types"]
    assert len(found.attrib) == 1


def test_an_ended_organisation_has_the_day_of_its_end() -> None:
    root = etree.fromstring(
        register_xml([RooEntry(naam="A", systeem_id="1", einddatum="2020-01-01")]).encode()
    )
    assert root.findtext(".//p:eindDatum", namespaces=NAMES) == "2020-01-01"


def test_an_organisation_can_be_within_another() -> None:
    parent = RooEntry(naam="A", systeem_id="1", children=[RooEntry(naam="B", systeem_id="2")])
    root = etree.fromstring(register_xml([parent]).encode())
    assert root.findtext(".//p:organisatie//p:organisatie/p:naam", namespaces=NAMES) == "B"
