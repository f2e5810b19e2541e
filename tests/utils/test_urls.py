"""Hosts, identities, and locations that may be harvested."""

from __future__ import annotations

from uuid import NAMESPACE_URL, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.utils.urls import (
    LOC_MAXLENGTH,
    absolute_url,
    corrected_locs,
    host_of,
    https_form,
    is_web_url,
    last_segment,
    loc_problem,
    record_id,
    secured,
    tidy_loc,
)

#: Texts that come near a URL more often than any text would.
URL_LIKE = st.one_of(
    st.text(),
    st.text("htps:/.@[]%?#\\ -xn:0aé9", max_size=30).map("https://{}".format),
    st.lists(
        st.sampled_from(["https://", "a.nl", ":", "443", "/", "@", "[", "::1", "]", "xn--", "%", " "])
    ).map("".join),
)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.gemeente.nl/woo", "www.gemeente.nl"),
        ("  https://www.gemeente.nl/woo\n", "www.gemeente.nl"),
        ("https://WWW.Gemeente.NL", "www.gemeente.nl"),
        ("https://www.gemeente.nl./woo", "www.gemeente.nl"),
        ("https://www.gemeente.nl:443/woo", "www.gemeente.nl"),
        ("HTTPS://www.gemeente.nl:443/woo", "www.gemeente.nl"),
        ("http://www.gemeente.nl:80/woo", "www.gemeente.nl"),
        ("https://www.gemeente.nl:/woo", "www.gemeente.nl"),
        ("https://www.gemeente.nl:8443/woo", "www.gemeente.nl:8443"),
        ("https://www.gemeente.nl.:8443/woo", "www.gemeente.nl:8443"),
        ("https://www.gemeente.nl:08443/woo", "www.gemeente.nl:8443"),
        ("https://www.gemeente.nl:80/woo", "www.gemeente.nl:80"),
        ("http://www.gemeente.nl:443/woo", "www.gemeente.nl:443"),
        ("https://piet:geheim@www.gemeente.nl/woo", "www.gemeente.nl"),
        ("https://a_b.gemeente.nl/woo", "a_b.gemeente.nl"),
        ("https://127.0.0.1:8443/woo", "127.0.0.1:8443"),
        ("https://[0:0::1]:8443/woo", "[::1]:8443"),
        ("https://[::1]/woo", "[::1]"),
        ("https://www.gemeente.nl?x=https://b.nl/", "www.gemeente.nl"),
        ("https://www.gemeente.nl#a@b.nl", "www.gemeente.nl"),
    ],
)
def test_one_host_has_one_spelling(url: str, host: str) -> None:
    assert host_of(url) == host


