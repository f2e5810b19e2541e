from __future__ import annotations

from typing import Any

from tests.permits.reading import codes, given, noted
from woo_harvester.permits.demo_messages import CASE_URL, PRODUCT, message
from woo_harvester.permits.mapping import (
    house_address,
    organisation_by_name,
    postcode_and_number,
    to_wgs84,
)
from woo_harvester.permits.record import PostcodeHuisnummer, Wgs84
from woo_harvester.tooi.lists import organisaties

FULL_KERN = """
  <dcterms:spatial scheme="overheid:Gemeente">Voorbeeldstad</dcterms:spatial>
  <dcterms:spatial scheme="overheid:PostcodeHuisnummer">1234 ab 12a</dcterms:spatial>
  <dcterms:temporal><start>2026-04-01</start><end>2026-05-13</end></dcterms:temporal>"""

FULL_MANTEL = """
  <dcterms:description>Twee eiken achter het stadhuis.</dcterms:description>
  <dcterms:references resourceIdentifier="https://www.voorbeeldstad.nl/beleid">Bomenbeleid</dcterms:references>
  <dcterms:hasPart resourceIdentifier="https://www.voorbeeldstad.nl/zaken/2026-1/besluit.pdf"/>
  <dcterms:isPartOf resourceIdentifier="https://www.voorbeeldstad.nl/plannen/7">Herinrichting</dcterms:isPartOf>"""

FULL_META = """
  <zaak:product><zaak:producttype scheme="overheidvg:Product">kapvergunning</zaak:producttype>
    <zaak:activiteit scheme="overheidvg:Activiteit">kappen</zaak:activiteit>
    <zaak:activiteit>snoeien</zaak:activiteit></zaak:product>
  <zaak:termijn><zaak:fase>verlening</zaak:fase>
    <zaak:termijnsoortPeriode><zaak:termijnsoort>bezwaar</zaak:termijnsoort>
      <zaak:startdatumTermijn>2026-04-01</zaak:startdatumTermijn>
      <zaak:einddatumTermijn>2026-05-13T00:00:00</zaak:einddatumTermijn></zaak:termijnsoortPeriode></zaak:termijn>
  <zaak:actor><zaak:bedrijfsnaam>De Boomchirurg</zaak:bedrijfsnaam>
    <zaak:bedrijfsadres scheme="overheid:PostcodeHuisnummer">4321BA 7</zaak:bedrijfsadres></zaak:actor>
  <zaak:object><zaak:referentienummer>2026-0001</zaak:referentienummer>
    <zaak:adres><zaak:postcodeHuisnummer><zaak:postcode>1234 ab</zaak:postcode>
      <zaak:huisnummer>012</zaak:huisnummer><zaak:huisnummertoevoeging>bis</zaak:huisnummertoevoeging>
      </zaak:postcodeHuisnummer></zaak:adres>
    <zaak:adres><zaak:woonplaatsAdres><zaak:woonplaats>Dorp</zaak:woonplaats></zaak:woonplaatsAdres></zaak:adres>
    <zaak:adres><zaak:gemeente>Voorbeeldstad</zaak:gemeente><zaak:provincie>Utrecht</zaak:provincie></zaak:adres>
    <zaak:perceel>
      <zaak:kadastralegemeente scheme="overheid:KadastraleGemeente">Amersfoort</zaak:kadastralegemeente>
      <zaak:sectie>A</zaak:sectie><zaak:nummer>0123</zaak:nummer></zaak:perceel>
    <zaak:coordinaten><zaak:x-waarde>155000</zaak:x-waarde><zaak:y-waarde>463000,0</zaak:y-waarde>
      <zaak:z-waarde>3.5</zaak:z-waarde></zaak:coordinaten></zaak:object>"""


