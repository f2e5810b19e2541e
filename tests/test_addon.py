from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from scrapy import Spider
from scrapy.commands.bench import _BenchSpider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.extensions.remote_control import RemoteControl
from scrapy.extensions.telnet import TelnetConsole
from scrapy.settings import BaseSettings, Settings
from scrapy.spiders import SitemapSpider
from scrapy.utils.conf import build_component_list
from scrapy.utils.misc import load_object
from scrapy.utils.spider import DefaultSpider
from scrapy_deltafetch import DeltaFetch

from woo_harvester import Addon, addon
from woo_harvester import settings as project
from woo_harvester.extensions.findings import Findings
from woo_harvester.pipelines.record import DefaultsPipeline, FileTypePipeline, MetadataPipeline
from woo_harvester.running.default_settings import SETTINGS
from woo_harvester.spiders.middlewares import WooDeltaFetch
from woo_harvester.spiders.woo import WooSpider


class Eigen(WooSpider):
    """A spider of the project that uses the add-on, made from one of this project."""

    name = "eigen"


class Stock(SitemapSpider):
    """A spider that has nothing to do with this project."""

    name = "stock"


class Own:
    """A pipeline of the project that uses the add-on."""


def settings_of(**own: Any) -> Settings:
    """Return the settings of a project that uses the add-on and has these settings of its own."""
    settings = Settings(own)
    Addon.update_pre_crawler_settings(settings)
    Addon().update_settings(settings)
    return settings


def running(settings: BaseSettings, name: str) -> list[type]:
    """Return the components in a setting that are on, in running order."""
    components = settings.get_component_priority_dict_with_base(name)
    return [load_object(component) for component in build_component_list(components)]


def test_a_project_gets_the_spiders_beside_its_own() -> None:
    settings = settings_of(SPIDER_MODULES=["mijn.spiders"])
    assert settings.getlist("SPIDER_MODULES") == ["mijn.spiders", *project.SPIDER_MODULES]


def test_spiders_that_are_there_already_are_not_added_again() -> None:
    assert settings_of(SPIDER_MODULES=[*project.SPIDER_MODULES]).getlist("SPIDER_MODULES") == [
        *project.SPIDER_MODULES
    ]


def test_every_setting_has_its_default() -> None:
    settings = settings_of()
    for setting in SETTINGS:
        assert settings[setting.name] == setting.default, setting.name


def test_a_projects_own_values_win() -> None:
    own = {"WOO_REPORT_DIR": "elders", "ROBOTSTXT_OBEY": False, "FEEDS": {"uit.csv": {"format": "csv"}}}
    settings = settings_of(**own)
    assert settings["WOO_REPORT_DIR"] == "elders"
    assert settings.getbool("ROBOTSTXT_OBEY") is False
    assert settings.getdict("FEEDS") == {"uit.csv": {"format": "csv"}}


def test_what_a_project_leaves_open_is_filled_in() -> None:
    settings = settings_of()
    for name, value in addon.SETTINGS.items():
        assert settings.getdict(name) == value if isinstance(value, dict) else settings[name] == value


def test_components_that_a_project_has_placed_stay_where_they_are() -> None:
    path = "woo_harvester.pipelines.record.DefaultsPipeline"
    settings = settings_of(ITEM_PIPELINES={path: 50, Own: 150})
    pipelines = settings.get_component_priority_dict_with_base("ITEM_PIPELINES")
    placed = [(load_object(component), place) for component, place in pipelines.items()]
    assert (Own, 150) in placed
    assert [place for component, place in placed if component is DefaultsPipeline] == [50]


def test_a_component_that_a_project_has_switched_off_stays_off() -> None:
    settings = settings_of(EXTENSIONS={Findings: None})
    assert Findings not in running(settings, "EXTENSIONS")


def test_a_projects_own_handler_for_https_wins() -> None:
    own = "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"
    assert settings_of(DOWNLOAD_HANDLERS={"https": own}).getdict("DOWNLOAD_HANDLERS")["https"] == own
    assert settings_of(DOWNLOAD_HANDLERS={"ftp": None}).getdict("DOWNLOAD_HANDLERS") == {
        "ftp": None,
        **project.DOWNLOAD_HANDLERS,
    }


def test_nobody_can_run_code_in_the_crawl() -> None:
    extensions = running(settings_of(), "EXTENSIONS")
    assert TelnetConsole not in extensions
    assert RemoteControl not in extensions
    assert Findings in extensions


