from __future__ import annotations

import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from lxml import etree

from tests.demo.client import get
from woo_harvester.demo.server import Authority, Page, Request, redirect
from woo_harvester.demo.site import ROO_NAMESPACE, Location, RooEntry, Site, register_xml

NAMES = {"p": ROO_NAMESPACE}


def test_a_host_has_a_name_and_a_port(site: Site) -> None:
    assert site.host == f"localhost:{site.port}"
    assert site.url("/a.pdf") == f"https://localhost:{site.port}/a.pdf"


def test_a_page_may_be_text_or_bytes(ca: Authority, site: Site) -> None:
    site.pages |= {"/tekst": Page("één"), "/bytes": Page(b"\x00\xff")}
    assert get(ca, site, "/tekst").body == "één".encode()
    assert get(ca, site, "/bytes").body == b"\x00\xff"


def test_a_page_has_the_media_type_of_its_extension_unless_it_has_its_own(ca: Authority, site: Site) -> None:
    site.pages |= {
        "/a.pdf": Page(),
        "/b.pdf": Page(content_type="text/html"),
        "/c.pdf": Page(headers={"content-type": "text/csv"}),
        "/d": Page(),
    }
    types = [get(ca, site, path).media_type for path in ("/a.pdf", "/b.pdf", "/c.pdf", "/d")]
    assert types == ["application/pdf", "text/html", "text/csv", "application/octet-stream"]


def test_a_page_has_the_status_and_headers_that_it_was_given_and_another_is_a_404(
    ca: Authority, site: Site
) -> None:
    site.pages |= {
        "/": Page(status=503, headers={"Retry-After": "7"}),
        "/oud": redirect("/nieuw", status=301),
    }
    answers = [get(ca, site, path) for path in ("/", "/oud", "/weg")]
    assert [answer.status for answer in answers] == [503, 301, 404]
    assert (answers[0].headers["retry-after"], answers[1].headers["location"]) == ("7", "/nieuw")


def test_a_head_request_gets_the_length_and_no_body(ca: Authority, site: Site) -> None:
    site.pages["/a.pdf"] = Page(b"12345")
    answer = get(ca, site, "/a.pdf", method="HEAD")
    assert (answer.status, answer.headers["content-length"], answer.body) == (200, "5", b"")


def test_a_page_with_a_query_goes_before_the_page_without(ca: Authority, site: Site) -> None:
    site.pages |= {"/lijst": Page("alles"), "/lijst?page=2": Page("twee")}
    assert get(ca, site, "/lijst?page=1").body == b"alles"
    assert get(ca, site, "/lijst?page=2").body == b"twee"


def test_a_page_that_ends_in_a_star_answers_all_paths_below(ca: Authority, site: Site) -> None:
    site.pages |= {"*": Page("elders"), "/docs/*": Page("document"), "/docs/1.pdf": Page("een")}
    bodies = [get(ca, site, path).body for path in ("/docs/1.pdf", "/docs/2.pdf", "/x")]
    assert bodies == [b"een", b"document", b"elders"]


def test_a_page_may_be_made_from_the_request(ca: Authority, site: Site) -> None:
    def echo(request: Request) -> Page:
        return Page(f"{request.method} {request.path} {request.headers['user-agent']}")

    site.pages["/*"] = echo
    answer = get(ca, site, "/a%20b?c=d", headers={"User-Agent": "proef"})
    assert answer.body == b"GET /a%20b proef"


def test_a_streamed_page_is_made_anew_for_each_request(ca: Authority, site: Site) -> None:
    site.pages["/groot.xml"] = Page(lambda: (b"x" * 1000 for _ in range(1000)))
    assert [len(get(ca, site, "/groot.xml").body) for _ in range(2)] == [1_000_000, 1_000_000]
    assert get(ca, site, "/groot.xml", method="HEAD").body == b""


def test_a_slow_page_takes_its_time_while_others_go_on(ca: Authority, site: Site) -> None:
    site.pages |= {"/traag": Page("traag", delay=3), "/vlug": Page("vlug")}
    started = time.monotonic()
    with ThreadPoolExecutor() as pool:
        slow = pool.submit(get, ca, site, "/traag")
        assert get(ca, site, "/vlug").body == b"vlug"
        assert not slow.done()
        assert slow.result().body == b"traag"
    assert time.monotonic() - started >= 3


