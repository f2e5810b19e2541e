"""Local robots.txt files and indexes give the same findings as online."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.audit.reading import Read, entry
from woo_harvester.demo import sitemaps
from woo_harvester.demo.mistaken import GOOD
from woo_harvester.demo.sitemaps import robots_txt, sitemap, sitemapindex


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("sitemapindex-diwoo.xml", []),
        ("sitemapindex-diwoo-infocat018.xml", ["index.infocat-onbekend"]),
        ("sitemap-diwoo.xml", ["index.naam"]),
        ("SitemapIndex-DiWoo.xml", ["index.hoofdletters"]),
        ("index.xml", ["index.naam"]),
    ],
)
def test_the_name_of_an_index_is_checked(tmp_path: Path, name: str, codes: list[str]) -> None:
    path = tmp_path / name
    path.write_text(sitemapindex(["https://www.a.nl/sitemap.xml"]))
    read = Read(path)
    assert read.codes == codes
    assert (read.account.indexes, read.account.listed) == (1, 0)


def test_what_an_index_lists_is_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "sitemapindex-diwoo.xml"
    path.write_text(sitemapindex(["http://www.a.nl/1.xml", "https://www.a.nl/2.xml", ""]))
    read = Read(path)
    assert read.codes == ["loc.geen-https", "loc.ontbreekt"]
    assert [finding.line for finding in read.findings] == [3, 5]


@pytest.mark.parametrize(
    ("content", "code"), [("<html/>", "index"), (sitemap(entry()).decode(), "index.is-urlset")]
)
def test_a_file_that_only_has_the_name_of_an_index_is_reported(
    tmp_path: Path, content: str, code: str
) -> None:
    path = tmp_path / "sitemapindex-diwoo.xml"
    path.write_text(content)
    assert any(found.startswith(code) or found == "sitemap.wortelelement" for found in Read(path).codes)


@pytest.mark.parametrize("name", ["sitemapindex-diwoo.xml", "index.xml"])
def test_the_entries_of_a_file_decide_whether_it_is_an_index(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(sitemapindex(["https://www.a.nl/1.xml"]).replace("sitemapindex", "urlset"))
    read = Read(path)
    found = read.about("index.andere-wortel")
    assert (found.url, found.line, found.seen) == (str(path), 2, "<urlset> met 1 sitemap")
    assert (read.account.indexes, read.account.sitemaps) == (1, 0)
    assert [code for code in read.codes if code != "index.naam"] == ["index.andere-wortel"]


@pytest.mark.parametrize(
    ("name", "root", "code", "seen"),
    [
        ("sitemapindex-diwoo.xml", "urlset", "index.gemengd", "1 document"),
        ("gemengd.xml", "sitemapindex", "index.gemengd", "1 document"),
        ("gemengd.xml", "urlset", "sitemap.gemengd", "1 sitemap"),
    ],
)
def test_what_does_not_belong_in_a_file_is_counted(
    tmp_path: Path, name: str, root: str, code: str, seen: str
) -> None:
    listed = "<sitemap><loc>https://www.a.nl/1.xml</loc></sitemap></urlset>"
    path = tmp_path / name
    path.write_text(sitemap(entry()).decode().replace("</urlset>", listed).replace("urlset", root))
    read = Read(path)
    assert read.about(code).seen == seen
    assert not read.account.complete


@pytest.mark.parametrize(
    ("root", "codes"),
    [
        ("urlset", ["index.andere-wortel", "sitemap.leeg"]),
        ("sitemapindex", ["sitemap.leeg"]),
        ("rss", ["index.ongeldig"]),
    ],
)
def test_an_empty_index_says_that_it_is_empty(tmp_path: Path, root: str, codes: list[str]) -> None:
    path = tmp_path / "sitemapindex-diwoo.xml"
    path.write_text(sitemapindex([]).replace("sitemapindex", root))
    assert Read(path).codes == codes


@pytest.mark.parametrize("name", ["1.xml", "1.xml.gz"])
def test_a_file_that_an_index_lists_is_read_as_a_sitemap(tmp_path: Path, name: str) -> None:
    (tmp_path / "sitemapindex-diwoo.xml").write_text(sitemapindex([f"https://www.a.nl/{name}?page=1"]))
    path = tmp_path / name
    path.write_text(sitemapindex(["https://www.a.nl/2.xml"]))
    found = Read(tmp_path).about("index.genest")
    assert (found.url, found.seen) == (str(path), "<sitemapindex> met 1 sitemap")
    path.write_text(sitemap(entry()).decode().replace("urlset", "sitemapindex"))
    read = Read(tmp_path)
    assert (read.codes, read.account.records) == (["sitemap.andere-wortel"], 1)


def test_documents_in_an_index_are_not_harvested_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "sitemapindex-diwoo.xml"
    path.write_bytes(sitemap(entry(), entry("2.pdf")))
    read = Read(path)
    assert read.about("index.is-urlset").seen == "<urlset> met 2 documenten"
    assert (read.codes, read.account.listed) == (["index.is-urlset"], 0)


@pytest.mark.parametrize("listed", ["sitemapindex-diwoo.xml", "sitemapindex-diwoo-infocat002.xml"])
def test_an_index_that_lists_an_index_is_reported(tmp_path: Path, listed: str) -> None:
    index, other = tmp_path / "sitemapindex-diwoo.xml", tmp_path / "sitemapindex-diwoo-infocat002.xml"
    index.write_text(sitemapindex([f"https://www.a.nl/{listed}"]))
    other.write_text(sitemapindex(["https://www.a.nl/1.xml"]))
    read = Read(tmp_path)
    found = read.about("index.genest")
    assert (read.codes, found.url, found.line) == (["index.genest"], str(index), 3)
    assert found.seen == f"https://www.a.nl/{listed}"


def test_an_index_that_only_robots_txt_shows_to_be_one_is_reported(tmp_path: Path) -> None:
    other = "https://www.a.nl/sitemapindex-diwoo-infocat002.xml"
    (tmp_path / "robots.txt").write_text(robots_txt("https://www.a.nl/sitemapindex-diwoo.xml", other))
    (tmp_path / "sitemapindex-diwoo.xml").write_text(sitemapindex([other, "https://www.a.nl/1.xml"]))
    assert Read(tmp_path).about("index.genest").seen == other


@pytest.mark.parametrize(
    ("numbers", "code"),
    [((None, 2), "index.dubbel"), ((2, 14), "index.strijdig"), ((14, 2), "index.strijdig")],
)
def test_a_sitemap_in_two_indexes_has_the_lowest_category(
    tmp_path: Path, numbers: tuple[int | None, int], code: str
) -> None:
    for folder, number in zip("ab", numbers, strict=True):
        name = "sitemapindex-diwoo.xml" if number is None else f"sitemapindex-diwoo-infocat{number:03}.xml"
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(sitemapindex(["https://www.a.nl/1.xml"]))
    (tmp_path / "1.xml").write_bytes(sitemap(entry(diwoo=replace(GOOD, informatiecategorieen=[]))))
    read = Read(tmp_path)
    assert read.about(code).seen == f"1 sitemap, ook in {next((tmp_path / 'a').iterdir())}"
    assert "informatiecategorie.ontbreekt" not in read.codes
    other = replace(GOOD, informatiecategorieen=[sitemaps.categorie(2)])
    (tmp_path / "1.xml").write_bytes(sitemap(entry(diwoo=other)))
    assert Read(tmp_path).codes == [code]


def test_an_unreadable_index_is_reported_as_such(tmp_path: Path) -> None:
    path = tmp_path / "sitemapindex-diwoo.xml"
    path.write_text("<!DOCTYPE html><html><body>Storing</body></html>")
    assert Read(path).codes == ["index.ongeldig"]


@pytest.mark.parametrize(
    ("folder", "category"),
    [
        ("www.a.nl/x/a", 1),
        ("www.a.nl/x/b", 2),
        ("ergens/a", 1),
        ("ergens", None),  # it could be either of the two
    ],
)
def test_the_folders_of_sitemaps_with_one_name_decide_which_index_lists_them(
    folder: str, category: int | None, tmp_path: Path
) -> None:
    for number, name in enumerate(("a", "b"), start=1):
        index = tmp_path / f"sitemapindex-diwoo-infocat{number:03}.xml"
        index.write_text(sitemapindex([f"https://www.a.nl/x/{name}/sitemap.xml?jaar=20/26"]))
    path = tmp_path / folder / "sitemap.xml"
    path.parent.mkdir(parents=True)
    given = [] if category is None else [sitemaps.categorie(category)]
    path.write_bytes(sitemap(entry(diwoo=replace(GOOD, informatiecategorieen=given))))
    codes = [code for code in Read(tmp_path).codes if code != "metadata.schema"]
    assert codes == (["informatiecategorie.ontbreekt"] if category is None else [])


def test_the_index_gives_its_category_to_the_sitemaps_beside_it(tmp_path: Path) -> None:
    index = tmp_path / "sitemapindex-diwoo-infocat002.xml"
    index.write_text(sitemapindex(["https://www.a.nl/woo/2024.xml?page=1"]))
    (tmp_path / "2024.xml").write_bytes(sitemap(entry(diwoo=replace(GOOD, informatiecategorieen=[]))))
    assert set(Read(tmp_path).codes) == {"metadata.schema"}
    other = replace(GOOD, informatiecategorieen=[sitemaps.categorie(3)])
    (tmp_path / "2024.xml").write_bytes(sitemap(entry(diwoo=other)))
    assert Read(tmp_path).codes == ["informatiecategorie.strijdig"]


def test_the_names_of_indexes_in_robots_txt_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "robots.txt"
    path.write_text(
        robots_txt(
            "/sitemapindex-diwoo.xml",
            "https://www.a.nl/sitemap-diwoo.xml",
            "http://www.a.nl/sitemapindex-diwoo-infocat003.xml",
            "https://www.a.nl/sitemap.xml",
        )
    )
    read = Read(path)
    assert read.codes == [
        "robots.sitemap-relatief",
        "index.naam",
        "index.geen-https",
        "robots.andere-sitemap",
    ]
    index = "https://www.a.nl/sitemapindex-diwoo.xml"
    path.write_text(rf"Sitemap: {index}\nSitemaps: {index}" + f"\nIndex: {index}\n")
    assert Read(path).codes == ["robots.regel-afwijkend", "robots.samengevoegd", "robots.regel-genegeerd"]
    path.write_text("User-agent: *\n" + "# x\n" * 200_000)
    assert Read(path).codes == ["robots.te-groot", "robots.geen-diwoo-index"]
