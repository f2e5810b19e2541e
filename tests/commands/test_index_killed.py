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


def test_the_next_rebuild_removes_what_a_killed_one_left(
    file: Path, tmp_path: Path, elasticsearch: Elasticsearch, elasticsearch_url: str, alias: str
) -> None:
    """Kill a rebuild at each request in turn, until one finishes."""
    number, left = 0, 0
    while killed(tmp_path, elasticsearch_url, alias, file, number := number + 1):
        name, documents = behind(elasticsearch, alias)
        assert documents == DOCUMENTS
        left += len(indices(elasticsearch, alias) - {name})
        if number % 4 == 0:  # else the next one finds what several have left
            done = rebuild(tmp_path, elasticsearch_url, alias, file)
            assert done.returncode == 0, done.stderr
            assert indices(elasticsearch, alias) == {behind(elasticsearch, alias)[0]}
    assert number > DOCUMENTS + 5
    assert left >= DOCUMENTS
    assert indices(elasticsearch, alias) == {behind(elasticsearch, alias)[0]}


def test_an_index_that_is_kept_is_not_taken_for_one_that_was_left(
    file: Path, tmp_path: Path, elasticsearch: Elasticsearch, elasticsearch_url: str, alias: str
) -> None:
    assert rebuild(tmp_path, elasticsearch_url, alias, file, "--keep-old").returncode == 0
    assert killed(tmp_path, elasticsearch_url, alias, file, 12)
    done = rebuild(tmp_path, elasticsearch_url, alias, file)
    assert f"Removed {alias}-v3, left by a rebuild that was killed." in done.stderr
    assert indices(elasticsearch, alias) == {f"{alias}-v1", f"{alias}-v3"}


def test_what_another_machine_left_is_named_and_stays(
    file: Path, tmp_path: Path, elasticsearch: Elasticsearch, elasticsearch_url: str, alias: str
) -> None:
    assert killed(tmp_path, elasticsearch_url, alias, file, 12)
    settings = {**given(elasticsearch_url, alias), "WOO_NODE": "elders"}
    done = run_scrapy(["index", "--rebuild", str(file)], tmp_path, settings=settings)
    assert done.returncode == 0, done.stderr
    assert f"{alias}-v2 is of a rebuild elsewhere: delete it if that one was killed." in done.stderr
    assert indices(elasticsearch, alias) == {f"{alias}-v2", f"{alias}-v3"}


def test_two_rebuilds_of_one_installation_do_not_meet(
    file: Path, tmp_path: Path, elasticsearch: Elasticsearch, elasticsearch_url: str, alias: str
) -> None:
    meanwhile: list[Run] = []
    with Proxy(elasticsearch_url) as proxy:
        proxy.sent = lambda number: (
            meanwhile.append(rebuild(tmp_path, elasticsearch_url, alias, file)) if number == 1 else None
        )
        done = rebuild(tmp_path, proxy.url, alias, file)
    (refused,) = meanwhile
    assert (refused.returncode, done.returncode) == (1, 0)
    assert refused.stderr == (
        f"scrapy index: error: another rebuild of {alias} is going on: wait until it ends\n"
    )
    assert behind(elasticsearch, alias) == (f"{alias}-v2", DOCUMENTS)
