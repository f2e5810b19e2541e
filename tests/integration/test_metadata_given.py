"""What a publisher gives is taken over: seed page "Aanbevelingen voor metadata"."""

from __future__ import annotations

from datetime import datetime
from uuid import NAMESPACE_URL, uuid5

import pytest

from tests.utils.publishers import INDEX, Harvest, Hosts, Publishers, document, entry, publish
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import (
    AFVAL,
    BESLUIT,
    GEMEENTE,
    NEDERLANDS,
    ONDERTEKENING,
    ONTVANGST,
    PDF,
    VASTSTELLING,
    WATERSCHAP,
    Coded,
    DiWoo,
    Entry,
    ExtraMetadata,
    Handeling,
    categorie,
)

TOOI = "https://identifier.overheid.nl/tooi/id/"
#: The file name in loc, and the title that it gives.
TITLES = {
    "/Besluit%20op%20Woo-verzoek_2024.pdf": "Besluit op Woo verzoek 2024",
    "/doc/jaarverslag+2023.docx": "jaarverslag 2023",
    "/doc/Raadsbesluit%20%C3%A9%C3%A9n.pdf": "Raadsbesluit één",
    "/doc/convenant.pdf?download=1": "convenant",
    "/3f2504e0-4f89-41d3-9a0c-0305e82c3301.pdf": "Onbekend",
    "/20240417.pdf": "Onbekend",
    "/d41d8cd98f00b204e9800998ecf8427e.pdf": "Onbekend",
    "/3f2504e0/download.pdf": "Onbekend",
    "/document.pdf": "Onbekend",
    "/x/index.html": "Onbekend",
}
COMPLETE = DiWoo(
    publisher=GEMEENTE,
    verantwoordelijke=WATERSCHAP,
    titel="Besluit over de haven",
    informatiecategorieen=[categorie(14)],
    creatiedatum="2024-03-28",
    format=PDF,
    handelingen=[Handeling(ONDERTEKENING, "2024-03-28T09:00:00", GEMEENTE)],
)
hosts = Hosts()


@hosts.site
def gives_everything(site: Site) -> None:
    publish(site, entry(site, "/haven.pdf", diwoo=COMPLETE))


@hosts.site
def with_handelingen(site: Site) -> None:
    known = [Handeling(kind, "2024-03-01T12:00:00") for kind in (ONDERTEKENING, ONTVANGST, VASTSTELLING)]
    other = Handeling(Coded("verbranding", "https://a.nl/verbranding"), "2024-03-02T12:00:00", GEMEENTE)
    publish(
        site,
        document(site, "/drie.pdf", handelingen=known),
        document(site, "/andere.pdf", handelingen=[known[0], other]),
        document(site, "/alleen-andere.pdf", handelingen=[other]),
        document(site, "/geen.pdf"),
    )


@hosts.site
def with_own_metadata(site: Site) -> None:
    own = ExtraMetadata([("Zaaknummer", ["Z-1"]), ("Wijk", ["Noord", "Zuid"])], prefix="gem")
    publish(
        site,
        Entry(loc=site.url("/besluit.pdf"), lastmod="2024-04-02", extra=[own]),
        entry(site, "/mdto.pdf", raw='<diwoo:Document><m:MDTO xmlns:m="urn:mdto"/></diwoo:Document>'),
    )


@hosts.site
def with_coded_values(site: Site) -> None:
    publish(
        site,
        document(
            site,
            "/besluit.pdf",
            themas=[AFVAL, Coded("PLACEHOLDER_THEMA")],
            documentsoorten=[BESLUIT],
            language=NEDERLANDS,
            format=Coded("application/pdf"),
        ),
        document(site, "/zonder.pdf"),
    )


@pytest.fixture(scope="module")
def harvest(publishers: Publishers) -> Harvest:
    return publishers.harvest(hosts, "-a", "documents=none")


def concept(coded: Coded, **more: str) -> dict[str, str]:
    return {"id": coded.uri or "", "label": coded.label, **more}


