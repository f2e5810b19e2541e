from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
from scrapy.settings import Settings

from woo_harvester.running.log import set_log


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What a handler of somebody else writes."""
    factory, handler = logging.getLogRecordFactory(), logging.StreamHandler(io.StringIO())
    logging.getLogger("somebody.else").addHandler(handler)
    yield handler.stream
    logging.getLogger("somebody.else").removeHandler(handler)
    logging.setLogRecordFactory(factory)


@pytest.mark.parametrize("is_json", [False, True])
def test_message_and_traceback_of_each_logger_are_masked(written: io.StringIO, is_json: bool) -> None:
    settings = Settings({"FTP_PASSWORD": "wachtwoord-9", "WOO_LOG_JSON": is_json})
    set_log(settings)
    if is_json:
        formatter = logging.Formatter(settings["LOG_FORMAT"], settings["LOG_DATEFORMAT"])
        logging.getLogger("somebody.else").handlers[-1].setFormatter(formatter)
    logger = logging.getLogger("somebody.else")
    try:
        raise ValueError("no answer of ftp://jan:geheim@a.nl/ with wachtwoord-9")
    except ValueError:
        logger.exception("storing in %s failed", "ftp://jan:geheim@a.nl/x")
    text = json.loads(written.getvalue())["message"] + "\n" if is_json else written.getvalue()
    assert "storing in ftp://…@a.nl/x failed\n" in text
    assert text.endswith("ValueError: no answer of ftp://…@a.nl/ with …\n")
    assert "geheim" not in text
