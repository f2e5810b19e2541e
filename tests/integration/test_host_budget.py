"""What a host does not finish within its time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.utils.daily import FIRST, Harvester, causes, numbered, publish
from tests.utils.disturbed_runs import latest, locs
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site

PDF = Page(b"%PDF-1.4", content_type="application/pdf")


def test_a_host_whose_time_is_used_up_is_left_where_it_is_and_says_when_it_will_be_done(
    site: Site, tmp_path: Path, ca_bundle: Path
) -> None:
    harvester = Harvester(tmp_path, ca_bundle, [site])
    site.pages["/d/*"] = replace(PDF, delay=0.3)
    publish(site, numbered(40), {"weg": FIRST})
    first = harvester.day("-a", "documents=head", WOO_HOST_BUDGET=2, WOO_HOST_BACKLOG=2)
    got = len(first.records)
    assert 0 < got < 41
    (finding,) = first.about("host.achterstand")
    left, days = 41 - got, -(-(41 - got) // got)
    assert finding["seen"] == f"{left} documenten over, {got} opgevraagd"
    assert finding["action"] == f"in een volgende oogst: bij een oogst per dag {days} dagen"
    assert first.stats["woo/documents/left"] == first.host(site.host)["backlog"] == left
    assert first.host(site.host)["backlog_days"] == days
    assert first.stats["woo/hosts/incomplete"] == 1
    assert first.stats["woo/entries"] == 41
    site.pages["/d/*"] = PDF
    rest = harvester.day("-a", "documents=head")
    assert len(rest.records) == left
    assert rest.stats["woo/hosts/complete"] == 1
    assert not set(first.locs) & set(rest.locs)
    assert len(locs(tmp_path.glob("records/*.jsonl"))) == len(latest(tmp_path.glob("records/*.jsonl"))) == 41


def test_a_host_whose_time_is_used_up_withdraws_nothing_until_it_is_done(
    site: Site, tmp_path: Path, ca_bundle: Path
) -> None:
    harvester = Harvester(tmp_path, ca_bundle, [site])
    site.pages["/d/*"] = PDF
    publish(site, {"weg": FIRST, "a": FIRST})
    harvester.day("-a", "documents=head")
    site.pages["/d/*"] = replace(PDF, delay=0.3)
    publish(site, {"a": FIRST, **numbered(30)})
    second = harvester.day("-a", "documents=head", WOO_HOST_BUDGET=1, WOO_HOST_BACKLOG=1)
    assert set(causes(second).values()) <= {"aanlevering"}  # a slow machine reads the sitemap for a second
    (finding,) = second.about("intrekking.onvolledig")
    assert finding["seen"] == "host.achterstand"
    site.pages["/d/*"] = PDF
    assert causes(harvester.day("-a", "documents=head"))["weg"] == "intrekking"
