"""Write a sitemap by hand, and read it completely, for the tests of the reader."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from woo_harvester.sitemaps.reader import OtherRootError, RootName, SitemapReader
from woo_harvester.sitemaps.xml_stream import SitemapError

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
DIWOO = "https://standaarden.overheid.nl/diwoo/metadata/"
MAXSIZE = 200_000_000


@dataclass
class Outcome:
    """The result of reading a file."""

    entries: list[tuple[str, str | None]] = field(default_factory=list)
    """The loc and lastmod of each entry."""
    lines: list[int] = field(default_factory=list)
    reason: str | None = None
    root: str | None = None
    """Root element of a file that is no sitemap."""
    seen: str | None = None
    line: int | None = None
    complete: bool = False

    @property
    def locs(self) -> list[str]:
        return [loc for loc, _ in self.entries]


def urlset(*locs: str, head: str = "") -> str:
    """Return a sitemap of these locations, as XML on one line, without escaping."""
    return (
        head + f'<urlset xmlns="{NAMESPACE}" xmlns:diwoo="{DIWOO}">' + "".join(map(url, locs)) + "</urlset>"
    )


def url(loc: str) -> str:
    """Return an entry with a lastmod."""
    return f"<url><loc>{loc}</loc><lastmod>2024-04-01</lastmod></url>"


def split(body: bytes, size: int) -> Iterator[bytes]:
    """Return the body in chunks of *size* bytes."""
    return (body[start : start + size] for start in range(0, len(body), size))


def read(
    body: str | bytes | Iterable[bytes],
    kind: RootName = "urlset",
    *,
    size: int = 64 * 1024,
    maxsize: int = MAXSIZE,
) -> Outcome:
    """Read a file in chunks of *size* bytes, or in the chunks that are given."""
    if isinstance(body, str):
        body = body.encode()
    reader = SitemapReader(split(body, size) if isinstance(body, bytes) else body, kind, maxsize)
    outcome = Outcome()
    try:
        for batch in reader:
            outcome.entries += [(entry.loc, entry.lastmod) for entry in batch]
            outcome.lines += [entry.line for entry in batch]
    except OtherRootError as error:
        outcome.root, outcome.line = error.root, error.line
    except SitemapError as error:
        outcome.reason, outcome.seen, outcome.line = error.reason, error.seen, error.line
    assert reader.entries == len(outcome.entries)
    outcome.complete = reader.complete
    return outcome


DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
#: A file in which every kind of markup comes by.
WHOLE = (
    DECLARATION
    + "<!-- made by hand -->\n"
    + urlset(
        "https://a.nl/1", "https://a.nl/x?a=1&amp;b=&#233;", "<![CDATA[https://a.nl/3]]>", "https://a.nl/é"
    )
    + "\n"
).replace("</url>", "<diwoo:Document><diwoo:DiWoo a='1'/><?x y?><!-- z --></diwoo:Document></url>\n")
