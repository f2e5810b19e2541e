"""The integration tests run the real command against real HTTPS servers on loopback."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest

from tests.command import Run, run_scrapy
from tests.sites import ca, ca_bundle, make_raw_site, make_site, site

__all__ = ["Crawl", "ca", "ca_bundle", "crawl", "make_raw_site", "make_site", "site"]


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
