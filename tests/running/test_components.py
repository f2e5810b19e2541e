from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings, Settings, iter_default_settings

from woo_harvester.running.causes import wrong_setting
from woo_harvester.running.components import check_settings

INFINITE = ("inf", "nan", "1e9", float("inf"), float("nan"))

#: Values with which a run would wait for ever or harvest nothing, and the bound that the message names.
HANGING: dict[str, tuple[str, tuple[object, ...]]] = {
    "AUTOTHROTTLE_START_DELAY": ("86,400 or less", INFINITE),
    "CLOSESPIDER_TIMEOUT": ("0 or more", ("-1", -1)),
    "CONCURRENT_ITEMS": ("1 or more", ("0", "-1", 0)),
    "CONCURRENT_REQUESTS_PER_DOMAIN": ("1 or more", ("0", "-1", -1)),
    "DOWNLOAD_DELAY": ("86,400 or less", INFINITE),
    "DOWNLOAD_DELAY_JITTER": ("100 or less", INFINITE),
    "DOWNLOAD_TIMEOUT": ("2,000,000 or less", INFINITE),
    "LOGSTATS_INTERVAL": ("0 or more", ("-1", -1)),
    "MEMUSAGE_CHECK_INTERVAL_SECONDS": ("0.001 or more", ("-1", 0)),
    "MEMUSAGE_LIMIT_MB": ("0 or more", ("-1", -1)),
    "REACTOR_THREADPOOL_MAXSIZE": ("0 or more", ("-1", -1)),
    "SCRAPER_SLOT_MAX_ACTIVE_SIZE": ("0 or more", ("-1", -1)),
}


def accepted(default: object) -> Iterator[object]:
    """Yield values that Scrapy accepts for a setting with this default."""
    if isinstance(default, bool):
        yield from (True, False, 1, 0, "True", "False", "true", "false", "1", "0")
    elif isinstance(default, int | float):
        yield from (1, "1", 2, "2", default, str(default))
        if isinstance(default, float):
            yield from (0.5, "0.5", "1e1")
    elif isinstance(default, BaseSettings | dict):
        yield from ({}, "{}", dict(default))
    elif isinstance(default, list | tuple):
        yield from ([], "", "a,b", ["a"])
    elif default is None:
        yield None


def problem(**given: object) -> str | None:
    """Return the message about these settings, or None."""
    try:
        check_settings(Settings(given))
    except UsageError as error:
        return str(error)
    return None


def test_what_scrapy_accepts_is_accepted_for_each_of_its_settings() -> None:
    for name, default in iter_default_settings():
        for value in accepted(default):
            assert problem(**{name: value}) is None, f"{name}={value!r}"
    for value in (True, False, "True", "False", "1", "0"):  # Scrapy's default of this boolean is the number 1
        assert problem(TELNETCONSOLE_ENABLED=value) is None


def test_a_number_with_which_a_run_would_wait_for_ever_is_refused_with_its_bound() -> None:
    for name, (bound, values) in HANGING.items():
        for value in values:
            line = f"{name}: expected a number, {bound}, got {value}"
            assert problem(**{name: value}) == line, f"{name}={value!r}"


def test_numbers_that_no_run_waits_for_are_left_to_scrapy() -> None:
    for name, value in (
        ("AUTOTHROTTLE_MAX_DELAY", "inf"),
        ("DOWNLOAD_DELAY", "-1"),
        ("DOWNLOAD_DELAY", "86400"),
        ("DOWNLOAD_TIMEOUT", "0"),
        ("CONCURRENT_REQUESTS", "0"),
        ("CONCURRENT_REQUESTS_PER_DOMAIN", "1"),
        ("RETRY_TIMES", "-1"),
        ("SCRAPER_SLOT_MAX_ACTIVE_SIZE", "0"),
    ):
        assert problem(**{name: value}) is None, f"{name}={value}"


def test_a_host_in_download_slots_whose_requests_would_wait_for_ever_is_named() -> None:
    a_number = "DOWNLOAD_SLOTS, {} of a.nl: expected a number, {}, got {}"
    for options, line in (
        ({"concurrency": 0}, a_number.format("concurrency", "1 or more", 0)),
        ({"concurrency": -1}, a_number.format("concurrency", "1 or more", -1)),
        ({"concurrency": "2"}, "DOWNLOAD_SLOTS, concurrency of a.nl: expected a number, got 2"),
        ({"concurrency": None}, "DOWNLOAD_SLOTS, concurrency of a.nl: expected a number, got None"),
        ({"delay": 1e9}, a_number.format("delay", "86,400 or less", 1e9)),
        ({"delay": "x"}, "DOWNLOAD_SLOTS, delay of a.nl: expected a number, got x"),
        ({"jitter": 1e9}, a_number.format("jitter", "100 or less", 1e9)),
        (5, "DOWNLOAD_SLOTS, a.nl: expected a JSON object with its concurrency, delay and jitter, got 5"),
        ([], "DOWNLOAD_SLOTS, a.nl: expected a JSON object with its concurrency, delay and jitter, got []"),
    ):
        assert problem(DOWNLOAD_SLOTS={"a.nl": options}) == line
        assert problem(DOWNLOAD_SLOTS=json.dumps({"a.nl": options})) == line
    for right in ({}, {"concurrency": 1, "delay": 5, "jitter": 0}, {"concurrency": 1.5}, {"other": "x"}):
        assert problem(DOWNLOAD_SLOTS={"a.nl": right}) is None, right


def test_a_wrong_option_of_a_feed_is_named() -> None:
    for option, value, line in (
        ("format", "foo", "FEEDS names outputs of which none can be used: unknown format 'foo' of a.x: "),
        ("batch_item_count", "many", "FEEDS, batch_item_count of a.x: expected a whole number, got many"),
        ("indent", "wide", "FEEDS, indent of a.x: expected a whole number, got wide"),
        ("postprocessing", "nowhere.X", "FEEDS, postprocessing of a.x: expected a JSON list, got nowhere.X"),
    ):
        feeds = {"a.x": {"format": "jsonlines", option: value}}
        with pytest.raises(UsageError) as raised:
            check_settings(Settings({"FEEDS": feeds}))
        assert str(raised.value).startswith(line), option
    right = {"a.x": {"format": "jsonlines", "encoding": None, "batch_item_count": 5, "indent": None}}
    check_settings(Settings({"FEEDS": right, "FEED_EXPORT_ENCODING": ""}))


def test_a_setting_that_scrapy_cannot_read_is_named_with_what_was_expected() -> None:
    for method, value, line in (
        ("getint", "often", "SOME: expected a whole number, got often"),
        ("getfloat", "", "SOME: expected a number, got nothing"),
        ("getbool", "ja", "SOME: expected True or False, got ja"),
        ("getdict", "{", "SOME: expected a JSON object, got {"),
        ("getdict", 5, "SOME: expected a JSON object, got 5"),
        ("getlist", 5, "SOME: expected a list, or a text with commas, got 5"),
        ("getint", "1\n2", r"SOME: expected a whole number, got '1\n2'"),
    ):
        name = "SOME"
        settings = Settings({name: value})
        with pytest.raises((TypeError, ValueError)) as raised:
            getattr(settings, method)(name)
        assert wrong_setting(raised.value) == line
    assert wrong_setting(ValueError("something else")) is None
