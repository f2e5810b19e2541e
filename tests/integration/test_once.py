"""A document is asked for once in a run, wherever it is listed; and connections go to its host alone."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.utils.command import run_scrapy
from tests.utils.publishers import Harvest, Hosts, Publishers, publish
from tests.utils.sites import write_register
from woo_harvester.demo.server import Page, redirect
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import pdf, robots_txt

BODY = pdf("Besluit", pages=1)
hosts = Hosts()


@hosts.site
def with_a_document_that_is_listed_everywhere(site: Site) -> None:
    publish(site, "/a.pdf", "/a.pdf", "/b.pdf")
    index = "/sitemapindex-diwoo-infocat014.xml"
    first = site.pages["/sitemapindex-diwoo.xml"]
    site.pages |= {
        index: first,
        "/robots.txt": Page(robots_txt(site.url("/sitemapindex-diwoo.xml"), site.url(index))),
    }
    site.pages |= {"/a.pdf": Page(BODY), "/b.pdf": Page(BODY)}


@hosts.site
def that_lists_it_too(site: Site) -> None:
    publish(site, hosts[with_a_document_that_is_listed_everywhere].url("/a.pdf"))


@hosts.site
def with_a_redirect_to_a_document_that_is_listed(site: Site) -> None:
    publish(site, "/oud.pdf", "/nieuw.pdf", "/ouder.pdf")
    site.pages |= {
        "/oud.pdf": redirect("/nieuw.pdf"),
        "/ouder.pdf": redirect("/oud.pdf"),
        "/nieuw.pdf": Page(BODY),
    }


@pytest.fixture(scope="module", params=["download", "head"])
def harvest(request: pytest.FixtureRequest, started: Publishers) -> Harvest:
    return started.crawl("-a", f"documents={request.param}")


@pytest.fixture(scope="module")
def started(publishers: Publishers) -> Publishers:
    publishers.start(hosts)
    return publishers


def test_a_document_that_is_listed_by_two_hosts_and_in_two_sitemaps_is_asked_for_once(
    harvest: Harvest,
) -> None:
    host = harvest[with_a_document_that_is_listed_everywhere]
    assert len(host.requested("/a.pdf")) == 1
    assert len(host.requested("/b.pdf")) == 1
    assert host.paths == ["/a.pdf", "/b.pdf"]


def test_addresses_that_lead_to_one_place_are_a_document_each(harvest: Harvest) -> None:
    """Each has an id of its own, and what it leads to is known only when it has been asked."""
    host = harvest[with_a_redirect_to_a_document_that_is_listed]
    assert host.paths == ["/nieuw.pdf", "/oud.pdf", "/ouder.pdf"]
    assert len(host.requested("/nieuw.pdf")) == 3


def test_no_proxy_comes_in_between(site: Site, tmp_path: Path, ca_bundle: Path) -> None:
    publish(site, "/a.pdf")
    site.pages["/a.pdf"] = Page(BODY)
    register = write_register(tmp_path / "roo.xml", {"a": [site.url()]})
    (tmp_path / "netrc").write_text("machine localhost login naam password geheim\n")
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        proxy.settimeout(0)
        url = f"http://naam:geheim@127.0.0.1:{proxy.getsockname()[1]}"
        names = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
        environment = {name: url for upper in names for name in (upper, upper.lower())}
        environment |= {"NO_PROXY": "", "no_proxy": "", "NETRC": str(tmp_path / "netrc")}
        run = run_scrapy(
            ["crawl", "woo", "-a", f"register={register}", "-a", "documents=download"],
            tmp_path,
            ca_bundle,
            # The stock setting, which has Scrapy prepare each request for the proxy.
            settings={"HTTPPROXY_ENABLED": 1},
            env={**os.environ, **environment, "SSL_CERT_FILE": str(ca_bundle)},
        )
        assert run.locs == [site.url("/a.pdf")]
        with pytest.raises(BlockingIOError):
            proxy.accept()
    secrets = {"authorization", "proxy-authorization", "cookie", "referer"}
    assert not secrets.intersection(name for request in site.requests for name in request.headers)