def test_what_was_given_is_mapped_before_it_is_filled_in_and_filled_in_before_it_is_filtered() -> None:
    pipelines = running(settings_of(), "ITEM_PIPELINES")
    places = [pipelines.index(each) for each in (MetadataPipeline, DefaultsPipeline, FileTypePipeline)]
    assert places == sorted(places)


def test_every_component_can_be_loaded() -> None:
    for name in addon.COMPONENTS:
        assert all(load_object(path) for path in getattr(project, name)), name


def test_the_middlewares_that_are_extended_do_not_run_themselves() -> None:
    middlewares = running(settings_of(), "DOWNLOADER_MIDDLEWARES")
    for kind in middlewares:
        assert not any(kind in other.__mro__[1:] for other in middlewares), kind


def crawler_of(spidercls: type[Spider] = Eigen, **settings: Any) -> Crawler:
    """Return a crawler as it is when Scrapy asks the add-on for its settings."""
    crawler = Crawler(spidercls, {"TWISTED_REACTOR_ENABLED": False, **settings})
    crawler.spider = spidercls()
    return crawler


def test_a_crawl_gets_the_components() -> None:
    assert isinstance(Addon.from_crawler(crawler_of()), Addon)


def test_spiders_of_others_and_commands_that_try_something_out_get_none_of_them() -> None:
    async def start(self: Spider) -> AsyncIterator[Any]:
        yield None

    start.__module__ = "scrapy.commands.fetch"
    fetched = type("Fetched", (Eigen,), {"start": start})
    shell = crawler_of()
    shell.spider = None
    others = (crawler_of(kind) for kind in (DefaultSpider, _BenchSpider, fetched, Stock))
    for crawler in (*others, shell):
        with pytest.raises(NotConfigured) as caught:
            Addon.from_crawler(crawler)
        assert caught.value.args == ()  # with a text, Scrapy would log a warning


def test_in_this_project_a_spider_of_others_has_scrapys_own_components() -> None:
    named = {name: getattr(project, name) for name in (*addon.COMPONENTS, *addon.BY_NAME)}
    named["ITEM_PIPELINES"] = {**project.ITEM_PIPELINES, "its.Own": 350}
    crawler = crawler_of(Stock, **named)
    with pytest.raises(NotConfigured):
        Addon.from_crawler(crawler)
    left = {name: crawler.settings.getdict(name) for name in named}
    assert left == {**{name: {} for name in named}, "ITEM_PIPELINES": {"its.Own": 350}}


def test_a_wrong_value_is_reported_and_its_default_used_in_its_place(
    caplog: pytest.LogCaptureFixture,
) -> None:
    crawler = crawler_of(WOO_HOST_BACKLOG="many", WOO_TEXT="perhaps")
    Addon(crawler).update_settings(crawler.settings)
    assert crawler.settings.getint("WOO_HOST_BACKLOG") == 8
    assert crawler.settings.getbool("WOO_TEXT") is False
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == [
        "WOO_HOST_BACKLOG: expected requests from 1 to 1,000,000,000,000,000, got many"
    ]


def test_a_setting_of_scrapy_deltafetch_without_a_meaning_is_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings_of(DELTAFETCH_DIR="delta", DELTAFETCH_RESET=True)
    (line,) = caplog.messages
    assert line.startswith(
        "DELTAFETCH_DIR has no meaning with woo_harvester.Addon: of scrapy-deltafetch it has "
    )
    assert "DELTAFETCH_ENABLED and DELTAFETCH_RESET" in line


def test_scrapy_deltafetch_itself_is_replaced_in_its_place(caplog: pytest.LogCaptureFixture) -> None:
    settings = settings_of(SPIDER_MIDDLEWARES={"scrapy_deltafetch.DeltaFetch": 120})
    given = settings.get_component_priority_dict_with_base("SPIDER_MIDDLEWARES")
    placed = {load_object(each): place for each, place in given.items()}
    assert DeltaFetch not in placed
    assert placed[WooDeltaFetch] == 120
    assert "SPIDER_MIDDLEWARES names scrapy_deltafetch.DeltaFetch" in caplog.text


def test_a_project_without_scrapy_deltafetch_gets_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    settings_of()
    assert caplog.messages == []
