"""A slow host has few requests under way, however much it lists, and holds up nobody else."""

from __future__ import annotations

from tests.utils.daily import numbered, publish
from tests.utils.disturbed_runs import Fallible, GatedSite
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site

ROOM = 3
DOCUMENT = Page(b"%PDF-1.4", content_type="application/pdf")


def test_a_slow_host_is_asked_for_no_more_than_its_backlog_while_another_is_harvested(
    gated: GatedSite, site: Site, installation: Fallible
) -> None:
    installation.sites.append(site)
    documents = {each: [f"/d/doc{number}.pdf" for number in range(100)] for each in (gated, site)}
    for each, paths in documents.items():
        publish(each, numbered(100))
        each.pages |= dict.fromkeys(paths, DOCUMENT)
    gated.gates.update(documents[gated])
    started = installation.start(
        "-a", "documents=download", WOO_HOST_BACKLOG=ROOM, CONCURRENT_REQUESTS_PER_DOMAIN=20
    )
    started.wait_until(lambda: all(map(site.requested, documents[site])), "the other host is asked for all")
    assert len(gated.waiting) == ROOM
    gated.gates.clear()
    run = started.wait()
    assert sorted(run.locs) == sorted(each.url(path) for each in documents for path in documents[each])
    assert gated.most_at_once <= ROOM
