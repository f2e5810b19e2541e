"""What is known of the content of documents, and whether a run wants more."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import Connection, func, select, update

from tests.state.knowledge import harvest, locs, see, sitemap_of
from woo_harvester.documents.extracted import Limits
from woo_harvester.record import Aanvulling
from woo_harvester.state.contents import (
    Content,
    Depth,
    KnownText,
    TextResult,
    Wanted,
    add_content,
    begin_wanting,
    describe,
    is_lacking,
    keep_wanted,
    parse,
    wanted_content,
)
from woo_harvester.state.schema import contents, documents, listings, resources

LIMITS = Limits()
READ = KnownText(LIMITS, TextResult.READ)
FILE = Content(Depth.FILE)
KEPT = Content(Depth.FILE, "/srv/woo")
FULL = replace(KEPT, text=READ)
KOP, BESTAND, TEKST = Aanvulling.KOPREGELS, Aanvulling.BESTAND, Aanvulling.TEKST

HEAD = wanted_content(Depth.HEADERS)
DOWNLOAD = wanted_content(Depth.FILE, maxsize=500)
STORE = wanted_content(Depth.FILE, store="/srv/woo", maxsize=500)
ALL = wanted_content(Depth.FILE, store="/srv/woo", limits=LIMITS, maxsize=500)


@pytest.mark.parametrize(
    ("known", "wanted", "lacking"),
    [
        (Content(Depth.NONE), wanted_content(Depth.NONE), ()),
        (Content(Depth.NONE), HEAD, (KOP,)),
        (Content(Depth.NONE), ALL, (BESTAND, TEKST)),
        (Content(Depth.HEADERS), HEAD, ()),
        (Content(Depth.HEADERS), DOWNLOAD, (BESTAND,)),
        (FILE, HEAD, ()),
        (FILE, DOWNLOAD, ()),
        (FILE, STORE, (BESTAND,)),
        (FILE, ALL, (BESTAND, TEKST)),
        (KEPT, DOWNLOAD, ()),
        (KEPT, STORE, ()),
        (KEPT, ALL, (TEKST,)),
        (Content(Depth.FILE, "elsewhere"), STORE, (BESTAND,)),
        (Content(Depth.FILE, "/srv/other"), STORE, (BESTAND,)),
        (FULL, HEAD, ()),
        (FULL, ALL, ()),
        (replace(FILE, text=READ), ALL, (BESTAND,)),
    ],
)
def test_what_is_wanted_and_not_known_is_lacking(
    known: Content, wanted: Content, lacking: tuple[Aanvulling, ...]
) -> None:
    assert known.lacks(wanted) == lacking


@pytest.mark.parametrize(
    ("result", "limits", "enough"),
    [
        (TextResult.READ, LIMITS, True),
        (TextResult.READ, replace(LIMITS, maxlength=LIMITS.maxlength + 1, timeout=99, memory=10**12), True),
        (TextResult.READ, replace(LIMITS, ocr=True), False),
        (TextResult.TRUNCATED, LIMITS, True),
        (TextResult.TRUNCATED, replace(LIMITS, maxlength=LIMITS.maxlength - 1), True),
        (TextResult.TRUNCATED, replace(LIMITS, maxlength=LIMITS.maxlength + 1), False),
        (TextResult.TRUNCATED, replace(LIMITS, timeout=LIMITS.timeout + 1), True),
        (TextResult.FAILED, LIMITS, True),
        (TextResult.FAILED, replace(LIMITS, timeout=LIMITS.timeout - 1, memory=1, maxlength=1), True),
        (TextResult.FAILED, replace(LIMITS, timeout=LIMITS.timeout + 1), False),
        (TextResult.FAILED, replace(LIMITS, memory=LIMITS.memory + 1), False),
        (TextResult.FAILED, replace(LIMITS, maxlength=LIMITS.maxlength + 1), False),
        (TextResult.FAILED, replace(LIMITS, ocr=True), False),
    ],
)
def test_only_wider_limits_have_a_text_read_again(result: TextResult, limits: Limits, enough: bool) -> None:
    assert KnownText(LIMITS, result).is_enough(limits) is enough


def test_a_text_that_was_read_with_ocr_is_enough_without() -> None:
    assert KnownText(replace(LIMITS, ocr=True), TextResult.READ).is_enough(LIMITS)


@pytest.mark.parametrize("content", [Content(Depth.NONE), FILE, KEPT, FULL, HEAD, ALL])
def test_a_content_comes_out_of_its_description_as_it_went_in(content: Content) -> None:
    assert parse(describe(content)) == content


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"depth": 9}', "pad"])
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected the description of a content"):
        parse(text)


def test_what_was_known_of_the_same_file_is_not_forgotten() -> None:
    assert replace(FILE, text=READ).with_earlier(KEPT) == FULL
    assert Content(Depth.FILE, "/srv/new").with_earlier(FULL) == Content(Depth.FILE, "/srv/new", READ)


def test_equal_contents_have_one_number(connection: Connection) -> None:
    wanted = begin_wanting(connection, ALL)
    number = wanted.number_of(connection, FULL)
    assert number == wanted.number_of(connection, FULL) == add_content(connection, describe(FULL))
    assert begin_wanting(connection, ALL).content_of(number) == FULL
    assert connection.scalar(select(func.count()).select_from(contents)) == 2


def test_a_number_of_nothing_stands_for_nothing_known(connection: Connection) -> None:
    wanted = begin_wanting(connection, ALL)
    assert wanted.lacks(None) == (BESTAND, TEKST)
    assert wanted.sufficient is not None
    assert None not in wanted.sufficient


def test_a_run_that_requests_nothing_wants_nothing(connection: Connection) -> None:
    assert begin_wanting(connection, wanted_content(Depth.NONE)).sufficient is None


def test_a_complete_read_satisfies_each_run_that_wants_no_more(connection: Connection) -> None:
    done = begin_wanting(connection, ALL)
    for content, is_enough in [
        (ALL, True),
        (STORE, True),
        (DOWNLOAD, True),
        (HEAD, True),
        (replace(ALL, maxsize=400), True),
        (replace(ALL, maxsize=501), False),
        (replace(ALL, store="/srv/other"), False),
        (wanted_content(Depth.FILE, store="/srv/woo", limits=replace(LIMITS, timeout=61)), False),
    ]:
        sufficient = begin_wanting(connection, content).sufficient or frozenset()
        assert (done.number in sufficient) is is_enough, content


def test_what_was_refused_may_be_accepted_by_a_run_that_looks_further(connection: Connection) -> None:
    head, small = begin_wanting(connection, HEAD), begin_wanting(connection, replace(DOWNLOAD, maxsize=100))
    all_of_it = begin_wanting(connection, ALL)
    assert {head.number, small.number} <= all_of_it.less
    assert begin_wanting(connection, STORE).number not in all_of_it.less
    assert small.number not in begin_wanting(connection, HEAD).less


class Sitemap:
    """A sitemap with two harvested documents of which all content is known, and one that was only seen."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.id = sitemap_of(connection)
        self.wanted: Wanted = begin_wanting(connection, ALL)
        full = self.wanted.number_of(connection, FULL)
        self.wanted = begin_wanting(connection, ALL)
        self.key, _ = harvest(connection, self.id, locs(2))
        see(connection, self.id, ["https://a.nl/new.pdf"])
        connection.execute(
            update(documents).where(documents.c.harvested.is_not(None)).values(known_content=full)
        )

    def is_lacking_with(self, **values: object) -> bool:
        """Return whether content is lacking once the first document has these values."""
        if values:
            statement = update(documents).where(documents.c.id == self.key)
            self.connection.execute(statement.values(values))
        return is_lacking(self.connection, self.id, self.wanted)


