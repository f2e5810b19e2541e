"""The portal as an ASGI application."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from woo_harvester.search.engine import Engine


@dataclass(frozen=True, slots=True)
class Options:
    """What the command and its settings decide."""

    tiles: str = ""
    """The address of the background of maps, with ``{z}``, ``{x}`` and ``{y}``; empty for a plain ground."""
    seconds: float = 5.0
    """The longest time that a question may take."""


async def health(request: Request) -> PlainTextResponse:
    """Answer that the portal runs (``/gezond``)."""
    return PlainTextResponse("gezond\n")


def make_app(engine: Engine, options: Options) -> Starlette:
    """Return the application over *engine*. Its state has ``engine`` and ``options``."""
    app = Starlette(routes=[Route("/gezond", health)])
    app.state.engine, app.state.options = engine, options
    return app
