"""Files that are not well-formed, and that a repair makes readable."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

import pytest

from tests.sitemaps.reading import DIWOO, MAXSIZE, NAMESPACE, split, url
from woo_harvester.diwoo.given import read_metadata
from woo_harvester.sitemaps.file_findings import file_findings
from woo_harvester.sitemaps.reader import OtherRootError, RootName
from woo_harvester.sitemaps.repair import NAMESPACES
from woo_harvester.sitemaps.repairing_reader import RepairingReader
from woo_harvester.sitemaps.xml_stream import SitemapError

METADATA = (
    "<diwoo:Document><diwoo:DiWoo><diwoo:creatiedatum>{}</diwoo:creatiedatum></diwoo:DiWoo></diwoo:Document>"
)
DECLARED = f'<urlset xmlns="{NAMESPACE}" xmlns:diwoo="{DIWOO}">'
UNDECLARED = f'<urlset xmlns="{NAMESPACE}">'


def described(number: int, amp: str = "&amp;") -> str:
    """Return an entry with metadata, on a line of its own."""
    return f"\n<url><loc>https://a.nl/?a={number}{amp}b</loc>{METADATA.format(number)}</url>"


class Reading:
    """A file that is read to its end, or to its fault."""

    def __init__(
        self,
        body: str | bytes,
        kind: RootName = "urlset",
        *,
        size: int = 64 * 1024,
        maxsize: int = MAXSIZE,
        charset: str | None = None,
    ) -> None:
        self.body = body.encode() if isinstance(body, str) else body
        self.size = size
        self.times = 0
        """How often the file was read from its first byte on."""
        self.reader = RepairingReader(self.chunks, kind, maxsize, charset)
        self.locs: list[str] = []
        self.lines: list[int] = []
        self.dates: list[str | None] = []
        self.error: SitemapError | None = None
        self.root: str | None = None
        try:
            for batch in self.reader:
                self.locs += [entry.loc for entry in batch]
                self.lines += [entry.line for entry in batch]
                self.dates += [read_metadata(entry.document).creatiedatum for entry in batch]
        except SitemapError as error:
            self.error = error
        except OtherRootError as error:
            self.root = error.root
        assert self.reader.current.complete is (self.error is None and self.root is None)

    def chunks(self) -> Iterator[bytes]:
        self.times += 1
        yield from split(self.body, self.size)

    @property
    def fault(self) -> tuple[str, int | None, int]:
        """The reason of the error, its line, and how many entries were lost by it."""
        assert self.error is not None
        return self.error.reason, self.error.line, self.error.lost


def test_a_file_that_is_well_formed_is_read_once() -> None:
    reading = Reading(DECLARED + described(1) + "</urlset>")
    assert (reading.dates, reading.times) == (["1"], 1)
    assert reading.reader.current.repair is None


@pytest.mark.parametrize("count", [10, 10_000])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("start", [DECLARED, UNDECLARED])
@pytest.mark.parametrize("amp", ["&", "&amp;"])
def test_all_entries_are_read_with_their_lines(start: str, amp: str, encoding: str, count: int) -> None:
    body = start + "".join(described(number, amp) for number in range(count)) + "</urlset>"
    reading = Reading(body.encode(encoding))
    assert reading.error is None
    assert reading.locs == [f"https://a.nl/?a={number}&b" for number in range(count)]
    assert reading.dates == [str(number) for number in range(count)]
    assert reading.lines == [number + 2 for number in range(count)]
    assert reading.reader.current.entries == count
    repair = reading.reader.current.repair
    if start is DECLARED and amp == "&amp;":
        assert repair is None
    else:
        assert repair is not None
        assert (repair.prefixes, repair.ampersands.count) == (
            () if start is DECLARED else ("diwoo",),
            count if amp == "&" else 0,
        )


def test_the_pieces_in_which_a_file_comes_make_no_difference() -> None:
    for size in [1, 7, 1000]:
        for place in range(4):
            entries = [described(number, "&" if number == place else "&amp;") for number in range(4)]
            reading = Reading(UNDECLARED + "".join(entries) + "</urlset>", size=size)
            assert reading.dates == ["0", "1", "2", "3"], size
            assert reading.lines == [2, 3, 4, 5], size


def test_a_packed_file_is_repaired_too() -> None:
    assert Reading(gzip.compress((DECLARED + described(1, "&") + "</urlset>").encode())).dates == ["1"]


def test_the_last_ampersand_of_a_file_is_found_though_no_semicolon_follows_it() -> None:
    body = DECLARED + described(1, "&amp;") + "<url><loc>https://a.nl/?a&b</loc></url></urlset>"
    assert Reading(body).locs == ["https://a.nl/?a=1&b", "https://a.nl/?a&b"]
    far = Reading(body.replace("</urlset>", " " * 3_000_000 + "</urlset>"))
    assert far.locs == ["https://a.nl/?a=1&b", "https://a.nl/?a&b"]


def test_an_ampersand_in_metadata_and_in_an_attribute_is_read_as_it_was_meant() -> None:
    metadata = METADATA.format(
        "2024</diwoo:creatiedatum><diwoo:format resource='urn:?x&y'>Jansen & Zn</diwoo:format>"
    )
    body = metadata.replace("</diwoo:format></diwoo:creatiedatum>", "</diwoo:format>")
    reader = RepairingReader(
        lambda: [f"{DECLARED}<url><loc>a</loc>{body}</url></urlset>".encode()], "urlset", MAXSIZE
    )
    (entry,) = [read_metadata(entry.document) for batch in reader for entry in batch]
    assert entry.format == ("Jansen & Zn", "urn:?x&y")


def test_each_usual_prefix_is_declared_when_it_must_be() -> None:
    entry = f"<url><loc>a</loc><mdto:MDTO/>{METADATA.format('1')}</url>"
    reading = Reading(f'<urlset xmlns="{NAMESPACE}" xsi:schemaLocation="x">{entry}</urlset>')
    assert (reading.locs, reading.dates) == (["a"], ["1"])
    repair = reading.reader.current.repair
    assert repair is not None
    assert sorted(repair.prefixes) == sorted(NAMESPACES)


def test_a_prefix_that_some_entries_declare_themselves_is_declared_for_the_others() -> None:
    own = described(1).replace("<diwoo:Document>", f'<diwoo:Document xmlns:diwoo="{DIWOO}">')
    assert Reading(UNDECLARED + own + described(2) + own + "</urlset>").dates == ["1", "2", "1"]


def test_a_root_of_documents_may_lack_the_declaration() -> None:
    document = "<diwoo:Document><diwoo:DiWoo><loc>a</loc></diwoo:DiWoo></diwoo:Document>"
    reading = Reading(f'<diwoo:Documents xmlns="{NAMESPACE}">{document * 2}</diwoo:Documents>')
    assert (reading.locs, reading.reader.current.root) == (["a", "a"], "Documents")


def test_an_index_is_repaired_too() -> None:
    listed = "<sitemap><loc>https://a.nl/?a=1&page=2</loc></sitemap>"
    reading = Reading(f'<sitemapindex xmlns="{NAMESPACE}">{listed * 2}</sitemapindex>', "sitemapindex")
    assert reading.locs == ["https://a.nl/?a=1&page=2"] * 2


def test_a_file_of_another_kind_is_called_that_once_it_is_repaired() -> None:
    listed = "<sitemap><loc>https://a.nl/?a=1&page=2</loc></sitemap>"
    assert Reading(f'<sitemapindex xmlns="{NAMESPACE}">{listed}</sitemapindex>').root == "sitemapindex"
    assert Reading("<rss><a>&</a></rss>").root == "rss"
    assert Reading("<x:rss/>").root == "x:rss"


HEADS = [
    "\n<?xml version='1.0'?>",
    "\ufeff\ufeff<?xml version='1.0'?>",
    "\n\ufeff<?xml version='1.0'?>",
    "<?xml version='1.0' encoding=''?>",
    "<?xml encoding='UTF-8'?>",
    "<?xml version='1.0'?><?xml version='1.0'?>\n",
    "<!-- made by X -- version 2 -->",
]


def test_what_stands_before_the_root_element_is_left_out_if_it_must_be() -> None:
    for head in HEADS:
        for encoding in ["utf-8", "utf-16-le"]:
            for amp in ["&", "&amp;"]:
                if encoding == "utf-16-le" and head.startswith("\n"):
                    continue  # the first bytes do not show the encoding
                reading = Reading(f"{head}{DECLARED}{described(1, amp)}</urlset>".encode(encoding), size=1)
                assert (reading.locs, reading.error) == (["https://a.nl/?a=1&b"], None), (head, encoding, amp)
                assert reading.lines == [2 + head.count("\n")], (head, encoding, amp)
                found = [finding.code for finding in file_findings("sitemap", reading.reader.current)]
                assert found == ["sitemap.kop", *(["sitemap.ampersand"] if amp == "&" else [])], (
                    head,
                    encoding,
                    amp,
                )


def test_what_stands_before_the_root_element_of_an_index_is_left_out_too() -> None:
    for head in HEADS:
        body = f"{head}<sitemapindex xmlns='{NAMESPACE}'><sitemap><loc>a</loc></sitemap></sitemapindex>"
        reading = Reading(body, "sitemapindex")
        assert reading.locs == ["a"], head
        assert [each.code for each in file_findings("index", reading.reader.current)] == ["sitemap.kop"], head


def test_a_sign_that_is_wrong_costs_itself_and_not_the_entries_after_it() -> None:
    for sign, title, seen in (
        (b"\x92", "Agenda’s", "byte 0x92 (’)"),
        (b"\x0b", "Agendas", "U+000B"),
        (b"&#x1F;", "Agendas", "&#x1F;"),
    ):
        entries = (f"<url><loc>a</loc>{METADATA.format(text)}</url>\n" for text in ("1", "Agenda#s", "3"))
        body = f"<?xml version='1.0' encoding='UTF-8'?>{DECLARED}{''.join(entries)}</urlset>"
        reading = Reading(body.encode().replace(b"#", sign))
        assert (reading.dates, reading.error) == (["1", title, "3"], None), sign
        (found,) = file_findings("sitemap", reading.reader.current)
        assert (found.code, found.line, found.seen) == ("sitemap.tekens", 2, seen)


def test_the_encoding_that_is_declared_after_an_empty_line_counts() -> None:
    body = f"\n<?xml version='1.0' encoding='iso-8859-1'?>{DECLARED}{url('café')}</urlset>"
    assert Reading(body.encode("latin-1")).locs == ["café"]


def test_anything_else_before_the_root_element_is_refused() -> None:
    for start in ["Fout: ", "<!DOCTYPE x [<!ENTITY a 'b'>]>", "\n<!DOCTYPE html>", "{}"]:
        reading = Reading(f"{start}{DECLARED}{url('a')}</urlset>")
        assert reading.error is not None, start
        assert reading.locs == [], start


# Encodings

#: The encoding that the file declares, the one that its server names, the one that it has, and what is found.
ENCODINGS = [
    ("utf-8", None, "utf-8", []),
    ("utf-8", None, "cp1252", ["sitemap.tekens"]),
    ("utf-8", "iso-8859-1", "utf-8", []),
    ("utf-8", "iso-8859-1", "cp1252", []),
    ("utf-8", "onzin", "cp1252", ["sitemap.tekens"]),
    (None, "windows-1252", "cp1252", []),
    (None, "windows-1252", "utf-8", []),
    (None, "UTF-8", "utf-8", []),
    (None, None, "cp1252", ["sitemap.tekens"]),
    ("iso-8859-1", None, "cp1252", []),
    ("iso-8859-1", "utf-8", "utf-8", []),
    ("iso-8859-1", "utf-8", "cp1252", []),
    ("iso-8859-1", "utf-16", "cp1252", []),
    ("windows-1252", None, "cp1252", []),
    ("us-ascii", None, "cp1252", ["sitemap.tekens"]),
    ("us-ascii", "utf-8", "cp1252", ["sitemap.tekens"]),
    ("us-ascii", "cp1252", "cp1252", []),
    (None, "us-ascii", "utf-8", []),
    ("us-ascii", "utf-8", "utf-8", []),
    ("us-ascii", "cp1252", "utf-8", ["sitemap.kop"]),
    *(
        (label, None, "utf-8", ["sitemap.kop"])
        for label in ("us-ascii", "iso-8859-1", "ISO-8859-15", "cp1252")
    ),
    ("iso-8859-1", "cp1252", "utf-8", ["sitemap.kop"]),
    ("gb18030", None, "gb18030", []),
    ("utf-16", None, "utf-8", ["sitemap.kop"]),
    ("utf-16", "windows-1252", "cp1252", ["sitemap.kop"]),
    ("utf-8", "windows-1252", "utf-16", []),
]


def test_a_title_is_read_in_the_encoding_that_the_file_has() -> None:
    for declared, charset, encoding, found in ENCODINGS:
        head = f"<?xml version='1.0' encoding='{declared}'?>\n" if declared else ""
        title = "Agenda’s van 2024, café, € 5"
        body = f"{head}{DECLARED}<url><loc>a</loc>{METADATA.format(title)}</url>{described(2)}</urlset>"
        reading = Reading(body.encode(encoding), charset=charset)
        assert (reading.dates, reading.error) == ([title, "2"], None), (declared, charset, encoding)
        codes = [each.code for each in file_findings("sitemap", reading.reader.current)]
        assert codes == found, (declared, charset, encoding)


# Broken files


def test_of_a_broken_file_the_entries_before_a_fault_that_stays_are_read() -> None:
    for fault in ["</lok>", "<a b=1/>", "&nbsp;", "&undefined;", "<!-- -- -->", "<foo:x/>", "</a>"]:
        for size in [7, 100_000]:
            body = f"{DECLARED}{url('a')}{url('b&b')}\n<url><loc>c</loc>{fault}</url>{url('d')}</urlset>"
            for given, read in ((body, ["a", "b&b"]), (body.replace("b&b", "b"), ["a", "b"])):
                reading = Reading(given, size=size)
                assert reading.locs == read, (fault, size)
                assert reading.fault == ("ongeldig", 2, 2), (fault, size)
            reading = Reading(
                UNDECLARED + url("a") + described(1) + fault + described(2) + "</urlset>", size=size
            )
            assert (reading.locs, reading.fault) == (["a", "https://a.nl/?a=1&b"], ("ongeldig", 2, 1)), (
                fault,
                size,
            )


def test_a_file_that_breaks_off_is_repaired_up_to_there() -> None:
    body = UNDECLARED + described(1, "&") + described(2, "&") + described(3, "&")
    reading = Reading(body[:-20])
    assert (reading.dates, reading.fault[0], reading.fault[2]) == (["1", "2"], "afgebroken", 1)
    packed = gzip.compress((body + "</urlset>").encode())
    assert Reading(packed[:-9]).fault[0] == "afgebroken"


def test_a_file_beyond_the_bound_is_repaired_up_to_there() -> None:
    body = UNDECLARED + "".join(described(number, "&") for number in range(100)) + "</urlset>"
    reading = Reading(body, maxsize=len(body) // 2)
    assert 40 < len(reading.dates) < 60
    assert reading.fault[0] == "te-groot"


def test_the_size_is_that_of_the_file_and_not_that_of_its_repaired_form() -> None:
    body = UNDECLARED + described(1, "&") + "</urlset>"
    reading = Reading(body, maxsize=len(body))
    assert (reading.dates, reading.reader.current.size) == (["1"], len(body))


def test_what_is_lost_is_counted_by_the_entries_that_begin() -> None:
    cases: list[tuple[str, RootName, int]] = [
        (f"<urlset>{url('a') * 20_000}</lok>{url('b') * 30_000}</urlset>", "urlset", 30_000),
        (f"<s:urlset xmlns:s='urn:x'></lok>{'<s:url ><s:loc/></s:url>' * 3}</s:urlset>", "urlset", 3),
        (f"<urlset></lok>{'<urls/><url/><xurl/><url:x/>' * 3}<url", "urlset", 3),
        (f"<sitemapindex></lok>{'<sitemap></sitemap>' * 3}</sitemapindex>", "sitemapindex", 3),
        ("<Documents></lok>" + "<Document>" * 3 + "<url>", "urlset", 4),
        (f"<urlset></lok>{METADATA}</urlset>", "urlset", 0),
        ("no XML <url>", "urlset", 1),
        ("", "urlset", 0),
    ]
    for body, kind, lost in cases:
        for encoding in ["utf-8", "utf-16"]:
            if not body and encoding == "utf-16":
                continue
            for size in (1000, 64 * 1024):
                assert Reading(body.encode(encoding), kind, size=size).fault[2] == lost, (body[:60], encoding)


def test_a_file_is_read_three_times_at_most() -> None:
    for body in [
        f'<urlset xsi:a="1"><mdto:a/>{METADATA}&</lok></urlset>',
        f'<urlset xsi:a="1"><mdto:a/>{METADATA}<foo:a/></urlset>',
        "<urlset>" + "&" * 100_000,
        "<urlset>" + "<a>&</b>" * 1000,
        "<urlset>&<!-- ",
        "&" * 1000,
        "<diwoo:urlset " * 1000,
    ]:
        reading = Reading(body)
        assert reading.error is not None, body[:60]
        assert reading.times <= 3, body


def test_the_caller_gets_its_turn_while_a_file_is_read_again() -> None:
    body = DECLARED + described(1, "&") + "".join(map(described, range(2, 20_000))) + "</urlset>"
    reader = RepairingReader(lambda: split(body.encode(), 64 * 1024), "urlset", MAXSIZE)
    batches = [len(batch) for batch in reader]
    turns = len(body) // (64 * 1024)
    assert sum(batches) == 19_999
    assert len(batches) >= turns
