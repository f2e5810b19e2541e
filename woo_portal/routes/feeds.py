"""A search as a feed, and all of its hits as a file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from woo_harvester.kinds import PERMITS, WOO, Kind
from woo_harvester.outputs.document import record_of
from woo_harvester.utils.dates import day_of
from woo_portal.asking import Parts, begin_download
from woo_portal.downloads import FORMS, MEDIA_TYPE, SEARCHES, Entry, Form, atom, summary_of
from woo_portal.engine import Engine
from woo_portal.openapi import API, ENTRIES, FILES
from woo_portal.pages import headers_for, not_modified, root_of
from woo_portal.parse import SIZE, pairs_of, question_of_pairs
from woo_portal.question import MAX_START, Question, Sort
from woo_portal.wording import search_path

_Endpoint = Callable[[Request], Awaitable[Response]]

_TITLES = {WOO.name: "Documenten", PERMITS.name: "Vergunningen"}


def _feed(kind: Kind) -> _Endpoint:
    """Return the endpoint of the feed of a search: always the newest first."""

    async def endpoint(request: Request) -> Response:
        question = replace(
            question_of_pairs(kind, request.query_params.multi_items(), size=ENTRIES),
            sort=Sort.NEWEST,
            with_counts=False,
            with_highlights=False,
        )
        headers = await headers_for(request, "atom", question, root_of(request))
        if unchanged := not_modified(request, headers):
            return unchanged
        state = request.app.state
        answer = await state.asking(state.engine.search, question)
        contents = await state.asking(state.engine.contents, kind)
        entries = [Entry(hit.document["id"], summary_of(kind, hit.document)) for hit in answer.hits]
        words = " ".join(clause.text for clause in question.clauses if not clause.is_excluded)
        title = f"{state.options.title}: {words or _TITLES[question.kind.name].lower()}"
        links = _links(question, answer.total)
        root = root_of(request)
        feed = atom(title, root, {each: root + links[each] for each in links}, entries, contents.newest)
        return Response(feed, headers=headers, media_type=MEDIA_TYPE)

    return endpoint


def _links(question: Question, total: int) -> dict[str, str]:
    """Return the paths of the pages of a feed and of its search, by relation."""
    kind = question.kind.name
    starts = {"self": question.start, "first": 0}
    if (following := question.start + question.size) < total and following <= MAX_START:
        starts["next"] = following
    if question.start:
        starts["previous"] = max(0, question.start - question.size)
    search = search_path(pairs_of(replace(question, start=0, size=SIZE)), SEARCHES[kind])
    return {"alternate": search} | {
        name: search_path(pairs_of(replace(question, start=start), size=ENTRIES), f"{FILES[kind]}.atom")
        for name, start in starts.items()
    }


def _download(kind: Kind, form: Form) -> _Endpoint:
    """Return the endpoint of all hits of a search in one form."""

    async def endpoint(request: Request) -> Response:
        question = replace(
            question_of_pairs(kind, request.query_params.multi_items()),
            start=0,
            with_counts=False,
            with_highlights=False,
        )
        today = day_of(datetime.now(UTC)) if form.depends_on_day else ""
        headers = await headers_for(request, form.suffix, question, today)
        headers["content-type"] = form.media_type
        headers["content-disposition"] = f'attachment; filename="{_TITLES[kind.name].lower()}.{form.suffix}"'
        if unchanged := not_modified(request, headers):
            return unchanged
        if request.method == "HEAD":
            return Response(headers=headers)
        records = _records(request.app.state.engine, question)
        parts = Parts(form.pieces(question.kind, records), records.close)
        return await begin_download(request, parts, headers)

    return endpoint


def _records(engine: Engine, question: Question) -> Generator[dict[str, Any], None, None]:
    """Yield the records of all hits; nothing is asked before the first one."""
    with closing(engine.all_documents(question)) as documents:
        yield from map(record_of, documents)


ROUTES = [
    Route(f"{path}.{suffix}", endpoint)
    for kind in Kind
    for path in (FILES[kind.name], f"{API[kind.name]}/resultaten")
    for suffix, endpoint in [
        ("atom", _feed(kind)),
        *((form.suffix, _download(kind, form)) for form in FORMS[kind.name]),
    ]
]
