"""The templates of the pages, and what every page has: style, script and the policy on them."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from woo_harvester.findings.seen_texts import in_words
from woo_harvester.findings.sources import source_links
from woo_harvester.report.html import charts
from woo_harvester.report.run_folder import slug


@cache
def environment() -> Environment:
    """Return the template environment; it escapes everything that is not marked as HTML."""
    made = Environment(
        loader=FunctionLoader(lambda name: _asset(f"templates/{name}")),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(charts=charts, slug=slug, source_links=source_links, in_words=in_words)
    made.tests["web"] = is_web
    return made


def page_parts() -> dict[str, Any]:
    """Return what ``base.html`` needs besides the texts: policy, style and script."""
    return {
        "policy": policy(),
        "style": Markup(_asset("style.css")),  # noqa: S704 -- our own files, not what publishers wrote
        "script": Markup(_asset("script.js")),  # noqa: S704
    }


@cache
def policy() -> str:
    """Return the Content-Security-Policy: only the page's own script and style, nothing from elsewhere."""
    digests = {
        kind: base64.b64encode(hashlib.sha256(_asset(name).encode()).digest()).decode()
        for kind, name in (("script", "script.js"), ("style", "style.css"))
    }
    return (
        f"default-src 'none'; script-src 'sha256-{digests['script']}'; "
        f"style-src 'sha256-{digests['style']}'; base-uri 'none'; form-action 'none'"
    )


def is_web(url: str | None) -> bool:
    """Return whether a publisher's URL may be a link: a loc can also be ``javascript:``."""
    return bool(url) and str(url).startswith(("https://", "http://"))


@cache
def _asset(name: str) -> str:
    """Return the text of a file of this package."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
