"""Hosts for runs in several processes: a fixture."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.utils.daily import FIRST, numbered, publish
from woo_harvester.demo.certificates import Authority
from woo_harvester.demo.site import Site


@pytest.fixture
def sites(ca: Authority) -> Iterator[list[Site]]:
    """Five hosts, each with more documents than the one before it."""
    with ExitStack() as stack:
        made = [stack.enter_context(Site(ca)) for _ in range(5)]
        for number, site in enumerate(made):
            publish(site, numbered(3 + number), {"meer": FIRST})
        yield made
