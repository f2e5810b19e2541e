"""A minimal HTTP client, so that a test of a server tests only the server."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from dataclasses import dataclass

from woo_harvester.demo.server import Authority, LoopbackServer


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    """Values by lower-case name."""
    body: bytes

    @property
    def media_type(self) -> str:
        return self.headers["content-type"].partition(";")[0]


def get(
    ca: Authority,
    server: LoopbackServer,
    target: str = "/",
    *,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    timeout: float = 10,
) -> Answer:
    """Send one request on a new connection; redirects are not followed."""
    connection = http.client.HTTPSConnection(server.host, timeout=timeout, context=ca.client_context())
    try:
        connection.request(method, target, headers=dict(headers or {}))
        response = connection.getresponse()
        named = {name.lower(): value for name, value in response.getheaders()}
        return Answer(response.status, named, response.read())
    finally:
        connection.close()
