"""Fixtures of real runs; most tests of extensions need none."""

from __future__ import annotations

from tests.utils.crawl import Crawl, crawl
from tests.utils.elasticsearch_fixtures import alias, elasticsearch, elasticsearch_url
from tests.utils.indexed_runs import installation
from tests.utils.sites import ca, ca_bundle, make_raw_site, make_site, site

__all__ = [
    "Crawl",
    "alias",
    "ca",
    "ca_bundle",
    "crawl",
    "elasticsearch",
    "elasticsearch_url",
    "installation",
    "make_raw_site",
    "make_site",
    "site",
]