def test_a_name_with_accents_is_compared_in_its_ascii_form() -> None:
    assert host_of("https://súdwest-fryslân.nl/") == "xn--sdwest-frysln-teb26a.nl"
    assert host_of("https://SÚDWEST-Fryslân.nl/") == host_of("https://xn--sdwest-frysln-teb26a.nl./")


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "absolute URL"),
        ("www.gemeente.nl/woo", "absolute URL"),
        ("www.gemeente.nl:8443/woo", "absolute URL"),
        ("/woo", "absolute URL"),
        ("mailto:woo@gemeente.nl", "absolute URL"),
        ("https:///woo", "a host"),
        ("https://:8443/woo", "a host"),
        ("https://piet@/woo", "a host"),
        ("https://www.gemeente.nl:abc/", "a port"),
        ("https://www.gemeente.nl:0/", "a port"),
        ("https://www.gemeente.nl:65536/", "a port"),
        ("https://www.gemeente.nl:٤٤٣/", "a port"),
        ("https://www.gemeente.nl:443:443/", "a host name"),
        ("https://www..nl/", "a host name"),
        ("https://www.gemeente .nl/", "a host name"),
        ("https://www.gemeente\\@b.nl\\c/", "a host name"),
        ("https://www%2Egemeente.nl/", "a host name"),
        (f"https://{'a' * 64}.nl/", "a host name"),
        (f"https://{'a.' * 127}nl/", "a host name"),
        (f"https://{'é' * 100_000}.nl/", "a host name"),
        ("https://xn--a.nl/", "a host name"),
        ("https://a℀b.nl/", "a host name"),
        ("https://[::1/", "IPv6"),
        ("https://[::1%25eth0]/", "IPv6"),
        ("https://[gemeente]/", "gemeente"),
    ],
)
def test_a_url_without_a_usable_host_is_an_error_that_says_why(url: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        host_of(url)


@given(URL_LIKE)
def test_no_text_raises_anything_but_value_error(text: str) -> None:
    last_segment(text)
    problem = loc_problem(text)
    try:
        host = host_of(text)
    except ValueError:
        assert problem is not None
    else:
        assert host_of(f"https://{host}/") == host


@pytest.mark.parametrize(
    "loc",
    [
        "https://www.gemeente.nl/woo/besluit.pdf",
        "HTTPS://www.gemeente.nl/woo/besluit%20parkeren.pdf?versie=1#blad=2",
        "https://súdwest-fryslân.nl/bestjoeren/beslút.pdf",
        "https://www.gemeente.nl:8443/mail/piet@gemeente.nl.pdf",
        "\n  https://www.gemeente.nl/woo/besluit.pdf  \n",
    ],
)
def test_a_location_by_the_rules_has_no_problem(loc: str) -> None:
    assert loc_problem(loc) is None


@pytest.mark.parametrize("loc", ["http://www.gemeente.nl/woo/a.pdf", "HTTP://www.gemeente.nl/", "http:"])
def test_a_location_must_be_https(loc: str) -> None:
    assert loc_problem(loc) == "loc.geen-https"


@pytest.mark.parametrize(
    "loc", ["https://piet:geheim@www.gemeente.nl/a.pdf", "https://piet@www.gemeente.nl/a.pdf"]
)
def test_a_location_with_a_user_name_or_password_is_not_harvested(loc: str) -> None:
    assert loc_problem(loc) == "loc.inloggegevens"


@pytest.mark.parametrize(
    "loc",
    [
        "",
        "/woo/besluit.pdf",
        "woo/besluit.pdf",
        "//www.gemeente.nl/besluit.pdf",
        "www.gemeente.nl/besluit.pdf",
        "www.gemeente.nl:8443/besluit.pdf",
        "ftp://ftp.gemeente.nl/besluit.pdf",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/plain,besluit",
        "mailto:woo@gemeente.nl",
        "https:www.gemeente.nl/besluit.pdf",
        "https:///besluit.pdf",
        "https://www.gemeente.nl:port/besluit.pdf",
        "https://www.gemeente.nl/een besluit.pdf",
        "https://www.gemeente.nl/een\nbesluit.pdf",
        "https://www.gemeente.nl/een\u00a0besluit.pdf",
        "https://www.gemeente.nl/een\x00besluit.pdf",
        "htt\nps://www.gemeente.nl/besluit.pdf",
        "onbekend://www.gemeente.nl/besluit.pdf",
    ],
)
def test_a_location_that_is_no_absolute_url_is_invalid(loc: str) -> None:
    assert loc_problem(loc) == "loc.ongeldig"


def test_a_location_may_have_2083_characters_and_no_more() -> None:
    longest = "https://www.gemeente.nl/".ljust(LOC_MAXLENGTH, "a")

    assert (len(longest), loc_problem(longest)) == (2083, None)
    assert loc_problem(f"{longest}a") == "loc.ongeldig"


def test_the_id_of_a_record_is_the_uuid_of_its_location_as_given() -> None:
    for number in range(100):  # with all 16 digits where the variant of the UUID is
        loc = f"https://www.a.nl/é/{number}.pdf"
        assert record_id(loc) == str(uuid5(NAMESPACE_URL, loc))
    assert record_id(" https://www.a.nl/b.pdf\n") == record_id("https://www.a.nl/b.pdf")
    assert record_id("https://WWW.a.nl/b.pdf") != record_id("https://www.a.nl/b.pdf")


@pytest.mark.parametrize(
    ("url", "segment"),
    [
        ("https://www.a.nl/woo/sitemapindex-diwoo.xml", "sitemapindex-diwoo.xml"),
        ("https://www.a.nl/sitemapindex-diwoo.xml?page=1/2#x/y", "sitemapindex-diwoo.xml"),
        ("/api/sitemapindex-diwoo.xml", "sitemapindex-diwoo.xml"),
        ("besluit.pdf", "besluit.pdf"),
        ("https://www.a.nl/een%20besluit%C3%A9.pdf", "een besluité.pdf"),
        ("https://www.a.nl/besluit%E9.pdf", "besluité.pdf"),
        ("https://www.a.nl/a%2Fb.pdf", "a/b.pdf"),
        ("https://www.a.nl/besluit.pdf;jsessionid=0A1B.node1", "besluit.pdf"),
        ("https://www.a.nl/een;twee.pdf", "een;twee.pdf"),
        ("https://www.a.nl/woo/", ""),
        ("https://www.a.nl", ""),
        ("https://www.a.nl?x=/besluit.pdf", ""),
    ],
)
def test_the_last_segment_of_the_path_is_percent_decoded(url: str, segment: str) -> None:
    assert last_segment(url) == segment


def test_http_becomes_https_and_all_else_stays() -> None:
    given = ("http://www.a.nl/http:x", "HTTP://www.a.nl", "https://www.a.nl", "ftp://www.a.nl", "/http:")
    right = ("https://www.a.nl/http:x", "https://www.a.nl", "https://www.a.nl", "ftp://www.a.nl", "/http:")
    assert tuple(map(secured, given)) == right


def test_a_path_is_no_url_of_the_web() -> None:
    assert all(map(is_web_url, ("HTTPS://www.a.nl/lijsten", "http://a")))
    assert not any(map(is_web_url, ("lijsten", "/http://a", "ftp://a.nl/", "https:/a", "")))


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("b.pdf#blz", "https://www.a.nl/x/b.pdf"),
        ("/b", "https://www.a.nl/b"),
        ("//www.b.nl/b", "https://www.b.nl/b"),
        ("HTTP://www.b.nl/", "HTTP://www.b.nl/"),
        ("mailto:a@b.nl", None),
        ("javascript:x", None),
        ("https://[::1/b", None),
    ],
)
def test_a_link_is_made_absolute_if_it_leads_to_the_web(href: str, expected: str | None) -> None:
    assert absolute_url("https://www.a.nl/x/y", href) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://www.a.nl/x?y=http://b", "https://www.a.nl/x?y=http://b"),
        ("HTTP://www.a.nl", "https://www.a.nl"),
        ("http://www.a.nl:80/x", "https://www.a.nl/x"),
        ("http://www.a.nl:80", "https://www.a.nl"),
        ("http://www.a.nl:8080/x", "https://www.a.nl:8080/x"),
        ("http://www.a.nl:801/x", "https://www.a.nl:801/x"),
        ("http://www.a.nl?:80/", "https://www.a.nl?:80/"),
        ("https://www.a.nl:80/x", "https://www.a.nl:80/x"),
        ("https://www.a.nl/x", "https://www.a.nl/x"),
    ],
)
def test_a_url_with_http_has_a_form_with_https(url: str, expected: str) -> None:
    assert https_form(url) == expected
    assert host_of(https_form(url)) == host_of(url)


