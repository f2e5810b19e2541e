"""The address in ``USER_AGENT`` at which publishers reach whoever runs the harvester."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy.settings import default_settings

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

#: A URL or an e-mail address in ASCII: it becomes part of a header.
CONTACT_FORM = r"(?a:https?://[\w.-]+[\w./:?&=%#~+,;@-]*|[\w.%+-]+@[\w-]+(?:\.[\w-]+)+)"

NO_CONTACT = (
    "USER_AGENT has no address of yours, so publishers cannot see who harvests and where to complain: "
    "set WOO_CONTACT to a URL or an e-mail address"
)


def has_contact(user_agent: str) -> bool:
    """Return whether a user agent has a URL or an e-mail address, other than that of Scrapy itself."""
    text = user_agent.replace(default_settings.USER_AGENT, "")
    return re.search(CONTACT_FORM, text) is not None


def add_contact(settings: BaseSettings) -> None:
    """Add ``WOO_CONTACT`` to ``USER_AGENT``, unless that has an address already."""
    user_agent, contact = settings["USER_AGENT"], settings["WOO_CONTACT"]
    if contact and not has_contact(user_agent):
        settings.set("USER_AGENT", f"{user_agent} (+{contact})", settings.getpriority("USER_AGENT") or 0)
