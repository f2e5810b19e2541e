from __future__ import annotations

import gzip
import hashlib

import pytest

from tests.downloader.conftest import Fetch, streamed
from tests.utils import hostile
from tests.utils.hostile import MEGABYTE
from tests.utils.sites import MakeRawSite, MakeSite
from woo_harvester.demo.server import Certificate, Page
from woo_harvester.demo.site import Site


def test_a_body_is_streamed_whole_with_its_status_and_headers(fetch: Fetch, site: Site) -> None:
    site.pages["/a.xml"] = Page(b"<urlset/>", headers={"ETag": '"1"'})
    site.pages["/weg"] = Page("weg", status=404)
    site.pages["/groot.xml"] = Page(b" " * 3 * MEGABYTE)
    found, gone, large = fetch(*(streamed(site.url(path)) for path in ("/a.xml", "/weg", "/groot.xml")))
    assert (found.status, found.streamed, found.body, found.size) == (200, True, "<urlset/>", 9)
    assert found.flags == []
    assert found.headers["Etag"] == '"1"'
    assert found.latency is not None
    assert (gone.status, gone.body) == (404, "weg")
    assert large.size == large.length == 3 * MEGABYTE


def test_a_body_is_read_up_to_its_bound_and_says_so(
    fetch: Fetch, site: Site, make_raw_site: MakeRawSite
) -> None:
    site.pages["/tien"] = Page(b"0123456789")
    endless = make_raw_site({"/x": hostile.endless(b"begin")})
    exact, cut, never = fetch(
        streamed(site.url("/tien"), download_maxsize=10),
        streamed(site.url("/tien?kort"), download_maxsize=4),
        streamed(endless.url("/x"), download_maxsize=100_000),
    )
    assert (exact.body, exact.size, exact.flags) == ("0123456789", 10, [])
    assert (cut.body, cut.size, cut.flags) == ("0123", 4, ["maxsize"])
    assert (never.size, never.length, never.flags) == (100_000, 100_000, ["maxsize"])


@pytest.mark.parametrize(
    "behaviour",
    [
        hostile.truncated(b"begin"),
        hostile.truncated_chunks(b"begin"),
        hostile.truncated(b"begin", is_reset=True),
    ],
    ids=["length not reached", "no last chunk", "reset"],
)
def test_a_body_that_is_cut_off_keeps_what_came_and_says_so(
    fetch: Fetch, make_raw_site: MakeRawSite, behaviour: hostile.Behaviour
) -> None:
    site = make_raw_site({"/x": behaviour})
    (answer,) = fetch(streamed(site.url("/x"), woo_digest=True))
    assert (answer.status, answer.body, answer.flags, answer.sha256) == (200, "begin", ["dataloss"], None)


def test_a_digest_is_made_where_it_is_asked_for(fetch: Fetch, site: Site) -> None:
    body = b"%PDF-1.7 " * 200_000
    site.pages["/a.pdf"] = Page(body)
    asked, not_asked, cut = fetch(
        streamed(site.url("/a.pdf"), woo_digest=True),
        streamed(site.url("/a.pdf?zonder")),
        streamed(site.url("/a.pdf?kort"), woo_digest=True, download_maxsize=10),
    )
    assert asked.sha256 == hashlib.sha256(body).hexdigest()
    assert not_asked.sha256 is None
    assert cut.sha256 is None


def test_compression_is_left_to_the_reader_but_not_that_of_a_document(fetch: Fetch, site: Site) -> None:
    packed = gzip.compress(b"<urlset/>")
    site.pages["/a"] = Page(packed, headers={"Content-Encoding": "gzip"}, content_type="application/xml")
    sitemap, document = fetch(
        streamed(site.url("/a"), headers={"Accept-Encoding": "gzip"}),
        streamed(site.url("/a?document"), woo_decompress=True, woo_digest=True),
    )
    assert sitemap.body.encode("latin-1") == packed
    assert document.body == "<urlset/>"
    assert document.sha256 == hashlib.sha256(b"<urlset/>").hexdigest()


def test_the_announced_size_of_what_is_coded_is_not_that_of_the_document(fetch: Fetch, site: Site) -> None:
    packed = gzip.compress(b"besluit" * 100)
    site.pages["/a.pdf"] = Page(packed, headers={"Content-Encoding": "gzip"})
    plain, decoded = fetch(
        streamed(site.url("/a.pdf"), method="HEAD"),
        streamed(site.url("/a.pdf?document"), method="HEAD", woo_decompress=True),
    )
    assert plain.headers["Content-Length"] == str(len(packed))
    assert "Content-Length" not in decoded.headers


def test_headers_are_enough_where_no_more_is_asked(
    fetch: Fetch, site: Site, make_raw_site: MakeRawSite
) -> None:
    site.pages["/a.pdf"] = Page(b"%PDF-1.7")
    endless = make_raw_site({"/x": hostile.endless(b"begin")})
    head, get = fetch(
        streamed(site.url("/a.pdf"), method="HEAD"), streamed(endless.url("/x"), woo_headers_only=True)
    )
    assert (head.status, head.length, head.headers["Content-Length"]) == (200, 0, "8")
    assert (get.status, get.length, get.headers["Transfer-Encoding"]) == (200, 0, "chunked")
    assert [request.method for request in site.requests] == ["HEAD"]


