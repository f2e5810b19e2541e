"""The state learns of a document only when every output has it durably, whatever the output is."""

from __future__ import annotations

import gzip
import json
import sqlite3
import time
from contextlib import closing
from typing import Any

import pytest

from tests.utils.daily import FIRST, publish
from tests.utils.disturbed_runs import (
    SOON,
    Fallible,
    GatedSite,
    errors,
    harvested,
    locs,
    state_of,
    two_sitemaps,
    until_half,
)
from woo_harvester.demo.server import Page

GZIP = {"format": "jsonlines", "postprocessing": ["scrapy.extensions.postprocessing.GzipPlugin"]}
JSONLINES = {"format": "jsonlines"}
#: Files of lines, and formats that are whole only at their end.
AS_THEY_COME: dict[str, dict[str, Any]] = {
    "out.jsonl": JSONLINES,
    "new.jsonl": {**JSONLINES, "overwrite": True},
    "out.csv": {"format": "csv"},
    "nl.csv": {"format": "csv-nl"},
}
AT_THE_END: dict[str, dict[str, Any]] = {
    "out.jsonl.gz": GZIP,
    "out.json": {"format": "json", "overwrite": True},
    "out.xml": {"format": "xml", "overwrite": True},
    "out.jsonl": JSONLINES,
}


def names(prefix: str, count: int) -> dict[str, str | None]:
    """So many documents."""
    return {f"{prefix}{number}": FIRST for number in range(count)}


