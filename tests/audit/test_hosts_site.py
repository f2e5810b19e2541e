"""A folder with a robots.txt is judged by the rules that a harvest goes by."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.audit.reading import Read, entry
from woo_harvester.demo.mistaken import GOOD
from woo_harvester.demo.sitemaps import robots_txt, sitemap, sitemapindex

INDEX = "https://www.a.nl/sitemapindex-diwoo.xml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the files of a host with two documents."""
    path = tmp_path / "site"
    path.mkdir()
    (path / "robots.txt").write_text(robots_txt(INDEX))
    (path / "sitemapindex-diwoo.xml").write_text(sitemapindex(["https://www.a.nl/sitemap.xml"]))
    (path / "sitemap.xml").write_bytes(sitemap(entry(), entry("besloten/2.pdf")))
    return path


def rules(folder: Path, *lines: str) -> None:
    """Add rules for all harvesters to the robots.txt in a folder."""
    text = "\n".join(["User-agent: *", *lines, *robots_txt(INDEX).splitlines()])
    (folder / "robots.txt").write_text(text + "\n")


def counts(read: Read) -> tuple[int, int]:
    return read.account.listed, read.account.harvested_now_or_before


def test_all_that_robots_txt_leads_to_is_judged(folder: Path) -> None:
    read = Read(folder)
    assert (read.codes, counts(read), read.account.complete) == ([], (2, 2), True)
    assert read.account.host == str(folder)
    assert read.account.not_judged == ["register", "connection", "documents", "withdrawal"]


@pytest.mark.parametrize(
    ("rule", "url", "counted", "files", "is_complete"),
    [
        ("/", INDEX, (0, 0), (1, 0), False),
        ("/sitemap.xml", "https://www.a.nl/sitemap.xml", (0, 0), (1, 1), False),
        ("/besloten/", "https://www.a.nl/besloten/2.pdf", (2, 1), (1, 1), True),
    ],
    ids=["an index", "a sitemap", "a document"],
)
def test_what_robots_txt_forbids_is_not_read_or_harvested(
    folder: Path, rule: str, url: str, counted: tuple[int, int], files: tuple[int, int], is_complete: bool
) -> None:
    rules(folder, f"Disallow: {rule}")
    read, account = Read(folder), Read(folder).account
    found = read.about("robots.verboden")
    assert (found.url, read.codes) == (url, ["robots.verboden"])
    assert found.sitemap == (str(folder / "sitemap.xml") if counted[0] else found.sitemap)
    assert (counts(read), (account.indexes, account.sitemaps)) == (counted, files)
    assert account.complete is is_complete


def test_the_rules_for_this_harvester_come_before_those_for_all(folder: Path) -> None:
    rules(folder, "Disallow: /", "", "User-agent: woo-harvester", "Disallow: /besloten/")
    assert counts(Read(folder)) == (2, 1)


def test_the_rules_of_another_host_are_not_known_and_that_is_said(folder: Path) -> None:
    rules(folder, "Disallow: /documenten/")
    own, other = entry("documenten/1.pdf"), "https://files.b.nl/documenten/2.pdf"
    text = sitemap(own, entry("x.pdf")).decode().replace("https://www.a.nl/x.pdf", other)
    (folder / "sitemap.xml").write_text(text)
    read = Read(folder)
    assert read.about("robots.verboden").url == own.loc
    assert counts(read) == (2, 1)
    assert "other_hosts" in read.account.not_judged


@pytest.mark.parametrize("name", ["site", "www.a.nl"])
def test_the_rules_are_of_the_host_that_robots_txt_names_most_or_of_the_folder(
    folder: Path, name: str
) -> None:
    folder = folder.rename(folder.with_name(name))
    others = [f"https://www.b.nl/{number}.xml" for number in range(3)]
    (folder / "robots.txt").write_text("User-agent: *\nDisallow: /\n" + robots_txt(INDEX, *others))
    assert counts(Read(folder)) == ((0, 0) if name == "www.a.nl" else (2, 2))


