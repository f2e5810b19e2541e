"""Fixtures of real runs against real HTTPS servers on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.integration.audits import Auditor
from tests.utils.browser import browser
from tests.utils.crawl import Crawl, crawl
from tests.utils.disturbed_runs import Fallible, GatedSite
from tests.utils.elasticsearch_fixtures import alias, elasticsearch, elasticsearch_url
from tests.utils.publishers import Publishers
from tests.utils.sites import ca, ca_bundle, make_raw_site, make_site, site
from woo_harvester.demo.server import Authority

__all__ = [
    "Crawl",
    "alias",
    "browser",
    "ca",
    "ca_bundle",
    "crawl",
    "elasticsearch",
    "elasticsearch_url",
    "make_raw_site",
    "make_site",
    "publishers",
    "site",
]


@pytest.fixture(scope="module")
def publishers(
    ca: Authority, ca_bundle: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Publishers]:
    """The publishers of a run that all tests of a module share."""
    with ExitStack() as stack:
        yield Publishers(ca, ca_bundle, tmp_path_factory.mktemp("publishers"), stack)


@pytest.fixture
def auditor(tmp_path: Path, ca_bundle: Path) -> Auditor:
    """A person who audits hosts from a folder of their own."""
    return Auditor(tmp_path, ca_bundle)


@pytest.fixture
def gated(ca: Authority) -> Iterator[GatedSite]:
    """A site without pages whose answers can wait."""
    with GatedSite(ca) as made:
        yield made
        made.gates.clear()


@pytest.fixture
def installation(tmp_path: Path, ca_bundle: Path, gated: GatedSite) -> Fallible:
    """An installation in a folder of its own that harvests ``gated``."""
    return Fallible(tmp_path, ca_bundle, [gated])
