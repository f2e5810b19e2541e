"""The tests of the demo's servers talk to the servers themselves."""

from __future__ import annotations

from tests.utils.sites import ca, ca_bundle, make_raw_site, make_site, site

__all__ = ["ca", "ca_bundle", "make_raw_site", "make_site", "site"]
