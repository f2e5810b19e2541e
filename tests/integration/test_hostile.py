"""The hostile servers do what they say: else the tests of the harvester would prove nothing."""

from __future__ import annotations

import gzip
import http.client
import os
import socket
import ssl
import time
import zlib
from pathlib import Path

import pytest
from lxml import etree

from tests.demo.client import Answer, get
from tests.utils import hostile
from tests.utils.hostile import MEGABYTE, RawSite
from tests.utils.sites import MakeRawSite, MakeSite
from woo_harvester.demo.server import Authority, Page
from woo_harvester.demo.sitemaps import Entry, sitemap


def request(ca: Authority, site: RawSite) -> ssl.SSLSocket:
    """A connection on which ``GET /x`` has been asked."""
    plain = socket.create_connection(("127.0.0.1", site.port), timeout=60)
    connection = ca.client_context().wrap_socket(plain, server_hostname="localhost")
    connection.sendall(b"GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return connection


def first_bytes(ca: Authority, site: RawSite, size: int) -> bytes:
    """The first bytes of the answer, read as they come."""
    received = b""
    with request(ca, site) as connection:
        while len(received) < size and (data := connection.recv(size - len(received))):
            received += data
    return received


def read_below(connection: ssl.SSLSocket) -> None:
    """Reads the encrypted bytes to their end: what TLS makes of a reset differs between its versions."""
    with socket.socket(fileno=os.dup(connection.fileno())) as below:
        below.settimeout(60)
        while below.recv(65536):
            pass


def test_other_pages_of_a_hostile_site_are_served_as_usual(ca: Authority, make_raw_site: MakeRawSite) -> None:
    site = make_raw_site({"/x": hostile.silent}, {"/robots.txt": Page("User-agent: *\n")})
    answer = get(ca, site, "/robots.txt")
    assert (answer.status, answer.media_type, answer.body) == (200, "text/plain", b"User-agent: *\n")
    assert get(ca, site, "/robots.txt", method="HEAD").body == b""
    assert get(ca, site, "/weg").status == 404
    assert [request.method for request in site.requested("/robots.txt")] == ["GET", "HEAD"]


def test_a_truncated_body_ends_before_its_length(ca: Authority, make_raw_site: MakeRawSite) -> None:
    site = make_raw_site({"/x": hostile.truncated(b"<urlset>", missing=5)})
    with pytest.raises(http.client.IncompleteRead) as caught:
        get(ca, site, "/x")
    assert (caught.value.partial, caught.value.expected) == (b"<urlset>", 5)


def test_a_truncated_chunked_body_has_no_last_chunk(ca: Authority, make_raw_site: MakeRawSite) -> None:
    site = make_raw_site({"/x": hostile.truncated_chunks(b"<urlset>")})
    with pytest.raises(http.client.IncompleteRead) as caught:
        get(ca, site, "/x")
    assert caught.value.partial == b"<urlset>"


@pytest.mark.parametrize("behaviour", [hostile.reset_before_headers, hostile.reset_in_body(b"<urlset>")])
def test_a_connection_is_reset_below_the_encryption(
    ca: Authority, make_raw_site: MakeRawSite, behaviour: hostile.Behaviour
) -> None:
    site = make_raw_site({"/x": behaviour})
    with request(ca, site) as connection, pytest.raises(ConnectionResetError):
        read_below(connection)


def test_a_reset_in_mid_body_comes_after_a_part_of_it(ca: Authority, make_raw_site: MakeRawSite) -> None:
    site = make_raw_site({"/x": hostile.reset_in_body(b"<urlset>")})
    with request(ca, site) as connection:
        assert b"Content-Length: 1008" in connection.recv(65536)
        assert connection.recv(65536) == b"<urlset>"


def test_a_silent_server_never_answers(ca: Authority, make_raw_site: MakeRawSite) -> None:
    site = make_raw_site({"/x": hostile.silent})
    with pytest.raises(TimeoutError):
        get(ca, site, "/x", timeout=2)
    assert len(site.requests) == 1


def test_a_dripping_body_takes_an_interval_a_byte(ca: Authority, make_raw_site: MakeRawSite) -> None:
    started = time.monotonic()
    assert get(ca, make_raw_site({"/x": hostile.dripping(b"abcd", interval=0.1)}), "/x").body == b"abcd"
    assert time.monotonic() - started >= 0.3


def test_dripping_headers_never_end(ca: Authority, make_raw_site: MakeRawSite) -> None:
    site = make_raw_site({"/x": hostile.dripping_headers(interval=0.01)})
    assert first_bytes(ca, site, 40).endswith(b"X-Traag: xxxxxxxxxxxxxx")


def test_an_endless_body_goes_on_until_nobody_reads(ca: Authority, make_raw_site: MakeRawSite) -> None:
    site = make_raw_site({"/x": hostile.endless(b"<urlset>", b"<url/>")})
    received = first_bytes(ca, site, 100_000)
    assert len(received) == 100_000
    assert b"8\r\n<urlset>\r\n6\r\n<url/>\r\n6\r\n<url/>\r\n" in received


def test_a_connection_is_closed_at_the_limit_whatever_it_does(
    ca: Authority, make_raw_site: MakeRawSite
) -> None:
    site = make_raw_site({"/x": hostile.silent}, limit=1)
    with pytest.raises(http.client.RemoteDisconnected):
        get(ca, site, "/x")


def test_an_answer_need_not_be_http(ca: Authority, make_raw_site: MakeRawSite) -> None:
    with pytest.raises(http.client.BadStatusLine):
        get(ca, make_raw_site({"/x": hostile.raw(b"220 mail.example ESMTP\r\n")}), "/x")


def test_a_hostile_site_stops_while_clients_hold_on_to_it(ca: Authority) -> None:
    with RawSite(ca, {"/x": hostile.silent}, limit=3600) as site:
        connection = http.client.HTTPSConnection(site.host, timeout=60, context=ca.client_context())
        connection.request("GET", "/x")
        while not site.requests:
            time.sleep(0.01)
    with pytest.raises((ConnectionError, ssl.SSLError)):
        connection.getresponse()
    connection.close()


def test_a_busy_page_answers_after_some_refusals(ca: Authority, make_site: MakeSite) -> None:
    site = make_site({"/x": hostile.busy(Page("klaar"), times=2, status=429, retry_after=3)})
    answers = [get(ca, site, "/x") for _ in range(4)]
    assert [answer.status for answer in answers] == [429, 429, 200, 200]
    assert answers[0].headers["retry-after"] == "3"


def test_a_redirect_loop_leads_back_to_where_it_began(ca: Authority, make_site: MakeSite) -> None:
    site = make_site(hostile.redirect_loop("/x"))
    second = get(ca, site, "/x").headers["location"]
    assert get(ca, site, second).headers["location"] == "/x"


def test_a_gzip_bomb_is_small_until_it_is_unpacked() -> None:
    bomb = hostile.gzip_bomb(20 * MEGABYTE)
    assert len(bomb) < MEGABYTE / 20
    unpacked = zlib.decompress(bomb, 31)
    assert len(unpacked) > 20 * MEGABYTE
    assert unpacked.endswith(b" </urlset>")


def test_a_large_page_is_streamed(ca: Authority, make_site: MakeSite) -> None:
    answer = get(ca, make_site({"/x.xml": hostile.large(3 * MEGABYTE)}), "/x.xml")
    assert "content-length" not in answer.headers
    assert 3 * MEGABYTE < len(answer.body) < 4 * MEGABYTE


def test_an_entity_bomb_is_small_and_refers_to_itself_ten_times_ten_times() -> None:
    bomb = hostile.entity_bomb("https://a.nl/")
    assert len(bomb) < 2000
    assert bomb.count(b"<!ENTITY ") == 11
    assert b'<!ENTITY e10 "' + b"&e9;" * 10 + b'">' in bomb


def test_an_external_entity_shows_the_file_to_a_careless_reader(tmp_path: Path) -> None:
    secret = tmp_path / "geheim"
    secret.write_text("wachtwoord")
    body = hostile.external_entity("https://a.nl/", target=secret.as_uri())
    root = etree.fromstring(body, etree.XMLParser(resolve_entities=True, load_dtd=True))
    assert "".join(root.itertext()) == "https://a.nl/?wachtwoord"


@pytest.mark.parametrize("name", hostile.ODD_BYTES)
def test_odd_bytes_differ_from_the_right_sitemap(name: str) -> None:
    right = sitemap(Entry(loc="https://a.nl/een.pdf", lastmod="2024-01-01"))
    assert hostile.ODD_BYTES[name](right) != right


def test_a_site_may_lie_about_type_and_encoding(ca: Authority, make_site: MakeSite) -> None:
    lie = Page(b"<urlset/>", headers={"Content-Encoding": "gzip"}, content_type="application/pdf")
    answer: Answer = get(ca, make_site({"/x.xml": lie}), "/x.xml")
    assert (answer.headers["content-encoding"], answer.media_type, answer.body) == (
        "gzip",
        "application/pdf",
        b"<urlset/>",
    )


def test_a_site_may_compress_what_it_sends(ca: Authority, make_site: MakeSite) -> None:
    packed = Page(gzip.compress(b"<urlset/>"), headers={"Content-Encoding": "gzip"})
    assert gzip.decompress(get(ca, make_site({"/x.xml": packed}), "/x.xml").body) == b"<urlset/>"
