"""The records that each search engine is asked about, and the engines that have them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from tests.portal.permits import DAM, DOM, at, gemeente, permit
from tests.utils.elasticsearch_fixtures import own_alias
from woo_harvester.kinds import Kind, record_kind_of
from woo_harvester.outputs.bulk import BulkWriter
from woo_harvester.outputs.document import Withdrawn, bulk_action
from woo_harvester.outputs.indices import create_index
from woo_portal.elasticsearch import ElasticsearchEngine
from woo_portal.embedded.engine import EmbeddedEngine
from woo_portal.engine import Engine

TOOI = "https://identifier.overheid.nl/tooi"
AMSTERDAM = {"id": f"{TOOI}/id/gemeente/gm0363", "label": "gemeente Amsterdam"}
UTRECHT = {"id": f"{TOOI}/id/gemeente/gm0344", "label": "gemeente Utrecht"}
UNLISTED = {"label": "Stichting De Brug"}
ADVICE = {"id": f"{TOOI}/def/thes/kern/c_99a836c7", "label": "adviezen"}
COVENANT = {"id": f"{TOOI}/def/thes/kern/c_8fc2335c", "label": "convenanten"}
NATURE = {"id": f"{TOOI}/thema/natuur", "label": "natuur en milieu"}
TRAFFIC = {"id": f"{TOOI}/thema/verkeer", "label": "verkeer"}
SECONDS = 20.0


def woo(
    name: str,
    title: str,
    text: str = "",
    *,
    day: str = "2024-05-01",
    owner: Mapping[str, str] = AMSTERDAM,
    categories: Sequence[Mapping[str, str]] = (ADVICE,),
    themes: Sequence[Mapping[str, str]] = (),
    defaults: Sequence[str] = (),
    titles: Mapping[str, Any] | None = None,
    file_name: str = "",
    changed: str = "2024-06-01T12:00:00+02:00",
    harvested: str = "2026-11-21T08:00:00+01:00",
    **document: Any,
) -> dict[str, Any]:
    """Return the record of a document."""
    file = {"url": f"https://www.gemeente.nl/{name}.pdf", **({"tekst": text} if text else {})}
    file |= {"bestandsnaam": file_name} if file_name else {}
    classes: dict[str, Any] = {"informatiecategorieen": list(categories), "themas": list(themes)}
    classes["trefwoorden"] = document.pop("trefwoorden", [])
    return {
        "id": name,
        "document": {
            "weblocatie": file["url"],
            "creatiedatum": day,
            "publisher": dict(owner),
            "verantwoordelijke": dict(owner),
            "titelcollectie": {"officieleTitel": title, **(titles or {})},
            "classificatiecollectie": {key: value for key, value in classes.items() if value},
            **document,
        },
        "versies": [
            {
                "oorzaak": "aanlevering",
                "openbaarmakingsdatum": day,
                "mutatiedatumtijd": changed,
                "bestanden": [file],
            }
        ],
        "herkomst": {
            "opgehaald": harvested,
            "organisatie": owner.get("id", owner["label"]),
            "standaardwaarden": dict.fromkeys(defaults, "register"),
        },
    }


def withdrawn(name: str) -> dict[str, Any]:
    """Return the record of a withdrawal."""
    return {
        "id": name,
        "document": {"weblocatie": f"https://www.gemeente.nl/{name}.pdf"},
        "versies": [{"oorzaak": "intrekking", "mutatiedatumtijd": "2024-07-01T00:00:00+02:00"}],
        "herkomst": {"opgehaald": "2026-11-22T08:00:00+01:00"},
    }


def documents() -> list[dict[str, Any]]:
    """Return the records of documents, one of which is withdrawn later."""
    publisher, owner = "document.publisher", "document.verantwoordelijke"
    categories = "document.classificatiecollectie.informatiecategorieen"
    return [
        woo("a1", "Stikstofbesluit", "Dit gaat over natuur en milieu in de polder.", themes=[NATURE]),
        woo("a2", "Brief over stikstof", "Over het milieu en de natuur.", day="2023-05-01", owner=UTRECHT,
            harvested="2026-11-19T23:30:00Z"),
        woo("a3", "Verslag van de gemeenteraad",
            "Een café aan de gracht. Raadsleden. De havo-\nvwo en bestem-\nmingsplannen.", day="2024-12-31",
            themes=[NATURE, TRAFFIC], categories=[ADVICE, COVENANT]),
        woo("a4", "Zzz laatste", "Wegen en fietspaden van steden en waterschappen.", day="2022-01-01",
            owner=UNLISTED, themes=[TRAFFIC], categories=[COVENANT], file_name="convenant-waterfront_v2.pdf",
            naamOpsteller="J. Gravendeel"),
        woo("a5", "Draadloos internet", "Een wooverzoek over windmolens.",
            defaults=[publisher, owner, categories]),
        woo("a6", "Éénmalige uitkering", "A2-N2 bij e-mail", titles={"verkorteTitels": ["Uitk", "Kering"],
            "alternatieveTitels": ["Toelage in één keer"]}, identifiers=["Z2024-00123", "2023.0456/BK"],
            aggregatiekenmerk="dossier_78-c", harvested="2026-11-21T07:00:01Z",
            extraMetadata=[{"velden": [{"key": "wijk", "values": ["Zwaluwnest"]}]}]),
        woo("a7", "ááá eerste", omschrijvingen=["Over de huizen", "aan het kanaal"],
            trefwoorden=["Brandveiligheid", "natuurlijke personen"], changed="2024-06-30T23:30:00+02:00"),
        woo("a8", "Lange titel " + "x" * 600, "Het Woo-verzoek.", day="2024-05-01",
            changed="2024-07-01T00:00:00+02:00"),
        woo("a9", "<b>Vet</b> & \"citaat\" 50% \ue000merk\ue001", "De het een.", defaults=[owner]),
        woo("weg", "Stikstof ingetrokken", "stikstof"),
        withdrawn("weg"),
    ]  # fmt: skip


def permits() -> list[dict[str, Any]]:
    """Return the records of permits, one of which is withdrawn."""
    tree = {"producttype": {"label": "kapvergunning"}, "activiteit": [{"label": "bomen kappen"}]}
    build = {"producttype": {"label": "omgevingsvergunning"}}
    return [
        permit("p1", title="Kappen van twee eiken", description="Voor een school", product=tree,
               creator=gemeente("Amsterdam"), termijn={"fase": "aanvraag"}, object=at(DOM, DAM),
               modified="2026-04-01T10:00:00+02:00",
               temporal={"start": "2026-01-01", "end": "2026-06-30"}, actor={"bedrijfsnaam": "De Vries BV"}),
        permit("p2", title="Dakkapel", product=build, spatial=[gemeente("Utrecht"), gemeente("De Bilt")],
               termijn={"fase": "verlening"}, object=at(DOM), temporal={"start": "2026-07-01"},
               day="2026-05-01"),
        permit("p3", title="Boom", product=tree, creator=gemeente("Amsterdam"), termijn={"fase": "aanvraag"},
               object=at({"lat": 52.3735, "lon": 4.8930}), day="2026-03-01", modified="2026-04-01"),
        permit("p4", title="Zonder plaats", spatial=[gemeente("Nergenshuizen")], day="2025-01-01",
               temporal={"start": "2026-09-01", "end": "2026-01-01"}),
        permit("p5", title="Oud", temporal={"end": "2020-12-31"}, day="2020-01-01"),
        permit("p6", "intrekking", "2026-07-01"),
    ]  # fmt: skip


ENGINES = ["embedded", pytest.param("elasticsearch", marks=pytest.mark.integration)]


@contextmanager
def engine_of(
    request: pytest.FixtureRequest, folders: pytest.TempPathFactory, records: Sequence[Mapping[str, Any]]
) -> Iterator[Engine]:
    """Give the engine of a fixture with the params ``ENGINES`` over *records*."""
    if request.param == "embedded":
        opened = embedded(folders.mktemp("embedded"), records)
    else:
        opened = elasticsearch(request.getfixturevalue("elasticsearch_url"), records)
    with opened as made:
        yield made


@contextmanager
def embedded(folder: Path, records: Sequence[Mapping[str, Any]]) -> Iterator[Engine]:
    """Give the embedded engine over *records*, filled from a file of them."""
    file = folder / "records.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    with closing(EmbeddedEngine.open(folder / "portal", SECONDS)) as engine:
        assert not engine.fill([file]).broken
        yield engine


@contextmanager
def elasticsearch(url: str, records: Sequence[Mapping[str, Any]]) -> Iterator[Engine]:
    """Give the engine over a real Elasticsearch, to which *records* were written as a run writes them."""
    with (
        Elasticsearch(url, request_timeout=60) as client,
        own_alias(client) as first,
        own_alias(client) as second,
    ):
        aliases = {kind.name: alias for kind, alias in zip(Kind, (first, second), strict=True)}
        for kind in Kind:
            create_index(client, aliases[kind.name], kind, aliased=True)
            mine = [record for record in records if record_kind_of(record) == kind]
            actions = [bulk_action(kind, record, Withdrawn.MARK) for record in mine]
            assert not BulkWriter(client, aliases[kind.name], 1).write(actions).refused
            client.indices.refresh(index=aliases[kind.name])
        yield ElasticsearchEngine(client, aliases, SECONDS)
