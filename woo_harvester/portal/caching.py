"""The answers that a client or a proxy may keep, and how it asks whether they are still right."""

from __future__ import annotations

from dataclasses import fields
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

from woo_harvester.search.engine import Engine
from woo_harvester.search.question import Question
from woo_harvester.version import VERSION

#: For a minute an answer may be used again; after that, a client asks whether it is still right.
CACHE_CONTROL = "public, max-age=60"


async def headers_for(request: Request, *parts: object) -> dict[str, str]:
    """Return the cache headers of the answer that these parts, beside the index, decide."""
    engine: Engine = request.app.state.engine
    version = await request.app.state.asking(request, engine.version)
    text = "\n".join([VERSION, version, *map(_as_text, parts)])
    return {"etag": entity_tag(text), "cache-control": CACHE_CONTROL}


def entity_tag(text: str) -> str:
    """Return the ETag of an answer that a text decides. It is weak: compressed or not, it means the same."""
    return f'W/"{sha256(text.encode()).hexdigest()[:32]}"'


def not_modified(request: Request, headers: dict[str, str]) -> Response | None:
    """Return the answer 304 if the client has the answer with these cache headers already."""
    given = request.headers.get("if-none-match", "")
    known = {tag.strip().removeprefix("W/") for tag in given.split(",")}
    has_it = headers["etag"].removeprefix("W/") in known or given.strip() == "*"
    return Response(status_code=304, headers=headers) if has_it else None


def _as_text(part: object) -> str:
    """Return a text that differs for different parts, and is the same in each process."""
    if isinstance(part, Question):
        return f"{part.kind.name} " + " ".join(
            f"{one.name}={getattr(part, one.name)!r}" for one in fields(part) if one.name != "kind"
        )
    return str(part)
