"""The commands of the pages, typed twice in a row as a user would."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from tests.register.exports import AMSTERDAM
from tests.utils.command import ROOT, Run, run_scrapy
from tests.utils.daily import FIRST, publish, xml
from tests.utils.vergunningen import about
from tests.utils.vergunningen import publish as publish_permits
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Location, RooEntry, Site, register_xml

#: For each page, the commands that need another machine or an earlier step, by an argument that they have.
PAGES = {
    "../README.md": (),
    "../README.nl.md": ("test.gemeente.internal", "map-met-sitemaps"),
    "how-to/harvest.md": (),
    "audit.md": ("test.gemeente.internal",),
    "how-to/daily.md": (),
    "how-to/state.md": ("forget",),
    "how-to/permits.md": (),
}

#: What differs from run to run: its name and the time.
CHANGING = re.compile(
    r"(?:woo|vergunningen)-\d{4}-[\dT:.-]+|\d{4}-\d\d-\d\d[T ]\d\d:[\d:.+]+|"
    r"\d+ seconds?|\d+ s\b"
)

SAMPLE = ROOT / "tests" / "samples" / "besluit.pdf"


def commands(page: str) -> list[list[str]]:
    """Return the arguments of the commands on a page, as a user types them."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    found = re.finditer(
        r"^(?:\$|   ) woo-harvester (.+)$|`woo-harvester ([^`]+)` \|", text, flags=re.MULTILINE
    )
    return [shlex.split(match[1] or match[2]) for match in found]


def matching(folder: Path, pattern: str) -> list[str]:
    """Return the files of a folder that a shell would put in the place of a pattern."""
    return sorted(str(path.relative_to(folder)) for path in folder.glob(pattern)) if "*" in pattern else []


def result(args: list[str], folder: Path, done: Run) -> tuple[object, ...]:
    """Return what a command gave: its status, what it printed, and the file that it was asked for."""
    given = [value for option, value in pairwise(args) if option in ("-o", "-O")]
    outputs = [folder / value.removesuffix(":csv-nl") for value in given]
    shown = done.stdout.partition("Het hele verslag")[0]  # the path of a report is on one line or on two
    texts = shown, *(path.read_text(encoding="utf-8") for path in outputs)
    return done.returncode, *(sorted(CHANGING.sub("", text).splitlines()) for text in texts)


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_give_the_same_when_they_are_typed_twice(
    tmp_path: Path, site: Site, ca_bundle: Path, page: str
) -> None:
    town = permits(site)
    # An audit names its findings as they come, so one document has the same answer each time.
    publish(
        site, {"a": FIRST} if page in ("audit.md", "../README.nl.md") else {"a": FIRST, "b": "2026-02-01"}
    )
    for name in "ab":
        site.pages[f"/d/{name}.pdf"] = Page(SAMPLE.read_bytes(), content_type="application/pdf")
    (tmp_path / "sitemap.xml").write_bytes(xml(site, {"a": FIRST}))
    (tmp_path / "bericht.xml").write_bytes(about(1))
    (tmp_path / "leveranciers.csv").write_text(
        "organisatie,leverancier\nAmsterdam,Zaak BV\n", encoding="utf-8"
    )
    (tmp_path / "entries.csv").write_text(f"organisatie,url\nAmsterdam,{town}\n", encoding="utf-8")
    register = tmp_path / "register.xml"
    here = RooEntry(naam="Amsterdam", systeem_id="1", tooi=AMSTERDAM, locations=[Location(site.url("/d"))])
    board = RooEntry(
        naam="Schieland", systeem_id="2", type="Waterschap", locations=[Location(site.url("/w"))]
    )
    register.write_text(register_xml([here, board]), encoding="utf-8")
    settings = {"WOO_REGISTER": register}
    if page in ("how-to/daily.md", "how-to/state.md"):
        run_scrapy(["crawl", "woo"], tmp_path, ca_bundle, settings=settings)
    typed = [args for args in commands(page) if not set(PAGES[page]).intersection(args)]
    assert typed
    for given_args in typed:
        args = [
            part.replace("https://www.gemeente.nl/vergunningen/", town).replace("www.gemeente.nl", site.host)
            for given in given_args
            for part in (matching(tmp_path, given) or [given])
        ]
        first, second = (
            result(args, tmp_path, run_scrapy(args, tmp_path, ca_bundle, settings=settings)) for _ in range(2)
        )
        for one, other in zip(first, second, strict=True):
            assert one == other, args
        assert first[0] in ((0, 1) if args[0] == "audit" else (0,)), args
        if outputs := [value for option, value in pairwise(args) if option == "-O"]:
            assert len((tmp_path / outputs[0]).read_text(encoding="utf-8").splitlines()) >= 2, args


def permits(site: Site) -> str:
    """Have a site list two permits; return the URL of its entry page."""
    folder = "/vergunningen/"
    files = {f"{number}.xml": about(number, identifier=site.url(f"/zaak/{number}")) for number in (1, 2)}
    publish_permits(site, files, folder=folder)
    return site.url(folder)
