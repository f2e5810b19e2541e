from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import Settings
from spidermon.exceptions import NotConfigured
from spidermon.runners import MonitorRunner

from tests.extensions.runs import BOUNDS, NOW, account, run
from woo_harvester.extensions.monitored_runs import Runs
from woo_harvester.extensions.monitors import MonitorResults, RunSuite, SendSlack, monitored, run_monitors

SLACK = {"SPIDERMON_SLACK_SENDER_TOKEN": "xoxb-1", "SPIDERMON_SLACK_RECIPIENTS": ["#woo"]}
FAILING = Runs(run(account(listed=0)), [run(account())]), BOUNDS, NOW


Posted = list[tuple[str, dict[str, str]]]


class Slack(BaseHTTPRequestHandler):
    """A server that answers as Slack does, and keeps the posted messages."""

    posted: Posted

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers["Content-Type"].startswith("application/json"):
            self.posted.append((self.path, json.loads(body or b"{}")))
        answer = json.dumps({"ok": True, "members": []}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing to stderr."""


@pytest.fixture
def slack() -> Iterator[tuple[str, Posted]]:
    posted: Posted = []
    handler = type("Handler", (Slack,), {"posted": posted})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/api/", posted
        server.shutdown()


def crawler(**settings: object) -> Crawler:
    return Crawler(Spider, Settings(settings))


def test_what_failed_is_posted_to_slack(slack: tuple[str, Posted]) -> None:
    address, posted = slack
    suite = RunSuite(crawler(**SLACK))
    (action,) = suite.monitors_failed_actions
    action.manager._client.base_url = address
    outcome = MonitorResults(MonitorRunner().run(suite, **monitored(*FAILING)))
    assert outcome.unsent == []
    (form,) = [form for path, form in posted if path == "/api/chat.postMessage"]
    assert form["channel"] == "#woo"
    assert form["username"] == "woo-harvester"
    assert form["text"].startswith(
        "woo-harvester: 2 of the monitors failed\nwoo-2026-11-21T05-15-00.000000, ended"
    )
    assert "www.a.nl (100 documents before)" in form["text"]


def test_a_notification_that_fails_is_reported_in_a_line() -> None:
    suite = RunSuite(crawler(**SLACK))
    suite.monitors_failed_actions[0].manager._client.base_url = "http://127.0.0.1:1/api/"
    outcome = MonitorResults(MonitorRunner().run(suite, **monitored(*FAILING)))
    assert not outcome.passed
    (line,) = outcome.unsent
    assert line.startswith("SendSlack: urllib.error.URLError: ")


def test_without_settings_nobody_is_notified() -> None:
    assert RunSuite(crawler()).monitors_failed_actions == []
    outcome = run_monitors(crawler(), *FAILING)
    assert not outcome.passed
    assert [name for name, status, _ in outcome.lines if status == "FAIL"] == [
        "no drop in documents",
        "no host is suddenly empty",
    ]


def test_slack_needs_a_recipient() -> None:
    with pytest.raises(NotConfigured, match="SPIDERMON_SLACK_RECIPIENTS"):
        SendSlack.from_crawler(crawler(SPIDERMON_SLACK_SENDER_TOKEN="xoxb-1"))
