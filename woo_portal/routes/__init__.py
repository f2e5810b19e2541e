"""The routes of the portal, a module a subject. Each has ``ROUTES``; a new module is added to this list."""

from __future__ import annotations

from itertools import chain

from starlette.routing import BaseRoute

from woo_portal.routes import about, api, changes, document, feeds, permits, search, search_engines, subjects

ROUTES: list[BaseRoute] = list(
    chain(
        about.ROUTES,
        api.ROUTES,
        changes.ROUTES,
        document.ROUTES,
        feeds.ROUTES,
        permits.ROUTES,
        search.ROUTES,
        search_engines.ROUTES,
        subjects.ROUTES,
    )
)