def test_rules_count_if_robots_txt_names_its_indexes_by_relative_addresses(folder: Path) -> None:
    (folder / "robots.txt").write_text(
        "User-agent: *\nDisallow: /besloten/\n" + robots_txt("/sitemapindex-diwoo.xml")
    )
    read = Read(folder)
    assert set(read.codes) == {"robots.sitemap-relatief", "robots.verboden"}
    assert counts(read) == (2, 1)


def test_an_index_by_another_name_is_not_read_and_no_index_at_all_is_an_error(folder: Path) -> None:
    (folder / "sitemapindex-diwoo.xml").rename(folder / "sitemap-diwoo.xml")
    (folder / "robots.txt").write_text(robots_txt("https://www.a.nl/sitemap-diwoo.xml"))
    read = Read(folder)
    assert read.codes == ["index.naam", "robots.geen-diwoo-index"]
    assert (counts(read), read.account.complete) == ((0, 0), False)


def test_what_nothing_refers_to_is_reported_and_not_counted(folder: Path) -> None:
    (folder / "nog").mkdir()
    (folder / "nog" / "los.xml").write_bytes(sitemap(entry("3.pdf")))
    (folder / "nog" / "sitemapindex-diwoo-infocat002.xml").write_text(
        sitemapindex(["https://www.a.nl/b.xml"])
    )
    (folder / "nog" / "b.xml").write_bytes(sitemap(entry("4.pdf")))
    (folder / "pom.xml").write_text("<project/>")
    read = Read(folder)
    assert {(found.code, found.url) for found in read.findings} == {
        ("bestand.niet-genoemd", str(folder / "nog" / name))
        for name in ("los.xml", "sitemapindex-diwoo-infocat002.xml")
    }
    assert counts(read) == (2, 2)


def test_files_for_another_search_engine_are_left_alone(folder: Path) -> None:
    (folder / "sitemap_index.xml").write_text(sitemapindex(["https://www.a.nl/google.xml"]))
    (folder / "google.xml").write_bytes(sitemap(entry("3.pdf")))
    (folder / "robots.txt").write_text(robots_txt(INDEX, "https://www.a.nl/nieuws.xml"))
    (folder / "nieuws.xml").write_bytes(sitemap(entry("4.html", diwoo=None)))
    read = Read(folder)
    assert (read.codes, counts(read)) == (["robots.andere-sitemap"], (2, 2))
    assert read.about("robots.andere-sitemap").url == str(folder / "robots.txt")


def test_an_index_with_documents_under_the_name_of_another_one_is_found_by_what_is_in_it(
    folder: Path,
) -> None:
    others = ["https://www.a.nl/sitemapindex.xml", "https://www.a.nl/nieuws.xml"]
    (folder / "robots.txt").write_text(robots_txt(INDEX, *others))
    (folder / "sitemapindex.xml").write_text(
        sitemapindex(["https://www.a.nl/3.xml", "https://www.a.nl/4.xml"])
    )
    (folder / "3.xml").write_bytes(sitemap(entry("3.pdf")))
    (folder / "4.xml").write_bytes(sitemap(entry("4.pdf")))
    read = Read(folder)
    assert read.codes == ["index.naam", "robots.andere-sitemap"]
    assert read.about("index.naam").seen == others[0]
    assert (counts(read), read.account.complete) == ((2, 2), False)
    (folder / "sitemapindex.xml").write_text(sitemapindex(["https://www.a.nl/sitemap.xml"]))
    assert set(Read(folder).codes) == {"robots.andere-sitemap", "bestand.niet-genoemd"}


