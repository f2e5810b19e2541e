"""Fixtures of real commands, of which the exit status and the output count."""

from __future__ import annotations

from tests.utils.crawl import Crawl, crawl
from tests.utils.sites import ca, ca_bundle, make_site, site

__all__ = ["Crawl", "ca", "ca_bundle", "crawl", "make_site", "site"]
