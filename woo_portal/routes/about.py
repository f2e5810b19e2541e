"""The page about the portal itself, and its contact for faults in its safety (``security.txt``)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from woo_harvester.kinds import Kind
from woo_harvester.utils.dates import iso_datetime
from woo_portal.pages import page, root_of

#: The time for which the contact in security.txt holds; at most a year (RFC 9116).
_HOLDS = timedelta(days=180)


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


ROUTES = [Route("/over", about), Route("/.well-known/security.txt", security)]
