"""What a TOOI URI says of a public body by itself."""

from __future__ import annotations

import re

_ORGANISATION = re.compile(r"https://identifier\.overheid\.nl/tooi/id/([a-z_]+)/[A-Za-z0-9_.-]+")


def kind_of(uri: str) -> str | None:
    """The kind of body (``gemeente``, ``ministerie``, ``zbo``, ...) in its TOOI URI; None for other URIs."""
    match = _ORGANISATION.fullmatch(uri)
    return match[1] if match else None


def is_tooi_organisation(uri: str) -> bool:
    """Whether a URI has the form of a body's: ``https://identifier.overheid.nl/tooi/id/<kind>/<code>``."""
    return _ORGANISATION.fullmatch(uri) is not None
