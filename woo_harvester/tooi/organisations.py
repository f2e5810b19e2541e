"""The TOOI URI of an organisation, and the type of organisation that it names."""

from __future__ import annotations

import re

_ORGANISATION = re.compile(r"https://identifier\.overheid\.nl/tooi/id/([a-z_]+)/[A-Za-z0-9_.-]+")


def organisation_type(uri: str) -> str | None:
    """Return the type (``gemeente``, ``ministerie``, ``zbo``, ...) in a TOOI URI; None for other URIs."""
    match = _ORGANISATION.fullmatch(uri)
    return match[1] if match else None


def is_tooi_organisation(uri: str) -> bool:
    """Return whether a URI has the form ``https://identifier.overheid.nl/tooi/id/<type>/<code>``."""
    return _ORGANISATION.fullmatch(uri) is not None
