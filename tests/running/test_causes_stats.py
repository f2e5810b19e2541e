from __future__ import annotations

from scrapy.utils.test import get_crawler

from woo_harvester.running.causes import RunStats


def test_statistics_are_counted_as_scrapy_does() -> None:
    stats = RunStats(get_crawler())
    stats.inc_value("woo/files/stored")
    stats.inc_value("woo/files/stored", 2)
    stats.set_value("woo/run", "first")
    stats.max_value("depth", 3)
    stats.max_value("depth", 2)
    assert stats.get_stats() == {"woo/files/stored": 3, "woo/run": "first", "depth": 3}
    assert stats.get_value("absent", 7) == 7


def test_no_method_is_wrapped_when_it_is_used() -> None:
    stats = RunStats(get_crawler())
    stats.inc_value("woo/files/stored")
    assert not [name for name in vars(stats) if name.startswith("_cached_")]
