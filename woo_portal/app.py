"""What is answered if a question cannot be: a page in plain Dutch, or JSON for a program."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from threading import BoundedSemaphore
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from woo_portal.asking import MAX_DOWNLOADS, Asking, BusyError
from woo_portal.engine import Engine, EngineError, SlowQuestionError
from woo_portal.harvest import Harvest
from woo_portal.open_overheid import BASE as OPEN_OVERHEID
from woo_portal.pages import HEADERS, Menu, made_page, own_path, safe_headers, without_tracking
from woo_portal.question import QuestionError
from woo_portal.results import error_in_words
from woo_portal.routes import ROUTES

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
        same = {"detail": text} if path.startswith(OPEN_OVERHEID) else {}  # its own name for it
        return JSONResponse({"status": status, "fout": text, **same}, status, dict(headers or {}))
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


async def _on_question(request: Request, error: Exception) -> Response:
    return error_response(request, 400, str(error))


def _answering(status: int, text: str = "", headers: Mapping[str, str] | None = None) -> Any:
    async def answer(request: Request, error: Exception) -> Response:
        return error_response(request, status, text, headers)

    return answer


async def _on_engine(request: Request, error: Exception) -> Response:
    _logger.error("the search engine cannot answer: %s", error)
    return error_response(request, 503, headers=_LATER)


async def _on_fault(request: Request, error: Exception) -> Response:
    """Answer a fault of the portal's own; Starlette then raises it again, for the log."""
    return error_response(request, 500, headers=HEADERS)  # no middleware sees this answer


HANDLERS: dict[Any, Any] = {
    HTTPException: _on_http,
    QuestionError: _on_question,
    ClientDisconnect: _answering(400),  # it went away before it had asked all
    BusyError: _answering(503, _BUSY, _SOON),
    SlowQuestionError: _answering(503, _SLOW, _LATER),
    EngineError: _on_engine,
    Exception: _on_fault,
}


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
    is_findable: bool = True
    """Whether search engines may list the documents."""
    report: Path | None = None
    """The folder of the run whose report says how complete the documents of an organisation are."""
    files: Path | None = None
    """The folder with copies of documents, if visitors may download these."""


def make_app(engine: Engine, options: Options) -> Starlette:
    """Return the application over *engine*.

    Its state has ``engine``, ``options``, ``asking``, ``downloads``, ``harvest`` and ``menu``.
    """
    asking = Asking(options.concurrency, options.seconds)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        asking.close()

    app = Starlette(
        routes=ROUTES,
        middleware=[Middleware(safe_headers), Middleware(without_tracking)],
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # it would lead to whatever host the request names
    app.state.engine, app.state.options, app.state.asking = engine, options, asking
    app.state.harvest, app.state.menu = Harvest(options.report), Menu()
    app.state.downloads = BoundedSemaphore(options.downloads)
    return app
