"""Hosts, identities and locations that may be harvested."""

from __future__ import annotations

import pytest

from woo_harvester.urls import host_of


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
        ("https://www.gemeente.nl:08443/woo", "www.gemeente.nl:8443"),
        ("https://www.gemeente.nl:80/woo", "www.gemeente.nl:80"),
        ("http://www.gemeente.nl:443/woo", "www.gemeente.nl:443"),
        ("https://piet:geheim@www.gemeente.nl/woo", "www.gemeente.nl"),
        ("https://súdwest-fryslân.nl/woo", "xn--sdwest-frysln-teb26a.nl"),
        ("https://a_b.gemeente.nl/woo", "a_b.gemeente.nl"),
        ("https://127.0.0.1:8443/woo", "127.0.0.1:8443"),
        ("https://[0:0::1]:8443/woo", "[::1]:8443"),
        ("https://[::1]/woo", "[::1]"),
        ("https://www.gemeente.nl?x=https://b.nl/", "www.gemeente.nl"),
        ("https://www.gemeente.nl#a@b.nl", "www.gemeente.nl"),
    ],
)
def test_the_host_of_a_url(url: str, host: str) -> None:
    assert host_of(url) == host
