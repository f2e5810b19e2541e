"""A run to which the machine gives no more processes: it does not end as if nothing were wrong."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from tests.samples import SAMPLES
from tests.utils.daily import numbered, publish
from tests.utils.disturbed_runs import Fallible, GatedSite
from woo_harvester.demo.server import Page


@dataclass(frozen=True)
class NoProgram:
    """Takes the interpreter away from the process, as an upgrade in mid-run does."""

    def __call__(self) -> None:
        sys.executable = "/nowhere/python"


def test_a_run_that_can_start_no_process_for_texts_says_so_and_blames_no_document(
    gated: GatedSite, installation: Fallible
) -> None:
    import_module("kreuzberg")
    publish(gated, numbered(3))
    gated.pages["/d/*"] = Page(SAMPLES["PDF"].read_bytes(), content_type="application/pdf")
    args = ("-a", "documents=download")
    settings: dict[str, Any] = {"WOO_TEXT": 1}
    failed = installation.start(*args, fault=NoProgram(), **settings).wait()
    assert failed.returncode == 1
    assert "Traceback" not in failed.stderr
    assert failed.stderr.splitlines()[-1].startswith(
        "scrapy crawl: error: no process could be started to read documents: [Errno 2] "
    )
    assert "document.tekst-mislukt" not in failed.codes
    assert failed.records == []
    assert len(installation.start(*args, **settings).wait().locs) == 3
