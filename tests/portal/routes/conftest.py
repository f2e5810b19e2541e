"""Fixture of a client of the portal over each engine that needs no server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.portal.client import Client
from tests.portal.engines import ENGINES, client_over


@pytest.fixture(scope="module", params=ENGINES)
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Yield a client over the ``RECORDS`` of the module, with its ``OPTIONS`` if it has them."""
    records, options = request.module.RECORDS, getattr(request.module, "OPTIONS", None)
    with client_over(request.param, records, tmp_path_factory.mktemp("portal"), options) as made:
        yield made
