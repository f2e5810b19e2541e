"""Messages on disk that are audited: they answer in the place of a host, with an entry page of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from woo_harvester.audit.given import NO_HOST, GivenHost, chunks_of, is_robots, is_sitemap, shown
from woo_harvester.kinds import Kind
from woo_harvester.permits.parsing import has_message_root


class GivenMessages(GivenHost):
    """Permit messages of one organisation."""

    kind = Kind.vergunningen
    not_judged = ("register", "entry_page", "fetching", "earlier_messages")

    def __init__(self, name: str, paths: Iterable[Path]) -> None:
        super().__init__(name, NO_HOST)
        self._paths = {f"{self.url}{number}.xml": path for number, path in enumerate(paths)}
        self._shown |= {self.url: name, **{url: shown(path) for url, path in self._paths.items()}}

    @staticmethod
    def among(paths: Sequence[Path]) -> Sequence[Path]:
        """Return the messages, by their root; all files if one is a message and none is for a sitemap."""
        messages = [path for path in paths if has_message_root(chunks_of(path)())]
        is_all = messages and not any(is_robots(path) or is_sitemap(path) for path in paths)
        return paths if is_all else messages

    def answer(self, url: str) -> Path | bytes | None:
        """Return the entry page, or the message at a URL."""
        if url == self.url:
            return "".join(f'<a href="{link}">{link}</a>\n' for link in self._paths).encode()
        return self._paths.get(url, b"")  # a robots.txt without rules
