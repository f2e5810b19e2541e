"""The API for programs: searching, one record, and the description of both."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from woo_harvester.kinds import WOO, Kind
from woo_harvester.outputs.document import record_of
from woo_portal import open_overheid
from woo_portal.downloads import document_by_id, withdrawal_of
from woo_portal.openapi import API, BASE, description
from woo_portal.pages import headers_for, not_modified, own_path, problem, root_of
from woo_portal.parse import question_of_pairs
from woo_portal.request import question_of_request
from woo_portal.results import results

_Endpoint = Callable[[Request], Awaitable[Response]]

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
        return JSONResponse(results(question, answer), headers=headers)

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
    return JSONResponse(open_overheid.results(root, answer), headers=headers)


_Shape = Callable[[Request, Mapping[str, Any]], dict[str, Any]]


def _record(kind: Kind, shape: _Shape) -> _Endpoint:
    """Return the endpoint of one record of a kind; *shape* makes the answer of its search document."""

    async def endpoint(request: Request) -> Response:
        headers = await headers_for(
            request, shape.__name__, kind.name, request.path_params["id"], root_of(request)
        )
        document = await document_by_id(request, kind)
        if withdrawal := withdrawal_of(kind, document):
            since = {"ingetrokken": withdrawal.since} if withdrawal.since else {}
            return problem(410, withdrawal.text, _NO_STORE, **since)
        return not_modified(request, headers) or JSONResponse(shape(request, document), headers=headers)

    return endpoint


def _own(request: Request, document: Mapping[str, Any]) -> dict[str, Any]:
    return record_of(document)


def _detail(request: Request, document: Mapping[str, Any]) -> dict[str, Any]:
    return open_overheid.detail(root_of(request), document)


async def _description(request: Request) -> Response:
    """Describe the API as OpenAPI."""
    options = request.app.state.options
    with_toets = options.toets is not None
    made = description(root_of(request), options.title, options.contact, with_toets=with_toets)
    return JSONResponse(made, headers={"cache-control": "public, max-age=3600"})


ROUTES = [
    *(Route(API[kind.name], _search(kind), methods=["GET", "POST"]) for kind in Kind),
    *(Route(API[kind.name] + "/{id:uuid}", _record(kind, _own)) for kind in Kind),
    Route(API[WOO.name] + "/{id:uuid}_{versie}", _record(WOO, _detail)),
    Route(open_overheid.BASE + "/zoek", _as_open_overheid),
    Route(open_overheid.BASE + "/zoek/{id:uuid}", _record(WOO, _detail)),
    Route(open_overheid.BASE + "/zoek/{id:uuid}_{versie}", _record(WOO, _detail)),
    *(Route(base + "/openapi.json", _description) for base in (BASE, "")),
]