def test_the_body_of_a_refused_media_type_is_not_received(fetch: Fetch, site: Site) -> None:
    media_types = {"/pdf": "Application/PDF", "/svg": "image/svg+xml", "/html": "text/html"}
    site.pages.update(
        {path: Page(b"inhoud", content_type=media_type) for path, media_type in media_types.items()}
    )
    refused = ("application/pdf", "image/")
    answers = fetch(*(streamed(site.url(path), woo_refused_types=refused) for path in media_types))
    assert [(answer.status, answer.length) for answer in answers] == [(200, 0), (200, 6), (200, 6)]


@pytest.mark.parametrize(
    ("certificate", "reason"),
    [
        (Certificate.EXPIRED, "certificate has expired"),
        (Certificate.WRONG_NAME, "Hostname mismatch, certificate is not valid for 'localhost'."),
        (Certificate.UNKNOWN_AUTHORITY, "unable to get local issuer certificate"),
    ],
)
def test_a_certificate_that_is_not_valid_is_reported_with_its_fault(
    fetch: Fetch, make_site: MakeSite, certificate: Certificate, reason: str
) -> None:
    site = make_site({"/a": Page("a")}, certificate=certificate)
    (answer,) = fetch(streamed(site.url("/a")))
    assert (answer.error, answer.reason) == ("TlsError", reason)
    assert site.requests == []


def test_faults_of_a_connection_are_scrapys_own_exceptions(fetch: Fetch, make_raw_site: MakeRawSite) -> None:
    site = make_raw_site(
        {
            "/reset": hostile.reset_before_headers,
            "/stil": hostile.silent,
            "/traag": hostile.dripping(b"x" * 60),
            "/mail": hostile.raw(b"220 mail.example ESMTP\r\n"),
        }
    )
    errors = fetch(
        streamed(site.url("/reset")),
        streamed(site.url("/stil"), download_timeout=1),
        streamed(site.url("/traag"), download_timeout=1),
        streamed(site.url("/mail")),
        streamed("https://127.0.0.1:1/"),
        streamed("https://bestaat-niet.invalid/"),
    )
    assert [answer.error for answer in errors] == [
        "DownloadFailedError",
        "DownloadTimeoutError",
        "DownloadTimeoutError",
        "DownloadFailedError",
        "DownloadConnectionRefusedError",
        "NoSuchHostError",
    ]
    assert all("\n" not in answer.reason and answer.reason for answer in errors)


def test_private_addresses_are_not_visited_unless_allowed(fetch: Fetch, site: Site) -> None:
    site.pages["/a"] = Page("a")
    by_name, by_number = fetch(
        streamed(site.url("/a")),
        streamed(site.url("/a").replace("localhost", "127.0.0.1")),
        WOO_ALLOW_PRIVATE_HOSTS=0,
    )
    assert (by_name.error, by_name.reason) == ("PrivateHostError", "127.0.0.1")
    assert (by_number.error, by_number.reason) == ("PrivateHostError", "127.0.0.1")
    assert site.requests == []


def test_redirects_are_not_followed_by_the_handler(fetch: Fetch, site: Site) -> None:
    site.pages["/a"] = Page(status=302, headers={"Location": "/b"})
    (answer,) = fetch(streamed(site.url("/a")))
    assert (answer.status, answer.headers["Location"]) == (302, "/b")
    assert [request.path for request in site.requests] == ["/a"]


def test_the_url_and_headers_go_over_the_wire_as_they_are(fetch: Fetch, site: Site) -> None:
    site.pages["*"] = Page("a")
    path = "/Besluit%20nr.%201%2F2.pdf?a=b%26c&d=%C3%A9"
    fetch(streamed(site.url(path), headers={"User-Agent": "proef/1", "Accept-Encoding": "identity"}))
    (request,) = site.requests
    assert request.target == path
    assert request.headers["user-agent"] == "proef/1"
    assert request.headers["accept-encoding"] == "identity"
    assert "cookie" not in request.headers


def test_cookies_are_not_kept_between_requests(fetch: Fetch, site: Site) -> None:
    site.pages["*"] = Page("a", headers={"Set-Cookie": "sessie=1"})
    fetch(streamed(site.url("/a")), streamed(site.url("/b")), CONCURRENT_REQUESTS=1)
    assert all("cookie" not in request.headers for request in site.requests)


def test_plain_requests_go_scrapys_own_way(fetch: Fetch, site: Site) -> None:
    site.pages["/a"] = Page("gewoon")
    (answer,) = fetch({"url": site.url("/a")})
    assert (answer.status, answer.streamed, answer.body) == (200, False, "gewoon")


def test_a_host_that_may_be_private_is_visited_for_its_own_files_only(fetch: Fetch, site: Site) -> None:
    site.pages["*"] = Page("a")
    elsewhere = "localhost:1"
    numbered = site.host.replace("localhost", "127.0.0.1")
    answers = fetch(
        streamed(site.url("/own"), woo_host=site.host),
        streamed(f"https://{numbered}/own-by-number", woo_host=numbered),
        streamed(site.url("/nobody")),
        streamed(site.url("/named-by-another"), woo_host=elsewhere),
        streamed(site.url("/led-back"), woo_host=site.host, redirect_urls=[f"https://{elsewhere}/x"]),
        streamed(site.url("/redirected"), woo_host=site.host, redirect_urls=[site.url("/before")]),
        streamed(f"https://{elsewhere}/", woo_host=site.host),
        WOO_ALLOW_PRIVATE_HOSTS=0,
        WOO_PRIVATE_HOSTS=f"{site.host},{numbered}",
    )
    assert [answer.error for answer in answers] == [
        None,
        None,
        "PrivateHostError",
        "PrivateHostError",
        "PrivateHostError",
        None,
        "PrivateHostError",
    ]
    assert sorted(request.path for request in site.requests) == ["/own", "/own-by-number", "/redirected"]
