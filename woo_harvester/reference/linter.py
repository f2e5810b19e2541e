"""Makes the list of settings that scrapy-lint knows, in ``pyproject.toml``.

The linter cannot read them from elsewhere: without this list, each setting would be written a second time.
"""

from __future__ import annotations

import re

from woo_harvester.default_settings import SETTINGS

BEGIN = "# Begin of the list that `make docs` makes."
END = "# End of the list that `make docs` makes."

_LIST = re.compile(rf"({re.escape(BEGIN)}\n).*?(^ *{re.escape(END)}$)", re.DOTALL | re.MULTILINE)


def with_known_settings(text: str) -> str:
    """Return the text of a ``pyproject.toml`` with the list between the two marks made anew.

    Raises ValueError for a text without the marks.
    """
    lines = "".join(f'    "{name}",\n' for name in sorted(setting.name for setting in SETTINGS))
    made, count = _LIST.subn(rf"\1{lines}\2", text)
    if count != 1:
        raise ValueError(f"expected one list between the lines {BEGIN!r} and {END!r}, got {count}")
    return made