def test_all_metadata_of_a_case_is_in_the_record_under_the_names_of_the_model() -> None:
    assert given(message(kern=FULL_KERN, mantel=FULL_MANTEL, meta=FULL_META)) == {
        "identifier": CASE_URL,
        "title": "Kappen van twee eiken",
        "language": "nl",
        "type": {"scheme": "overheid:Informatietype", "label": "vergunning"},
        "creator": {"scheme": "overheid:Gemeente", "label": "Voorbeeldstad"},
        "modified": "2026-04-01",
        "temporal": {"start": "2026-04-01", "end": "2026-05-13"},
        "spatial": [
            {"scheme": "overheid:Gemeente", "label": "Voorbeeldstad"},
            {
                "scheme": "overheid:PostcodeHuisnummer",
                "label": "1234 ab 12a",
                "postcodeHuisnummer": {"postcode": "1234AB", "huisnummer": 12, "huisnummertoevoeging": "a"},
            },
        ],
        "description": "Twee eiken achter het stadhuis.",
        "references": [{"id": "https://www.voorbeeldstad.nl/beleid", "label": "Bomenbeleid"}],
        "hasPart": [{"id": "https://www.voorbeeldstad.nl/zaken/2026-1/besluit.pdf"}],
        "isPartOf": [{"id": "https://www.voorbeeldstad.nl/plannen/7", "label": "Herinrichting"}],
        "product": {
            "producttype": {"scheme": "overheidvg:Product", "label": "kapvergunning"},
            "activiteit": [{"scheme": "overheidvg:Activiteit", "label": "kappen"}, {"label": "snoeien"}],
        },
        "termijn": {
            "fase": "verlening",
            "termijnsoortPeriode": [
                {
                    "termijnsoort": "bezwaar",
                    "startdatumTermijn": "2026-04-01",
                    "einddatumTermijn": "2026-05-13",
                }
            ],
        },
        "actor": {
            "bedrijfsnaam": "De Boomchirurg",
            "bedrijfsadres": {
                "scheme": "overheid:PostcodeHuisnummer",
                "label": "4321BA 7",
                "postcodeHuisnummer": {"postcode": "4321BA", "huisnummer": 7},
            },
        },
        "object": {
            "referentienummer": "2026-0001",
            "adres": [
                {
                    "postcodeHuisnummer": {
                        "postcode": "1234AB",
                        "huisnummer": 12,
                        "huisnummertoevoeging": "bis",
                    }
                },
                {"woonplaatsAdres": {"woonplaats": "Dorp"}},
                {"gemeente": "Voorbeeldstad", "provincie": "Utrecht"},
            ],
            "perceel": [
                {
                    "kadastralegemeente": {"scheme": "overheid:KadastraleGemeente", "label": "Amersfoort"},
                    "sectie": "A",
                    "nummer": "0123",
                }
            ],
            "coordinaten": [
                {
                    "x-waarde": 155000.0,
                    "y-waarde": 463000.0,
                    "z-waarde": 3.5,
                    "wgs84": {"lat": 52.155172, "lon": 5.387204},
                }
            ],
        },
    }


def test_an_empty_element_is_absent() -> None:
    meta = (
        PRODUCT
        + "<zaak:termijn><zaak:fase/><zaak:termijnsoortPeriode><zaak:termijnsoort> </zaak:termijnsoort>"
        "<zaak:einddatumTermijn/></zaak:termijnsoortPeriode></zaak:termijn><zaak:actor/>"
        "<zaak:object><zaak:adres/><zaak:coordinaten><zaak:x-waarde/><zaak:y-waarde/></zaak:coordinaten></zaak:object>"
    )
    kern = "<dcterms:temporal><start/></dcterms:temporal><dcterms:spatial/>"
    mantel = "<dcterms:references/><dcterms:description/>"
    assert given(message(kern=kern, mantel=mantel, meta=meta)) == given(message())


