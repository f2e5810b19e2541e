"""The page of a document."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from anyio.to_thread import run_sync
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from woo_harvester.documents.formats import file_types
from woo_harvester.kinds import WOO, Kind
from woo_harvester.outputs.definition import Status, values_at
from woo_harvester.utils.templates import is_web
from woo_harvester.utils.urls import record_id
from woo_portal import details
from woo_portal.asking import FileDownload
from woo_portal.details import File, Value, location_of, title_of, version_of
from woo_portal.downloads import NOUNS, SEARCHES, document_by_id, summary_of, withdrawal_of
from woo_portal.engine import Answer
from woo_portal.open_overheid import BASE
from woo_portal.pages import address_of, not_modified, own_path, page
from woo_portal.question import MAX_SIZE, Clause, Question
from woo_portal.wording import day, document_path, explanations_of, path_of

Json = Mapping[str, Any]

#: A copy that a browser would show has no scripts and nothing of the portal.
_SANDBOX = "default-src 'none'; sandbox"
#: What no name of a file may have: it is for a system, or it shows the name in another order.
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f:*?"<>|\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]')
_LONGEST_NAME = 120


async def document(request: Request) -> Response:
    """Answer with the page of a document: 410 for a withdrawn one."""
    found = await document_by_id(request, WOO)
    if found.get("status") == Status.INGETROKKEN:
        return await withdrawn(request, WOO, found)
    context = _context(found)
    key = details.group_of(found)
    return await page(
        request,
        "document.html",
        relations=await _relations(request, found, key),
        dossier=path_of("zoektekst", f'"{key}"') if key else "",
        copies=await run_sync(_copies, request.app.state.options.files, context["files"]),
        **context,
    )


async def file(request: Request) -> Response:
    """Answer with the copy of the first file of a document, or lead to it at its publisher.

    open.overheid.nl has such an address too.
    """
    found = await document_by_id(request, WOO)
    if withdrawal := withdrawal_of(WOO, found):
        if own_path(request).startswith(BASE):
            raise HTTPException(410, withdrawal.text)
        return await withdrawn(request, WOO, found)
    if copy := await _copy(request, found, 1):
        return copy
    urls = [each.url for each in details.files(found)[:1]] + [location_of(found)]
    if url := next(filter(is_web, urls), ""):
        return RedirectResponse(url, 302, {"cache-control": "no-cache"})
    raise HTTPException(404, "Van dit document is geen bestand bekend.")


async def details_page(request: Request) -> Response:
    """Lead to the page of a document from where open.overheid.nl has it."""
    return RedirectResponse(address_of(request, document_path(str(request.path_params["id"]))), 302)


async def stored(request: Request) -> Response:
    """Answer with the copy of a file of a document, as a download; never of a withdrawn one."""
    found = await document_by_id(request, WOO)
    if found.get("status") == Status.INGETROKKEN:
        return await withdrawn(request, WOO, found)
    number = request.path_params["number"]
    if copy := await _copy(request, found, int(number) if re.fullmatch("[0-9]{1,6}", number) else 0):
        return copy
    raise HTTPException(404, "Van dit bestand is hier geen kopie. Kijk op de website van de organisatie.")


async def _copy(request: Request, found: Json, number: int) -> Response | None:
    """Return the copy of a file by its number from 1, or None if there is none. Raises BusyError."""
    store: Path | None = request.app.state.options.files
    one = next(iter(details.files(found)[number - 1 : number]), None)
    if store is None or one is None or not one.stored or number < 1:
        return None
    if (there := await run_sync(_within, store, one.stored)) is None:
        return None
    path, about = there
    headers = {
        "etag": f'"{path.name}"',
        "cache-control": "no-cache",
        "content-security-policy": _SANDBOX,
        "content-encoding": "identity",  # most documents are compressed, and clients ask for parts of them
    }
    if unchanged := not_modified(request, headers):
        return unchanged
    media_type, name = _form(one)
    return FileDownload(
        request, path, stat_result=about, headers=headers, media_type=media_type, filename=name
    )


def _within(store: Path, name: str) -> tuple[Path, os.stat_result] | None:
    """Return a file in the store, or None if it is gone, cannot be read, or a link leads out of the store."""
    try:
        folder = store.resolve(strict=True)
        path = (folder / name).resolve(strict=True)
        about = path.stat()
        if not (path.is_relative_to(folder) and stat.S_ISREG(about.st_mode)):
            return None
        os.close(os.open(path, os.O_RDONLY))  # the portal may be another user than the harvest
    except (OSError, RuntimeError):  # the latter for links in a circle
        return None
    return path, about


def _copies(store: Path | None, files: Sequence[File]) -> set[int]:
    """Return the numbers from 1 of the files of which a copy is in the store."""
    if store is None:
        return set()
    return {number for number, one in enumerate(files, 1) if one.stored and _within(store, one.stored)}


def _form(one: File) -> tuple[str, str]:
    """Return the media type and the name with which a copy is downloaded.

    The type is one of those that may be harvested, but for HTML, and the name ends as a file of that type.
    """
    known = {each.media_type: each for each in file_types()}.get(one.media_type)
    extensions = known.extensions if known else tuple(end for each in file_types() for end in each.extensions)
    name = _UNSAFE.sub("_", re.split(r"[/\\]", one.name)[-1]).strip(". ")[-_LONGEST_NAME:] or "document"
    if Path(name).suffix.lower()[1:] not in extensions:
        name += f".{known.extensions[0] if known else 'bin'}"
    is_safe = known is not None and known.media_type != "text/html"
    return one.media_type if is_safe else "application/octet-stream", name


async def withdrawn(request: Request, kind: Kind, found: Json) -> Response:
    """Answer with the page of a withdrawn record."""
    version = version_of(found)
    return await page(
        request,
        "withdrawn.html",
        status=410,
        noun=NOUNS[kind.name],
        since=day(version.get("mutatiedatumtijd")),
        published=day(version.get("openbaarmakingsdatum")),
        reason=str(version.get("redenVerwijderingVervanging") or ""),
        location=summary_of(kind, found).source,
        search=SEARCHES[kind.name],
    )


def _context(found: Json) -> dict[str, Any]:
    """Return what the page shows of a document itself."""
    location = location_of(found)
    return {
        "id": found["id"],
        "title": title_of(found),
        "title_origin": details.title_origin(found),
        "descriptions": [*values_at(found, "document.omschrijvingen")],
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


async def _relations(request: Request, found: Json, key: str) -> list[tuple[str, Value]]:
    """Return the related documents, and those of the same group, whose key is *key*.

    Those that are in the portal lead to their page in it.
    """
    given = details.relations(found)
    ids = {str(term["id"]): record_id(str(term["id"])) for _, term in given if is_web(term.get("id"))}
    known = await _titles(request, ids=tuple(ids.values())[:MAX_SIZE]) if ids else {}
    group = await _titles(request, key, clauses=(Clause(key, is_phrase=True),)) if key else {}
    related = [(role, _related(term, ids, known)) for role, term in given]
    others = {each: title for each, title in group.items() if each not in {found["id"], *known}}
    return related + [("Zelfde groep", Value(others[each], path=document_path(each))) for each in others]


async def _titles(request: Request, key: str = "", **asked: Any) -> dict[str, str]:
    """Return the titles of documents by id; with a *key* only those of that group."""
    question = Question(WOO, size=MAX_SIZE, with_counts=False, with_highlights=False)
    state = request.app.state
    answer: Answer = await state.asking(state.engine.search, replace(question, **asked))
    every = [hit.document for hit in answer.hits]
    return {each["id"]: title_of(each) for each in every if not key or details.group_of(each) == key}


def _related(term: Json, ids: Mapping[str, str], titles: Mapping[str, str]) -> Value:
    url = str(term.get("id") or "")
    known = ids.get(url, "")
    if known in titles:
        return Value(titles[known], path=document_path(known))
    return Value(str(term.get("label") or url), url=url)


#: The addresses that programs of open.overheid.nl know, and of which some end with the number of a version.
_FILES = ("/documenten/{id:uuid}", f"{BASE}/documenten/{{id:uuid}}", f"{BASE}/attachment/{{id:uuid}}")

ROUTES = [
    Route("/document/{id:uuid}/kopie/{number}", stored),
    Route("/document/{id:uuid}", document),
    *(Route("/details/{id:uuid}" + end, details_page) for end in ("", "_{versie}")),
    *(Route(path + end, file) for path in _FILES for end in ("", "_{versie}", "/file")),
]
