"""Fixtures: somebody with an empty folder, and the hosts that pages name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.page import Reader
from tests.utils.daily import FIRST, publish
from tests.utils.ports import free_port
from tests.utils.sites import ca, ca_bundle, make_site, site, write_register
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site

__all__ = ["ca", "ca_bundle", "make_site", "site"]

SAMPLE = Path(__file__).parents[1] / "samples" / "besluit.pdf"


@pytest.fixture
def reader(tmp_path: Path, site: Site, ca_bundle: Path) -> Iterator[Reader]:
    """Somebody with an empty folder. ``www.gemeente.nl`` lists two documents; the portal's port is free."""
    publish(site, {"a": FIRST, "b": FIRST})
    for name in "ab":
        site.pages[f"/d/{name}.pdf"] = Page(SAMPLE.read_bytes(), content_type="application/pdf")
    register = write_register(tmp_path / "register.xml", {"Gemeente": [site.url("/d")]})
    port = free_port()
    stand_ins = {
        "www.gemeente.nl": site.host,
        "127.0.0.1:8080": f"127.0.0.1:{port}",
        "harvester portal": f"harvester portal --port {port}",
    }
    (tmp_path / "empty").mkdir()
    with Reader(tmp_path / "empty", ca_bundle, stand_ins, {"WOO_REGISTER": register}) as somebody:
        yield somebody
