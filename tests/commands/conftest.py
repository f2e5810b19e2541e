"""The commands are run for real: what counts is their exit status and what they say."""

from __future__ import annotations

from tests.integration.conftest import Crawl, crawl
from tests.utils.sites import ca, ca_bundle, make_site, site

__all__ = ["Crawl", "ca", "ca_bundle", "crawl", "make_site", "site"]
