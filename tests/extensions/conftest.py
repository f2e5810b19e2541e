"""The extensions are tested alone where they can be, and in a real run where time is the point."""

from __future__ import annotations

from tests.integration.conftest import Crawl, crawl
from tests.utils.sites import ca, ca_bundle, make_raw_site, make_site, site

__all__ = ["Crawl", "ca", "ca_bundle", "crawl", "make_raw_site", "make_site", "site"]
