"""Fixture of a client of the portal over the records of a module."""

from __future__ import annotations

import pytest

from tests.portal.client import Client, client_of


@pytest.fixture(scope="module")
def client(request: pytest.FixtureRequest) -> Client:
    """Return a client over the ``RECORDS`` of the module, with its ``OPTIONS`` if it has them."""
    return client_of(request.module.RECORDS, getattr(request.module, "OPTIONS", None))
