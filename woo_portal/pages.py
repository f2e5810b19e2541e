"""The answers that a client or a proxy may keep, and how it asks whether they are still right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from functools import cache, partial
from hashlib import sha256
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from jinja2 import Environment
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from woo_harvester.kinds import PERMITS
from woo_harvester.utils.program import VERSION
from woo_harvester.utils.templates import base_css, make_environment, read_asset
from woo_portal import wording
from woo_portal.asking import BusyError
from woo_portal.details import facts_of, heading_of, title_of
from woo_portal.engine import Engine, EngineError
from woo_portal.question import Question
from woo_portal.wording import document_path, path_of

#: For a minute an answer may be used again; after that, a client asks whether it is still right.
CACHE_CONTROL = "public, max-age=60"


async def headers_for(request: Request, *parts: object) -> dict[str, str]:
    """Return the cache headers of the answer that these parts, beside the index, decide."""
    engine: Engine = request.app.state.engine
    version = await request.app.state.asking(engine.version)
    text = "\n".join([VERSION, version, *map(_as_text, parts)])
    return {"etag": entity_tag(text), "cache-control": CACHE_CONTROL}


def entity_tag(text: str) -> str:
    """Return the ETag of an answer that a text decides. It is weak: compressed or not, it means the same."""
    return f'W/"{sha256(text.encode()).hexdigest()[:32]}"'


def not_modified(request: Request, headers: dict[str, str]) -> Response | None:
    """Return the answer 304 if the client has the answer with these cache headers already."""
    given = request.headers.get("if-none-match", "")
    known = {tag.strip().removeprefix("W/") for tag in given.split(",")}
    has_it = headers["etag"].removeprefix("W/") in known or given.strip() == "*"
    return Response(status_code=304, headers=headers) if has_it else None


def _as_text(part: object) -> str:
    """Return a text that differs for different parts, and is the same in each process."""
    if isinstance(part, Question):
        return f"{part.kind.name} " + " ".join(
            f"{one.name}={getattr(part, one.name)!r}" for one in fields(part) if one.name != "kind"
        )
    return str(part)


#: No camera, place or anything else that a browser could give to a page.
_NO_PERMISSIONS = ", ".join(
    f"{name}=()"
    for name in ("accelerometer", "camera", "geolocation", "gyroscope", "microphone", "payment", "usb")
)


def policy(*, scripts: bool = False, images: str = "") -> str:
    """Return a Content-Security-Policy: only files of the portal itself, and no inline script or style.

    A page that needs scripts of the portal says so, and *images* is an address from whose host images may
    come, such as the background of a map. A response with a policy of its own keeps it.
    """
    ground = urlsplit(images)
    from_host = f" {ground.scheme}://{ground.netloc}" if ground.netloc else ""
    return "; ".join(
        (
            "default-src 'none'",
            "style-src 'self'",
            f"img-src 'self'{from_host}",
            *(("script-src 'self'", "connect-src 'self'") if scripts else ()),
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


HEADERS = {
    "content-security-policy": policy(),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "permissions-policy": _NO_PERMISSIONS,
    "cross-origin-opener-policy": "same-origin",
}


def safe_headers(app: ASGIApp) -> ASGIApp:
    """Return an application that adds these headers to each response that does not have them."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_safe(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await app(scope, receive, send_safe if scope["type"] == "http" else send)

    return answer


#: What mail programs and social media add to an address that somebody passes on.
_TRACKING = re.compile(
    rb"(?:^|&)(?:utm_[a-z_]+|fbclid|gclid|gbraid|wbraid|msclkid|twclid|igshid|mc_[ce]id|ref)(?:=[^&]*)?(?=&|$)"
)


def without_tracking(app: ASGIApp) -> ASGIApp:
    """Return an application without what others add to addresses: it is no part of a question."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if asked := scope.get("query_string"):
            scope = {**scope, "query_string": _TRACKING.sub(b"", asked).lstrip(b"&")}
        await app(scope, receive, send)

    return answer


#: The links at the top of each page: path and text.
_NAVIGATION = (("/", "Zoeken"), ("/organisaties", "Organisaties"), ("/categorieen", "Categorieën"))
_PERMITS = ("/vergunningen", "Vergunningen")
#: The seconds after which the engine is asked again whether there are permits.
_MENU_SECONDS = 60.0


class Menu:
    """The links at the top of each page: one to permits only if there are any."""

    def __init__(self) -> None:
        self.links: tuple[tuple[str, str], ...] = _NAVIGATION
        self._until = 0.0

    async def refresh(self, request: Request) -> None:
        """Ask whether there are permits, at most once a minute; keep the last answer if there is none now."""
        if monotonic() < self._until:
            return
        self._until = monotonic() + _MENU_SECONDS
        state = request.app.state
        try:
            found = await state.asking(state.engine.contents, PERMITS)
        except (BusyError, EngineError):
            return
        self.links = (*_NAVIGATION, _PERMITS) if found.published else _NAVIGATION


async def page(
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
    await request.app.state.menu.refresh(request)
    return made_page(request, template, status=status, headers=headers, **context)


def made_page(
    request: Request,
    template: str,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **context: Any,
) -> Response:
    """Return a page as :func:`page` does, without a question to the engine."""
    shared = {
        "to": partial(address_of, request),
        "site": request.app.state.options.title,
        "navigation": request.app.state.menu.links,
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


def root_of(request: Request) -> str:
    """Return the address of the portal as the client has it, without a slash at its end."""
    return f"{request.url.scheme}://{request.url.netloc}{address_of(request, '')}"


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
        paths={name: file.path for name, file in static_files().items()},
        document_path=document_path,
        path_of=path_of,
        title_of=title_of,
        heading_of=heading_of,
        facts_of=facts_of,
        day=wording.day,
        day_and_time=wording.day_and_time,
        number=wording.number,
        counted=wording.counted,
        capitalised=wording.capitalised,
    )
    return made


class StaticFile(NamedTuple):
    """A file that pages need."""

    path: str
    """The path, which changes with the content so that browsers may keep the file."""
    media_type: str
    content: bytes


@cache
def static_files() -> Mapping[str, StaticFile]:
    """Return the files that pages need, by name; those of the map begin with Leaflet."""
    asset = partial(read_asset, __package__)
    texts = {
        "stijl.css": ("text/css", base_css() + asset("style.css")),
        "icoon.svg": ("image/svg+xml", asset("icon.svg")),
        "kaart.css": ("text/css", asset("leaflet/leaflet.css")),
        "kaart.js": ("text/javascript", f"{asset('leaflet/leaflet.js')}\n{asset('map.js')}"),
    }
    return {
        name: StaticFile(_path_of_file(name, text), media_type, text.encode())
        for name, (media_type, text) in texts.items()
    }


def _path_of_file(name: str, text: str) -> str:
    stem, _, suffix = name.partition(".")
    return f"/{stem}-{sha256(text.encode()).hexdigest()[:12]}.{suffix}"
