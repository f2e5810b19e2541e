"""The integration tests run the real command against real HTTPS servers on loopback."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

import pytest

from tests.utils.command import Run, run_scrapy
from tests.utils.disturbed_runs import Fallible, GatedSite
from tests.utils.elasticsearch_fixtures import alias, elasticsearch, elasticsearch_url
from tests.utils.publishers import Publishers
from tests.utils.sites import ca, ca_bundle, make_raw_site, make_site, site
from woo_harvester.demo.certificates import Authority

__all__ = [
    "Crawl",
    "alias",
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


class Crawl(Protocol):
    """Runs ``scrapy crawl woo <args>`` in the test's own folder; later runs find its state."""

    def __call__(
        self, *args: str, settings: Mapping[str, object] | None = None, timeout: float = 120
    ) -> Run: ...


@pytest.fixture
def crawl(tmp_path: Path, ca_bundle: Path) -> Crawl:
    def run(*args: str, settings: Mapping[str, object] | None = None, timeout: float = 120) -> Run:
        return run_scrapy(["crawl", "woo", *args], tmp_path, ca_bundle, settings=settings, timeout=timeout)

    return run


@pytest.fixture(scope="module")
def publishers(
    ca: Authority, ca_bundle: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Publishers]:
    """For a run that all tests of a module share."""
    with ExitStack() as stack:
        yield Publishers(ca, ca_bundle, tmp_path_factory.mktemp("publishers"), stack)


@pytest.fixture
def gated(ca: Authority) -> Iterator[GatedSite]:
    """A site without pages whose answers can be kept back."""
    with GatedSite(ca) as made:
        yield made
        made.gates.clear()


@pytest.fixture
def installation(tmp_path: Path, ca_bundle: Path, gated: GatedSite) -> Fallible:
    """An installation in a folder of its own that harvests ``gated``."""
    return Fallible(tmp_path, ca_bundle, [gated])
