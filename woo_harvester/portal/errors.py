"""What is answered if a question cannot be: a page in plain Dutch, or JSON for a program."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from woo_harvester.portal.asking import BusyError
from woo_harvester.portal.headers import HEADERS
from woo_harvester.portal.pages import own_path, page
from woo_harvester.search.engine import EngineError, SlowQuestionError
from woo_harvester.search.question import QuestionError

_logger = logging.getLogger(__name__)

#: The heading and the text of an answer by its status.
_TEXTS: Mapping[int, tuple[str, str]] = {
    400: ("Deze vraag kan niet", "In het adres staat iets wat de zoekmachine niet begrijpt."),
    404: ("Deze pagina is er niet", "Misschien is het adres verkeerd overgenomen."),
    405: ("Dit kan hier niet", "U kunt hier alleen lezen en zoeken."),
    408: ("Dit duurde te lang", "De vraag kwam niet op tijd helemaal binnen."),
    413: ("Deze vraag is te groot", "Stel een kleinere vraag."),
    414: ("Dit adres is te lang", "Kies minder filters, of gebruik minder woorden."),
    431: ("Deze vraag is te groot", "Uw browser stuurt te veel gegevens mee."),
    500: ("Er ging iets mis", "Dit ligt niet aan u. De beheerder kan zien wat er misging."),
    503: ("Zoeken lukt nu even niet", "Dit ligt niet aan u. Probeer het later opnieuw."),
}
_BUSY = "Het is nu te druk. Probeer het over een paar seconden opnieuw."
_SLOW = "Deze vraag kost te veel tijd. Gebruik minder of andere woorden, of kies een filter."

#: The seconds after which to ask again.
_SOON = {"retry-after": "5"}
_LATER = {"retry-after": "30"}


def for_programs(request: Request) -> bool:
    """Return whether an address is for programs, so that its errors are JSON."""
    return own_path(request).startswith("/api/")


def error_response(
    request: Request, status: int, text: str = "", headers: Mapping[str, str] | None = None
) -> Response:
    """Return the answer with an error status; *text* is one sentence that says more than the status."""
    title, usual = _TEXTS.get(status) or (HTTPStatus(status).phrase, "")
    text = text or usual
    if for_programs(request):
        return JSONResponse({"status": status, "fout": text}, status, dict(headers or {}))
    return page(request, "error.html", status=status, headers=headers, title=title, text=text)


async def _on_http(request: Request, error: Exception) -> Response:
    """Answer a status that a route raised; its detail, if it is not the usual phrase, is the text."""
    assert isinstance(error, HTTPException)  # noqa: S101 -- for the type checker
    phrase = HTTPStatus(error.status_code).phrase
    text = "" if error.detail == phrase else error.detail
    return error_response(request, error.status_code, text, error.headers)


async def _on_question(request: Request, error: Exception) -> Response:
    return error_response(request, 400, str(error))


async def _on_busy(request: Request, error: Exception) -> Response:
    return error_response(request, 503, _BUSY, _SOON)


async def _on_slow(request: Request, error: Exception) -> Response:
    return error_response(request, 503, _SLOW, _LATER)


async def _on_engine(request: Request, error: Exception) -> Response:
    _logger.error("the search engine cannot answer: %s", error)
    return error_response(request, 503, headers=_LATER)


async def _on_fault(request: Request, error: Exception) -> Response:
    """Answer a fault of the portal's own; Starlette then raises it again, for the log."""
    return error_response(request, 500, headers=HEADERS)  # no middleware sees this answer


HANDLERS: dict[Any, Any] = {
    HTTPException: _on_http,
    QuestionError: _on_question,
    BusyError: _on_busy,
    SlowQuestionError: _on_slow,
    EngineError: _on_engine,
    Exception: _on_fault,
}
