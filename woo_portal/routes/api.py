"""The API for programs: searching, one record, and the description of both."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from woo_harvester.kinds import WOO, Kind
from woo_harvester.outputs.document import record_of
from woo_portal import open_overheid
from woo_portal.downloads import document_by_id, withdrawal_of
from woo_portal.openapi import API, description
from woo_portal.pages import address_of, headers_for, not_modified, own_path, root_of
from woo_portal.parse import question_of_pairs, question_of_request
from woo_portal.results import results

_Endpoint = Callable[[Request], Awaitable[Response]]

#: Any site may ask, since the answers are public and the same for everyone.
FOR_PROGRAMS = [
    Middleware(
        CORSMiddleware,
        allow_origins=["*"],
        allow_methods=["GET", "HEAD", "POST", "OPTIONS"],
        allow_headers=["content-type", "if-none-match"],
        expose_headers=["etag", "link", "retry-after", "content-disposition"],
        max_age=86400,
    ),
    Middleware(GZipMiddleware, minimum_size=1024, compresslevel=5),
]
_NO_STORE = {"cache-control": "no-store"}


def _search(kind: Kind) -> _Endpoint:
    """Return the endpoint that searches records of a kind."""

    async def endpoint(request: Request) -> Response:
        if request.method == "POST":
            question = question_of_request(kind, await request.body())
            headers = _NO_STORE
        elif kind == WOO and open_overheid.is_asked(request.query_params.multi_items()):
            return await _as_open_overheid(request)
        else:
            question = question_of_pairs(kind, request.query_params.multi_items())
            headers = await headers_for(request, "api", question)
            if unchanged := not_modified(request, headers):
                return unchanged
        question = replace(question, with_highlights=False)
        answer = await request.app.state.asking(request.app.state.engine.search, question)
        return _json(results(question, answer), headers=headers)

    return endpoint


async def _as_open_overheid(request: Request) -> Response:
    """Search documents with the parameters of open.overheid.nl, and answer in its shape."""
    is_strict = not own_path(request).startswith(open_overheid.BASE)
    asked = open_overheid.question_of(request.query_params.multi_items(), is_strict=is_strict)
    root = root_of(request)
    question = replace(asked, with_highlights=False)
    headers = await headers_for(request, "open.overheid.nl", question, root)
    if unchanged := not_modified(request, headers):
        return unchanged
    answer = await request.app.state.asking(request.app.state.engine.search, question)
    return _json(open_overheid.results(root, answer), headers=headers)


_Shape = Callable[[Request, Mapping[str, Any]], dict[str, Any]]


def _record(kind: Kind, shape: _Shape) -> _Endpoint:
    """Return the endpoint of one record of a kind; *shape* makes the answer of its search document."""

    async def endpoint(request: Request) -> Response:
        headers = await headers_for(
            request, shape.__name__, kind.name, request.path_params["id"], root_of(request)
        )
        document = await document_by_id(request, kind)
        if withdrawal := withdrawal_of(kind, document):
            gone = {"status": 410, "fout": withdrawal.text, "ingetrokken": withdrawal.since}
            return _json(gone, 410, _NO_STORE)
        return not_modified(request, headers) or _json(shape(request, document), headers=headers)

    return endpoint


def _own(request: Request, document: Mapping[str, Any]) -> dict[str, Any]:
    return record_of(document)


def _detail(request: Request, document: Mapping[str, Any]) -> dict[str, Any]:
    return open_overheid.detail(root_of(request), document)


async def _description(request: Request) -> Response:
    """Describe the API as OpenAPI."""
    return _json(description(address_of(request, "/")), headers={"cache-control": "public, max-age=3600"})


def _json(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    return Response(text, status, headers, media_type=JSONResponse.media_type)


def _route(path: str, endpoint: _Endpoint, *methods: str) -> Route:
    async def answer(request: Request) -> Response:
        if request.method == "OPTIONS":
            return Response(
                status_code=204, headers={"allow": ", ".join(("GET", "HEAD", *methods, "OPTIONS"))}
            )
        return await endpoint(request)

    return Route(path, answer, methods=["GET", "OPTIONS", *methods], middleware=FOR_PROGRAMS)


ROUTES = [
    *(_route(API[kind.name], _search(kind), "POST") for kind in Kind),
    *(_route(API[kind.name] + "/{id:uuid}", _record(kind, _own)) for kind in Kind),
    _route(API[WOO.name] + "/{id:uuid}_{versie}", _record(WOO, _detail)),
    _route(open_overheid.BASE + "/zoek", _as_open_overheid),
    _route(open_overheid.BASE + "/zoek/{id:uuid}", _record(WOO, _detail)),
    _route(open_overheid.BASE + "/zoek/{id:uuid}_{versie}", _record(WOO, _detail)),
    _route("/openapi.json", _description),
]
