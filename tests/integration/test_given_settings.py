"""Settings whose effect no other test has: each changes what a run does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.utils.command import run_scrapy
from tests.utils.daily import Harvester, numbered, publish
from tests.utils.sites import write_register
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site
from woo_harvester.running.default_settings import SETTINGS
from woo_harvester.settings import USER_AGENT


@pytest.mark.parametrize("bound", ["least", "most"])
def test_a_run_with_each_number_at_a_bound_ends_as_any_other(
    bound: str, tmp_path: Path, ca_bundle: Path, site: Site
) -> None:
    numbers = {setting.name: getattr(setting, bound) for setting in SETTINGS if setting.number is not None}
    publish(site, numbered(2))
    site.pages["/d/*"] = Page(b"%PDF-1.7")
    harvester = Harvester(tmp_path, ca_bundle, [site])
    for _ in range(2):
        run = harvester.day("-a", "documents=download", **numbers)
        assert run.returncode == 0, run.stderr
        assert "ERROR" not in run.stderr, run.stderr
    judged = run_scrapy(["monitor"], tmp_path, settings=numbers)
    assert "Traceback" not in judged.stderr


def test_a_run_over_the_register_says_in_one_line_that_publishers_cannot_reach_its_operator(
    tmp_path: Path, ca_bundle: Path, site: Site
) -> None:
    publish(site, numbered(1))
    harvester = Harvester(tmp_path, ca_bundle, [site])

    def agent_and_notices(*args: str, **settings: object) -> tuple[str, int]:
        seen = len(site.requests)
        run = harvester.day(*args, **settings)
        assert run.returncode == 0, run.stderr
        (agent,) = {request.headers["user-agent"] for request in site.requests[seen:]}
        lines = [line for line in run.stderr.splitlines() if "USER_AGENT has no address" in line]
        assert all("set WOO_CONTACT to a URL or an e-mail address" in line for line in lines)
        return agent, len(lines)

    assert agent_and_notices(WOO_CONTACT="") == (USER_AGENT, 1)
    assert agent_and_notices("-a", "shard=1/1", WOO_CONTACT="") == (USER_AGENT, 1)
    assert agent_and_notices("-a", f"domains={site.host}", WOO_CONTACT="") == (USER_AGENT, 0)
    assert agent_and_notices(WOO_CONTACT="woo@a.nl") == (f"{USER_AGENT} (+woo@a.nl)", 0)
    own = "mijn-oogst (+https://www.a.nl/woo)"
    assert agent_and_notices(USER_AGENT=own) == (own, 0)


def test_a_register_without_a_usable_url_is_named_with_what_is_in_it(tmp_path: Path) -> None:
    for urls, unusable in (([], "0 URLs"), (["geen", "ftp://www.a.nl/"], "2 URLs")):
        register = write_register(tmp_path / "roo.xml", {"Gemeente A": urls})
        args = ["crawl", "woo", "-a", f"register={register}"]
        done = run_scrapy(args, tmp_path, settings={"WOO_CONTACT": ""})
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1] == (
            f"scrapy crawl: error: the register {register} has no host to harvest: expected a URL in the "
            "Woo-index of one organisation or more, got 1 organisation without one, "
            f"and {unusable} that cannot be used"
        )


def test_an_audit_and_the_register_itself_need_no_contact_line_but_get_the_contact(
    tmp_path: Path, ca_bundle: Path, site: Site
) -> None:
    publish(site, numbered(1))
    register = write_register(tmp_path / "roo.xml", {"Gemeente A": [site.url("/d")]})
    site.pages["/roo.xml"] = Page(register.read_bytes(), content_type="application/xml")
    args = ["audit", site.host, "-s", f"WOO_REGISTER={site.url('/roo.xml')}"]
    done = run_scrapy(args, tmp_path, ca_bundle, settings={"WOO_CONTACT": ""})
    assert "USER_AGENT has no address" not in done.stderr
    run_scrapy(args, tmp_path, ca_bundle)
    agents = [request.headers["user-agent"] for request in site.requested("/roo.xml")]
    assert agents == [USER_AGENT, f"{USER_AGENT} (+https://www.beheerder.example/woo)"]
