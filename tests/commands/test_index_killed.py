"""``scrapy index --rebuild`` killed: the alias points to a complete index, and no index is left."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from elasticsearch import Elasticsearch

from tests.commands.test_index import line
from tests.utils.command import Run, run_scrapy, start_forked
from tests.utils.elasticsearch_fixtures import alias, elasticsearch, elasticsearch_url
from tests.utils.proxy import Proxy
from tests.utils.waiting import STUCK

__all__ = ["alias", "elasticsearch", "elasticsearch_url"]

pytestmark = pytest.mark.integration

DOCUMENTS = 3


def given(url: str, alias: str) -> dict[str, Any]:
    """Write one document per batch, so that a rebuild takes several requests."""
    return {"WOO_ELASTICSEARCH_URL": url, "WOO_ELASTICSEARCH_INDEX": alias, "WOO_ELASTICSEARCH_BATCH": 1}


def rebuild(folder: Path, url: str, alias: str, file: Path, *args: str) -> Run:
    return run_scrapy(["index", "--rebuild", *args, str(file)], folder, settings=given(url, alias))


def indices(elasticsearch: Elasticsearch, alias: str) -> set[str]:
    return set(elasticsearch.indices.get(index=f"{alias}-v*").keys())


def behind(elasticsearch: Elasticsearch, alias: str) -> tuple[str, int]:
    """Return the index behind the alias, and its documents."""
    (name,) = elasticsearch.indices.get_alias(name=alias).keys()
    return str(name), int(elasticsearch.count(index=alias)["count"])


def killed(folder: Path, url: str, alias: str, file: Path, number: int) -> bool:
    """Kill a rebuild at request *number*, before the server has it; returns False if it had fewer."""

    def kill(so_far: int) -> None:
        if so_far == number:
            started.send(signal.SIGKILL)
            raise ConnectionAbortedError  # so that the server never has it

    with Proxy(url) as proxy:
        proxy.before = kill
        started = start_forked(["index", "--rebuild", str(file)], folder, settings=given(proxy.url, alias))
        done = started.done(STUCK)
    return done.returncode == -signal.SIGKILL


@pytest.fixture
def file(tmp_path: Path, elasticsearch_url: str, alias: str) -> Path:
    """Return records that are in the index already."""
    made = tmp_path / "records.jsonl"
    made.write_text("".join(line(f"d{number}", "aanlevering", 1) for number in range(DOCUMENTS)))
    assert rebuild(tmp_path, elasticsearch_url, alias, made).returncode == 0
    return made


def test_a_killed_rebuild_leaves_the_alias_on_a_complete_index_and_its_own_is_named(
    file: Path, tmp_path: Path, elasticsearch: Elasticsearch, elasticsearch_url: str, alias: str
) -> None:
    """Kill a rebuild at each request in turn, until one finishes."""
    number = 0
    while killed(tmp_path, elasticsearch_url, alias, file, number := number + 1):
        assert behind(elasticsearch, alias)[1] == DOCUMENTS
    assert number > DOCUMENTS + 5
    done = rebuild(tmp_path, elasticsearch_url, alias, file)
    assert done.returncode == 0, done.stderr
    name, documents = behind(elasticsearch, alias)
    assert documents == DOCUMENTS
    left = indices(elasticsearch, alias) - {name}
    assert len(left) >= DOCUMENTS
    assert all(index in done.stderr.partition("Not in use: ")[2] for index in left)
