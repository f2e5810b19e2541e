"""The test of a website: its form, and how far it is or its result, as a page and as JSON."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from woo_portal.asking import BusyError
from woo_portal.openapi import BASE
from woo_portal.pages import address_of, entity_tag, not_modified, own_path, page
from woo_portal.toets import Progress, Result, TooSoonError
from woo_portal.typed_hosts import MAX_TYPED, Meant, NotUnderstoodError
from woo_portal.wording import explained

PATH = "/toets"
#: The name of the field of the form, and the most bytes of a form.
_FIELD, _MOST_BYTES = "site", 4096
#: The seconds after which a page of a test that goes on is loaded again.
_AGAIN = "3"
_BUSY = "Er wachten nu te veel toetsen. Probeer het over een paar minuten opnieuw."
_NO_INDEX = {"x-robots-tag": "noindex"}


async def form(request: Request) -> Response:
    """Answer with the form; or start the test that it asks for, and lead to its page."""
    if request.method != "POST":
        return await _form(request)
    if request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        raise HTTPException(403, "Een toets begint op deze pagina, en niet op een andere website.")
    typed, toets = await _typed(request), request.app.state.options.toets
    try:
        meant = await request.app.state.asking(toets.hosts.meant, typed)
        if "" not in meant:
            return await _form(request, typed=typed, choices=meant)
        toets.start(host := meant[""][0], request.client.host if request.client else "")
    except NotUnderstoodError as error:
        return await _form(request, status=400, typed=typed, problem=str(error))
    except TooSoonError as error:
        headers = {"retry-after": str(error.seconds)}
        return await _form(request, status=429, headers=headers, typed=typed, problem=str(error))
    except BusyError:
        return await _form(request, status=503, headers={"retry-after": "60"}, typed=typed, problem=_BUSY)
    return RedirectResponse(address_of(request, f"{PATH}/{host}"), 303)


async def _form(request: Request, **given: Any) -> Response:
    shown = {"host": None, "choices": {}, "typed": "", "problem": ""} | given
    sample = request.app.state.options.toets.sample
    return await page(request, "toets.html", sample=sample, most=MAX_TYPED, **shown)


async def _typed(request: Request) -> str:
    """Return what was typed into the form. Raises HTTPException if the form is too large."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_BYTES:
            raise HTTPException(413, "Dit is te lang voor een adres.")
    return parse_qs(body.decode(errors="replace")).get(_FIELD, [""])[0]


async def result(request: Request) -> Response:
    """Answer with the page of a host: how far its test is, or its last result; with a choice for a name."""
    meant, host, progress, found = await _found(request)
    if not host:
        return await _form(request, headers=_NO_INDEX, typed=request.path_params["host"], choices=meant)
    toets, changes = request.app.state.options.toets, found.host.changes if found else None
    goes_on = progress is not None and request.query_params.get("vernieuwen") != "nee"
    return await page(
        request,
        "toets.html",
        headers=_NO_INDEX | ({"refresh": _AGAIN, "cache-control": "no-store"} if goes_on else {}),
        status=200 if progress or found else 404,
        host=host,
        progress=progress,
        goes_on=goes_on,
        result=found,
        fixed=[explained(code).what for code in changes.mended] if changes else [],
        minutes=-(-toets.wait(host) // 60),
        is_unfinished=toets.is_unfinished(host),
        json=f"{BASE}{PATH}/{host}",
    )


async def result_as_json(request: Request) -> Response:
    """Answer with how far the test of a host is, or with the report of its last one."""
    _, _, progress, found = await _found(request)
    if progress is not None:
        return JSONResponse({"plaats": progress.place}, 202, {**_NO_INDEX, "retry-after": _AGAIN})
    if found is None:
        raise HTTPException(404, "Van deze website is geen resultaat.")
    headers = {**_NO_INDEX, "etag": entity_tag(found.json.decode()), "cache-control": "no-cache"}
    return not_modified(request, headers) or Response(found.json, 200, headers, "application/json")


async def _found(request: Request) -> tuple[Meant, str, Progress | None, Result | None]:
    """Return what an address means, its host if it is no name, and that one's progress and last result."""
    state, given = request.app.state, request.path_params["host"]
    toets = state.options.toets
    try:
        meant = await state.asking(toets.hosts.meant, given)
    except NotUnderstoodError:
        raise HTTPException(404) from None
    host = meant.get("", [""])[0]
    if host not in ("", given):
        path = own_path(request).removesuffix(given) + host
        raise HTTPException(302, headers={"location": address_of(request, path)})
    return meant, host, await state.asking(toets.progress, host), await state.asking(toets.result, host)


ROUTES = [
    Route(PATH, form, methods=["GET", "POST"]),
    Route(PATH + "/{host}", result),
    Route(f"{BASE}{PATH}/{{host}}", result_as_json),
]
