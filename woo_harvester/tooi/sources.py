"""Get newer value lists: from TOOI's public addresses, from a folder, or from a folder on the web."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryFile

from woo_harvester.fetch import FetchError, fetch_file
from woo_harvester.tooi.list_files import (
    INDEX,
    MAXSIZE,
    ListFile,
    ListFiles,
    ListsError,
    read_from_folder,
    read_lists,
)
from woo_harvester.tooi.lists import NAMES
from woo_harvester.tooi.public import PUBLIC_LISTS, PublicList, latest_version, read_json_ld
from woo_harvester.urls import is_web_url


@dataclass(frozen=True, slots=True)
class ListFetcher:
    """Fetches lists. A file that cannot be fetched raises ListsError with its address."""

    user_agent: str
    today: date
    time_limit: float = 60
    backoff: float = 2

    async def fetch(self, source: str | None, known: ListFiles) -> ListFiles:
        """Return the lists of *source*: a folder or its URL, or TOOI's own addresses if it is None.

        *known* are the lists in use. Of those, TOOI's own are fetched only in a newer version. Raises
        ListsError, and TrustError if no certificate can be verified.
        """
        if source is None:
            return {name: await self._newest(PUBLIC_LISTS[name], known[name]) for name in NAMES}
        read = await self._from_web(source) if is_web_url(source) else read_from_folder(Path(source))
        return read_lists(read, NAMES, self.today)

    async def _newest(self, public: PublicList, known: ListFile) -> ListFile:
        """Return the newest version of a list: the one in use, if its page names no newer one."""
        version = latest_version(public, await self._get(public.page))
        if version <= known.edition.version:
            return replace(known, edition=replace(known.edition, checked=self.today))
        return read_json_ld(public, version, await self._get(public.file(version)), self.today)

    async def _from_web(self, url: str) -> Callable[[str], bytes]:
        base = url.removesuffix(f"{INDEX}.csv").rstrip("/")
        return {name: await self._get(f"{base}/{name}.csv") for name in (INDEX, *NAMES)}.__getitem__

    async def _get(self, url: str) -> bytes:
        with TemporaryFile() as file:
            try:
                await fetch_file(
                    url,
                    file,
                    user_agent=self.user_agent,
                    maxsize=MAXSIZE,
                    time_limit=self.time_limit,
                    backoff=self.backoff,
                )
            except FetchError as error:
                raise ListsError(f"{url}: {error}") from error
            file.seek(0)
            return file.read()
