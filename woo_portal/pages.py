"""The answers that a client or a proxy may keep, and how it asks whether they are still right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, partial
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from jinja2 import Environment
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from woo_harvester.kinds import PERMITS
from woo_harvester.report import html as report_pages
from woo_harvester.utils.program import VERSION
from woo_harvester.utils.templates import base_css, make_environment, read_asset
from woo_portal import wording
from woo_portal.asking import BusyError
from woo_portal.details import facts_of, heading_of, title_of
from woo_portal.engine import Engine, EngineError
from woo_portal.openapi import VERSION as API_VERSION
from woo_portal.wording import document_path, path_of


async def headers_for(request: Request, *parts: object) -> dict[str, str]:
    """Return the cache headers of the answer that these parts, beside the index, decide."""
    engine: Engine = request.app.state.engine
    version = await request.app.state.asking(engine.version)
    text = "\n".join([VERSION, version, *map(str, parts)])
    # For a minute it may be used again; after that, a client asks whether it is still right.
    return {"etag": entity_tag(text), "cache-control": "public, max-age=60"}


def entity_tag(text: str) -> str:
    """Return the ETag of an answer that a text decides. It is weak: compressed or not, it means the same."""
    return f'W/"{sha256(text.encode()).hexdigest()[:32]}"'


def not_modified(request: Request, headers: dict[str, str]) -> Response | None:
    """Return the answer 304 if the client has the answer with these cache headers already."""
    given = request.headers.get("if-none-match", "")
    known = {tag.strip().removeprefix("W/") for tag in given.split(",")}
    has_it = headers["etag"].removeprefix("W/") in known or given.strip() == "*"
    return Response(status_code=304, headers=headers) if has_it else None


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
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cross-origin-opener-policy": "same-origin",
}


def safe_headers(app: ASGIApp) -> ASGIApp:
    """Return an application that adds these headers to each response that does not have them.

    Answers of the API have its version too.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        of_api = {"api-version": API_VERSION} if "/api/" in scope.get("path", "") else {}

        async def send_safe(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in (HEADERS | of_api).items():
                    headers.setdefault(name, value)
            await send(message)

        await app(scope, receive, send_safe if scope["type"] == "http" else send)

    return answer


#: What mail programs and social media add to an address that somebody passes on.
_TRACKING = re.compile(
    rb"(?:^|&)(?:utm_[a-z_]+|fbclid|gclid|gbraid|wbraid|msclkid|twclid|igshid|mc_[ce]id|ref)(?:=[^&]*)?(?=&|$)"
)
#: Names of parameters in addresses that people kept, and what follows from them.
_EARLIER = re.compile(rb"(?<![^&])(?:(?P<text>q)|(?P<day>[a-z]+)_(?P<end>van|tot))=")


def readable_addresses(app: ASGIApp) -> ASGIApp:
    """Return an application for addresses as people pass them on.

    What others add to an address is left out, and a parameter may have its earlier name.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if asked := scope.get("query_string"):
            query = _EARLIER.sub(_present, _TRACKING.sub(b"", asked).lstrip(b"&"))
            scope = {**scope, "query_string": query}
        await app(scope, receive, send)

    return answer


def _present(earlier: re.Match[bytes]) -> bytes:
    return b"zoektekst=" if earlier["text"] else earlier["day"] + earlier["end"].title() + b"="


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None, **more: str) -> Response:
    """Return an error for a program (RFC 9457); *detail* is one line that says what is wrong."""
    content = {"status": status, "title": HTTPStatus(status).phrase, "detail": detail, **more}
    return JSONResponse(content, status, dict(headers or {}), "application/problem+json")


#: The links at the top of each page: path and text.
_NAVIGATION = (("/", "Zoeken"), ("/organisaties", "Organisaties"), ("/categorieen", "Categorieën"))
_PERMITS = ("/vergunningen", "Vergunningen")
#: The seconds after which the engine is asked again whether there are permits.
_MENU_SECONDS = 60.0


class Menu:
    """The links at the top of each page, and *more* of them; one to permits only if there are any."""

    def __init__(self, *more: tuple[str, str]) -> None:
        self._more = more
        self.links: tuple[tuple[str, str], ...] = (*_NAVIGATION, *more)
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
        self.links = (*_NAVIGATION, *([_PERMITS] if found.published else ()), *self._more)


async def page(request: Request, template: str, **context: Any) -> Response:
    """Return a page, or 304 if the browser has it, as :func:`made_page` does."""
    await request.app.state.menu.refresh(request)
    return made_page(request, template, **context)


def made_page(
    request: Request,
    template: str,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **context: Any,
) -> Response:
    """Return a page, or 304 if the browser has it, without a question to the engine.

    The template gets the context, and ``to(path)``: the address of a path of the portal.
    """
    shared = {
        "to": partial(address_of, request),
        "site": request.app.state.options.title,
        "links": request.app.state.options.links,
        "paths": request.app.state.paths,
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
    content: bytes


def static_files(css: str, logo: str) -> Mapping[str, StaticFile]:
    """Return the files that pages need, by name: the organisation's style and logo are among them."""
    asset = partial(read_asset, __package__)
    own_style = Path(css).read_text(encoding="utf-8") if css else ""
    contents = {
        "stijl.css": (base_css() + asset("style.css") + own_style).encode(),
        "verslag.css": read_asset(report_pages.__name__, "style.css").encode(),
        "icoon.svg": asset("icon.svg").encode(),
        "kaart.css": asset("leaflet/leaflet.css").encode(),
        "kaart.js": f"{asset('leaflet/leaflet.js')}\n{asset('map.js')}".encode(),
    }
    found = {name: _static_file(name, content) for name, content in contents.items()}
    image = Path(logo)
    return found | ({"logo": _static_file(f"logo{image.suffix}", image.read_bytes())} if logo else {})


def _static_file(name: str, content: bytes) -> StaticFile:
    stem, _, suffix = name.partition(".")
    return StaticFile(f"/{stem}-{sha256(content).hexdigest()[:12]}.{suffix}", content)