def test_a_file_that_is_named_and_not_there_is_not_judged(folder: Path) -> None:
    locs = [f"https://www.a.nl/{name}" for name in ("sitemap.xml", "weg.xml")]
    (folder / "sitemapindex-diwoo.xml").write_text(sitemapindex(locs))
    read = Read(folder)
    assert read.about("bestand.ontbreekt").url == locs[1]
    assert read.about("bestand.ontbreekt").severity == "info"
    assert (counts(read), read.account.sitemaps, read.account.complete) == ((2, 2), 1, False)
    assert "files" in read.account.not_judged


def test_a_robots_txt_alone_is_judged_without_the_files_that_it_names(folder: Path) -> None:
    rules(folder, "Disallow: /sitemapindex")
    read = Read(folder / "robots.txt")
    assert read.codes == ["robots.verboden"]
    rules(folder, "Disallow: /niets")
    read = Read(folder / "robots.txt")
    assert (read.codes, read.account.indexes) == ([], 0)
    assert "files" in read.account.not_judged


def test_a_robots_txt_below_that_of_the_folder_is_no_host(folder: Path) -> None:
    (folder / "woo").mkdir()
    (folder / "woo" / "robots.txt").write_text("User-agent: *\nDisallow: /\n")
    read = Read(folder)
    assert (counts(read), read.account.host) == ((2, 2), str(folder))


def test_the_category_is_that_of_the_index(folder: Path) -> None:
    for number, name in ((2, "a"), (14, "b")):
        index = f"sitemapindex-diwoo-infocat{number:03}.xml"
        (folder / index).write_text(sitemapindex([f"https://www.a.nl/{name}.xml"]))
        (folder / f"{name}.xml").write_bytes(
            sitemap(entry(f"{name}.pdf"))
            .replace(b"informatiecategorieen>", b"themas>")
            .replace(b"informatiecategorie", b"thema")
        )
    names = [f"https://www.a.nl/sitemapindex-diwoo-infocat{number:03}.xml" for number in (2, 14)]
    (folder / "robots.txt").write_text(robots_txt(*names))
    read = Read(folder)
    assert "informatiecategorie.ontbreekt" not in read.codes
    assert len(read.account.categories) == 2


def test_a_host_that_lists_an_index_in_an_index_is_reported_at_its_own_file(folder: Path) -> None:
    other = "https://www.a.nl/sitemapindex-diwoo-infocat002.xml"
    (folder / "robots.txt").write_text(robots_txt(INDEX, other))
    (folder / "sitemapindex-diwoo.xml").write_text(sitemapindex(["https://www.a.nl/sitemap.xml", other]))
    (folder / "sitemapindex-diwoo-infocat002.xml").write_text(sitemapindex(["https://www.a.nl/b.xml"]))
    (folder / "b.xml").write_bytes(sitemap(entry("3.pdf")))
    read = Read(folder)
    found = read.about("index.genest")
    assert (found.url, found.line, found.seen) == (str(folder / "sitemapindex-diwoo.xml"), 4, other)
    assert counts(read) == (3, 3)


def test_a_robots_txt_that_is_too_large_is_read_up_to_the_bound(folder: Path) -> None:
    (folder / "robots.txt").write_text(robots_txt(INDEX) + "# x\n" * 200_000 + "User-agent: *\nDisallow: /\n")
    read = Read(folder)
    assert (read.codes, counts(read)) == (["robots.te-groot"], (2, 2))


def test_a_mirror_with_queries_and_packed_files_is_read(folder: Path) -> None:
    (folder / "sitemap.xml").unlink()
    locs = [f"https://www.a.nl/woo/map.xml?page={number}" for number in (1, 2)] + ["https://www.a.nl/c.xml"]
    (folder / "sitemapindex-diwoo.xml").write_text(sitemapindex(locs))
    (folder / "woo").mkdir()
    for number in (1, 2):
        (folder / "woo" / f"map.xml?page={number}").write_bytes(sitemap(entry(f"{number}.pdf")))
    (folder / "c.xml.gz").write_bytes(gzip.compress(sitemap(entry("c.pdf", GOOD))))
    read = Read(folder)
    assert (read.codes, counts(read)) == ([], (3, 3))
