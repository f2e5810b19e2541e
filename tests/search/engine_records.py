"""Records that each search engine is filled with, and the engines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from elasticsearch import Elasticsearch

from tests.search.permits import DAM, DOM, at, gemeente, permit
from tests.utils.elasticsearch_fixtures import own_alias
from woo_harvester.elastic.bulk import BulkWriter
from woo_harvester.elastic.engine import ElasticsearchEngine
from woo_harvester.elastic.indices import create_index
from woo_harvester.search.document import Withdrawn, bulk_action
from woo_harvester.search.embedded.engine import EmbeddedEngine
from woo_harvester.search.engine import Engine
from woo_harvester.search.record_kinds import KINDS, record_kind_of

TOOI = "https://identifier.overheid.nl/tooi"
AMSTERDAM = {"id": f"{TOOI}/id/gemeente/gm0363", "label": "gemeente Amsterdam"}
UTRECHT = {"id": f"{TOOI}/id/gemeente/gm0344", "label": "gemeente Utrecht"}
STICHTING = {"label": "Stichting Water"}
ADVICE = {"id": f"{TOOI}/def/thes/kern/c_99a836c7", "label": "adviezen"}
CONVENANT = {"id": f"{TOOI}/def/thes/kern/c_8fc2335c", "label": "convenanten"}
BRIEF = {"id": f"{TOOI}/def/thes/kern/c_brief", "label": "brief"}
OWN_KIND = {"label": "eigen soort"}
PDF = {"id": "http://publications.europa.eu/resource/authority/file-type/PDF", "label": "PDF"}


def document(
    name: str,
    title: str,
    day: str | None,
    *,
    text: str | None = None,
    organisation: Mapping[str, str] = AMSTERDAM,
    categories: Sequence[Mapping[str, str]] = (ADVICE,),
    kinds: Sequence[Mapping[str, str]] = (),
    keywords: Sequence[str] = (),
    defaults: Sequence[str] = (),
    **more: Any,
) -> dict[str, Any]:
    """Return the record of a document; *defaults* are the paths that the publisher did not give."""
    classification = {
        "informatiecategorieen": list(categories),
        "documentsoorten": list(kinds),
        "trefwoorden": list(keywords),
    }
    version: dict[str, Any] = {"oorzaak": "aanlevering", "bestanden": [{"url": "u"}]}
    if day is not None:
        version |= {"openbaarmakingsdatum": day, "mutatiedatumtijd": f"{day}T00:30:00+02:00"}
    if text is not None:
        version["bestanden"][0]["tekst"] = text
    return {
        "id": name,
        "document": {
            "weblocatie": f"https://www.gemeente.nl/{name}.pdf",
            "publisher": AMSTERDAM,
            "verantwoordelijke": dict(organisation),
            "format": PDF,
            "titelcollectie": {"officieleTitel": title},
            "classificatiecollectie": {key: value for key, value in classification.items() if value},
            **more,
        },
        "versies": [version],
        "herkomst": {
            "opgehaald": "2026-11-21T08:00:00+01:00",
            "organisatie": organisation.get("id", "x"),
            "standaardwaarden": dict.fromkeys(defaults, "register"),
        },
    }


def withdrawn(name: str) -> dict[str, Any]:
    """Return the record of a withdrawal."""
    return {
        "id": name,
        "document": {"weblocatie": f"https://www.gemeente.nl/{name}.pdf"},
        "versies": [{"oorzaak": "intrekking", "mutatiedatumtijd": "2024-07-01T00:00:00+02:00"}],
        "herkomst": {"opgehaald": "2026-11-21T09:00:00+01:00"},
    }


CATEGORIES = "document.classificatiecollectie.informatiecategorieen"
RECORDS = [
    document("besluit", "Stikstofbesluit", "2024-05-01", kinds=[BRIEF],
             text="Dit gaat over natuur en milieu."),
    document("brief", "Brief over stikstof", "2023-05-01", organisation=UTRECHT,
             text="Dit gaat over het milieu en de natuur.", kinds=[BRIEF, OWN_KIND]),
    document("cafe", "Vergunning voor café De Één", "2024-01-02", keywords=["horeca", "terrasvergunning"],
             categories=[ADVICE, CONVENANT], omschrijvingen=["Over de openingstijden van een café in 2024"]),
    document("convenant", "Convenanten met omwonenden", "2024-12-31", categories=[CONVENANT],
             defaults=[CATEGORIES], creatiedatum="2024-11-30"),
    document("water", "Jaarverslag waterschap", "2024-06-30", organisation=STICHTING,
             defaults=["document.publisher"], creatiedatum="2024-06-01"),
    document("register", "zonder gegevens", None, organisation=UTRECHT,
             defaults=["document.verantwoordelijke", CATEGORIES], categories=[ADVICE]),
    document("bestand", "Bestand 2024-17.b & <bijlage>", "2022-02-28", text="woord " * 40_000 + "naald"),
    withdrawn("weg"),
    permit("kap", title="Kappen van een eik", description="Achtertuin", day="2026-04-02", object=at(DAM),
           spatial=[gemeente("Amsterdam")], temporal={"start": "2026-01-01", "end": "2026-06-30"},
           product={"producttype": {"label": "kapvergunning"}}, termijn={"fase": "aanvraag"},
           actor={"bedrijfsnaam": "Boomverzorging De Linde"}),
    permit("bouw", title="Bouwen van een schuur", day="2026-05-02", object=at(DOM),
           spatial=[gemeente("Utrecht")], temporal={"start": "2026-03-01"},
           product={"producttype": {"label": "omgevingsvergunning"}, "activiteit": [{"label": "bouwen"}]},
           termijn={"fase": "verlening"}, creator=gemeente("Utrecht")),
    permit("oud", title="Evenement", day="2019-05-02", temporal={"end": "2019-05-05"}, object=at(DAM, DOM)),
    permit("los", title="Zonder periode", day="2026-05-03"),
    permit("verdwenen", "intrekking", day="2026-05-03"),
]  # fmt: skip


@contextmanager
def embedded(folder: Path) -> Iterator[Engine]:
    """The embedded engine, filled with the records."""
    file = folder / "records.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in RECORDS), encoding="utf-8")
    engine = EmbeddedEngine.open(folder / "portal", 30.0)
    try:
        engine.fill([file])
        yield engine
    finally:
        engine.close()


@contextmanager
def elasticsearch_engine(client: Elasticsearch) -> Iterator[Engine]:
    """The engine over a real Elasticsearch, filled with the records."""
    with own_alias(client) as alias:
        aliases = {kind.name: f"{alias}-{kind.name}" for kind in KINDS}
        for kind in KINDS:
            create_index(client, aliases[kind.name], kind, aliased=True)
            mine = [record for record in RECORDS if record_kind_of(record) == kind]
            actions = [bulk_action(kind, record, Withdrawn.MARK) for record in mine]
            outcome = BulkWriter(client, aliases[kind.name], 1).write(actions)
            assert not outcome.refused
            client.indices.refresh(index=aliases[kind.name])
        try:
            yield ElasticsearchEngine(client, aliases, 30.0)
        finally:
            for name in aliases.values():
                client.indices.delete(index=f"{name}-v1")
