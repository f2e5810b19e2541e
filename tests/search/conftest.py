"""The exporters are tested against a real Elasticsearch, and the real command."""

from tests.servers.fixtures import alias, elasticsearch, elasticsearch_url
from tests.sites import ca, ca_bundle, make_raw_site, make_site, site

__all__ = [
    "alias",
    "ca",
    "ca_bundle",
    "elasticsearch",
    "elasticsearch_url",
    "make_raw_site",
    "make_site",
    "site",
]