def test_a_client_that_has_the_page_already_gets_304(ca: Authority, site: Site) -> None:
    site.pages["/"] = Page(
        "nieuws", headers={"ETag": '"1"', "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"}
    )
    assert get(ca, site, headers={"If-None-Match": '"1"'}).status == 304
    assert get(ca, site, headers={"If-Modified-Since": "Mon, 01 Jan 2024 00:00:00 GMT"}).status == 304
    assert get(ca, site, headers={"If-None-Match": '"0"'}).status == 200
    assert get(ca, site).status == 200


def test_each_request_is_remembered_in_order(ca: Authority, site: Site) -> None:
    get(ca, site, "/a?b=c", headers={"X-Proef": "ja"})
    get(ca, site, "/d", method="HEAD")
    assert [(r.method, r.target, r.path) for r in site.requests] == [
        ("GET", "/a?b=c", "/a"),
        ("HEAD", "/d", "/d"),
    ]
    assert site.requests[0].headers["x-proef"] == "ja"
    assert site.requests[0].at <= site.requests[1].at
    assert site.requested("/a") == site.requested("/a?b=c") == site.requests[:1]


@pytest.mark.parametrize(("clients", "delay"), [(1, 0), (3, 2)])
def test_a_site_counts_the_requests_that_it_had_at_once(
    ca: Authority, site: Site, clients: int, delay: float
) -> None:
    site.pages["/"] = Page(delay=delay)
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(lambda _: get(ca, site), range(clients)))
    assert site.most_at_once == clients


def test_a_site_that_has_stopped_answers_nobody(ca: Authority) -> None:
    with Site(ca, {"/": Page("hallo")}) as site:
        assert get(ca, site).status == 200
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", site.port), timeout=60)


def test_a_site_stops_at_once_while_clients_keep_connections_open(ca: Authority) -> None:
    with Site(ca, {"/": Page(delay=3600)}) as site, ThreadPoolExecutor() as pool:
        waiting = pool.submit(get, ca, site)
        while not site.requests:
            time.sleep(0.01)
        site.__exit__()
        assert isinstance(waiting.exception(timeout=60), OSError)


def test_an_organisation_is_written_as_in_the_export() -> None:
    location = Location("https://a.nl/?b=1&c=2", "Adviezen")
    body = RooEntry(
        naam="A & B", systeem_id="1", tooi="https://x.example/gm1", type="Provincie", locations=[location]
    )
    (found,) = etree.fromstring(register_xml([body]).encode()).findall("p:organisaties/p:organisatie", NAMES)
    assert dict(found.attrib) == {
        f"{{{ROO_NAMESPACE}}}systeemId": "1",
        f"{{{ROO_NAMESPACE}}}resourceIdentifierTOOI": "https://x.example/gm1",
    }
    assert found.findtext("p:naam", namespaces=NAMES) == "A & B"
    assert found.findtext("p:types/p:type", namespaces=NAMES) == "Provincie"
    assert (
        found.findtext("p:woo/p:wooIndex/p:documentLocatie/p:url", namespaces=NAMES)
        == "https://a.nl/?b=1&c=2"
    )
    assert found.findtext(".//p:informatiecategorie", namespaces=NAMES) == "Adviezen"


def test_absent_values_of_an_organisation_are_not_written() -> None:
    (found,) = etree.fromstring(register_xml([RooEntry(naam="A", systeem_id="1")]).encode())[0]
    assert [etree.QName(child).localname for child in found] == ["naam", "types"]
    assert len(found.attrib) == 1


def test_an_organisation_can_be_within_another_and_have_the_day_of_its_end() -> None:
    child = RooEntry(naam="B", systeem_id="2", einddatum="2020-01-01")
    root = etree.fromstring(register_xml([RooEntry(naam="A", systeem_id="1", children=[child])]).encode())
    within = ".//p:organisatie//p:organisatie"
    assert root.findtext(f"{within}/p:naam", namespaces=NAMES) == "B"
    assert root.findtext(f"{within}/p:eindDatum", namespaces=NAMES) == "2020-01-01"
