"""Fixtures of the demo's servers, which these tests talk to themselves."""

from __future__ import annotations

from tests.utils.sites import ca, ca_bundle, make_raw_site, make_site, site

__all__ = ["ca", "ca_bundle", "make_raw_site", "make_site", "site"]