def test_an_organisation_of_the_lists_gets_its_uri_and_keeps_its_name() -> None:
    for creator, uri in [
        ("Amsterdam", "https://identifier.overheid.nl/tooi/id/gemeente/gm0363"),
        ("gemeente Amsterdam", "https://identifier.overheid.nl/tooi/id/gemeente/gm0363"),
        ("AMSTERDAM", "https://identifier.overheid.nl/tooi/id/gemeente/gm0363"),
        ("Nergenshuizen", None),
        ("x" * 1000, None),
    ]:
        expected = {"scheme": "overheid:Gemeente", "label": creator}
        if uri:
            expected |= {"type": "gemeente", "id": uri}
        assert given(message(creator=creator))["creator"] == expected, creator


def test_start_and_end_may_stand_in_any_namespace_of_the_message() -> None:
    for prefix in ("", "dcterms:", "overheidvg:", "zaak:"):
        kern = f"<dcterms:temporal><{prefix}start>2026-04-01</{prefix}start></dcterms:temporal>"
        assert given(message(kern=kern))["temporal"] == {"start": "2026-04-01"}


def test_a_value_is_kept_with_its_scheme() -> None:
    for scheme, more in [
        ("elders:Gemeente", {}),
        (
            "OVERHEID:gemeente",
            {"type": "gemeente", "id": "https://identifier.overheid.nl/tooi/id/gemeente/gm0344"},
        ),
        ("overheid:PostcodeHuisnummer", {}),
    ]:
        spatial = given(message(kern=f'<dcterms:spatial scheme="{scheme}">Utrecht</dcterms:spatial>'))[
            "spatial"
        ]
        assert spatial == [{"scheme": scheme, "label": "Utrecht"} | more], scheme


def place(x: str, y: str) -> str:
    return (
        f"<zaak:object><zaak:coordinaten><zaak:x-waarde>{x}</zaak:x-waarde><zaak:y-waarde>{y}</zaak:y-waarde>"
        "</zaak:coordinaten></zaak:object>"
    )


def test_coordinates_outside_of_the_netherlands_are_kept_without_a_place_on_the_map() -> None:
    for x, y, kept in [
        ("463000", "155000", {"x-waarde": 463000.0, "y-waarde": 155000.0}),
        ("5.38", "52.15", {"x-waarde": 5.38, "y-waarde": 52.15}),
        ("155000", "", {"x-waarde": 155000.0}),
        ("9" * 400, "463000", {"y-waarde": 463000.0}),
    ]:
        metadata, (found,) = noted(message(meta=PRODUCT + place(x, y)))
        assert metadata["object"]["coordinaten"] == [kept], x
        assert (found["code"], found["seen"][:110]) == ("ipm.zaak-plaats", f"{x} {y}".strip()[:110])


def test_a_coordinate_that_is_not_a_number_is_refused() -> None:
    for written in ["x", "1.2.3", "1e5", "NaN", "INF", "1,2,3"]:
        assert codes(message(meta=PRODUCT + place(written, "463000"))) == ["ipm.schema"], written


FREE = """
  <overheid:authority scheme="overheid:Gemeente">Amsterdam</overheid:authority>
  <dcterms:subject scheme="overheid:TaxonomieBeleidsagenda">Bouwen</dcterms:subject>
  <dcterms:subject>bomen</dcterms:subject>
  <dcterms:publisher scheme="overheid:Eigenlijst">De stad</dcterms:publisher>
  <dcterms:issued>2026-04-02T09:00:00</dcterms:issued>
  <dcterms:available><overheid:start>2026-04-01</overheid:start><end>later</end></dcterms:available>
  <dcterms:alternative>Kapvergunning</dcterms:alternative><dcterms:alternative>Eiken</dcterms:alternative>"""


