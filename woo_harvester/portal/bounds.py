"""The bounds on a request: its method, its address and its body."""

from __future__ import annotations

import asyncio

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from woo_harvester.portal.errors import error_response, for_programs

#: The longest address with its parameters, in bytes.
MAX_ADDRESS = 8_000
#: The most headers, and their largest size together, in bytes.
MAX_HEADERS, MAX_HEADER_BYTES = 100, 12_000
#: The largest body of a question to the API, in bytes, and the seconds in which it must come.
MAX_BODY = 64 * 1024
BODY_SECONDS = 10.0

_READING = ("GET", "HEAD")
_OF_API = (*_READING, "POST", "OPTIONS")


class Bounds:
    """Middleware that refuses what no page or question needs, before anything else looks at it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        methods = _OF_API if for_programs(request) else _READING
        if request.method not in methods:
            refusal = error_response(request, 405, headers={"allow": ", ".join(methods)})
        elif len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MAX_ADDRESS:
            refusal = error_response(request, 414)
        elif _has_large_headers(scope):
            refusal = error_response(request, 431)
        else:
            body = await _body(request)
            if isinstance(body, bytes):
                await self._app(scope, _given(body, receive), send)
                return
            refusal = error_response(request, body, headers={"connection": "close"})
        await refusal(scope, receive, send)


def _has_large_headers(scope: Scope) -> bool:
    headers = scope["headers"]
    size = sum(len(name) + len(value) for name, value in headers)
    return len(headers) > MAX_HEADERS or size > MAX_HEADER_BYTES


async def _body(request: Request) -> bytes | int:
    """Return the body of a request, or the status with which to refuse it."""
    if request.method != "POST":
        return b""
    found = b""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                found += part
                if len(found) > MAX_BODY:
                    return 413
    except TimeoutError:
        return 408
    except ClientDisconnect:
        return 400
    return found


def _given(body: bytes, receive: Receive) -> Receive:
    """Return a receiver that gives a body that was read already, and then what comes after it."""
    is_given = False

    async def receive_given() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_given
