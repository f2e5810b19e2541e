"""The application, and what it answers if a question cannot be: a page in plain Dutch, or JSON."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from mimetypes import guess_type
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from woo_portal.asking import MAX_DOWNLOADS, Asking, BusyError
from woo_portal.engine import Engine, EngineError, SlowQuestionError
from woo_portal.harvest import Harvest
from woo_portal.open_overheid import BASE as OPEN_OVERHEID
from woo_portal.pages import (
    HEADERS,
    Menu,
    StaticFile,
    made_page,
    own_path,
    problem,
    readable_addresses,
    safe_headers,
    static_files,
)
from woo_portal.question import QuestionError
from woo_portal.results import error_in_words
from woo_portal.routes import ROUTES
from woo_portal.routes import toets as toets_routes
from woo_portal.toets import Toets

_logger = logging.getLogger(__name__)

#: The heading and the text of an answer by its status.
_TEXTS: Mapping[int, tuple[str, str]] = {
    400: ("Deze vraag kan niet", "In het adres staat iets wat de zoekmachine niet begrijpt."),
    404: ("Deze pagina is er niet", "Misschien is het adres verkeerd overgenomen."),
    405: ("Dit kan hier niet", "U kunt hier alleen lezen en zoeken."),
    500: ("Er ging iets mis", "Dit ligt niet aan u. De beheerder kan zien wat er misging."),
    503: ("Zoeken lukt nu even niet", "Dit ligt niet aan u. Probeer het later opnieuw."),
}
_BUSY = "Het is nu te druk. Probeer het over een paar seconden opnieuw."
_SLOW = "Deze vraag kost te veel tijd. Gebruik minder of andere woorden, of kies een filter."

#: The seconds after which to ask again.
_SOON = {"retry-after": "5"}
_LATER = {"retry-after": "30"}


def for_programs(request: Request) -> bool:
    """Return whether errors of an address are JSON: those of an API, and of a file unless a browser asks."""
    path = own_path(request)
    is_file = "." in path.rpartition("/")[2] and "text/html" not in request.headers.get("accept", "")
    return is_file or path.startswith(("/api/", f"{OPEN_OVERHEID}/"))


def error_response(
    request: Request, status: int, text: str = "", headers: Mapping[str, str] | None = None
) -> Response:
    """Return the answer with an error status; *text* is one sentence that says more than the status."""
    path = own_path(request)
    title, usual = _TEXTS.get(status) or (HTTPStatus(status).phrase, "")
    text = text or usual
    if for_programs(request):
        return problem(status, text, headers)
    return made_page(
        request,
        "error.html",
        status=status,
        headers=headers,
        title=title,
        text=error_in_words(text) if status == HTTPStatus.BAD_REQUEST else text,
        asked="".join(filter(str.isprintable, request.query_params.get("zoektekst", ""))),
        search="/vergunningen" if path.startswith("/vergunning") else "/",
    )


async def _on_http(request: Request, error: Exception) -> Response:
    """Answer a status that a route raised; its detail, if it is not the usual phrase, is the text."""
    assert isinstance(error, HTTPException)  # noqa: S101 -- for the type checker
    phrase = HTTPStatus(error.status_code).phrase
    text = "" if error.detail == phrase else error.detail
    return error_response(request, error.status_code, text, error.headers)


#: The status, the text and the headers of the answer to an error. None is the text of the error itself.
_ANSWERS: Mapping[type[Exception], tuple[int, str | None, Mapping[str, str]]] = {
    QuestionError: (400, None, {}),
    ClientDisconnect: (400, "", {}),  # it went away before it had asked all
    BusyError: (503, _BUSY, _SOON),
    SlowQuestionError: (503, _SLOW, _LATER),
    EngineError: (503, "", _LATER),
    Exception: (500, "", HEADERS),  # no middleware sees this answer, and Starlette raises the error again
}


async def _on_error(request: Request, error: Exception) -> Response:
    kind = next(each for each in type(error).__mro__ if each in _ANSWERS)
    if kind is EngineError:
        _logger.error("the search engine cannot answer: %s", error)
    status, text, headers = _ANSWERS[kind]
    return error_response(request, status, str(error) if text is None else text, headers)


HANDLERS: dict[Any, Any] = {HTTPException: _on_http, **dict.fromkeys(_ANSWERS, _on_error)}

#: The link to the test of a website, which only some portals have.
_TOETS = ((toets_routes.PATH, "Toets uw site"),)


@dataclass(frozen=True, slots=True)
class Options:
    """What the command and its settings decide."""

    tiles: str = ""
    """The address of the background of maps, with ``{z}``, ``{x}`` and ``{y}``; empty for a plain ground."""
    seconds: float = 5.0
    """The longest time that a question may take."""
    concurrency: int = 8
    """The number of questions that the engine answers at the same time."""
    downloads: int = MAX_DOWNLOADS
    """The most downloads at the same time."""
    title: str = "Woo-documenten"
    """The name of the site, on each page."""
    report: Path | None = None
    """The folder of the run whose report says how complete the documents of an organisation are."""
    files: Path | None = None
    """The folder with copies of documents, if visitors may download these."""
    metrics: bool = False
    """Whether ``/metrics`` has figures for Prometheus."""
    contact: str = ""
    """The URL or e-mail address of the operator."""
    links: Sequence[tuple[str, str]] = ()
    """The links of the organisation at the foot of each page: text and URL."""
    css: str = ""
    """The file with the style of the organisation, which comes after the portal's own."""
    logo: str = ""
    """The image that stands at the top of each page beside the name."""
    toets: Toets | None = None
    """The tests of websites, if visitors may start these."""


def make_app(engine: Engine, options: Options) -> Starlette:
    """Return the application over *engine*.

    Its state has ``engine``, ``options``, ``asking``, ``downloads``, ``harvest``, ``menu`` and ``paths``.
    """
    asking = Asking(options.concurrency, options.seconds)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        # The register may take minutes to come.
        opening = asyncio.create_task(options.toets.open()) if options.toets else None
        yield
        if options.toets is not None and opening is not None:
            opening.cancel()
            await options.toets.close()
        asking.close()

    files = static_files(options.css, options.logo)
    app = Starlette(
        routes=[*ROUTES, *(toets_routes.ROUTES if options.toets else ()), *map(_static, files.values())],
        middleware=[
            # Any site may ask, since the answers are public and the same for everyone.
            Middleware(
                CORSMiddleware,
                allow_origins=["*"],
                allow_methods=["GET", "HEAD", "POST"],
                allow_headers=["content-type", "if-none-match"],
                expose_headers=["api-version", "etag", "link", "retry-after", "content-disposition"],
                max_age=86400,
            ),
            Middleware(GZipMiddleware, minimum_size=1024, compresslevel=5),
            Middleware(safe_headers),
            Middleware(readable_addresses),
        ],
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # it would lead to whatever host the request names
    app.state.engine, app.state.options, app.state.asking = engine, options, asking
    app.state.harvest, app.state.menu = Harvest(options.report), Menu(*_TOETS if options.toets else ())
    app.state.downloads = BoundedSemaphore(options.downloads)
    app.state.paths = {name: file.path for name, file in files.items()}
    return app


#: A file whose name changes with its content.
_FOR_EVER = {"cache-control": "public, max-age=31536000, immutable"}


def _static(file: StaticFile) -> Route:
    """Return the route of a file that pages need."""

    async def endpoint(request: Request) -> Response:
        return Response(file.content, media_type=guess_type(file.path)[0], headers=_FOR_EVER)

    return Route(file.path, endpoint)
