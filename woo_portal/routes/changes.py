"""What is new, changed and withdrawn: a page, a feed, and records for a copy elsewhere that follows."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from woo_harvester.kinds import PERMITS, WOO, Kind
from woo_harvester.outputs.document import record_of
from woo_harvester.utils.dates import parse_datetime
from woo_portal.details import cause_of, first
from woo_portal.downloads import MEDIA_TYPE, Entry, atom, harvested_at, summary_of
from woo_portal.engine import Answer, Changes, Followed
from woo_portal.openapi import API, CHANGES, MAX_CHANGES
from woo_portal.pages import headers_for, not_modified, page, root_of
from woo_portal.parse import Pairs, number_of, question_of_pairs
from woo_portal.question import Question, QuestionError, Sort
from woo_portal.results import Address, paging
from woo_portal.wording import day_and_time, search_path

_Endpoint = Callable[[Request], Awaitable[Response]]

#: The number of changes in an answer unless the address has another, by the end of the address.
_SIZES = {"jsonl": MAX_CHANGES, "atom": 50}
#: The number of changes on a page.
_ON_PAGE = 25
_TITLES = {WOO.name: "Wijzigingen", PERMITS.name: "Wijzigingen van vergunningen"}
_NOUNS = {WOO.name: ("document", "documenten"), PERMITS.name: ("vergunning", "vergunningen")}
Json = Mapping[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FOLLOWED = re.compile(r"([0-9a-z]{0,16})" + r"\.([0-9]{1,18})" * 4)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a program asks: the first changes that it does not have, at most so many."""

    followed: Followed
    size: int
    is_open: bool
    """Whether it names no place to begin."""


def _asked(pairs: Pairs, size: int) -> _Asked:
    """Return the question in parameters. Raises QuestionError."""
    found: dict[str, str] = {}
    for name, value in pairs:
        if name not in ("sinds", "na", "aantal"):
            raise QuestionError(f"De vraag kent geen {name[:50]!r}. Mogelijk zijn: sinds, na, aantal.")
        if value.strip() and found.setdefault(name, value.strip()) != value.strip():
            raise QuestionError(f"Geef {name} maar één keer.")
    number = number_of("aantal", found.get("aantal", str(size)))
    if not 1 <= number <= MAX_CHANGES:
        raise QuestionError(f"aantal is 1 tot en met {MAX_CHANGES}.")
    since = Followed(moment=_since(found.get("sinds", "")))
    followed = _followed(found["na"]) if "na" in found else since
    return _Asked(followed, number, is_open=found.keys().isdisjoint(("sinds", "na")))


def _since(text: str) -> int:
    """Return a moment in milliseconds since 1970; in an address, a plus of an offset may be a space."""
    try:
        moment = parse_datetime(re.sub(r"(?<=\d) (?=\d\d:?\d\d$)", "+", text)) if text else _EPOCH
    except ValueError:
        raise QuestionError("sinds is een dag of moment, zoals 2026-04-02 of 2026-04-02T10:00:00Z.") from None
    return max(0, (moment - _EPOCH) // timedelta(milliseconds=1))


def _followed(text: str) -> Followed:
    match = _FOLLOWED.fullmatch(text)
    if match is None:
        raise QuestionError("na komt uit een eerder antwoord: neem dat adres over zoals het is.")
    index, *numbers = match.groups()
    return Followed(index, *map(int, numbers))


def _onward(path: str, asked: _Asked, found: Changes, size: int) -> str:
    """Return the path of the changes after those that were found."""
    pairs = [("na", ".".join(map(str, astuple(found.followed))))]
    return search_path([*pairs, *([("aantal", str(asked.size))] if asked.size != size else [])], path)


def _program(kind: Kind, path: str, suffix: str) -> _Endpoint:
    """Return the endpoint of the changes of a kind as a feed or as records.

    A feed without a place to begin has the latest changes first, as readers of feeds expect.
    """
    size = _SIZES[suffix]

    async def endpoint(request: Request) -> Response:
        asked, root, state = (
            _asked(request.query_params.multi_items(), size),
            root_of(request),
            request.app.state,
        )
        headers = await headers_for(request, path, asked, root)
        if unchanged := not_modified(request, headers):
            return unchanged
        if suffix == "atom" and asked.is_open:
            latest: Answer = await state.asking(state.engine.search, _latest(kind, 0, asked.size))
            return _feed(request, kind, [hit.document for hit in latest.hits], headers)
        found: Changes = await state.asking(state.engine.changes, kind, asked.followed, asked.size)
        onward = root + _onward(path, asked, found, size)
        headers["link"] = f'<{onward}>; rel="next"'
        if suffix == "atom":
            return _feed(request, kind, found.documents, headers, onward if found.has_more else "")
        lines = (json.dumps(record_of(each), ensure_ascii=False) + "\n" for each in found.documents)
        return Response("".join(lines), headers=headers, media_type="application/jsonl; charset=utf-8")

    return endpoint


def _feed(
    request: Request, kind: Kind, documents: Sequence[Json], headers: dict[str, str], onward: str = ""
) -> Response:
    root, path = root_of(request), CHANGES[kind.name]
    first = f"{root}{path}.atom"
    links = {"alternate": root + path, "self": f"{first}?{request.url.query}".rstrip("?"), "first": first}
    links |= {"next": onward} if onward else {}
    title = f"{request.app.state.options.title}: {_TITLES[kind.name].lower()}"
    entries = [
        Entry(
            each["id"],
            # Readers of feeds sort by the moment. The publisher's may be years ago.
            replace(summary_of(kind, each), changed=harvested_at(each)),
            cause_of(each),
        )
        for each in documents
    ]
    feed = atom(title, root, links, entries, None)
    return Response(feed, headers=headers, media_type=MEDIA_TYPE)


def _latest(kind: Kind, start: int, size: int) -> Question:
    """Return the question about the latest changes, those of withdrawn records too."""
    return Question(
        kind,
        status=None,
        sort=Sort.HARVESTED,
        start=start,
        size=size,
        with_counts=False,
        with_highlights=False,
    )


def _page(kind: Kind) -> _Endpoint:
    """Return the endpoint of the page with the latest changes of a kind first."""
    path = CHANGES[kind.name]

    async def endpoint(request: Request) -> Response:
        pairs = request.query_params.multi_items()
        if others := sorted({name for name, _ in pairs} - {"start"}):
            raise QuestionError(f"De vraag kent geen {others[0][:50]!r}. Mogelijk is: start.")
        given = question_of_pairs(kind, pairs, size=_ON_PAGE)
        question, state = _latest(kind, given.start, _ON_PAGE), request.app.state
        answer = await state.asking(state.engine.search, question)
        rows = [
            (cause_of(each.document), summary_of(kind, each.document),
             day_and_time(first(each.document, "herkomst.opgehaald")))
            for each in answer.hits
        ]  # fmt: skip
        return await page(
            request, "changes.html", title=_TITLES[kind.name], path_of_changes=path, rows=rows,
            nouns=_NOUNS[kind.name], place=paging(question, answer, Address([], path)),
        )  # fmt: skip

    return endpoint


ROUTES = [
    *(Route(CHANGES[kind.name], _page(kind)) for kind in Kind),
    *(
        Route(path, _program(kind, path, suffix))
        for kind in Kind
        for suffix in _SIZES
        for path in (f"{CHANGES[kind.name]}.{suffix}", f"{API[kind.name]}/wijzigingen.{suffix}")
    ),
]
