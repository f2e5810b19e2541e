"""Records for tests of the portal: one with everything, a bare one, one that was withdrawn."""

from __future__ import annotations

from typing import Any

from woo_harvester.utils.urls import record_id

TOOI = "https://identifier.overheid.nl/tooi"
AMSTERDAM = {"type": "gemeente", "id": f"{TOOI}/id/gemeente/gm0363", "label": "gemeente Amsterdam"}
CONVENANTEN = {"id": f"{TOOI}/def/thes/kern/c_99a836c7", "label": "adviezen"}
BIJLAGE = f"{TOOI}/def/thes/kern/c_05f4a5f3"
LOC = "https://www.amsterdam.nl/convenant.pdf"
OTHER = "https://www.amsterdam.nl/kaart.pdf"

Json = dict[str, Any]


def full(**changes: Any) -> Json:
    """Return the record of a document of which the publisher gave everything."""
    return {
        "id": record_id(LOC),
        "document": {
            "weblocatie": LOC,
            "creatiedatum": "2024-04-01",
            "geldigheid": {
                "begindatum": "2024-04-02T00:00:00+02:00",
                "einddatum": "2028-04-02T23:59:59+02:00",
            },
            "identifiers": ["Z2024-00123"],
            "publisher": AMSTERDAM,
            "verantwoordelijke": AMSTERDAM,
            "naamOpsteller": "A. de Vries",
            "language": {
                "id": "http://publications.europa.eu/resource/authority/language/NLD",
                "label": "Nederlands",
            },
            "format": {
                "id": "http://publications.europa.eu/resource/authority/file-type/PDF",
                "label": "PDF",
            },
            "omschrijvingen": ["Afspraken over de haven."],
            "titelcollectie": {"officieleTitel": "Convenant over stikstof", "verkorteTitels": ["Convenant"]},
            "classificatiecollectie": {
                "documentsoorten": [{"id": f"{TOOI}/def/thes/kern/c_1", "label": "convenant"}],
                "themas": [{"id": f"{TOOI}/def/thes/kern/c_2", "label": "natuur", "bronwaarde": "Natuur!"}],
                "informatiecategorieen": [CONVENANTEN],
                "trefwoorden": ["haven"],
            },
            "aggregatiekenmerk": "haven-2024",
            "isPartOf": {"id": "javascript:alert(1)", "label": "Dossier haven"},
            "documenthandelingen": [
                {
                    "soortHandeling": {"id": f"{TOOI}/def/thes/kern/c_e1ec050e", "label": "ondertekening"},
                    "atTime": "2024-04-02T10:00:00+02:00",
                    "wasAssociatedWith": AMSTERDAM,
                }
            ],
            "extraMetadata": [
                {
                    "namespace": "https://a.nl/ns",
                    "prefix": "a",
                    "velden": [{"key": "wijk", "values": ["Noord", "West"]}],
                }
            ],
        },
        "documentrelaties": [
            {"relation": OTHER, "role": BIJLAGE, "titel": "kaart"},
            {"relation": "https://www.amsterdam.nl/advies.pdf", "role": "urn:rol"},
        ],
        "versies": [
            {
                "oorzaak": "wijziging",
                "openbaarmakingsdatum": "2024-04-03",
                "mutatiedatumtijd": "2024-05-03T09:00:00+02:00",
                "redenVerwijderingVervanging": "correctie",
                "bestanden": [
                    {
                        "url": LOC,
                        "mime-type": "application/pdf",
                        "bestandsnaam": "convenant.pdf",
                        "grootte": 20480,
                        "hash": "ab" * 32,
                        "paginas": 3,
                        "taal": "nl",
                        "tekst": "De tekst over stikstof.",
                    }
                ],
            }
        ],
        "herkomst": {
            "documentrelaties": [{"relation": OTHER, "role": {"id": BIJLAGE, "label": "heeft bijlage"}}],
            "index": "https://www.amsterdam.nl/index.xml",
            "sitemap": "https://www.amsterdam.nl/sitemap.xml",
            "lastmod": "2024-05-03T09:00:00+02:00",
            "opgehaald": "2026-11-21T08:00:00+01:00",
            "organisatie": AMSTERDAM["id"],
            "bevindingen": ["waarde.strijdig", "later.bedacht"],
        },
        **changes,
    }


def bare(loc: str = OTHER, title: str = "Kaart", **document: Any) -> Json:
    """Return the record of a document of which all but the title is a default value."""
    return {
        "id": record_id(loc),
        "document": {
            "weblocatie": loc,
            "creatiedatum": "2024-01-02",
            "publisher": AMSTERDAM,
            "verantwoordelijke": AMSTERDAM,
            "titelcollectie": {"officieleTitel": title},
            "classificatiecollectie": {
                "informatiecategorieen": [
                    {"id": f"{TOOI}/id/informatiecategorie_onbekend", "label": "onbekend"}
                ]
            },
            **document,
        },
        "versies": [{"oorzaak": "aanlevering", "openbaarmakingsdatum": "2024-01-02"}],
        "herkomst": {
            "opgehaald": "2026-11-21T08:00:00+01:00",
            "organisatie": AMSTERDAM["id"],
            "standaardwaarden": {
                "document.publisher": "register",
                "document.verantwoordelijke": "publisher",
                "document.creatiedatum": "openbaarmakingsdatum",
                "document.titelcollectie.officieleTitel": "bestandsnaam",
                "document.classificatiecollectie.informatiecategorieen": "onbekend",
            },
        },
    }


def withdrawn(loc: str = "https://www.amsterdam.nl/weg.pdf") -> Json:
    """Return the record of a document that is not there any more."""
    return {
        "id": record_id(loc),
        "document": {"weblocatie": loc},
        "versies": [
            {
                "oorzaak": "intrekking",
                "mutatiedatumtijd": "2026-11-20T08:00:00+01:00",
                "redenVerwijderingVervanging": "onterecht openbaar gemaakt",
            }
        ],
        "herkomst": {"opgehaald": "2026-11-20T08:00:00+01:00"},
    }