def seen(installation: Fallible) -> int:
    """How many documents the state knows, harvested or not."""
    with closing(sqlite3.connect(f"{state_of(installation).as_uri()}?mode=rw", uri=True)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM documents").fetchone()
        return int(count)


def all_of(site: GatedSite, **counts: int) -> set[str]:
    """Their locs."""
    return {
        site.url(f"/d/{prefix}{number}.pdf") for prefix, count in counts.items() for number in range(count)
    }


# What is durable, and when


@pytest.mark.parametrize("feeds", [{}, AS_THEY_COME])
def test_lines_in_a_local_file_are_confirmed_while_the_run_goes_on(
    feeds: dict[str, Any], gated: GatedSite, installation: Fallible
) -> None:
    two_sitemaps(gated)
    given: dict[str, Any] = {"FEEDS": feeds} if feeds else {}
    started = installation.start(**SOON, **given)
    until_half(started, gated, installation)
    gated.gates.clear()
    assert started.status() == 0
    assert harvested(installation.folder) == all_of(gated, a=12, b=3)


def test_what_is_stored_at_the_end_is_confirmed_only_then(gated: GatedSite, installation: Fallible) -> None:
    """Also if another output has it already."""
    two_sitemaps(gated)
    settings = {"FEEDS": AT_THE_END, **SOON}
    started = installation.start(**settings)
    started.wait_until(lambda: "/s1.xml" in gated.waiting, "the second sitemap is asked for")
    started.wait_until(lambda: seen(installation) == 12, "the first sitemap is read")
    time.sleep(10 * SOON["WOO_DURABLE_INTERVAL"])
    assert harvested(installation.folder) == set()
    assert started.kill(after=0)
    assert harvested(installation.folder) == set()
    gated.gates.clear()
    assert installation.run(**settings).returncode == 0
    assert harvested(installation.folder) == all_of(gated, a=12, b=3)
    assert installation.run(FEEDS={"rest.json": {"format": "json"}}).records == []


def test_a_batch_is_confirmed_when_it_is_stored(gated: GatedSite, installation: Fallible) -> None:
    publish(gated, names("a", 12), names("b", 3))
    gated.gates.add("/s1.xml")
    feeds = {"out-%(batch_id)d.jsonl.gz": {**GZIP, "batch_item_count": 5}}
    started = installation.start(FEEDS=feeds, **SOON)
    started.wait_until(lambda: "/s1.xml" in gated.waiting, "the second sitemap is asked for")
    started.wait_until(
        lambda: len(harvested(installation.folder, missing_ok=True)) == 10, "two batches are confirmed"
    )
    gated.gates.clear()
    assert started.status() == 0
    assert harvested(installation.folder) == all_of(gated, a=12, b=3)
    for number in (1, 2, 3):
        batch = gzip.decompress((installation.folder / f"out-{number}.jsonl.gz").read_bytes())
        assert batch.count(b"\n") == 5


def test_a_feed_confirms_what_its_filter_refuses(gated: GatedSite, installation: Fallible) -> None:
    publish(gated, names("a", 3), names("b", 3))
    feeds = {
        "first.jsonl": {**JSONLINES, "item_filter": "tests.utils.feeds.OnlyFirst"},
        "none.jsonl.gz": {**GZIP, "item_filter": "tests.utils.feeds.Nothing"},
        "all.jsonl": JSONLINES,
    }
    assert installation.run(FEEDS=feeds).returncode == 0
    assert set(locs([installation.folder / "first.jsonl"])) == all_of(gated, a=3)
    assert set(locs([installation.folder / "all.jsonl"])) == all_of(gated, a=3, b=3)
    assert harvested(installation.folder) == all_of(gated, a=3, b=3)


# Outputs that fail


@pytest.mark.parametrize(
    "feeds",
    [
        {"out.jsonl": {"format": "nonsense"}},
        {"nonsense://x": JSONLINES},
        {"out.jsonl": {**JSONLINES, "batch_item_count": 5}},
    ],
    ids=["format", "storage", "batches without a number"],
)
def test_outputs_that_make_no_sense_are_refused_before_anything_is_asked(
    feeds: dict[str, Any], gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, names("a", 3))
    refused = installation.run(FEEDS=feeds)
    assert refused.returncode == 2
    (line,) = errors(refused)
    assert "FEEDS" in line
    assert gated.requests == []


def test_scrapys_own_exporter_in_its_place_is_refused(gated: GatedSite, installation: Fallible) -> None:
    publish(gated, names("a", 3))
    extensions = {
        "woo_harvester.outputs.feeds.DurableFeedExporter": None,
        "scrapy.extensions.feedexport.FeedExporter": 1,
    }
    refused = installation.run(EXTENSIONS=extensions)
    assert refused.returncode == 2
    (line,) = errors(refused)
    assert "DurableFeedExporter" in line
    assert gated.requests == []


#: Settings with which an output fails, and what the one line says of it.
MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    **{
        f"a mistake of {method}": (
            {
                "FEEDS": {
                    "%(batch_id)d.jsonl": {
                        "format": "broken",
                        "item_export_kwargs": {"fails_at": method},
                        "batch_item_count": 2,
                    }
                },
                "FEED_EXPORTERS": {"broken": "tests.utils.feeds.BrokenExporter"},
            },
            method,
        )
        for method in ("start_exporting", "export_item", "finish_exporting")
    },
    **{
        f"a storage that fails {when}": (
            {
                "FEEDS": {f"broken://{when}": JSONLINES},
                "FEED_STORAGES": {"broken": "tests.utils.feeds.BrokenStorage"},
            },
            "the other side hangs up",
        )
        for when in ("now", "later")
    },
    "postprocessing": (
        {"FEEDS": {"out": {**JSONLINES, "postprocessing": ["tests.utils.feeds.BrokenPlugin"]}}},
        "close",
    ),
    "a folder that is a file": ({"FEEDS": {"good.jsonl": JSONLINES, "file/out.jsonl": JSONLINES}}, "file"),
    "a name of lines": ({"FEEDS": {f"{'x' * 300}.jsonl": JSONLINES}}, "File name too long"),
    "a name of JSON": (
        {"FEEDS": {f"{'x' * 300}.json": {"format": "json", "overwrite": True}}},
        "File name too long",
    ),
    "a device that is full": ({"FEEDS": {"/dev/full": {**JSONLINES, "fields": ["id"]}}}, "No space left"),
    "an encoding that has not all of a title": (
        {"FEEDS": {"out": {**JSONLINES, "encoding": "latin-1"}}},
        "can't encode character '\\u2013'",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_any_mistake_in_an_output_ends_the_run_with_one_line_and_its_records_come_again(
    mistake: str, gated: GatedSite, installation: Fallible
) -> None:
    settings, cause = MISTAKES[mistake]
    publish(gated, names("a", 3))
    page = gated.pages["/s0.xml"]
    assert isinstance(page, Page)
    assert isinstance(page.body, bytes)
    gated.pages["/s0.xml"] = Page(page.body.replace(b">Besluit<", ">Besluit \N{EN DASH} bijlage<".encode()))
    (installation.folder / "file").touch()
    failed = installation.run(**settings)
    assert failed.returncode == 1
    assert "Traceback" not in failed.stderr
    (line,) = errors(failed)
    assert "an output could not be written (" in line
    assert cause in line
    assert "comes again in the next run" in line
    assert harvested(installation.folder) == set()
    assert set(installation.run().locs) == all_of(gated, a=3)


# Files that are appended to


def test_what_a_killed_run_delivered_is_added_by_the_next_run_whatever_that_writes(
    gated: GatedSite, installation: Fallible
) -> None:
    output = installation.folder / "all.jsonl"
    own = b'{"id": "of another program"}\n'
    output.write_bytes(own)
    two_sitemaps(gated)
    started = installation.start("-o", "all.jsonl", **SOON)
    until_half(started, gated, installation)
    assert started.kill(after=0)
    assert output.read_bytes() == own, "nothing is added before the end"
    (left,) = installation.folder.glob("all.jsonl.*.unfinished")
    with left.open("ab") as file:
        file.write(b'{"id": "never finish')
    (installation.folder / "all.jsonl.bak").write_bytes(b"{")
    gated.gates.clear()
    after = installation.start("-o", "other.jsonl")
    assert after.status() == 0
    assert f"Added to {output} what a run that died had delivered" in after.stderr
    assert output.read_bytes().startswith(own)
    found = [json.loads(line)["document"]["weblocatie"] for line in output.read_bytes().splitlines()[1:]]
    assert sorted(found) == sorted(all_of(gated, a=12))
    assert set(locs([installation.folder / "other.jsonl"])) == all_of(gated, b=3)
    assert [path.name for path in installation.folder.glob("*.jsonl.*")] == ["all.jsonl.bak"]


def test_a_table_that_cannot_be_added_to_is_refused_before_anything_is_asked_for(
    gated: GatedSite, installation: Fallible
) -> None:
    publish(gated, names("a", 3))
    assert installation.start("-o", "all.csv").status() == 0
    path, asked = installation.folder / "all.csv", len(gated.requests)
    path.write_bytes(content := path.read_bytes() + b'"x')
    started = installation.start("-o", path.name, DELTAFETCH_ENABLED=0)
    assert started.status() == 2
    (line,) = errors(started)
    assert "inside a quoted cell" in line
    assert (path.read_bytes(), len(gated.requests)) == (content, asked)
