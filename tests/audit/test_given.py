"""Files that answer in the place of hosts: which hosts they are, and which file each URL leads to."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from woo_harvester.audit.given import GivenHost, hosts_among
from woo_harvester.demo.mistaken import GOOD, LASTMOD
from woo_harvester.demo.sitemaps import Entry, robots_txt, sitemap, sitemapindex
from woo_harvester.findings import Finding
from woo_harvester.permits.demo_messages import message

HOST = "https://www.a.nl"
INDEX = f"{HOST}/sitemapindex-diwoo.xml"
SITEMAP = sitemap(Entry(loc=f"{HOST}/1.pdf", lastmod=LASTMOD, diwoo=GOOD))
HTML = b"<!DOCTYPE html><html/>"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def index(*locs: str) -> bytes:
    return sitemapindex(locs).encode()


def written(**files: bytes) -> None:
    """Write files; two underscores stand for a slash, one for a full stop."""
    for name, body in files.items():
        path = Path(name.replace("__", "/").replace("_", "."))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)


def hosts(*given: str) -> list[GivenHost]:
    return [host for together in hosts_among(map(Path, given)) for host in together]


def answered(host: GivenHost, url: str) -> str:
    """The text that a URL is answered with."""
    found = host.answer(url)
    return str(found) if isinstance(found, Path) else (found or b"").decode()


@pytest.mark.parametrize(
    ("files", "given", "names"),
    [
        ({"site__robots_txt": b"", "site__a_xml": SITEMAP}, ["site"], ["site"]),
        ({"a__robots_txt": b"", "b__robots_txt": b"", "c_xml": SITEMAP}, ["."], ["a", "b", "."]),
        ({"a__robots_txt": b"", "a__b__robots_txt": b""}, ["."], ["a"]),
        ({"x__a_xml": SITEMAP, "x__b_xml": SITEMAP}, ["x/a.xml", "x/b.xml", "x/a.xml"], ["x"]),
        ({"x__a_xml": SITEMAP}, ["x/a.xml"], ["x/a.xml"]),
        ({"x__robots_txt": b""}, ["x/robots.txt"], ["x/robots.txt"]),
        ({"x__a_xml": message()}, ["x/a.xml"], ["x/a.xml"]),
        ({"x__a_txt": message()}, ["x/a.txt"], ["x/a.txt"]),
        ({"x__a_xml": message(), "x__b_xml": HTML}, ["x"], ["x"]),
        ({"x__a_xml": message(), "x__b_xml": gzip.compress(SITEMAP)}, ["x"], ["x", "x (vergunningen)"]),
        ({"x__a_xml": message(), "x__robots_txt": b""}, ["x"], ["x", "x (vergunningen)"]),
        ({"x__a_xml": SITEMAP, "y__b_xml": message()}, ["x", "y/b.xml"], ["y/b.xml", "x"]),
    ],
)  # fmt: skip
def test_which_hosts_files_are(files: dict[str, bytes], given: list[str], names: list[str]) -> None:
    written(**files)
    assert [host.name for host in hosts(*given)] == names


def test_a_folder_without_any_file_for_an_audit_is_an_error() -> None:
    written(x__leesmij_txt=b"niets")
    with pytest.raises(ValueError, match="x has no sitemap, index, robots"):
        hosts("x")


@pytest.mark.parametrize(
    ("robots", "name", "host"),
    [
        (robots_txt(INDEX, "https://b.nl/1.xml", "https://www.a.nl/2.xml"), "site", "www.a.nl"),
        (robots_txt(INDEX, "https://b.nl/1.xml", "https://www.a.nl/2.xml"), "B.nl", "b.nl"),
        (robots_txt("/sitemapindex-diwoo.xml", "https://[x"), "site", "bestanden.invalid"),
    ],
)
def test_the_host_of_a_robots_txt_is_that_of_its_folder_or_the_one_that_it_names_most(
    robots: str, name: str, host: str
) -> None:
    Path(name).mkdir()
    Path(name, "robots.txt").write_text(robots)
    (found,) = hosts(name)
    assert found.host == host
    assert answered(found, f"https://{host}/robots.txt") == robots
    # Without a host of its own, its rules are those of any host that it leads to.
    assert answered(found, "https://c.nl/robots.txt") == (robots if host.endswith("invalid") else "")


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("/a.xml", "site/a.xml"),
        ("/woo/a.xml", "site/woo/a.xml"),
        ("/x/b.xml", "site/www.a.nl/x/b.xml"),
        ("/elders/c.xml", "site/diep/c.xml"),
        ("/elders/c.xml?page=2", "site/diep/c.xml?page=2"),
        ("/d.xml", "site/d.xml.gz"),
        ("/e.xml.gz", "site/e.xml"),
        ("/m%C3%A9.xml", "site/mé.xml"),
        ("/weg.xml", ""),
    ],
)
def test_a_url_leads_to_the_file_at_its_path_or_with_its_name(url: str, path: str) -> None:
    paths = ("robots.txt", "a.xml", "woo/a.xml", "www.a.nl/x/b.xml", "x/y/b.xml", "diep/c.xml", "d.xml.gz")
    for each in (*paths, "diep/c.xml?page=2", "e.xml", "mé.xml"):
        Path("site", each).parent.mkdir(parents=True, exist_ok=True)
        Path("site", each).write_bytes(b"")
    (host,) = hosts("site")
    assert answered(host, f"{HOST}{url}") == path
    assert answered(host, f"{HOST}{url}") == path, "a file belongs to one URL, also if that comes twice"
    assert path == "" or answered(host, f"https://b.nl{url}") != path


def test_files_for_the_woo_that_nothing_names_are_found() -> None:
    written(
        site__robots_txt=robots_txt(INDEX, f"{HOST}/nieuws.xml").encode(),
        **{"site__sitemapindex-diwoo_xml": index(f"{HOST}/a.xml"), "site__a_xml": SITEMAP},
        site__nieuws_xml=SITEMAP,
        site__pom_xml=b"<project/>",
        **{"site__x__los_xml": SITEMAP, "site__x__sitemapindex-diwoo-infocat002_xml": index(f"{HOST}/b.xml")},
        site__x__b_xml=SITEMAP,
        **{"site__sitemap-index_xml": index(f"{HOST}/google.xml"), "site__google_xml": SITEMAP},
    )
    (host,) = hosts("site")
    # What robots.txt forbids is named too, although it is not asked for.
    assert sorted(map(str, host.unnamed())) == ["site/x/los.xml", "site/x/sitemapindex-diwoo-infocat002.xml"]


def test_of_loose_files_a_robots_txt_and_an_index_are_made_up() -> None:
    name = "sitemapindex-diwoo-infocat002.xml"
    written(
        **{f"x__{name[:-4]}_xml": index(f"{HOST}/a.xml"), "x__a_xml": SITEMAP, "x__b_xml": SITEMAP},
        x__other_xml=index(f"{HOST}/b.xml"),
    )
    (host,) = hosts("x")
    base = "https://bestanden.invalid"
    robots = answered(host, f"{base}/robots.txt").split()
    assert robots[1::2] == [
        f"{base}/x/{name}",
        f"{base}/x/other.xml",
        f"{base}/-/sitemapindex-diwoo.xml",
    ]
    made_up = answered(host, robots[-1])
    assert f"<loc>{base}/x/b.xml</loc>" in made_up
    assert "a.xml" not in made_up, "the index with a category names it"
    assert answered(host, f"{HOST}/a.xml") == "x/a.xml"
    assert answered(host, f"{base}/x/b.xml") == "x/b.xml"
    assert list(host.unnamed()) == []


def test_findings_have_paths_in_the_place_of_made_up_urls_and_of_files() -> None:
    written(x__index_xml=index(f"{HOST}/a.xml"), y__robots_txt=b"", y__a_xml=SITEMAP)
    loose, site = hosts("x", "y")
    url = "https://bestanden.invalid/x/index.xml"
    finding = Finding(code="index.naam", url=url, seen=url, line=2, organisation="bestanden.invalid")
    found = loose.as_given(finding)
    assert (found.host, found.url, found.seen, found.line) == ("x", "x/index.xml", "x/index.xml", None)
    assert found.organisation is None
    loose.answer(url)
    assert loose.as_given(finding).line == 2, "a line of the file itself"
    about = Finding(code="loc.ontbreekt", url=f"{HOST}/b.pdf", sitemap=f"{HOST}/a.xml", line=3)
    assert site.as_given(about).sitemap == f"{HOST}/a.xml"
    site.answer(f"{HOST}/a.xml")
    found = site.as_given(about)
    assert (found.url, found.sitemap, found.line) == (f"{HOST}/b.pdf", "y/a.xml", 3)


def test_a_name_that_is_no_utf_8_is_shown_with_question_marks() -> None:
    path = Path(os.fsdecode(b"sitemap-\xe9.xml"))
    path.write_bytes(SITEMAP)
    (host,) = hosts(str(path))
    assert host.name == "sitemap-?.xml"
    made_up = answered(host, "https://bestanden.invalid/-/sitemapindex-diwoo.xml")
    assert "https://bestanden.invalid/sitemap-%E9.xml" in made_up
    assert host.answer("https://bestanden.invalid/sitemap-%E9.xml") == path


def test_messages_have_an_entry_page() -> None:
    written(x__a_xml=message(), x__b_xml=message())
    (host,) = hosts("x")
    assert 'href="https://bestanden.invalid/1.xml"' in answered(host, host.url)
    assert answered(host, f"{host.url}1.xml") == "x/b.xml"
    assert host.answer(f"{host.url}robots.txt") == b""
