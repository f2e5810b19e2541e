"""The extensions are tested alone if possible, and in a real run if their timing matters."""

from __future__ import annotations

from tests.integration.conftest import Crawl, crawl
from tests.utils.sites import ca, ca_bundle, make_raw_site, make_site, site

__all__ = ["Crawl", "ca", "ca_bundle", "crawl", "make_raw_site", "make_site", "site"]
