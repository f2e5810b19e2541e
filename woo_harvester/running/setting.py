"""A setting of the project: its default, its unit, and which values it may have."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy.settings import default_settings

from woo_harvester.utils.secrets import masked

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


#: The values that Scrapy reads as a boolean.
_BOOLEANS = frozenset({"0", "1", "True", "False", "true", "false"})
#: The units whose numbers may have decimals, and those whose numbers may not.
_DECIMAL_UNITS = frozenset({"seconds", "hours", "days"})
_INTEGER_UNITS = frozenset({"processes"})

#: The largest number of a unit. A timer accepts at most 2**31 milliseconds; a date lies before the year 9999.
_MOST = {"seconds": 2_000_000, "hours": 876_000, "days": 36_500, "processes": 1024}
#: The largest number of any other unit, which fits into every integer that it is passed to.
_MOST_OF_OTHER_UNITS = 10**15


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting whose name begins with ``WOO_``."""

    name: str
    unit: str
    why: str
    """What it does, and why the default is what it is; ``docs/settings.md`` shows this."""
    default: Any = None
    least: float = 0
    """The smallest number that it may be."""
    form: str = ""
    """The regular expression of a text that it may be, or each of a list, if not every text is right."""
    has_password: bool = False
    """True if a password may be in it, so that no message shows it."""

    @property
    def number(self) -> type[int] | type[float] | None:
        """The type of its number; None for a setting that is not a number."""
        if isinstance(self.default, bool):
            return None
        if self.unit in _DECIMAL_UNITS or isinstance(self.default, float):
            return float
        return int if self.unit in _INTEGER_UNITS or isinstance(self.default, int) else None

    @property
    def most(self) -> int:
        """The largest number that it may be."""
        return _MOST.get(self.unit, _MOST_OF_OTHER_UNITS)

    def problem(self, value: Any) -> str | None:
        """Return what is wrong with a value, in one line, or None. Any text is right for a secret."""
        if self.number is not None:
            return self._problem_of_number(value, self.number)
        if isinstance(self.default, bool):
            wrong = str(value) not in _BOOLEANS
        elif choices := re.findall(r"`(\w+)`", self.unit):
            wrong = value not in choices
        elif self.form:
            texts = value if isinstance(value, list | tuple) else [value]
            wrong = value != "" and not all(re.fullmatch(self.form, str(text)) for text in texts)
        else:
            wrong = value == "" and self.default not in (None, [])
        if not wrong:
            return None
        seen = "" if self.has_password else f", got {shown(value)}"
        return f"{self.name}: expected {self.unit.replace('`', '')}{seen}"

    def _problem_of_number(self, value: Any, kind: type[int] | type[float]) -> str | None:
        """Return what is wrong with the value of a number, in one line, or None."""
        with suppress(TypeError, ValueError, OverflowError):
            if self.least <= kind(value) <= self.most:  # never true for NaN
                return None
        return f"{self.name}: expected {self.unit} from {self.least} to {self.most:,}, got {shown(value)}"


def shown(value: Any) -> str:
    """Return a value as a message shows it: on one line, without secrets, in sixty characters at most."""
    text = masked(str(value)) or "nothing"
    if not text.isprintable():
        text = repr(text)
    return text if len(text) <= 60 else f"{text[:57]}..."


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