def test_what_is_given_is_taken_over_and_nothing_is_filled_in(harvest: Harvest) -> None:
    host = harvest[gives_everything]
    loc = host.site.url("/haven.pdf")
    record = host.record("/haven.pdf")
    moment = datetime.fromisoformat(record["herkomst"].pop("opgehaald"))
    organisation = record["herkomst"].pop("organisatie")
    assert abs((datetime.now().astimezone() - moment).total_seconds()) < 600
    assert organisation.isdigit()  # the systeemId of a body without a TOOI URI
    assert record == {
        "id": str(uuid5(NAMESPACE_URL, loc)),
        "document": {
            "weblocatie": loc,
            "creatiedatum": "2024-03-28",
            "publisher": concept(GEMEENTE, type="gemeente"),
            "verantwoordelijke": concept(WATERSCHAP, type="waterschap"),
            "format": concept(PDF),
            "titelcollectie": {"officieleTitel": "Besluit over de haven"},
            "classificatiecollectie": {"informatiecategorieen": [concept(categorie(14))]},
            "documenthandelingen": [
                {
                    "soortHandeling": concept(ONDERTEKENING),
                    "atTime": "2024-03-28T09:00:00+01:00",
                    "wasAssociatedWith": concept(GEMEENTE, type="gemeente"),
                }
            ],
        },
        "versies": [
            {
                "oorzaak": "aanlevering",
                "openbaarmakingsdatum": "2024-04-02",
                "mutatiedatumtijd": "2024-04-02T10:00:00+02:00",
                "bestanden": [{"url": loc, "mime-type": "application/pdf", "bestandsnaam": "haven.pdf"}],
            }
        ],
        "herkomst": {
            "index": host.site.url(INDEX),
            "sitemap": host.site.url(f"{INDEX}/sitemap.xml"),
            "lastmod": "2024-04-02T10:00:00+02:00",
        },
    }
    assert host.findings == []


def test_the_three_known_documenthandelingen_are_kept(harvest: Harvest) -> None:
    record = harvest[with_handelingen].record("/drie.pdf")
    kinds = [handling["soortHandeling"]["label"] for handling in record["document"]["documenthandelingen"]]
    assert kinds == ["ondertekening", "ontvangst", "vaststelling"]


def test_another_documenthandeling_is_left_out_and_reported(harvest: Harvest) -> None:
    host = harvest[with_handelingen]
    (handling,) = host.record("/andere.pdf")["document"]["documenthandelingen"]
    assert handling["soortHandeling"]["label"] == "ondertekening"
    assert "documenthandelingen" not in host.record("/alleen-andere.pdf")["document"]
    for finding in host.about("documenthandeling.onbekend"):
        assert "verbranding (https://a.nl/verbranding)" in finding["seen"]
        assert GEMEENTE.label in finding["seen"]


def test_a_document_without_documenthandeling_is_reported(harvest: Harvest) -> None:
    host = harvest[with_handelingen]
    assert [found["url"] for found in host.about("documenthandeling.ontbreekt")] == [
        host.site.url("/geen.pdf")
    ]


def test_own_metadata_is_kept_and_is_metadata(harvest: Harvest) -> None:
    host = harvest[with_own_metadata]
    assert host.record("/besluit.pdf")["document"]["extraMetadata"] == [
        {
            "prefix": "gem",
            "velden": [
                {"key": "Zaaknummer", "values": ["Z-1"]},
                {"key": "Wijk", "values": ["Noord", "Zuid"]},
            ],
        }
    ]
    assert "metadata.ontbreekt" not in host.codes_about("/besluit.pdf")


def test_mdto_is_ignored_and_reported(harvest: Harvest) -> None:
    host = harvest[with_own_metadata]
    assert "metadata.mdto" in host.codes_about("/mdto.pdf")
    assert "/mdto.pdf" in host.paths


def test_values_of_lists_have_identifier_and_label(harvest: Harvest) -> None:
    host = harvest[with_coded_values]
    document = host.record("/besluit.pdf")["document"]
    unknown = {"id": f"{TOOI}thema_onbekend", "label": "Onbekend", "bronwaarde": "PLACEHOLDER_THEMA"}
    assert document["classificatiecollectie"]["themas"] == [concept(AFVAL), unknown]
    assert document["classificatiecollectie"]["documentsoorten"] == [concept(BESLUIT)]
    assert document["language"] == concept(NEDERLANDS)
    assert document["format"] == concept(PDF, bronwaarde="application/pdf")
    assert "waarde.label-onbekend" in host.codes_about("/besluit.pdf")


def test_an_absent_theme_or_documentsoort_is_simply_absent(harvest: Harvest) -> None:
    classification = harvest[with_coded_values].record("/zonder.pdf")["document"]["classificatiecollectie"]
    assert classification.keys() == {"informatiecategorieen"}
