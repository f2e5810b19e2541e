"""Fetching the register over HTTPS, from a real server on loopback."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trustme
from aiohttp import web

from tests.register.exports import TODAY, export, organisation, unexpected
from woo_harvester.findings import Finding, Reporter
from woo_harvester.register import Register, RegisterError
from woo_harvester.register.fetch import obtain_register

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]

WHOLE = export(organisation("A", *[f"https://www{number}.a.nl/" for number in range(10)]))
NEWER = export(organisation("A", *[f"https://www{number}.a.nl/" for number in range(12)]))


class Site:
    """A server of the register: each request gets the next answer, and later ones the last answer."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.requests: list[web.Request] = []

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return await answer(request)

    @asynccontextmanager
    async def serve(self, context: ssl.SSLContext | None) -> AsyncIterator[str]:
        app = web.Application()
        app.router.add_get("/{path:.*}", self.answer)
        runner = web.AppRunner(app, shutdown_timeout=0, handler_cancellation=True)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
            host, port = runner.addresses[0][:2]
            yield f"{'https' if context else 'http'}://{host}:{port}/exportOO.xml"
        finally:
            await runner.cleanup()


def whole(document: bytes, status: int = 200, **headers: str) -> Answer:
    async def answer(request: web.Request) -> web.StreamResponse:
        return web.Response(body=document, status=status, headers=headers)

    return answer


OLD, NEW = "Sat, 21 Nov 2026 05:00:00 GMT", "Sun, 22 Nov 2026 05:00:00 GMT"


def unless_known(document: bytes, modified: str) -> Answer:
    """Return the answer of a server that has dates: 304 for a client that has this version."""

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.headers.get("If-Modified-Since") == modified:
            return web.Response(status=304)
        return web.Response(body=document, headers={"Last-Modified": modified})

    return answer


def cut(document: bytes) -> Answer:
    """Announce the complete document, and hang up half-way."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": str(len(document))})
        await response.prepare(request)
        await response.write(document[: len(document) // 2])
        assert request.transport is not None
        request.transport.abort()
        return response

    return answer


async def endless(request: web.Request) -> web.StreamResponse:
    """Send a few bytes, and then nothing more."""
    response = web.StreamResponse()
    await response.prepare(request)
    await response.write(b"<o>")
    await asyncio.sleep(60)  # broken off when the client hangs up
    return response


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """Return the TLS context of a server whose authority is in ``SSL_CERT_FILE``."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    return context


class Harvest:
    """A harvest that gets the register a number of times, each with one answer of the site."""

    def __init__(self, site: Site, context: ssl.SSLContext, data_dir: Path) -> None:
        self.findings: list[Finding] = []
        self._site, self._context, self._data_dir = site, context, data_dir

    def run(self, *answers: Answer, time_limit: float = 10) -> list[Register]:
        async def run() -> list[Register]:
            async with self._site.serve(self._context) as url:
                registers = []
                for answer in answers:
                    self._site.answers = [answer]
                    registers.append(await self._obtain(url, time_limit))
                return registers

        return asyncio.run(run())

    async def _obtain(self, url: str, time_limit: float) -> Register:
        return await obtain_register(
            url,
            self._data_dir,
            Reporter(self.findings.append),
            TODAY,
            user_agent="test/1",
            time_limit=time_limit,
            backoff=0.001,
        )


@pytest.fixture
def harvest(site: Site, certificate: ssl.SSLContext, tmp_path: Path) -> Harvest:
    return Harvest(site, certificate, tmp_path / "data")


def test_a_register_is_fetched_with_user_agent_and_certificate(harvest: Harvest, site: Site) -> None:
    [register] = harvest.run(whole(WHOLE))
    assert register.location_count == 10
    assert harvest.findings == []
    assert site.requests[0].headers["User-Agent"] == "test/1"
    assert "If-Modified-Since" not in site.requests[0].headers


