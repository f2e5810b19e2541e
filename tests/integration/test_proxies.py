"""Connections go to the hosts alone, whatever proxies and passwords the environment names."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.utils.command import run_scrapy
from tests.utils.publishers import publish
from tests.utils.sites import write_register
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.demo.sitemaps import pdf

BODY = pdf("Besluit", pages=1)


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
