"""Public programs for the API of open.overheid.nl, played against a running portal with another base address.

Each test asks what the program of its name asks, and reads what that reads; the addresses were taken from
their sources.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.integration.test_portal import Ask, portal, write
from tests.portal.records import BIJLAGE, LOC, OTHER, bare, full, withdrawn
from woo_harvester.utils.urls import record_id

pytestmark = pytest.mark.integration

API = "/overheid/openbaarmakingen/api/v0"
KERN = "https://identifier.overheid.nl/tooi/def/thes/kern"
AGENDA = "agenda’s en besluitenlijsten bestuurscolleges"
MINISTRY = "ministerie van Algemene Zaken"
DAYS = [date(2024, 4, 1) + timedelta(days=number) for number in range(4)]


def agenda(number: int, day: date) -> dict[str, Any]:
    """The record of a document with all that these programs filter on."""
    owner = {"id": "https://identifier.overheid.nl/tooi/id/ministerie/mnre1010", "label": MINISTRY}
    made = bare(
        f"https://www.rijksoverheid.nl/{number}.pdf",
        f"Agenda {number}",
        publisher=owner,
        verantwoordelijke=owner,
        omschrijvingen=[f"Wat er op dag {number} besproken is."],
        classificatiecollectie={
            "informatiecategorieen": [{"id": f"{KERN}/c_3a248e3a", "label": AGENDA}],
            "documentsoorten": [{"id": f"{KERN}/c_386e74cb", "label": "convenant"}],
        },
    )
    made["versies"] = [
        {
            "nummer": 2,
            "oorzaak": "wijziging",
            "openbaarmakingsdatum": day.isoformat(),
            "mutatiedatumtijd": f"{day}T10:00:00+02:00",
            "bestanden": [{"url": made["document"]["weblocatie"], "mime-type": "application/pdf"}],
        }
    ]
    made["herkomst"]["standaardwaarden"] = {}
    return made


RECORDS = [*(agenda(number, DAYS[number % 4]) for number in range(120)), full(), bare(), withdrawn()]
AGENDAS = {record_id(f"https://www.rijksoverheid.nl/{number}.pdf") for number in range(120)}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    folder: Path = tmp_path_factory.mktemp("portal")
    write(folder / "records" / "woo-1.jsonl", *RECORDS)
    with portal(folder) as made:
        yield made


def read(ask: Ask, url: str) -> dict[str, Any]:
    answer = ask(url)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_berthubert_tkconv(ask: Ask) -> None:
    """It pages through each day, oldest first, and then reads each document that it does not have yet."""
    entries: dict[str, str] = {}
    for day in DAYS:
        start = 0
        while found := read(
            ask,
            f"{API}/zoek?zoektekst=&start={start}&aantalResultaten=50&sort=publicatiedatum&order=asc"
            f"&publicatiedatumVan={day:%d-%m-%Y}",
        )["resultaten"]:
            for one in (each for each in found if "bestandsType" in each):
                document = one["document"]
                assert document["openbaarmakingsdatum"] >= day.isoformat()
                texts = [document[name] for name in ("titel", "publisher", "aanbieder", "mutatiedatumtijd")]
                assert all(isinstance(text, str) and text for text in [*texts, one["bestandsType"]])
                entries[document["id"].partition("_")[0]] = document["mutatiedatumtijd"]
            start += len(found)
            if found[3:] and found[3]["document"]["openbaarmakingsdatum"] != day.isoformat():
                break
    assert entries.keys() == {*AGENDAS, record_id(LOC)}
    for name, changed in entries.items():
        details = read(ask, f"{API}/zoek/{name}")
        document, version = details["document"], details["versies"][0]
        (file,) = version["bestanden"]
        assert version["mutatiedatumtijd"] == changed
        texts = [file[name] for name in ("bestandsnaam", "id", "hash", "mime-type")]
        texts += [document["verantwoordelijke"]["label"], document["titelcollectie"]["officieleTitel"]]
        texts += [version["openbaarmakingsdatum"], *document["omschrijvingen"], document["weblocatie"]]
        assert all(isinstance(text, str) for text in texts)
        assert isinstance(file["grootte"], int)
        assert isinstance(version["nummer"], int)
        labels = document["classificatiecollectie"]
        assert [one["label"] for one in labels["informatiecategorieen"] + labels["documentsoorten"]]
        assert {one["role"] for one in details["documentrelaties"]} <= {BIJLAGE, "urn:rol"}


def test_fabeerens_markdown_converter(ask: Ask) -> None:
    """It searches with filters encoded twice, follows an id with the number of a version, and fetches."""
    kind = quote(quote("convenant", safe=""), safe="")
    found = read(
        ask,
        f"{API}/zoek?zoektekst=besproken&start=0&aantalResultaten=20&sort=publicatiedatum"
        f"&publicatiedatumVan=02-04-2024&publicatiedatumTot=03-04-2024&documentsoort={kind}",
    )
    assert (found["totaal"], len(found["resultaten"])) == (60, 20)
    name = found["resultaten"][0]["document"]["id"]
    assert name.endswith("_2")
    details = read(ask, f"{API}/zoek/{name}")
    assert details["document"]["titelcollectie"]["officieleTitel"].startswith("Agenda ")
    (file,) = details["versies"][-1]["bestanden"]
    assert file["mime-type"] == "application/pdf"
    answer = ask(f"{API}/documenten/{name.partition('_')[0]}")
    assert (answer.status_code, answer.headers["location"]) == (302, file["url"])
    related = read(ask, f"{API}/zoek/{record_id(LOC)}")["documentrelaties"]
    assert related[0]["relation"] == OTHER
    refused = ask(f"{API}/zoek?zoektekst=&start=0&aantalResultaten=20&sort=duurste")
    assert (refused.status_code, refused.json()["detail"]) == (
        400,
        "sort is een van: relevantie, publicatiedatum, laatst-gewijzigd.",
    )
    assert ask(f"{API}/zoek/{record_id('https://nergens.nl/')}").status_code == 404
    assert ask(f"{API}/documenten/{withdrawn()['id']}").status_code == 410


def test_smartijn_u_open_overheid_rss(ask: Ask) -> None:
    """It makes a feed of one category of one ministry, whose names it encodes twice."""
    category, owner = (quote(quote(text, safe=""), safe="") for text in (AGENDA, MINISTRY))
    found = read(
        ask,
        f"{API}/zoek?zoektekst=&start=0&aantalResultaten=20&informatiecategorie={category}&organisatie={owner}",
    )["resultaten"]
    assert len(found) == 20
    for one in found:
        document = one["document"]
        assert document["titel"].startswith("Agenda ")
        assert document["publisher"] == MINISTRY
        assert date.fromisoformat(document["openbaarmakingsdatum"]) in DAYS
        assert ask(document["pid"]).headers["location"].startswith("https://www.rijksoverheid.nl/")


def test_ahamris_opub_eupl(ask: Ask) -> None:
    """It copies a period in pages until it has the total, and takes the id of a document from its pid."""
    for base in (API, "/api/v0"):
        names: list[str] = []
        while True:
            page = read(
                ask,
                f"{base}/zoek?zoektekst=&start={len(names)}&aantalResultaten=50"
                "&publicatiedatumVan=01-04-2024&publicatiedatumTot=02-04-2024",
            )
            for one in page["resultaten"]:
                (name,) = re.findall("/documenten/(.+)", one["document"]["pid"])
                names.append(name)
            if len(page["resultaten"]) < 50 or len(names) >= page["totaal"]:
                break
        assert (len(names), len(set(names)), page["totaal"]) == (60, 60, 60)
        details = read(ask, f"{base}/zoek/{names[0]}")
        assert details["document"]["classificatiecollectie"]["informatiecategorieen"][0]["label"] == AGENDA
