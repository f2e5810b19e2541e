from __future__ import annotations

import pytest
from scrapy.settings import Settings, default_settings

from woo_harvester.running.setting import add_contact, has_contact
from woo_harvester.settings import USER_AGENT


@pytest.mark.parametrize(
    ("user_agent", "expected"),
    [
        (USER_AGENT, False),
        (default_settings.USER_AGENT, False),
        ("harvester/1.0 (@woo)", False),
        ("harvester/1.0 (https:)", False),
        ("", False),
        (f"{USER_AGENT} (+https://www.a.nl/woo)", True),
        (f"{USER_AGENT} (+http://127.0.0.1:8443/)", True),
        ("harvester/1.0 woo@gemeente.a.nl", True),
        (f"{default_settings.USER_AGENT} (+https://www.a.nl/)", True),
    ],
)
def test_a_user_agent_has_a_contact_if_it_names_an_own_address(user_agent: str, expected: bool) -> None:
    assert has_contact(user_agent) is expected


@pytest.mark.parametrize(
    ("user_agent", "contact", "made"),
    [
        ("x/1", "https://www.a.nl/?q=1#woo", "x/1 (+https://www.a.nl/?q=1#woo)"),
        ("x/1", "woo+1@a.nl", "x/1 (+woo+1@a.nl)"),
        ("x/1 (+https://www.b.nl/)", "https://www.a.nl/", "x/1 (+https://www.b.nl/)"),
        ("x/1", None, "x/1"),
        ("x/1", "", "x/1"),
    ],
)
def test_the_contact_is_added_where_there_is_none(user_agent: str, contact: str | None, made: str) -> None:
    settings = Settings()
    settings.set("USER_AGENT", user_agent, "cmdline")
    settings.set("WOO_CONTACT", contact)
    for _ in range(2):
        add_contact(settings)
        assert settings["USER_AGENT"] == made
    assert settings.getpriority("USER_AGENT") == 40
