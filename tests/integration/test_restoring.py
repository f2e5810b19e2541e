"""What an operator does about withdrawals: confirm those that are pending, restore those that were wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.utils.command import Run, run_scrapy
from tests.utils.daily import NEWER, Harvester, causes, numbered, publish
from tests.utils.postgresql import postgresql_server, postgresql_url
from woo_harvester.demo.site import Site

__all__ = ["postgresql_server", "postgresql_url"]


class Operator(Harvester):
    """Runs the harvest of each day and ``scrapy state`` on one state."""

    url = ""

    def day(self, *args: str, **settings: object) -> Run:
        return super().day(*args, **{"WOO_STATE_URL": self.url, **settings})

    def state(self, *args: str) -> Run:
        return run_scrapy(["state", *args, "-s", f"WOO_STATE_URL={self.url}"], self.folder)

    @property
    def pending(self) -> str:
        """What the table shows of the host: documents, withdrawn, pending."""
        return " ".join(self.state().stdout.splitlines()[1].split()[1:4])


@pytest.fixture(params=["sqlite", "postgresql"])
def operator(request: pytest.FixtureRequest, tmp_path: Path, ca_bundle: Path, site: Site) -> Operator:
    made = Operator(tmp_path, ca_bundle, [site])
    if request.param == "sqlite":
        made.url = f"sqlite:///{tmp_path / 'state.sqlite'}"
    else:
        made.url = str(request.getfixturevalue("postgresql_url"))
    return made


def without(*names: str) -> dict[str, str | None]:
    return {name: lastmod for name, lastmod in numbered(12).items() if name not in names}


def test_what_was_withdrawn_by_mistake_comes_back_without_a_newer_lastmod(
    site: Site, operator: Operator
) -> None:
    publish(site, numbered(12))
    operator.day()
    publish(site, without("doc1", "doc2", "doc3"))
    assert causes(operator.day()) == dict.fromkeys(("doc1", "doc2", "doc3"), "intrekking")
    publish(site, without("doc3"))
    for _ in range(2):
        offered = operator.day()
        assert causes(offered) == {}
        assert len(offered.about("lastmod.heraanbod")) == 2
    assert operator.state("restore", site.host).returncode == 0
    back = operator.day()
    assert causes(back) == dict.fromkeys(("doc1", "doc2"), "herpublicatie")
    assert back.about("lastmod.heraanbod") == []
    publish(site, numbered(12))
    late = operator.day()
    assert causes(late) == {}
    assert len(late.about("lastmod.heraanbod")) == 1
    publish(site, {**numbered(12), "doc3": NEWER})
    assert causes(operator.day()) == {"doc3": "herpublicatie"}
    assert operator.pending == "12 0 -"