def test_a_sitemap_whose_documents_have_all_content_lacks_nothing(connection: Connection) -> None:
    assert not Sitemap(connection).is_lacking_with()


def test_a_sitemap_lacks_the_content_of_any_published_document(connection: Connection) -> None:
    sitemap = Sitemap(connection)
    assert sitemap.is_lacking_with(known_content=None)
    assert sitemap.is_lacking_with(known_content=add_content(connection, describe(KEPT)))
    assert not is_lacking(connection, sitemap.id + 1, sitemap.wanted)
    assert not sitemap.is_lacking_with(withdrawn=5)
    assert sitemap.is_lacking_with(withdrawn=None)
    connection.execute(update(listings).values(misses=1))
    assert not sitemap.is_lacking_with()


def test_a_refused_document_is_left_alone_until_a_run_wants_more(connection: Connection) -> None:
    sitemap = Sitemap(connection)
    same, less = sitemap.wanted.number, begin_wanting(connection, HEAD).number
    sitemap.wanted = begin_wanting(connection, ALL)
    assert not sitemap.is_lacking_with(known_content=None, refused_at=5, refused_with=same)
    assert not sitemap.is_lacking_with(refused_with=None)
    assert sitemap.is_lacking_with(refused_with=less)
    assert sitemap.is_lacking_with(harvested=None)


def test_a_document_of_another_host_is_left_to_that_host(connection: Connection) -> None:
    sitemap = Sitemap(connection)
    there, beside = sitemap_of(connection, "b.nl"), sitemap_of(connection, "a.nl", "s1.xml")
    assert sitemap.is_lacking_with(known_content=None)
    assert not sitemap.is_lacking_with(sitemap_id=there)
    assert sitemap.is_lacking_with(sitemap_id=beside)


def test_the_answer_is_kept_with_the_sitemap(connection: Connection) -> None:
    sitemap = Sitemap(connection)
    keep_wanted(connection, sitemap.id, sitemap.wanted)
    row = connection.execute(select(resources.c.wanted).where(resources.c.id == sitemap.id))
    assert row.scalar() == sitemap.wanted.number