@pytest.mark.parametrize(
    ("loc", "meant"),
    [
        ("http://www.a.nl/x?y=http://b", ["https://www.a.nl/x?y=http://b"]),
        ("HTTP://WWW.A.nl./X", ["https://www.a.nl/X"]),
        ("https://user:p@w@www.a.nl/x", ["https://www.a.nl/x"]),
        ("http://www.a.nl:80/x", ["https://www.a.nl/x"]),
        ("https://www.a.nl:8443/x", ["https://www.a.nl:8443/x", "https://www.a.nl/x"]),
        ("https://www.a.nl:99999/x", ["https://www.a.nl/x"]),
        ("http://[::1]:8443#x", ["https://[::1]:8443#x", "https://[::1]#x"]),
        ("ftp://www.a.nl", ["https://www.a.nl"]),
        ("https://www.a.nl/x:@y", []),
        ("https://WWW.a.nl?x", []),
        ("http://", []),
        ("http://a b/", []),
        ("/x", []),
        ("", []),
    ],
)
def test_a_location_that_cannot_be_used_may_mean_another(loc: str, meant: list[str]) -> None:
    assert corrected_locs(loc) == meant


#: White space, and control and format characters, and a variation selector.
UNSEEN = (
    "\xa0\u2028\u2029\u3000\x7f\x85\xad\u180e\u200e\u202a\u202c\u2066\ufeff\ufe0f\u180b\U000e0001\U000e0100"
)


def test_a_location_is_read_without_what_is_around_it_and_with_its_spaces_escaped() -> None:
    for written, right in (
        ("https://x.nl/d/Besluit Woo verzoek.pdf", "https://x.nl/d/Besluit%20Woo%20verzoek.pdf"),
        ("\u200b\ufeffhttps://x.nl/1\xa0\u200d\n", "https://x.nl/1"),
        ("\xad\u2060 https://x.nl/\u200e1", "https://x.nl/\u200e1"),
        *((f"{sign}https://x.nl/1{sign}", "https://x.nl/1") for sign in UNSEEN),
        ("https://lo\u200bcal\ufe0fhost:8\u2060443/\xad", "https://localhost:8443/"),
        ("https://x.nl/<b>1<br/></b>.pdf", "https://x.nl/1.pdf"),
        ("https://x.nl/<id>", "https://x.nl/<id>"),
        ("https://x .nl/a", "https://x%20.nl/a"),
        ("https://x\xa0.nl/a", "https://x\xa0.nl/a"),
        ("https://x.nl/a\tb", "https://x.nl/a\tb"),
        ("https://x.nl/%20 ", "https://x.nl/%20"),
        ("\u200b", ""),
    ):
        assert tidy_loc(written) == right
