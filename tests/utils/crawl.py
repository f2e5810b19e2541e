"""Fixture: a function that crawls in the test's own folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.utils.command import Run, run_scrapy

Crawl = Callable[..., Run]
"""The function that runs ``scrapy crawl woo`` in the test's folder; later runs find its state."""


@pytest.fixture
def crawl(tmp_path: Path, ca_bundle: Path) -> Crawl:
    def run(*args: str, settings: Mapping[str, object] | None = None, timeout: float = 120) -> Run:
        return run_scrapy(["crawl", "woo", *args], tmp_path, ca_bundle, settings=settings, timeout=timeout)

    return run
