"""The templates of the pages, and what every page has: style, script and the policy on them."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from woo_harvester.findings.catalogue import source_links
from woo_harvester.findings.texts import in_words
from woo_harvester.report.html import charts
from woo_harvester.report.run_folder import slug
from woo_harvester.utils.templates import base_css, make_environment, read_asset


@cache
def environment() -> Environment:
    """Return the template environment; it escapes everything that is not marked as HTML."""
    made = make_environment(__package__)
    made.globals.update(charts=charts, slug=slug, source_links=source_links, in_words=in_words)
    return made


def page_parts() -> dict[str, Any]:
    """Return what ``base.html`` needs besides the texts: policy, style and script."""
    return {
        "policy": policy(),
        "style": Markup(_style()),  # noqa: S704 -- our own files, not what publishers wrote
        "script": Markup(_script()),  # noqa: S704
    }


@cache
def policy() -> str:
    """Return the Content-Security-Policy: only the page's own script and style, nothing from elsewhere."""
    script, style = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (_script(), _style())
    )
    return (
        f"default-src 'none'; script-src 'sha256-{script}'; "
        f"style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'"
    )


@cache
def _style() -> str:
    return base_css() + read_asset(__package__, "style.css")


def _script() -> str:
    return read_asset(__package__, "script.js")
