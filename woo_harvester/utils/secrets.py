"""Masks what nobody may read in logs, on terminals and in reports: passwords, keys and tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

#: Stands in the place of a secret.
MARK = "…"

#: The parts of a name whose value is a secret.
_NAMES = ("PASS", "SECRET", "KEY", "TOKEN")

#: A shorter value is masked only beside its name: it may be a part of ordinary words.
_SHORTEST = 6

#: User name and password in a URL, which need not be valid: up to the last @ of its authority. A password may
#: have a space, or a slash unless what comes before it is a port.
_LOGIN = re.compile(
    r"(?<=//)(?:"
    r'[^/?#\s"<>]*'
    r"|[^/?#\s@:\"'<>]*:[^/?#\n\"'<>]*"
    r"|[^/\s@:\"'<>]*:(?!\d{1,5}[/?#\s])[^\s\"'<>]{0,256}"
    r")@"
)

#: A name with its value in settings as Python shows them, which breaks a long text at its spaces.
_NAMED = re.compile(
    rf"(\b[A-Z0-9_]*(?:{'|'.join(_NAMES)})[A-Z0-9_]*['\"]:\s?)"
    r"((?:'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\")(?:\s+(?:'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"))*"
    r"|[^\s,;)}\]]+)"
)

#: The header with which a request proves who sends it, as servers may repeat it.
_AUTHORIZATION = re.compile(
    r"(authorization[\"'\]]?\s*(?:=>|[:=])\s*[\"']?)(?:(?:basic|bearer|digest|negotiate|token|apikey)\s+)?"
    r"[^\s\"'<>,;]+",
    re.IGNORECASE,
)

_known: set[str] = set()
_known_pattern: re.Pattern[str] | None = None


def hide(values: Iterable[str]) -> None:
    """Have :func:`masked` mask these values too, wherever they are in a text."""
    global _known_pattern  # noqa: PLW0603 -- secrets are those of the process, as its log is
    new = {value for value in values if len(value) >= _SHORTEST} - _known
    if new:
        _known.update(new)
        forms = {form for value in _known for form in (value, repr(value)[1:-1], quote(value, safe=""))}
        _known_pattern = re.compile("|".join(map(re.escape, sorted(forms, key=len, reverse=True))))


def secrets_in(settings: Mapping[Any, Any], *, is_secret: bool = False) -> Iterable[str]:
    """Yield the texts in *settings* under a name that has PASS, SECRET, KEY or TOKEN, at any depth."""
    for name, value in settings.items():
        named = is_secret or any(part in str(name).upper() for part in _NAMES)
        if isinstance(value, Mapping):
            yield from secrets_in(value, is_secret=named)
        elif named:
            yield from (str(each) for each in (value if isinstance(value, list | tuple) else [value]))


def logins_in(text: str) -> Iterable[str]:
    """Yield the logins in the URLs of a text, and the parts of their passwords that an error may quote."""
    for match in _LOGIN.finditer(text):
        login = match[0].removesuffix("@")
        yield login
        yield from re.split("[/?#]", login.partition(":")[2])


def masked(text: str) -> str:
    """Return a text for people, without the secrets in it."""
    if _known_pattern is not None:
        text = _known_pattern.sub(MARK, text)
    text = _NAMED.sub(rf"\1{MARK}", text)
    text = _AUTHORIZATION.sub(rf"\1{MARK}", text)
    return _LOGIN.sub(f"{MARK}@", text)


def without_login(url: str) -> str:
    """Return a URL without user name and password."""
    return _LOGIN.sub("", url)
