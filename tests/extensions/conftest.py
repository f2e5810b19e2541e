"""Fixtures of real runs; most tests of extensions need none."""

from __future__ import annotations

from tests.utils.crawl import Crawl, crawl
from tests.utils.sites import ca, ca_bundle, make_raw_site, make_site, site

__all__ = ["Crawl", "ca", "ca_bundle", "crawl", "make_raw_site", "make_site", "site"]
