"""Which entry pages a run reads, and what becomes of pages and messages that are not as they should be."""

from __future__ import annotations

import gzip
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.integration.entry_towns import ExpiredTown, QuietHandler, bad_messages, page
from tests.integration.same_days import permit_days
from tests.utils.calendar import Calendar, Story
from tests.utils.command import DATA, run_scrapy
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
from woo_harvester.register.register import shard_of
from woo_harvester.state.locks import FileLocks, entry_pages_lock

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
    ("args", "line"),
    [
        ([], "argument entries is missing: expected URLs of entry pages"),
        (["-a", "entries="], "argument entries: expected URLs of entry pages"),
        (["-a", "entries=geen.csv"], "there is no file 'geen.csv'"),
        (["-a", "entries=https://a.nl/x,y"], "expected the URL of an entry page, got 'y'"),
        (["-a", "entries=https://u:p@a.nl/x"], "expected the URL of an entry page"),
        (["-a", "entries=https://a.nl/x", "-a", "documents=none"], "unknown argument documents"),
    ],
)
def test_an_argument_that_makes_no_sense_ends_the_command(args: list[str], line: str, tmp_path: Path) -> None:
    done = run_scrapy(["crawl", "vergunningen", *args], tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("scrapy crawl: error: ")
    assert line in done.stderr
    assert done.stderr.count("\n") == 1


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


@small.story
def test_urls_are_of_the_only_organisation_of_their_host_else_of_the_host(
    towns: Towns, own: Town, nobody: Town
) -> Story:
    towns.organisations = {"Gemeente Voorbeeldstad": [own.url("/woo")], **towns.organisations}
    publish(own, {"a.xml": own.about(1)})
    publish(nobody, {"a.xml": nobody.about(2)})
    run = yield
    assert {record["herkomst"]["organisatie"] for record in run.records} == {"90000100", nobody.host}


def test_domains_and_shard_narrow_the_entry_pages(permits: Permits, make_site: MakeSite) -> None:
    one, two = make_site(), make_site()
    publish(one, {"a.xml": about(1)})
    publish(two, {"a.xml": about(2)})
    entries = f"{one.url(FOLDER)},{two.url(FOLDER)}"
    run = permits.run(entries, "-a", f"domains={two.host}")
    assert (causes(run), run.codes) == ({"2": "aanlevering"}, {"register.domein-ontbreekt"})
    none = permits.run(entries, "-a", "domains=www.elders.nl")
    assert (none.returncode, "no entry page is left" in none.stderr) == (2, True)
    shard = shard_of(one.host, 7)
    run = permits.run(entries, "-a", f"shard={shard}/7")
    assert "1" in causes(run)
    assert permits.run(one.url(FOLDER), "-a", f"shard={shard % 7 + 1}/7").stats["woo/ingangen/selected"] == 0


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
def test_only_links_to_xml_are_followed(towns: Towns, site: Town) -> Story:
    towns.entries[site] = "/sub/p"
    site.pages["/sub/p"] = page(
        *(f'<a href="{href}">x</a>' for href in ("a.xml", "a.xml#deel", "zonder", "pagina", "x.pdf", "map/"))
    )
    site.pages["/sub/a.xml"] = Page(site.about(1))
    site.pages["/sub/zonder"] = Page(site.about(2), content_type="text/xml; charset=utf-8")
    site.pages["/sub/pagina"] = page("een menu")
    run = yield
    assert causes(run) == {"1": "aanlevering", "2": "aanlevering"}
    assert codes(run) == [("ipm.zonder-datum", "p")]
    assert files_asked(site) == ["a.xml", "p", "pagina", "zonder"]


@pytest.mark.parametrize("links", ["", '<a href="pagina">menu</a><a href="x.pdf">x</a>'])
@small.story
def test_a_page_without_a_link_to_xml_is_reported(links: str, towns: Towns, site: Town) -> Story:
    towns.entries[site] = "/p"
    site.pages["/p"] = page(links)
    site.pages["/pagina"] = page("een menu")
    assert codes((yield)) == [("ipm.ingang-zonder-links", "p")]


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


@permit_days.story
def test_a_listing_of_ten_megabytes_in_one_line_is_read(towns: Towns, site: Town) -> Story:
    towns.entries[site] = "/p"
    filler = "<!--" + "x" * 1000 + "-->"
    site.pages["/p"] = page('<a href="a.xml">a</a>' + filler * 10_000 + '<a href="b.xml">b</a>')
    site.pages["/a.xml"], site.pages["/b.xml"] = Page(site.about(1)), Page(site.about(2))
    assert set(causes((yield))) == {"1", "2"}


@small.story
def test_of_a_listing_that_is_too_large_the_links_before_that_are_read(towns: Towns, site: Town) -> Story:
    towns.entries[site] = "/p"
    site.pages["/p"] = page('<a href="a.xml">a</a>', "x" * 200_000, '<a href="b.xml">b</a>')
    site.pages["/a.xml"], site.pages["/b.xml"] = Page(site.about(1)), Page(site.about(2))
    run = yield
    assert causes(run) == {"1": "aanlevering"}
    assert codes(run) == [("ipm.te-groot", "p"), ("ipm.zonder-datum", "p")]


@small.story
def test_a_link_with_an_address_that_is_none_does_not_keep_others_from_being_read(
    towns: Towns, site: Town
) -> Story:
    broken = ("http://a b.nl/c.xml", "https://www.a.nl:poort/d.xml", "http:///e.xml", "https:///pagina")
    towns.entries[site] = "/p"
    site.pages["/p"] = page('<a href="a.xml">a</a>', *(f'<a href="{href}">x</a>' for href in broken))
    site.pages["/a.xml"] = Page(site.about(1))
    run = yield
    assert causes(run) == {"1": "aanlevering"}
    reported = [("ipm.bericht-onbereikbaar", f"{name}.xml") for name in "cde"]
    # https:///pagina is /pagina of the same host: there is nothing.
    assert codes(run) == [*reported, ("ipm.zonder-datum", "p")]
    assert run.host(site.host)["entry_pages"] == {"complete": 1}


@small.story
def test_old_http_links_of_a_page_that_has_https_are_asked_for_with_https(towns: Towns, site: Town) -> Story:
    towns.entries[site] = "/p"
    site.pages["/p"] = page(f'<a href="http://{site.host}/a.xml">a</a>')
    site.pages["/a.xml"] = Page(site.about(1))
    assert causes((yield)) == {"1": "aanlevering"}


@small.story
def test_bad_messages_are_reported_and_good_ones_beside_them_are_harvested(site: Town) -> Story:
    good = {
        "1.xml": site.about(1, "create"),
        "2.xml": site.about(2, "Update"),
        "3.xml": gzip.compress(site.about(3)),
        "4.xml": site.about(4).replace(b"overheidvg:Product", b"verzonnen:Lijst"),
    }
    bad = bad_messages(site)
    publish(site, {**good, **{name: body for name, (body, _) in bad.items()}})
    run = yield
    assert set(causes(run)) == {"1", "2", "3", "4"}
    expected = [("ipm.scheme-onbekend", "4.xml"), *((code, name) for name, (_, code) in bad.items())]
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


@permit_days.story
def test_two_runs_on_one_host_exclude_each_other(towns: Towns, site: Town) -> Story:
    publish(site, {"a.xml": site.about(1)})
    (towns.folder / DATA).mkdir(exist_ok=True)
    with FileLocks.beside(towns.folder / DATA / "woo-state.sqlite") as locks:
        locks.acquire([entry_pages_lock(site.host)])
        for entries in (site.url(FOLDER), f"{site.url(FOLDER)},{site.url('/x/')}"):
            run = towns.run(entries)
            assert (run.returncode, f"another run works on entry pages of {site.host}" in run.stderr) == (
                1,
                True,
            )
    assert causes((yield)) == {"1": "aanlevering"}


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
