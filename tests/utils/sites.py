"""Fixtures: HTTPS sites on loopback, and the authority that their certificates come from.

A ``conftest.py`` that wants them imports them from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

import pytest

from tests.utils.hostile import RawSite
from woo_harvester.demo.server import Authority
from woo_harvester.demo.site import Location, RooEntry, Site, register_xml
from woo_harvester.register.register import shard_of

__all__ = [
    "MakeRawSite",
    "MakeSite",
    "ca",
    "ca_bundle",
    "in_shards",
    "make_raw_site",
    "make_site",
    "site",
    "write_register",
]


AnySite = TypeVar("AnySite", bound=Site)


MakeSite = Callable[..., Site]
"""The function that starts a well-behaved site, with what ``Site`` is given, which stops with the test."""
MakeRawSite = Callable[..., RawSite]
"""The function that starts a site of which some pages misbehave, with what ``RawSite`` is given."""


@pytest.fixture(scope="session")
def ca() -> Authority:
    """The authority that signs the certificates of all sites of the test run."""
    return Authority()


@pytest.fixture(scope="session")
def ca_bundle(ca: Authority, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The authority's certificate as a file, for ``SSL_CERT_FILE``."""
    return ca.write_bundle(tmp_path_factory.mktemp("ca") / "ca.pem")


@pytest.fixture
def make_site(ca: Authority) -> Iterator[MakeSite]:
    with ExitStack() as stack:
        yield lambda *args, **named: stack.enter_context(Site(ca, *args, **named))


@pytest.fixture
def make_raw_site(ca: Authority) -> Iterator[MakeRawSite]:
    with ExitStack() as stack:
        yield lambda *args, **named: stack.enter_context(RawSite(ca, *args, **named))


@pytest.fixture
def site(make_site: MakeSite) -> Site:
    """A site without pages; a test adds its own to ``site.pages``."""
    return make_site()


def in_shards(make: Callable[[], AnySite], count: int) -> dict[int, AnySite]:
    """Return a site of each of so many shards, by the number of the shard."""
    found: dict[int, AnySite] = {}
    while len(found) < count:
        site = make()
        found.setdefault(shard_of(site.host, count), site)
    return found


def write_register(path: Path, bodies: Mapping[str, list[str]]) -> Path:
    """Write a register in which each named organisation has registered these URLs; return its path."""
    made = [
        RooEntry(naam=naam, systeem_id=str(90000100 + number), locations=[Location(url) for url in urls])
        for number, (naam, urls) in enumerate(bodies.items())
    ]
    path.write_text(register_xml(made), encoding="utf-8")
    return path
