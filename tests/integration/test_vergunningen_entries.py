"""Which entry pages a run reads, and what becomes of pages and messages that are not as they should be."""

from __future__ import annotations

import gzip
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.integration.entry_towns import ExpiredTown, QuietHandler, bad_messages, page
from tests.utils.calendar import Calendar, Story
from tests.utils.command import run_scrapy
from tests.utils.hostile import truncated
from tests.utils.sites import MakeSite
from tests.utils.vergunningen import (
    FOLDER,
    XML,
    Permits,
    RawTown,
    Town,
    Towns,
    about,
    causes,
    codes,
    files_asked,
    publish,
)
from woo_harvester.demo.server import Page, redirect

#: Nothing is tried again, messages are small, and of each host at most three requests wait at a time.
small = Calendar(
    Towns,
    RETRY_TIMES=0,
    WOO_MESSAGE_MAXSIZE=100_000,
    WOO_HOST_BACKLOG=3,
    CONCURRENT_REQUESTS_PER_DOMAIN=20,
)


@pytest.fixture
def permits(tmp_path: Path, ca_bundle: Path) -> Permits:
    return Permits(tmp_path, ca_bundle)


# The argument entries.


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("naam,url\n", "expected the columns organisatie,url; organisatie is missing"),
        ("organisatie,url\n", "names no entry page"),
        ("organisatie,url\nX,ftp://a.nl\n", "line 2: expected the URL of an entry page, got 'ftp://a.nl'"),
        ("organisatie,url\nDubbel,https://a.nl/\n", "'Dubbel' is the name of 2 organisations"),
    ],
)
def test_a_csv_file_that_makes_no_sense_ends_the_command(text: str, line: str, permits: Permits) -> None:
    path = permits.folder / "entries.csv"
    path.write_text(text, encoding="utf-8")
    args = permits.arguments(str(path))
    register = (permits.folder / "register.xml").read_text(encoding="utf-8")
    twice = register.replace("Gemeente Elders", "Dubbel")
    body = twice[twice.index("<p:organisatie ") : twice.index("</p:organisatie>") + len("</p:organisatie>")]
    twice = twice.replace(body, body + body.replace("90000100", "90000999"))
    (permits.folder / "register.xml").write_text(twice, encoding="utf-8")
    done = run_scrapy(args, permits.folder)
    assert (done.returncode, line in done.stderr) == (2, True), done.stderr


def test_a_csv_file_names_entry_pages_and_whose_they_are(permits: Permits, make_site: MakeSite) -> None:
    sites = [make_site() for _ in range(4)]
    for number, site in enumerate(sites):
        publish(site, {"a.xml": about(number)}, folder="/x,y/")
    permits.organisations = {"Gemeente Voorbeeldstad": [sites[3].url("/woo")]}
    rows = ["Gemeente Voorbeeldstad", "90000100", "Gemeente Onbekend", ""]
    lines = [f'{name},"{site.url("/x,y/")}"' for name, site in zip(rows, sites, strict=True)]
    path = permits.folder / "entries.csv"
    path.write_text("\ufefforganisatie,url\r\n" + "\r\n".join(lines) + "\r\n", encoding="utf-8")
    run = permits.run(str(path))
    bodies = {record["herkomst"]["ingang"]: record["herkomst"]["organisatie"] for record in run.records}
    expected = ["90000100", "90000100", "Gemeente Onbekend", "90000100"]
    assert bodies == {site.url("/x,y/"): body for site, body in zip(sites, expected, strict=True)}


def test_a_url_may_answer_with_a_csv_file(permits: Permits, make_site: MakeSite) -> None:
    lists, site = make_site(), make_site()
    publish(site, {"a.xml": about(1)})
    csv = f"organisatie,url\nGemeente Voorbeeldstad,{site.url(FOLDER)}\n"
    lists.pages["/ingangen"] = Page(csv, content_type="text/csv; charset=utf-8")
    run = permits.run(lists.url("/ingangen"))
    assert causes(run) == {"1": "aanlevering"}
    assert run.records[0]["herkomst"]["organisatie"] == "Gemeente Voorbeeldstad"
    lists.pages["/ingangen"] = Page("naam\n", content_type="text/csv")
    failed = permits.run(lists.url("/ingangen"))
    assert (failed.returncode, "expected the columns organisatie,url" in failed.stderr) == (2, True)


# Hosts and rules.


