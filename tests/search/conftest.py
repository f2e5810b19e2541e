"""Fixtures of a real Elasticsearch."""

from tests.utils.elasticsearch_fixtures import alias, elasticsearch, elasticsearch_url
from tests.utils.sites import ca, ca_bundle, make_site, site

__all__ = ["alias", "ca", "ca_bundle", "elasticsearch", "elasticsearch_url", "make_site", "site"]