def test_a_register_is_fetched_through_the_proxy_of_the_environment(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def run() -> Register:
        async with site.serve(None) as proxy:
            monkeypatch.setenv("http_proxy", proxy)
            return await obtain_register(
                "http://register.invalid/exportOO.xml", tmp_path, unexpected, TODAY, user_agent="test/1"
            )

    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    site.answers = [whole(WHOLE)]
    assert asyncio.run(run()).location_count == 10
    assert [request.host for request in site.requests] == ["register.invalid"]


def test_a_register_that_did_not_change_is_not_sent_again(harvest: Harvest, site: Site) -> None:
    registers = harvest.run(*[unless_known(WHOLE, OLD)] * 2)
    assert [register.location_count for register in registers] == [10, 10]
    assert site.requests[1].headers["If-Modified-Since"] == OLD
    assert harvest.findings == []


def test_a_register_that_did_not_change_gives_its_findings_again(harvest: Harvest) -> None:
    faulty = export(organisation("A", "https://www.a.nl/", "geen"))
    harvest.run(*[unless_known(faulty, OLD)] * 2)
    assert [(finding.code, finding.seen) for finding in harvest.findings] == [
        ("register.url-ongeldig", "geen")
    ] * 2


def test_a_newer_register_replaces_the_copy(harvest: Harvest, site: Site) -> None:
    registers = harvest.run(*[unless_known(WHOLE, OLD)], unless_known(NEWER, NEW), whole(b"", status=500))
    assert [register.location_count for register in registers] == [10, 12, 12]


@pytest.mark.parametrize(
    ("answer", "reason", "requests"),
    [
        (whole(b"weg", status=404), "HTTP 404", 1),
        (whole(b"verboden", status=403), "HTTP 403", 1),
        (whole(b"storing", status=500), "HTTP 500", 3),
        (whole(b"druk", status=503), "HTTP 503", 3),
        (whole(b"", status=204), "HTTP 204", 1),
        (cut(WHOLE), "ClientPayloadError", 3),
        (whole(WHOLE[:500]), "not complete XML", 1),
        (whole(b"<!DOCTYPE html><html><body>Onderhoud</body></html>"), "no organisation", 1),
        (whole(b""), "not complete XML", 1),
        (whole(export()), "no organisation", 1),
        (whole(b"", status=302, Location="/exportOO.xml"), "TooManyRedirects", 10),
        (whole(b"", status=302, Location="http://127.0.0.1:9/"), "ClientConnectorError", 3),
    ],
)  # fmt: skip
def test_a_failed_or_implausible_fetch_leaves_the_copy_in_use_with_a_finding(
    harvest: Harvest, site: Site, answer: Answer, reason: str, requests: int
) -> None:
    registers = harvest.run(whole(WHOLE), answer, whole(NEWER))
    assert [register.location_count for register in registers] == [10, 10, 12]
    [finding] = harvest.findings
    assert finding.code == "register.onbereikbaar"
    assert reason in (finding.seen or "")
    assert len((finding.seen or "").splitlines()) == 1
    assert len(site.requests) == requests + 2


@pytest.mark.parametrize("status", [201, 202, 203, 204, 205, 206, 207, 226, 299])
def test_only_a_complete_answer_replaces_the_copy(harvest: Harvest, status: int) -> None:
    registers = harvest.run(whole(WHOLE), whole(NEWER, status=status))
    assert registers[-1].location_count == (12 if status == 203 else 10)
    assert [finding.seen for finding in harvest.findings] == ([] if status == 203 else [f"HTTP {status}"])


def test_an_answer_that_never_ends_is_given_up(harvest: Harvest) -> None:
    with pytest.raises(RegisterError, match="no earlier copy of it: time-out"):
        harvest.run(endless, time_limit=0.1)


def test_a_redirect_from_https_to_http_is_not_followed(
    site: Site, certificate: ssl.SSLContext, tmp_path: Path
) -> None:
    async def run() -> Register:
        async with Site().serve(None) as plain, site.serve(certificate) as url:
            site.answers = [whole(b"", status=301, Location=plain)]
            return await obtain_register(url, tmp_path, unexpected, TODAY, user_agent="test/1")

    with pytest.raises(RegisterError, match=r"redirected to http://.*, which is not https"):
        asyncio.run(run())


@pytest.mark.parametrize(
    "answer", [whole(b"", status=404), whole(WHOLE[:-5]), whole(export()), whole(b"", status=304)]
)
def test_without_a_copy_a_register_out_of_reach_is_one_line(harvest: Harvest, answer: Answer) -> None:
    with pytest.raises(RegisterError, match="no earlier copy") as raised:
        harvest.run(answer)
    assert len(str(raised.value).splitlines()) == 1
    assert harvest.findings == []


def test_a_temporary_fault_is_tried_again_and_leaves_no_trace_in_the_register(
    site: Site, certificate: ssl.SSLContext, tmp_path: Path
) -> None:
    async def run() -> Register:
        async with site.serve(certificate) as url:
            site.answers = [cut(NEWER + b" " * 100_000), whole(b"", status=502), whole(WHOLE)]
            return await obtain_register(url, tmp_path, unexpected, TODAY, user_agent="test/1", backoff=0.001)

    assert asyncio.run(run()).location_count == 10
    assert len(site.requests) == 3


def test_a_certificate_of_an_unknown_authority_is_refused_at_once(
    harvest: Harvest, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(RegisterError, match="certificate verify failed"):
        harvest.run(whole(WHOLE))
    assert site.requests == []


def test_a_server_that_does_not_answer_is_an_error(tmp_path: Path) -> None:
    source = "https://127.0.0.1:9/exportOO.xml"
    with pytest.raises(RegisterError, match="ClientConnectorError"):
        asyncio.run(obtain_register(source, tmp_path, unexpected, TODAY, user_agent="test/1", backoff=0.001))


def test_a_data_directory_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "register").write_text("in de weg")
    with pytest.raises(RegisterError, match="no earlier copy"):
        asyncio.run(obtain_register("https://127.0.0.1:9/", tmp_path, unexpected, TODAY, user_agent="test/1"))
