"""``scrapy index --rebuild`` fills a new index and moves the alias."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from tests.portal.permits import DAM, at, gemeente, permit
from tests.utils.command import Run, run_scrapy
from tests.utils.elasticsearch_fixtures import alias, elasticsearch, elasticsearch_url
from tests.utils.proxy import Proxy

__all__ = ["alias", "elasticsearch", "elasticsearch_url"]

pytestmark = pytest.mark.integration


def line(name: str, cause: str, day: int, **document: Any) -> str:
    record = {
        "id": name,
        "document": {"weblocatie": f"https://www.a.nl/{name}.pdf", **document},
        "versies": [{"oorzaak": cause}],
        "herkomst": {"opgehaald": f"2026-11-{day:02}T08:00:00+01:00"},
    }
    return json.dumps(record) + "\n"


def rebuild(folder: Path, url: str, alias: str, *args: str, **settings: object) -> Run:
    given = {"WOO_ELASTICSEARCH_URL": url, "WOO_ELASTICSEARCH_INDEX": alias, **settings}
    return run_scrapy(["index", *args], folder, settings=given)


def test_the_latest_versions_of_all_files_come_behind_the_alias_at_once(
    tmp_path: Path, elasticsearch: Elasticsearch, elasticsearch_url: str, alias: str
) -> None:
    new, old = tmp_path / "new.jsonl", tmp_path / "old.jsonl"
    new.write_text(line("a", "wijziging", 2, naamOpsteller="nieuw") + line("b", "intrekking", 2))
    old.write_text(line("a", "aanlevering", 1) + line("b", "aanlevering", 1) + line("c", "aanlevering", 1))
    run = rebuild(tmp_path, elasticsearch_url, alias, "--rebuild", str(new), str(old))
    assert (run.returncode, run.stderr) == (
        0,
        f"Filled {alias}-v1 with 3 documents; {alias} stands for it.\n",
    )
    found = {hit["_id"]: hit["_source"] for hit in elasticsearch.search(index=alias)["hits"]["hits"]}
    assert {name: one["status"] for name, one in found.items()} == {
        "a": "gepubliceerd",
        "b": "ingetrokken",
        "c": "gepubliceerd",
    }
    assert found["a"]["document"]["naamOpsteller"] == "nieuw"
    run = rebuild(
        tmp_path,
        elasticsearch_url,
        alias,
        "--rebuild",
        str(old),
        str(new),
        WOO_ELASTICSEARCH_WITHDRAWN="delete",
    )
    assert run.stderr.startswith(f"Filled {alias}-v2 with 2 documents")
    assert list(elasticsearch.indices.get(index=f"{alias}-v*").keys()) == [f"{alias}-v2"]


def test_the_old_index_is_kept_where_that_is_asked_for(
    tmp_path: Path, elasticsearch: Elasticsearch, elasticsearch_url: str, alias: str
) -> None:
    file = tmp_path / "records.jsonl"
    file.write_text(line("a", "aanlevering", 1))
    rebuild(tmp_path, elasticsearch_url, alias, "--rebuild", str(file))
    run = rebuild(tmp_path, elasticsearch_url, alias, "--rebuild", "--keep-old", str(file))
    assert run.stderr.endswith(f" {alias}-v1 is kept.\n")
    assert set(elasticsearch.indices.get(index=f"{alias}-v*").keys()) == {f"{alias}-v1", f"{alias}-v2"}
    assert list(elasticsearch.indices.get_alias(name=alias).keys()) == [f"{alias}-v2"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (line("b", "aanlevering", 1) + "no record\n", "line 2"),
        (line("a", "aanlevering", 1, creatiedatum="ooit"), "refuses document a"),
    ],
)
def test_what_goes_wrong_leaves_the_alias_where_it_is(
    content: str, why: str, tmp_path: Path, elasticsearch: Elasticsearch, elasticsearch_url: str, alias: str
) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text(line("a", "aanlevering", 1))
    bad.write_text(content)
    rebuild(tmp_path, elasticsearch_url, alias, "--rebuild", str(good))
    run = rebuild(tmp_path, elasticsearch_url, alias, "--rebuild", str(bad))
    assert run.returncode == 1
    assert why in run.stderr
    assert run.stderr.count("\n") == 1
    assert list(elasticsearch.indices.get(index=f"{alias}-v*").keys()) == [f"{alias}-v1"]


def test_a_truncated_last_line_is_reported(tmp_path: Path, elasticsearch_url: str, alias: str) -> None:
    file = tmp_path / "records.jsonl"
    file.write_text(line("a", "aanlevering", 1) + '{"id": "b", "ver')
    run = rebuild(tmp_path, elasticsearch_url, alias, "--rebuild", str(file))
    truncated, filled = run.stderr.splitlines()
    assert truncated == f"scrapy index: the last line of {file} is truncated, and left out"
    assert (run.returncode, filled.startswith(f"Filled {alias}-v1 with 1 documents")) == (0, True)


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_an_answer_that_is_lost_when_the_alias_has_moved_leaves_the_new_index(
    method: str, tmp_path: Path, elasticsearch: Elasticsearch, elasticsearch_url: str, alias: str
) -> None:
    file = tmp_path / "records.jsonl"
    file.write_text(line("a", "aanlevering", 1))
    rebuild(tmp_path, elasticsearch_url, alias, "--rebuild", str(file))
    path = "/_aliases" if method == "POST" else f"/{alias}-v1"
    with Proxy(elasticsearch_url) as proxy:
        proxy.lost = (method, path)
        run = rebuild(tmp_path, proxy.url, alias, "--rebuild", str(file))
    assert run.returncode == (1 if method == "POST" else 0)
    assert "Traceback" not in run.stderr
    assert ("is still there: Elasticsearch answered 504" in run.stderr) == (method == "DELETE")
    assert list(elasticsearch.indices.get_alias(name=alias).keys()) == [f"{alias}-v2"]


def permits_index(folder: Path, url: str, alias: str, *files: Path) -> Run:
    given = {"WOO_ELASTICSEARCH_URL": url, "WOO_ELASTICSEARCH_PERMITS_INDEX": alias}
    return run_scrapy(["index", "--rebuild", *map(str, files)], folder, settings=given)


def lines_of(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_files_of_permits_fill_the_index_of_permits(
    tmp_path: Path, elasticsearch: Elasticsearch, elasticsearch_url: str, alias: str
) -> None:
    new, old = tmp_path / "new.jsonl", tmp_path / "old.jsonl"
    new.write_text(
        lines_of(
            permit("a", "wijziging", "2026-04-03", title="Anders", object=at(DAM)),
            permit("b", "intrekking", "2026-04-03"),
        )
    )
    old.write_text(lines_of(permit("a", title="Zo"), permit("b"), permit("c", creator=gemeente("Amsterdam"))))
    run = permits_index(tmp_path, elasticsearch_url, alias, new, old)
    assert (run.returncode, run.stderr) == (
        0,
        f"Filled {alias}-v1 with 3 documents; {alias} stands for it.\n",
    )
    found = {hit["_id"]: hit["_source"] for hit in elasticsearch.search(index=alias)["hits"]["hits"]}
    assert {name: one["status"] for name, one in found.items()} == {
        "a": "gepubliceerd",
        "b": "ingetrokken",
        "c": "gepubliceerd",
    }
    assert (found["a"]["vergunning"]["title"], found["a"]["locatie"]) == ("Anders", [DAM])
    assert found["c"]["gemeente"][0]["label"] == "gemeente Amsterdam"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (
            lines_of(permit("a")) + line("b", "aanlevering", 1),
            r"bad\.jsonl, line 2: .* of woo: give",
        ),
        (
            line("b", "aanlevering", 1) + lines_of(permit("a")),
            r"bad\.jsonl, line 2: .* of vergunningen:",
        ),
        ('{"id": "a", "versies": [{"oorzaak": "wijziging"}]}\n', r"bad\.jsonl, line 1: .* with the key"),
        ("\n", "there is no record in the files"),
    ],
    ids=["permits, then Woo", "Woo, then permits", "neither", "none"],
)
def test_records_of_two_kinds_or_none_give_one_line_and_no_index(
    content: str, why: str, tmp_path: Path, elasticsearch: Elasticsearch, elasticsearch_url: str, alias: str
) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text(content)
    run = permits_index(tmp_path, elasticsearch_url, alias, bad)
    assert run.returncode == 1
    assert re.search(why, run.stderr)
    assert run.stderr.count("\n") == 1
    assert not elasticsearch.indices.get(index=f"{alias}-v*")


def test_an_index_of_the_other_kind_is_not_replaced(
    tmp_path: Path, elasticsearch: Elasticsearch, elasticsearch_url: str, alias: str
) -> None:
    woo, permits = tmp_path / "woo.jsonl", tmp_path / "permits.jsonl"
    woo.write_text(line("a", "aanlevering", 1))
    permits.write_text(lines_of(permit("a")))
    assert rebuild(tmp_path, elasticsearch_url, alias, "--rebuild", str(woo)).returncode == 0
    run = permits_index(tmp_path, elasticsearch_url, alias, permits)
    assert run.returncode == 1
    assert run.stderr.startswith(f"scrapy index: error: the index {alias}-v1 holds records of the kind woo")
    assert list(elasticsearch.indices.get(index=f"{alias}-v*").keys()) == [f"{alias}-v1"]


@pytest.mark.parametrize(
    "args", [(), ("--rebuild",), ("records.jsonl",), ("--what",), ("--rebuild", "woo.csv")]
)
def test_a_wrong_argument_is_one_line(args: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "woo.csv").write_text('"titel","link"\n')
    run = rebuild(tmp_path, "http://127.0.0.1:1", "woo", *args)
    assert run.returncode == 2
    assert run.stderr.startswith("scrapy index: error: ")
    assert run.stderr.count("\n") == 1
