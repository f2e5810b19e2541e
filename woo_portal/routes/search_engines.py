"""What search engines read: robots.txt, and the sitemap of all documents."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from contextlib import closing
from itertools import islice
from math import ceil
from typing import Any
from xml.sax.saxutils import escape

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from woo_harvester.kinds import WOO
from woo_harvester.utils.dates import day_of
from woo_portal.asking import Parts, begin_download
from woo_portal.downloads import changed_at
from woo_portal.engine import Engine
from woo_portal.pages import address_of, headers_for, not_modified, root_of
from woo_portal.question import Question, Sort
from woo_portal.wording import document_path

#: The most documents of a sitemap, by its protocol. The parts have fewer, as they are not exactly equal.
MAX_ENTRIES, _ENTRIES_OF_PART = 50_000, 45_000

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_XMLNS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_XML = "application/xml"
_PART = re.compile("([1-9][0-9]{0,3})-van-([1-9][0-9]{0,3})")


async def robots(request: Request) -> Response:
    """Keep crawlers from following each combination of filters; they may have pages and documents."""
    root = address_of(request, "/")
    lines = (
        "User-agent: *",
        f"Disallow: {root}*?",
        f"Disallow: {root}api/",
        f"Sitemap: {root_of(request)}/sitemap.xml",
    )
    return PlainTextResponse("\n".join(lines) + "\n")


async def sitemap(request: Request) -> Response:
    """Answer with the sitemap of all documents, or the list of its parts if there are too many for one."""
    state = request.app.state
    contents = await state.asking(state.engine.contents, WOO)
    if contents.published <= MAX_ENTRIES:
        return await _documents(request, 1, 1)
    parts, root = ceil(contents.published / _ENTRIES_OF_PART), escape(root_of(request))
    lines = (
        f"<sitemap><loc>{root}/sitemap-{number}-van-{parts}.xml</loc></sitemap>\n"
        for number in range(1, parts + 1)
    )
    return Response(f"{_HEAD}<sitemapindex {_XMLNS}>\n{''.join(lines)}</sitemapindex>\n", media_type=_XML)


async def part_of_sitemap(request: Request) -> Response:
    """Answer with one part of the sitemap."""
    found = _PART.fullmatch(str(request.path_params["part"]))
    if found is None or int(found[1]) > int(found[2]):
        raise HTTPException(404)
    return await _documents(request, int(found[1]), int(found[2]))


async def _documents(request: Request, number: int, parts: int) -> Response:
    """Answer with the documents of one of several equal parts of all ids."""
    question = Question(WOO, part=(number, parts), sort=Sort.NEWEST, with_counts=False, with_highlights=False)
    headers = await headers_for(request, "sitemap", question, root_of(request))
    headers["content-type"] = _XML
    if unchanged := not_modified(request, headers):
        return unchanged
    if request.method == "HEAD":
        return Response(headers=headers)
    pieces = _pieces(request.app.state.engine, question, root_of(request))
    return await begin_download(request, Parts(pieces, pieces.close), headers)


def _pieces(engine: Engine, question: Question, root: str) -> Generator[str, None, None]:
    yield f"{_HEAD}<urlset {_XMLNS}>\n"
    with closing(engine.all_documents(question)) as documents:
        yield from (_entry(document, root) for document in islice(documents, MAX_ENTRIES))
    yield "</urlset>\n"


def _entry(document: Mapping[str, Any], root: str) -> str:
    changed = changed_at(document)
    lastmod = f"<lastmod>{day_of(changed).isoformat()}</lastmod>" if changed else ""
    return f"<url><loc>{escape(root + document_path(document['id']))}</loc>{lastmod}</url>\n"


ROUTES = [
    Route("/robots.txt", robots),
    Route("/sitemap.xml", sitemap),
    Route("/sitemap-{part}.xml", part_of_sitemap),
]
