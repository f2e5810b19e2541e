"""The page of a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from woo_harvester.outputs.definition import WOO, Status
from woo_harvester.utils.templates import is_web
from woo_harvester.utils.urls import record_id
from woo_portal import details
from woo_portal.details import Value, location_of, title_of, version_of
from woo_portal.downloads import document_by_id, withdrawal_of
from woo_portal.open_overheid import BASE
from woo_portal.pages import own_path, page, root_of
from woo_portal.question import MAX_SIZE, Question
from woo_portal.routes.search_engines import structured_data
from woo_portal.wording import day, document_path, explanations_of

Json = Mapping[str, Any]

#: What a version is, by its cause.
_KINDS = {
    "aanlevering": "Document",
    "wijziging": "Gewijzigd document",
    "herpublicatie": "Document dat opnieuw openbaar is gemaakt",
}


async def document(request: Request) -> Response:
    """Answer with the page of a document: 410 for a withdrawn one."""
    found = await document_by_id(request, WOO)
    if found.get("status") == Status.INGETROKKEN:
        return await _withdrawn(request, found)
    is_findable = request.app.state.options.is_findable
    data = structured_data(found, root_of(request) + document_path(found["id"])) if is_findable else None
    relations = await _relations(request, details.relations(found))
    return await page(request, "document.html", relations=relations, data=data, **_context(found))


async def file(request: Request) -> Response:
    """Lead to the first file of a document, at its publisher; open.overheid.nl has such an address too."""
    found = await document_by_id(request, WOO)
    if withdrawal := withdrawal_of(WOO, found):
        if own_path(request).startswith(BASE):
            raise HTTPException(410, withdrawal.text)
        return await _withdrawn(request, found)
    urls = [each.url for each in details.files(found)[:1]] + [location_of(found)]
    if url := next(filter(is_web, urls), ""):
        return RedirectResponse(url, 302, {"cache-control": "no-cache"})
    raise HTTPException(404, "Van dit document is geen bestand bekend.")


async def _withdrawn(request: Request, found: Json) -> Response:
    version = version_of(found)
    return await page(
        request,
        "withdrawn.html",
        status=410,
        since=day(version.get("mutatiedatumtijd")),
        published=day(version.get("openbaarmakingsdatum")),
        reason=str(version.get("redenVerwijderingVervanging") or ""),
        location=location_of(found),
    )


def _context(found: Json) -> dict[str, Any]:
    """Return what the page shows of a document itself."""
    version, about = version_of(found), found.get("document") or {}
    location = location_of(found)
    return {
        "id": found["id"],
        "title": title_of(found),
        "title_origin": details.title_origin(found),
        "kind": _KINDS.get(version.get("oorzaak", ""), "Document"),
        "descriptions": about.get("omschrijvingen") or (),
        "location": location,
        "host": urlsplit(location).netloc if is_web(location) else "",
        "about": details.about(found),
        "dates": details.dates(found),
        "files": details.files(found),
        "versions": details.versions(found),
        "earlier": details.earlier_versions(found),
        "own_fields": details.own_fields(found),
        "findings": explanations_of(found),
        "origin": details.origin(found),
    }


async def _relations(request: Request, given: Sequence[tuple[str, Json]]) -> list[tuple[str, Value]]:
    """Return the related documents; those that are in the portal lead to their page in it."""
    ids = {str(term["id"]): record_id(str(term["id"])) for _, term in given if is_web(term.get("id"))}
    titles: dict[str, str] = {}
    if ids:
        question = Question(
            WOO, ids=tuple(ids.values())[:MAX_SIZE], size=MAX_SIZE, with_counts=False, with_highlights=False
        )
        state = request.app.state
        answer = await state.asking(request, state.engine.search, question)
        titles = {hit.document["id"]: title_of(hit.document) for hit in answer.hits}
    return [(role, _related(term, ids, titles)) for role, term in given]


def _related(term: Json, ids: Mapping[str, str], titles: Mapping[str, str]) -> Value:
    url = str(term.get("id") or "")
    known = ids.get(url, "")
    if known in titles:
        return Value(titles[known], path=document_path(known))
    return Value(str(term.get("label") or url), url=url)


#: The addresses that programs of open.overheid.nl know, and of which some end with the number of a version.
_FILES = ("/documenten/{id:uuid}", f"{BASE}/documenten/{{id:uuid}}", f"{BASE}/attachment/{{id:uuid}}")

ROUTES = [
    Route("/document/{id:uuid}", document),
    *(Route(path + end, file) for path in _FILES for end in ("", "_{versie:int}", "/file")),
]
