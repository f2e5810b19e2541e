"""The page about the portal itself, its contact for faults in its safety, and its figures for Prometheus."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from woo_harvester.kinds import Kind
from woo_harvester.utils.dates import iso_datetime
from woo_portal.engine import Contents
from woo_portal.pages import page, root_of

#: The time for which the contact in security.txt holds; at most a year (RFC 9116).
_HOLDS = timedelta(days=180)

#: The figures of the records of one spider, by the ends of their names.
_FIGURES: dict[str, Callable[[Contents], float | None]] = {
    "published_records": lambda found: found.published,
    "withdrawn_records": lambda found: found.withdrawn,
    "organisations": lambda found: found.organisations,
    "newest_record_timestamp_seconds": lambda found: found.newest.timestamp() if found.newest else None,
}


async def about(request: Request) -> Response:
    """Answer with how to search, how complete and how old the documents are, and what programs can ask."""
    state = request.app.state
    contents = {kind.name: await state.asking(state.engine.contents, kind) for kind in Kind}
    return await page(
        request,
        "about.html",
        contents=contents["woo"],
        permits=contents["vergunningen"].published,
        root=root_of(request),
        contact=state.options.contact,
    )


async def security(request: Request) -> Response:
    """Answer with the contact of the operator, if there is one."""
    contact: str = request.app.state.options.contact
    if not contact:
        raise HTTPException(404)
    address = contact if "/" in contact else f"mailto:{contact}"
    expires = iso_datetime((datetime.now(UTC) + _HOLDS).replace(hour=0, minute=0, second=0, microsecond=0))
    lines = (f"Contact: {address}", f"Expires: {expires}", "Preferred-Languages: nl, en")
    return PlainTextResponse("\n".join(lines) + "\n")


async def metrics(request: Request) -> Response:
    """Answer with what there is to search in, for Prometheus, if ``WOO_PORTAL_METRICS`` is on."""
    state, text = request.app.state, ""
    if not state.options.metrics:
        raise HTTPException(404)
    contents = {kind.name: await state.asking(state.engine.contents, kind) for kind in Kind}
    for name, figure in _FIGURES.items():
        text += f"# TYPE woo_portal_{name} gauge\n"
        for spider, found in contents.items():
            if (value := figure(found)) is not None:
                text += f'woo_portal_{name}{{spider="{spider}"}} {value}\n'
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4")


ROUTES = [
    Route("/over", about),
    Route("/metrics", metrics),
    Route("/.well-known/security.txt", security),
]
