"""A run of ``vergunningen`` writes to a real index of its own, beside its feeds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from tests.utils.command import Run
from tests.utils.vergunningen import CASE, FOLDER, NEWER, Permits, about, case, causes, publish
from woo_harvester.demo.site import Site
from woo_harvester.kinds import PERMITS, WOO
from woo_harvester.outputs.definition import definition
from woo_harvester.outputs.document import Withdrawn, bulk_action
from woo_harvester.outputs.indices import create_index
from woo_harvester.permits.demo_messages import PRODUCT, delete_message, document_message

pytestmark = pytest.mark.integration

DAM = "<zaak:x-waarde>121400</zaak:x-waarde><zaak:y-waarde>487350</zaak:y-waarde>"
PLACED = f"""{PRODUCT}<zaak:termijn><zaak:fase>aanvraag</zaak:fase></zaak:termijn>
    <zaak:object><zaak:adres><zaak:gemeente>Amsterdam</zaak:gemeente></zaak:adres>
    <zaak:coordinaten>{DAM}</zaak:coordinaten></zaak:object>"""
DOCUMENT = case(1) + "/besluit.pdf"


@dataclass
class Indexed(Permits):
    """An installation that writes permits to the index behind *alias* of the server at *url*."""

    url: str = ""
    alias: str = ""

    def harvest(self, site: Site, **settings: object) -> Run:
        """Run the spider once over the folder of the site."""
        where = {"WOO_ELASTICSEARCH_URL": self.url, "WOO_ELASTICSEARCH_PERMITS_INDEX": self.alias}
        return self.run(site.url(FOLDER), **{**where, **settings})


@pytest.fixture
def permits(tmp_path: Path, ca_bundle: Path, elasticsearch_url: str, alias: str) -> Indexed:
    return Indexed(tmp_path, ca_bundle, url=elasticsearch_url, alias=alias)


def statuses(client: Elasticsearch, alias: str) -> dict[str, str]:
    """Return the status of each case in the index, by the end of its URL."""
    client.indices.refresh(index=alias)
    found = [hit["_source"] for hit in client.search(index=alias, size=1000)["hits"]["hits"]]
    return {one["vergunning"]["identifier"].removeprefix(CASE): one["status"] for one in found}


def source(client: Elasticsearch, alias: str, record: dict[str, Any]) -> dict[str, Any]:
    return dict(client.get(index=alias, id=record["id"])["_source"])


def test_a_case_is_created_changed_withdrawn_and_comes_back(
    permits: Indexed, site: Site, elasticsearch: Elasticsearch, alias: str
) -> None:
    period = "<dcterms:temporal><start>2026-04-01</start><end>2026-05-01</end></dcterms:temporal>"
    files = {
        "1.xml": about(1, meta=PLACED, kern=period),
        "1-besluit.xml": document_message(case=case(1), identifier=DOCUMENT),
        "2.xml": about(2),
    }
    publish(site, files)
    run = permits.harvest(site)
    assert (run.returncode, causes(run)) == (0, {"1": "aanlevering", "2": "aanlevering"})
    assert list(elasticsearch.indices.get_alias(name=alias)) == [f"{alias}-v1"]
    record = next(one for one in run.records if one["vergunning"]["identifier"] == case(1))
    document = source(elasticsearch, alias, record)
    assert document.items() >= record.items()
    added = {key: value for key, value in document.items() if key not in record}
    assert added == {
        "status": "gepubliceerd",
        "gemeente": [
            {
                "type": "gemeente",
                "id": "https://identifier.overheid.nl/tooi/id/gemeente/gm0363",
                "label": "gemeente Amsterdam",
            }
        ],
        "locatie": [record["vergunning"]["object"]["coordinaten"][0]["wgs84"]],
        "temporal": {"gte": "2026-04-01", "lte": "2026-05-01"},
    }
    assert [one["identifier"] for one in document["documenten"]] == [DOCUMENT]

    publish(site, {"3.xml": about(1, "U", title="Kappen van drie eiken", aanmaakdatum="2026-04-02")}, NEWER)
    run = permits.harvest(site)
    assert causes(run) == {"1": "wijziging"}
    document = source(elasticsearch, alias, record)
    assert document["vergunning"]["title"] == "Kappen van drie eiken"
    assert "locatie" not in document, "it is the later record, and not both together"

    publish(site, {"4.xml": delete_message(aanmaakdatum="2026-04-03", identifier=case(1))}, NEWER)
    (gone,) = permits.harvest(site).records
    assert source(elasticsearch, alias, gone) == {**gone, "status": "ingetrokken"}
    assert statuses(elasticsearch, alias) == {"1": "ingetrokken", "2": "gepubliceerd"}

    publish(site, {"5.xml": about(1, aanmaakdatum="2026-04-04")}, NEWER)
    assert causes(permits.harvest(site)) == {"1": "herpublicatie"}
    assert statuses(elasticsearch, alias) == {"1": "gepubliceerd", "2": "gepubliceerd"}
    assert permits.harvest(site).records == []


def test_a_withdrawn_case_is_deleted_where_that_is_asked_for(
    permits: Indexed, site: Site, elasticsearch: Elasticsearch, alias: str
) -> None:
    publish(site, {"1.xml": about(1), "2.xml": about(2)})
    permits.harvest(site)
    publish(site, {"3.xml": delete_message(aanmaakdatum="2026-04-03", identifier=case(1))}, NEWER)
    assert permits.harvest(site, WOO_ELASTICSEARCH_WITHDRAWN="delete").returncode == 0
    assert statuses(elasticsearch, alias) == {"2": "gepubliceerd"}


def refusing(client: Elasticsearch, alias: str) -> None:
    """Make an index that takes no case with a phase."""
    meta = definition(PERMITS)["mappings"]["_meta"]
    phase = {"properties": {"termijn": {"properties": {"fase": {"type": "long"}}}}}
    mappings = {"_meta": meta, "properties": {"vergunning": phase}}
    client.indices.create(index=f"{alias}-v1", aliases={alias: {}}, mappings=mappings)


def test_a_case_that_the_index_refuses_is_named_and_comes_again(
    permits: Indexed, site: Site, elasticsearch: Elasticsearch, alias: str
) -> None:
    publish(site, {"1.xml": about(1, meta=PLACED), "2.xml": about(2)})
    refusing(elasticsearch, alias)
    run = permits.harvest(site)
    assert (run.returncode, sorted(causes(run))) == (1, ["1", "2"])
    assert "Elasticsearch refused 1 document:" in run.stderr
    (line,) = (line for line in run.stderr.splitlines() if "refuses the document " in line)
    assert "fase" in line
    assert statuses(elasticsearch, alias) == {"2": "gepubliceerd"}
    elasticsearch.indices.delete(index=f"{alias}-v1")
    assert causes(permits.harvest(site)) == {"1": "aanlevering"}, "the other was confirmed"
    assert statuses(elasticsearch, alias) == {"1": "gepubliceerd"}
    assert permits.harvest(site).records == []


@pytest.mark.parametrize("batch", [1, 1000])
def test_cases_that_are_settled_together_are_confirmed_together(
    permits: Indexed, site: Site, elasticsearch: Elasticsearch, alias: str, batch: int
) -> None:
    given = {"1.xml": about(1), "2.xml": about(2), "3.xml": about(3)}
    publish(site, {**given, "b.xml": document_message(case=case(1), identifier=DOCUMENT)})
    refusing(elasticsearch, alias)
    assert len(permits.harvest(site).records) == 3
    # The document goes from case 1, which the index takes, to case 2, which it refuses.
    moved = {
        "d.xml": document_message("U", case=case(2), identifier=DOCUMENT, aanmaakdatum="2026-04-02"),
        "e.xml": about(2, "U", meta=PLACED, aanmaakdatum="2026-04-02"),
        "f.xml": about(3, "U", aanmaakdatum="2026-04-02", title="Anders"),
    }
    publish(site, moved, NEWER)
    run = permits.harvest(site, WOO_ELASTICSEARCH_BATCH=batch)
    assert (run.returncode, sorted(causes(run)), run.stats["woo/elasticsearch/refused"]) == (
        1,
        ["1", "2", "3"],
        1,
    )
    again = permits.harvest(site, WOO_ELASTICSEARCH_BATCH=batch)
    assert sorted(causes(again)) == ["1", "2"]
    elasticsearch.indices.delete(index=f"{alias}-v1")
    create_index(elasticsearch, alias, PERMITS, aliased=True)
    run = permits.harvest(site, WOO_ELASTICSEARCH_BATCH=batch)
    assert sorted(causes(run)) == ["1", "2"]
    documents = {
        one["vergunning"]["identifier"]: [each["identifier"] for each in one.get("documenten", ())]
        for one in (source(elasticsearch, alias, record) for record in run.records)
    }
    assert documents == {case(1): [], case(2): [DOCUMENT]}
    assert permits.harvest(site).records == []


def test_an_older_record_does_not_overwrite_a_newer_one(
    permits: Indexed, site: Site, elasticsearch: Elasticsearch, alias: str
) -> None:
    publish(site, {"1.xml": about(1)})
    (record,) = permits.harvest(site).records
    newer = {**record, "herkomst": {**record["herkomst"], "opgehaald": "2999-01-01T00:00:00+01:00"}}
    lines = bulk_action(PERMITS, newer, Withdrawn.MARK).lines.splitlines()
    elasticsearch.bulk(index=alias, operations=[json.loads(line) for line in lines])
    publish(site, {"2.xml": about(1, "U", title="Anders", aanmaakdatum="2026-04-02")}, NEWER)
    run = permits.harvest(site)
    assert (run.returncode, run.stats["woo/elasticsearch/newer"]) == (0, 1)
    assert source(elasticsearch, alias, record)["vergunning"]["title"] == "Kappen van twee eiken"


def test_an_index_of_what_was_published_under_the_woo_stops_the_start(
    permits: Indexed, site: Site, elasticsearch: Elasticsearch, alias: str
) -> None:
    publish(site, {"1.xml": about(1)})
    create_index(elasticsearch, alias, WOO, aliased=True)
    run = permits.harvest(site)
    assert (run.returncode, run.records, site.requests) == (1, [], [])
    assert run.stderr.endswith(
        f"scrapy crawl: error: the index {alias}-v1 holds records of the kind woo, and not vergunningen: "
        "choose another name (WOO_ELASTICSEARCH_PERMITS_INDEX)\n"
    )
