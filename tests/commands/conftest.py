"""Fixtures of real commands, of which the exit status and the output count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.commands.state_shell import Shell
from tests.state.knowledge import HARVESTED, harvest, locs, miss, see, sitemap_of
from tests.utils.crawl import Crawl, crawl
from tests.utils.sites import ca, ca_bundle, make_site, site
from woo_harvester.state.documents import confirm_withdrawn

__all__ = ["Crawl", "ca", "ca_bundle", "crawl", "make_site", "site"]


@pytest.fixture
def state(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "woo_harvester.settings")
    return Shell(tmp_path, capsys)


@pytest.fixture
def filled(state: Shell) -> Shell:
    """Two hosts: one with two pending withdrawals and a withdrawn document, one that is new."""

    def fill(connection: Any) -> None:
        sitemap = sitemap_of(connection)
        keys = harvest(connection, sitemap, locs(5))
        confirm_withdrawn(connection, dict.fromkeys(keys[:1], HARVESTED + 5))
        miss(connection, {sitemap: keys[3:]})
        see(connection, sitemap_of(connection, "www.b.nl:8443"), locs(2, "www.b.nl:8443"))

    state.fill(fill)
    return state
