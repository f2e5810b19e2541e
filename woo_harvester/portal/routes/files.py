"""What is no page: the style sheet, robots.txt, and whether the portal runs."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from woo_harvester.portal.pages import address_of, style, style_name

#: A file whose name changes with its content.
_FOR_EVER = {"cache-control": "public, max-age=31536000, immutable"}


async def health(request: Request) -> PlainTextResponse:
    """Answer that the portal runs (``/gezond``)."""
    return PlainTextResponse("gezond\n", headers={"cache-control": "no-store"})


async def style_sheet(request: Request) -> Response:
    """Answer with the style sheet."""
    return Response(style(), media_type="text/css", headers=_FOR_EVER)


async def robots(request: Request) -> PlainTextResponse:
    """Keep crawlers from following each combination of filters; they may have pages and documents."""
    root = address_of(request, "/")
    return PlainTextResponse(f"User-agent: *\nDisallow: {root}*?\nDisallow: {root}api/\n")


ROUTES = [
    Route("/gezond", health),
    Route(style_name(), style_sheet),
    Route("/robots.txt", robots),
]
