"""The portal as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from starlette.applications import Starlette
from starlette.middleware import Middleware

from woo_harvester.portal.asking import Asking
from woo_harvester.portal.bounds import Bounds
from woo_harvester.portal.errors import HANDLERS
from woo_harvester.portal.headers import SafeHeaders
from woo_harvester.portal.routes import ROUTES
from woo_harvester.search.engine import Engine


@dataclass(frozen=True, slots=True)
class Options:
    """What the command and its settings decide."""

    tiles: str = ""
    """The address of the background of maps, with ``{z}``, ``{x}`` and ``{y}``; empty for a plain ground."""
    seconds: float = 5.0
    """The longest time that a question may take."""
    concurrency: int = 8
    """The number of questions that the engine answers at the same time."""
    title: str = "Woo-documenten"
    """The name of the site, on each page."""


def make_app(engine: Engine, options: Options) -> Starlette:
    """Return the application over *engine*. Its state has ``engine``, ``options`` and ``asking``."""
    asking = Asking(options.concurrency, options.seconds)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        asking.close()

    app = Starlette(
        routes=ROUTES,
        middleware=[Middleware(SafeHeaders), Middleware(Bounds)],
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False  # it would lead to whatever host the request names
    app.state.engine, app.state.options, app.state.asking = engine, options, asking
    return app