@small.story
def test_files_may_stand_on_another_host_of_the_same_organisation_only(
    towns: Towns, entry: Town, own: Town, other: Town
) -> Story:
    towns.organisations |= {
        "Gemeente Twee Hosts": [entry.url("/woo"), own.url("/woo")],
        "Gemeente Elders": [other.url("/woo")],
    }
    towns.entries[entry] = "/"
    for number, site in enumerate((own, other)):
        towns.sites.remove(site)  # it has no entry page
        site.pages["/f.xml"] = Page(entry.about(number))
    entry.pages["/weg.xml"] = redirect(other.url("/f.xml"))
    links = (f'<a href="{url}">x</a>' for url in (own.url("/f.xml"), other.url("/f.xml"), "/weg.xml"))
    entry.pages["/"] = page(*links, f'<a href="{other.url("/pagina")}">menu</a>')
    run = yield
    assert causes(run) == {"0": "aanlevering"}
    refused = [("host.niet-geregistreerd", "f.xml"), ("host.niet-geregistreerd", "weg.xml")]
    assert codes(run) == [*refused, ("ipm.zonder-datum", "")]
    assert other.requests == []


@small.story
def test_robots_txt_is_obeyed(whole: Town, part: Town) -> Story:
    publish(whole, {"a.xml": whole.about(1)})
    whole.pages["/robots.txt"] = Page("User-agent: *\nDisallow: /\n", content_type="text/plain")
    publish(part, {"a.xml": part.about(2), "b.xml": part.about(3)})
    part.pages["/robots.txt"] = Page("User-agent: *\nDisallow: /xml/b\n", content_type="text/plain")
    run = yield
    assert causes(run) == {"2": "aanlevering"}
    assert codes(run) == [("robots.verboden", ""), ("robots.verboden", "b.xml")]
    assert (files_asked(whole), files_asked(part)) == ([], ["a.xml"])


# Pages.


@small.story
def test_an_entry_page_that_does_not_come_is_reported(
    missing: Town, expired: ExpiredTown, broken: RawTown
) -> Story:
    broken.behaviours[FOLDER] = truncated(b"<html><a href='a.xml'>")
    run = yield
    found = {
        line["host"]: (line["code"], line.get("seen")) for line in run.findings if "a.xml" not in line["url"]
    }
    assert found[missing.host] == ("ipm.ingang-onbereikbaar", "HTTP 404")
    assert found[expired.host][0] == "tls.ongeldig"
    assert found[broken.host] == ("ipm.ingang-onbereikbaar", "afgebroken")
    assert run.host(broken.host)["entry_pages"] == {"incomplete": 1}


@small.story
def test_bad_messages_are_reported_and_good_ones_beside_them_are_harvested(site: Town) -> Story:
    good = {
        "1.xml": site.about(1, "create"),
        "2.xml": site.about(2, "Update"),
        "3.xml": gzip.compress(site.about(3)),
        "4.xml": site.about(4).replace(
            b"</dcterms:title>", b"</dcterms:title><dcterms:rights>x</dcterms:rights>"
        ),
    }
    bad = bad_messages(site)
    publish(site, {**good, **{name: body for name, (body, _) in bad.items()}})
    run = yield
    assert set(causes(run)) == {"1", "2", "3", "4"}
    expected = [("ipm.element-onbekend", "4.xml"), *((code, name) for name, (_, code) in bad.items())]
    assert codes(run) == sorted(expected)
    again = yield
    assert codes(again) == sorted(expected[1:]), "what is wrong with a case that was harvested: once"


@small.story
def test_a_message_that_breaks_off_is_tried_again(site: RawTown) -> Story:
    site.behaviours["/xml/a.xml"] = truncated(site.about(1)[:500])
    publish(site, {"b.xml": site.about(2)})
    site.pages[FOLDER] = page('<a href="a.xml">a</a><a href="b.xml">b</a>')
    run = yield
    assert causes(run) == {"2": "aanlevering"}
    assert codes(run) == [("ipm.bericht-onbereikbaar", "a.xml"), ("ipm.zonder-datum", "")]


@small.story
def test_requests_of_an_entry_page_do_not_pile_up(site: Town) -> Story:
    publish(
        site,
        {f"{number}.xml": Page(site.about(number), content_type=XML, delay=0.02) for number in range(30)},
    )
    run = yield
    assert (len(run.records), site.most_at_once <= 3) == (30, True)


def test_an_entry_page_may_be_http(permits: Permits) -> None:
    folder = permits.folder / "www"
    folder.mkdir()
    (folder / "a.xml").write_bytes(about(1))
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        run = permits.run(f"http://localhost:{server.server_port}/")
        server.shutdown()
    assert (causes(run), run.findings) == ({"1": "aanlevering"}, [])
