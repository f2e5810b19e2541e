"""Reads indexes from disk that have no robots.txt, with the rules by which a harvest selects URLs."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import chain
from pathlib import Path

from woo_harvester.audit.file_selection import FileSelection
from woo_harvester.audit.folder_files import alike, folders_of
from woo_harvester.audit.local_file import FileEntries, chunks_of, found_kind, kind_of, shown
from woo_harvester.findings import Reporter
from woo_harvester.report.funnel import Account
from woo_harvester.sitemaps.file_findings import Index
from woo_harvester.sitemaps.reader import OtherRootError
from woo_harvester.sitemaps.repairing_reader import RepairingReader
from woo_harvester.sitemaps.robots import NameMatch, index_name
from woo_harvester.sitemaps.xml_stream import SitemapError
from woo_harvester.tooi import category_of_index
from woo_harvester.tooi.values import Concept, ValueList
from woo_harvester.utils.urls import last_segment


class IndexFiles:
    """The indexes among the files that were given.

    Findings go to *report*; *maxsize* is the largest size of an index in bytes, after decompression.
    """

    def __init__(self, account: Account, report: Reporter, maxsize: int) -> None:
        self._account = account
        self._report = report
        self._maxsize = maxsize
        self._selection = FileSelection(report)
        self._numbers: dict[str, dict[str, tuple[list[str], int]]] = {}
        """Folders, the innermost first, and category of each sitemap in an index, by its name and its loc."""
        self._listed: set[str] = set()
        """File names of the sitemaps in all indexes."""
        self._names: set[str] = set()
        """File names of the indexes that list no documents."""

    def learn(self, paths: Iterable[Path]) -> None:
        """Note which files are indexes, and which category each gives to its sitemaps. Raises OSError."""
        for path in paths:
            if kind_of(path, self._maxsize) == "index":
                self._learn(path)

    def _learn(self, path: Path) -> None:
        reading = RepairingReader(chunks_of(path), "sitemapindex", self._maxsize)
        with suppress(OtherRootError, SitemapError):  # reported when the file itself is read
            for entry in chain.from_iterable(reading):
                self._listed.add(last_segment(entry.loc))
                self._add_category(entry.loc, index_name(path.name).number)
        if not reading.current.others:
            self._names.add(path.name)

    def _add_category(self, loc: str, number: int | None) -> None:
        """Note the category of a sitemap; if several indexes list it, the lowest number counts."""
        if number is not None:
            known = self._numbers.setdefault(last_segment(loc), {})
            _, before = known.get(loc, ([], number))
            known[loc] = folders_of(loc), min(before, number)

    def is_index(self, path: Path) -> bool:
        """Return whether a file is read as an index: by its name, or by its content if no index lists it."""
        if index_name(path.name).match is NameMatch.INDEX:
            return True
        is_listed = not self._listed.isdisjoint((path.name, path.name.removesuffix(".gz")))
        return not is_listed and found_kind(path, self._maxsize) == "index"

    def category_of(self, path: Path, categories: ValueList) -> Concept | None:
        """Return the category that an index gives to a sitemap of this name in the most similar folders."""
        known = self._numbers.get(path.name) or self._numbers.get(path.name.removesuffix(".gz")) or {}
        folders = list(path.parts[-2::-1])
        found = [(alike(folders, each), number) for each, number in known.values()]
        most = max(found, default=(0, 0))[0]
        numbers = {number for count, number in found if count == most}
        return category_of_index(numbers.pop(), categories) if len(numbers) == 1 else None

    def read_index(self, path: Path, *, is_given: bool) -> None:
        """Report what is wrong with an index; one with another name counts only if *is_given*."""
        place = self._selection.place = shown(path)
        name = index_name(path.name)
        if name.match is NameMatch.OTHER and not is_given:
            self._report("robots.andere-sitemap", url=place, seen=shown(path.name))
            return
        self._account.count_index(shown(path.name))
        if code := _code_of_name(path.name):
            self._report(code, url=place, seen=shown(path.name))
        index = Index(place, name)
        for entry in FileEntries(path, "index", self._maxsize, self._report):
            if last_segment(entry.loc) in self._names and "?" not in entry.loc:
                self._selection.report_nested(entry, index)
            else:
                self._selection.sitemap(entry, index)
        for _ in self._selection.nested():
            pass
        self._selection.report_shared(index)


def _code_of_name(name: str) -> str | None:
    """Return the code of what is wrong with the name of an index, or None."""
    found = index_name(name)
    if found.match is NameMatch.UNKNOWN_INFOCAT:
        return "index.infocat-onbekend"
    if found.match is not NameMatch.INDEX:
        return "index.naam"
    return "index.hoofdletters" if found.other_case else None
