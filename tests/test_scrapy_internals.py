"""The names of Scrapy that the project relies on, though Scrapy does not promise them: see docs/scrapy.md.

Each is asserted alone, so that a new Scrapy that changes one fails here first, with its name.
"""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterator
from inspect import getsource, iscoroutinefunction, signature
from typing import Any

import pytest
from aiohttp import BaseConnector, StreamReader, TCPConnector
from aiohttp.client_proto import ResponseHandler
from scrapy import cmdline
from scrapy.addons import AddonManager
from scrapy.commands import check, fetch, parse, shell
from scrapy.core.downloader import Downloader, Slot
from scrapy.core.engine import ExecutionEngine
from scrapy.crawler import AsyncCrawlerProcess, Crawler, CrawlerProcess
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.extensions.feedexport import FeedExporter
from scrapy.utils.misc import walk_modules_iter

from tests.conftest import ROOT

PAGE = ROOT / "docs" / "scrapy.md"


@pytest.fixture
def slot() -> Slot:
    return Slot(concurrency=1, delay=0.5, jitter=0.5)


def test_a_slot_keeps_what_waits_in_a_deque_that_can_be_replaced(slot: Slot) -> None:
    assert isinstance(slot.queue, deque)
    slot.queue = deque()


def test_a_slot_counts_what_is_under_way_in_a_set(slot: Slot) -> None:
    assert slot.transferring == set()
    assert slot.free_transfer_slots() == 1


def test_a_slot_has_a_delay_a_jitter_and_the_moment_of_its_last_request(slot: Slot) -> None:
    assert (slot.delay, slot.jitter, slot.lastseen) == (0.5, 0.5, 0)


def test_the_slots_of_the_downloader_are_found_by_name() -> None:
    assert "self.slots: dict[str, Slot]" in getsource(Downloader.__init__)


def test_the_engine_has_a_slot_that_says_whether_it_is_closing_and_what_is_in_progress() -> None:
    assert "self._slot: _Slot | None" in getsource(ExecutionEngine.__init__)
    of_slot = getsource(_engine_slot())
    assert "self.closing" in of_slot
    assert "self.inprogress" in of_slot


def test_a_feed_is_closed_by_a_method_that_finishes_stores_and_sends_a_signal() -> None:
    assert list(signature(FeedExporter._close_slot).parameters) == ["self", "slot", "spider"]
    closing = getsource(FeedExporter._close_slot)
    steps = (
        "slot.finish_exporting()",
        "slot.storage.store(self._get_file(slot))",
        "feed_slot_closed, slot=slot",
    )
    assert [step for step in steps if step not in closing] == []


def test_the_settings_of_add_ons_are_loaded_with_one_method() -> None:
    assert list(signature(AddonManager.load_settings).parameters) == ["self", "settings"]


def test_the_process_is_reported_of_signals_by_two_methods() -> None:
    for method in (AsyncCrawlerProcess._signal_shutdown, AsyncCrawlerProcess._signal_kill):
        assert len(signature(method).parameters) == 3


def test_a_crawler_has_no_engine_before_its_crawl() -> None:
    assert "self._engine: ExecutionEngine | None" in getsource(Crawler.__init__)


def test_a_crawler_has_its_signals_before_its_addons() -> None:
    made = getsource(Crawler.__init__)
    assert "self.signals: SignalManager = SignalManager(self)" in made
    assert "self.signals" not in made.split("SignalManager(self)")[1]


def test_a_crawl_that_ends_without_a_spider_has_failed() -> None:
    assert 'not getattr(crawler, "spider", None)' in getsource(AsyncCrawlerProcess._done)
    assert 'not getattr(crawler, "spider", None)' in getsource(CrawlerProcess._crawl)


def test_commands_that_try_something_out_replace_start_or_make_no_spider() -> None:
    for command in (check, fetch, parse):
        assert "spidercls.start = start" in getsource(command)
    assert "crawler._apply_settings()" in getsource(shell)
    made, applied = (
        getsource(Crawler.crawl_async).find(each) for each in ("_create_spider", "_apply_settings")
    )
    assert 0 < made < applied


def test_the_middleware_of_robots_txt_asks_one_method_for_the_rules() -> None:
    assert iscoroutinefunction(RobotsTxtMiddleware.robot_parser)


def test_the_command_line_makes_its_parser_by_a_name_that_can_be_replaced() -> None:
    assert "parser = ScrapyArgumentParser(" in getsource(cmdline.execute)
    assert 'usage=f"scrapy {cmdname} ' in getsource(cmdline.execute)


def test_the_client_makes_its_connections_with_one_function() -> None:
    assert "self._factory = functools.partial(ResponseHandler, loop=loop)" in getsource(BaseConnector)
    made = getsource(TCPConnector)
    assert "ResponseHandler(" not in made
    assert "self._factory" in made


def test_a_connection_is_given_answers_one_by_one_and_closed_by_a_method() -> None:
    received = getsource(ResponseHandler.data_received)
    assert "self.feed_data((message, payload), 0)" in received
    assert "self.set_exception(exc, underlying_exc)" in received
    assert "protocol.close()" in getsource(BaseConnector._release)
    assert isinstance(ResponseHandler.should_close, property)
    assert callable(ResponseHandler.set_response_params)
    assert "self.total_bytes += data_len" in getsource(StreamReader.feed_data)


#: Names of Python that begin with an underscore and are documented, or that Python gives to each class.
DOCUMENTED = {"_asdict", "_make", "_replace", "_value_", "_exit", "_abc_impl"}


def test_the_page_names_each_private_name_of_others() -> None:
    """A private name of others is one that the module, or for ``self`` the project, does not give itself."""
    files = {path: ast.parse(path.read_bytes()) for path in (ROOT / "woo_harvester").rglob("*.py")}
    given = {path: set(_given(tree)) for path, tree in files.items()}
    of_project = set().union(*given.values())
    used: set[str] = set(_overridden())
    for path, tree in files.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                is_of_self = ast.unparse(node.value) in ("self", "cls", "super()")
                used |= {node.attr} - (of_project if is_of_self else given[path])
            elif isinstance(node, ast.ImportFrom) and not str(node.module).startswith("woo_"):
                used |= {one.name for one in node.names}
    private = {name for name in used if re.match("_[a-z]", name)} - DOCUMENTED
    named = set(re.findall(r"(?<=[`.])_[a-z]\w+(?=`)", PAGE.read_text(encoding="utf-8")))
    assert private - named == set()


def _given(tree: ast.AST) -> Iterator[str]:
    """The names that a module gives to functions, classes, attributes and variables."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.attr if isinstance(node, ast.Attribute) else node.id


def _overridden() -> Iterator[str]:
    """The private names of others that classes of the project replace."""
    for module in walk_modules_iter("woo_harvester"):
        for each in vars(module).values():
            if isinstance(each, type) and each.__module__ == module.__name__:
                of_others = [
                    base for base in each.__mro__ if base.__module__.startswith(("scrapy", "aiohttp"))
                ]
                yield from (name for base in of_others for name in vars(base) if name in vars(each))


def test_the_page_names_each_test_file_that_is_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text))
    missing = [
        (path, test)
        for path, test in named
        if not (ROOT / path).is_file() or f"def {test}" not in (ROOT / path).read_text(encoding="utf-8")
    ]
    assert missing == []


def _engine_slot() -> Any:
    from scrapy.core import engine

    return engine._Slot
