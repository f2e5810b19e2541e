"""Fixtures of runs in several processes: hosts, and installations that harvest them to files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.utils.daily import FIRST, Harvester, numbered, publish
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


@pytest.fixture
def both(sites: list[Site], tmp_path: Path, ca_bundle: Path) -> tuple[Harvester, Harvester]:
    """Two installations that harvest the same hosts, one after another."""
    made = []
    for name in ("one", "jobs"):
        (tmp_path / name).mkdir()
        made.append(Harvester(tmp_path / name, ca_bundle, sites))
    return made[0], made[1]


@pytest.fixture
def harvester(sites: list[Site], tmp_path: Path, ca_bundle: Path) -> Harvester:
    return Harvester(tmp_path, ca_bundle, sites)


def feed_options(folder: Path, *names: str, **options: object) -> str:
    """Return the setting FEEDS for files, whose formats are their extensions."""
    given = {str(folder / name): {"format": name.rpartition(".")[2], **options} for name in names}
    return json.dumps(given)
