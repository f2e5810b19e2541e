"""The arguments of the spider ``vergunningen`` (``-a``), and their validation."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from woo_harvester.running.arguments import Arguments
from woo_harvester.utils.urls import is_web_url, loc_problem, secured

#: The values of the argument ``entries``, for help and error messages.
_ENTRIES = "URLs of entry pages with commas between, or a CSV file with the columns organisatie,url"


def _entries(value: Any) -> Any:
    """Return the URLs in a text of URLs with commas between, or the path of a file."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if not is_web_url(text):
        with suppress(OSError):  # no file can have such a name
            if text and Path(text).is_file():
                return Path(text)
        raise ValueError(f"expected {_ENTRIES}; there is no file {text!r}")
    urls = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for url in urls:
        if problem := page_problem(url):
            raise ValueError(f"{problem} (a URL with a comma must be in a CSV file)")
    return urls


def page_problem(url: str) -> str | None:
    """Return an error if *url* is no absolute http or https URL, or has a password; None if it is good."""
    return f"expected the URL of an entry page, got {url!r}" if loc_problem(secured(url)) else None


class PermitArguments(Arguments):
    """The arguments of the spider ``vergunningen``."""

    entries: Annotated[tuple[str, ...] | Path, BeforeValidator(_entries)] = Field(description=_ENTRIES)
    """URLs of entry pages, or the path of a CSV file with them."""