def test_what_owms_has_and_the_model_lacks_is_in_the_record_without_a_finding() -> None:
    plain = given(message())
    for made in (message(kern=FREE), message(mantel=FREE)):
        assert given(made) == plain | {
            "authority": {
                "scheme": "overheid:Gemeente",
                "type": "gemeente",
                "id": "https://identifier.overheid.nl/tooi/id/gemeente/gm0363",
                "label": "Amsterdam",
            },
            "subject": [
                {"scheme": "overheid:TaxonomieBeleidsagenda", "label": "Bouwen"},
                {"label": "bomen"},
            ],
            "publisher": {"scheme": "overheid:Eigenlijst", "label": "De stad"},
            "issued": "2026-04-02",
            "available": {"start": "2026-04-01", "end": "later"},
            "alternative": ["Kapvergunning", "Eiken"],
        }


def test_no_content_of_such_an_element_makes_a_message_invalid() -> None:
    cases: list[tuple[str, dict[str, Any]]] = [
        ("<dcterms:issued>voorjaar 2026</dcterms:issued>", {"issued": "voorjaar 2026"}),
        ("<dcterms:available>2026-04-01T00:00</dcterms:available>", {"available": {"start": "2026-04-01"}}),
        (
            "<issued>2026-04-01</issued><zaak:publisher>A</zaak:publisher>",
            {"issued": "2026-04-01", "publisher": {"label": "A"}},
        ),
        ("<dcterms:available/><dcterms:issued> </dcterms:issued><dcterms:authority/>", {}),
        ("<dcterms:available><end/></dcterms:available>", {}),
        ("<dcterms:subject><b>diep</b></dcterms:subject>", {}),
    ]
    for written, expected in cases:
        assert given(message(mantel=written)) == given(message()) | expected, written


def test_an_address_is_normalised() -> None:
    for given_parts, expected in [
        (("1234AB", "12", None), ("1234AB", 12, None)),
        (("1234 ab", "012", "a"), ("1234AB", 12, "a")),
        (("1234\u00a0Ab", "12a", None), ("1234AB", 12, "a")),
        ((None, "12-2", None), (None, 12, "2")),
        ((None, "12 bis", "hoog"), (None, 12, "bis hoog")),
        ((None, None, "achter"), (None, None, "achter")),
        (("0123AB", "1", None), ("0123AB", 1, None)),
        (("1234AB", "0", None), ("1234AB", None, "0")),
        ((None, "a1", None), (None, None, "a1")),
        (("1234AB", None, None), ("1234AB", None, None)),
    ]:
        assert house_address(*given_parts) == PostcodeHuisnummer(*expected), given_parts


def test_postcode_and_number_in_one_text_are_separated() -> None:
    for text, expected in [
        ("1234AB12", PostcodeHuisnummer("1234AB", 12)),
        ("1234 ab 12 bis", PostcodeHuisnummer("1234AB", 12, "bis")),
        ("1234AB", PostcodeHuisnummer("1234AB")),
        ("1234AB, 12-a", PostcodeHuisnummer("1234AB", 12, "a")),
        ("1234AB - 12X -", PostcodeHuisnummer("1234AB", 12, "X")),
        ("Dorpsstraat 1", None),
        ("1234AB huis", None),
    ]:
        assert postcode_and_number(text) == expected, text


def test_the_rijksdriehoek_becomes_wgs84_within_the_netherlands() -> None:
    for x, y, place in [
        (155_000, 463_000, Wgs84(52.155172, 5.387204)),
        (121_687, 487_484, Wgs84(52.374218, 4.89801)),
        *((x, y, None) for x, y in [(0, 0), (463_000, 155_000), (5.4, 52.2), (155_000, 700_000)]),
    ]:
        assert to_wgs84(x, y) == place, (x, y)


def test_an_organisation_is_found_by_scheme_and_name() -> None:
    utrecht = organisaties().by_label("gemeente Utrecht")
    assert utrecht is not None
    assert organisation_by_name(organisaties(), "overheid:Gemeente", "utrecht") == utrecht
    assert organisation_by_name(organisaties(), "overheid:Provincie", "Utrecht") == organisaties().by_label(
        "provincie Utrecht"
    )
    assert organisation_by_name(organisaties(), "overheid:Gemeente", "Nergenshuizen") is None
