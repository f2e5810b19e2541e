"""The making of pages: templates, texts in Dutch, and addresses below the root of the portal."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from woo_harvester.portal import dutch
from woo_harvester.portal.caching import entity_tag, not_modified
from woo_harvester.portal.details import summary_of, title_of, version_of
from woo_harvester.portal.paths import document_path, path_of
from woo_harvester.style import base_css, make_environment, read_asset
from woo_harvester.version import VERSION

#: The links at the top of each page: path and text.
NAVIGATION = (
    ("/", "Zoeken"),
    ("/organisaties", "Organisaties"),
    ("/categorieen", "Categorieën"),
    ("/vergunningen", "Vergunningen"),
)


def page(
    request: Request,
    template: str,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **context: Any,
) -> Response:
    """Return a page, or 304 if the browser has it.

    The template gets the context, and ``to(path)``: the address of a path of the portal.
    """
    shared = {
        "to": partial(address_of, request),
        "site": request.app.state.options.title,
        "navigation": NAVIGATION,
        "path": own_path(request),
    }
    html = environment().get_template(template).render({**shared, **context})
    if status != 200:
        return HTMLResponse(html, status, dict(headers or {}))
    # Asked for each time: an index may change at any moment.
    given = {"etag": entity_tag(html), "cache-control": "no-cache", **(headers or {})}
    return not_modified(request, given) or HTMLResponse(html, headers=given)


def address_of(request: Request, path: str) -> str:
    """Return the address of a path of the portal, which a proxy may have below a path of its own."""
    return quote(request.scope.get("root_path", ""), safe="/") + path


def own_path(request: Request) -> str:
    """Return the path of a request in the portal, without the path at which a proxy has it."""
    path: str = request.scope["path"]
    return path.removeprefix(request.scope.get("root_path", "")) or "/"


@cache
def environment() -> Environment:
    """Return the template environment."""
    made = make_environment(__package__)
    made.globals.update(
        version=VERSION,
        style_name=style_name(),
        document_path=document_path,
        path_of=path_of,
        title_of=title_of,
        version_of=version_of,
        summary_of=summary_of,
        day=dutch.day,
        day_and_time=dutch.day_and_time,
        size=dutch.size,
        number=dutch.number,
        counted=dutch.counted,
        capitalised=dutch.capitalised,
    )
    return made


@cache
def style() -> bytes:
    """Return the style sheet of all pages."""
    return (base_css() + read_asset(__package__, "style.css")).encode()


@cache
def style_name() -> str:
    """Return the name of the style sheet, which changes with its content so that browsers may keep it."""
    return f"/stijl-{sha256(style()).hexdigest()[:12]}.css"
