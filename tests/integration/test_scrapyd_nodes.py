"""Two Scrapyds with one state in PostgreSQL: either can take over what the other leaves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.utils.command import SETTINGS
from tests.utils.daily import numbered, publish
from tests.utils.disturbed_runs import SOON, GatedSite, lines
from tests.utils.postgresql import postgresql_server, postgresql_url, query
from tests.utils.scrapyd import Scrapyd, copy_project, need_scrapyd, scrapyd_deploy
from tests.utils.sites import in_shards, write_register
from tests.utils.waiting import wait_until
from woo_harvester.demo.server import Authority

__all__ = ["postgresql_server", "postgresql_url"]

pytestmark = pytest.mark.integration

DOCUMENTS = 12


@pytest.fixture
def sites(ca: Authority) -> Iterator[dict[int, GatedSite]]:
    """A publisher in each of two shards, whose second sitemap is not answered yet."""
    with ExitStack() as stack:
        found = in_shards(lambda: stack.enter_context(GatedSite(ca)), 2)
        for site in found.values():
            publish(site, numbered(DOCUMENTS), {"later": None})
            site.gates.add("/s1.xml")
        yield found
        for site in found.values():
            site.gates.clear()


def test_a_shard_of_a_node_that_is_killed_goes_on_at_the_other(
    sites: dict[int, GatedSite], postgresql_url: str, ca_bundle: Path, tmp_path: Path
) -> None:
    need_scrapyd()
    project = copy_project(tmp_path / "woo-harvester")
    scrapyd_deploy(project, "--build-egg", "woo.egg")
    register = write_register(
        tmp_path / "register.xml", {f"Gemeente {number}": [site.url("/d")] for number, site in sites.items()}
    )
    environment = {"SSL_CERT_FILE": str(ca_bundle), "WOO_STATE_URL": postgresql_url}

    def schedule(node: Scrapyd, shard: str) -> str:
        given = {**SETTINGS, **SOON}
        return node.schedule(settings=given, register=str(register), documents="none", shard=shard)

    def records() -> list[str]:
        found = lines(sorted(tmp_path.glob("node*/records/*.jsonl")))
        return sorted(record["document"]["weblocatie"] for record in found)

    with Scrapyd(tmp_path / "node1", environment) as one, Scrapyd(tmp_path / "node2", environment) as two:
        for node in (one, two):
            node.deploy(project, "--egg", "woo.egg")
        schedule(one, "1/2")
        second = schedule(two, "2/2")
        wait_until(
            lambda: all("/s1.xml" in site.waiting for site in sites.values()),
            "the second sitemaps wait",
        )
        wait_until(lambda: len(records()) == 2 * DOCUMENTS, "the first sitemaps are harvested")
        one.kill()
        for site in sites.values():
            site.gates.clear()
        assert "'finish_reason': 'finished'" in two.wait(schedule(two, "1/2"))
        assert "'finish_reason': 'finished'" in two.wait(second)
    assert len(set(records())) == 2 * (DOCUMENTS + 1)
    known = query(postgresql_url, "SELECT loc FROM documents WHERE harvested IS NOT NULL")
    assert {loc for (loc,) in known} == set(records())
    # What was written and not yet confirmed may come a second time.
    assert len(records()) <= 2 * (DOCUMENTS + 1) + DOCUMENTS
