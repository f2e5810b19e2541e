"""What the pages of the report and of the portal share: one base style, and one way to make templates."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from jinja2 import Environment


def make_environment(package: str) -> Environment:
    """Return an environment for the folder ``templates`` of *package*.

    It escapes everything that is not marked as HTML. Its test ``web`` is :func:`is_web`.
    """
    # Takes long, and most commands make no page.
    from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape  # noqa: PLC0415

    made = Environment(
        loader=FunctionLoader(lambda name: read_asset(package, f"templates/{name}")),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.tests["web"] = is_web
    return made


def is_web(url: str | None) -> bool:
    """Return whether a publisher's URL may be a link: a loc can also be ``javascript:``."""
    if not url or not str(url).startswith(("https://", "http://")):
        return False
    try:
        return bool(urlsplit(str(url)).hostname)
    except ValueError:  # such as an IPv6 address without its bracket
        return False


def base_css() -> str:
    """Return the style that all pages begin with: colours, light and dark, letters, links, tables, paper."""
    return read_asset(__package__, "base.css")


@cache
def read_asset(package: str, name: str) -> str:
    """Return the text of a file of *package*."""
    return files(package).joinpath(name).read_text(encoding="utf-8")
