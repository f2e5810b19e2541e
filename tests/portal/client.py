"""Requests to the application without a server, and records to ask it about."""

from __future__ import annotations

import asyncio
import json
import shutil
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.parse import urlencode

import httpx
from lxml import html
from lxml.html import HtmlElement
from starlette.applications import Starlette

from woo_portal.app import Options, make_app
from woo_portal.embedded.engine import EmbeddedEngine


class Client:
    """A client of an application; each request has an event loop of its own."""

    def __init__(self, app: Starlette, address: str = "127.0.0.1") -> None:
        self.app = app
        self._address = address

    def get(self, url: str, **options: Any) -> httpx.Response:
        """Return the answer to a GET."""
        return self.request("GET", url, **options)

    def request(self, method: str, url: str, *, root_path: str = "", **options: Any) -> httpx.Response:
        """Return the answer to a request. A fault of the application is an answer with status 500."""
        return asyncio.run(self._request(method, url, root_path, options))

    async def _request(
        self, method: str, url: str, root_path: str, options: dict[str, Any]
    ) -> httpx.Response:
        transport = httpx.ASGITransport(
            self.app, raise_app_exceptions=False, client=(self._address, 1), root_path=root_path
        )
        async with httpx.AsyncClient(transport=transport, base_url="http://portal.test") as client:
            return await client.request(method, url, **options)


def client_of(records: Iterable[Mapping[str, Any]], options: Options | None = None) -> Client:
    """Return a client of a portal over an index of these records, which goes with the client."""
    folder = Path(mkdtemp(prefix="woo-test-portal-"))
    file = folder / "records.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    engine = EmbeddedEngine.open(folder / "portal", 60)
    engine.fill([file])
    client = Client(make_app(engine, options or Options()))
    weakref.finalize(client, _end, engine, folder)
    return client


def _end(engine: EmbeddedEngine, folder: Path) -> None:
    engine.close()
    shutil.rmtree(folder)


def opened(client: Client, path: str) -> HtmlElement:
    """Return the page at a path, which must be there."""
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return html.fromstring(answer.content)


def ticked(page: HtmlElement, label: str) -> str:
    """Return the path of a search after the box of a filter is ticked, or no longer ticked."""
    form = page.forms[-1]
    labels = [each for each in form.cssselect(".boxes label") if each.text_content().strip() == label]
    box: Any = labels[0].cssselect("input")[0]
    box.checked = not box.checked
    return f"{form.get('action')}?{urlencode([pair for pair in form.form_values() if pair[1]])}"
