"""Permit messages on disk: which files they are, and what a harvest would find wrong with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from woo_harvester.audit.documents import AuditTerms
from woo_harvester.audit.local_files import (
    chunks_of,
    files_in,
    found_kind,
    is_robots_name,
    is_sitemap_name,
    shown,
)
from woo_harvester.findings import Finding, Reporter
from woo_harvester.permits.links import without_the_rest
from woo_harvester.permits.messages import read_message
from woo_harvester.permits.mutations import Mutation
from woo_harvester.permits.parsing import has_message_root
from woo_harvester.permits.rights import Rights
from woo_harvester.permits.transactions import apply_mutations
from woo_harvester.register import Register
from woo_harvester.report.accounts import PermitAccount
from woo_harvester.report.funnel import HarvestKind
from woo_harvester.utils.urls import host_of

#: The entry page of messages on disk, which have none. No report shows it.
_NO_PAGE = "https://ingang.invalid/"


def is_message(path: Path) -> bool:
    """Return whether the root of a file is that of a permit message, of any version. Raises OSError."""
    return has_message_root(chunks_of(path)())


def messages_among(paths: Iterable[Path], maxsize: int) -> list[Path]:
    """Return the files that are judged as permit messages: those with such a root, and their neighbours.

    A neighbour is a file of which nothing shows what it is, such as an HTML page, in a folder with messages
    and without sitemaps or indexes. *maxsize* is the largest size of an index in bytes, after decompression.
    Raises OSError.
    """
    paths = list(paths)
    messages = {path for path in paths if is_message(path)}
    if not messages:
        return []
    kinds = {path: "message" if path in messages else found_kind(path, maxsize) for path in paths}
    folders = {path.parent for path in messages}
    folders -= {path.parent for path, kind in kinds.items() if kind in ("index", "sitemap")}
    return [
        path for path, kind in kinds.items() if kind == "message" or (not kind and path.parent in folders)
    ]


class GivenFiles:
    """The files and folders that were given, with the permit messages among them. Raises OSError.

    Files that are given one by one are compared with each other, as if their folder was given.
    """

    def __init__(self, given: Iterable[Path], maxsize: int) -> None:
        self.files = {path: files_in(path) for path in given}
        """The files under each folder that was given, and each file that was given itself."""
        named = [
            path
            for place, files in self.files.items()
            for path in files
            if is_sitemap_name(path.name) or path == place
        ]
        self.messages = dict.fromkeys(messages_among(dict.fromkeys(named), maxsize))

    @property
    def kind(self) -> HarvestKind:
        """What all of it is about: permits if there are messages, and nothing else is to be read."""
        others = any(self.others(place) is not None for place in self.files)
        return HarvestKind.PERMITS if self.messages and not others else HarvestKind.WOO

    def others(self, given: Path) -> list[Path] | None:
        """Return the files of *given* that are no messages; None if it has messages and no sitemaps."""
        files = self.files[given]
        rest = [path for path in files if path not in self.messages]
        has_sitemaps = any(is_sitemap_name(path.name) or is_robots_name(path.name) for path in rest)
        return rest if has_sitemaps or len(rest) == len(files) else None

    def groups(self) -> dict[Path, list[Path]]:
        """Return the messages by the name under which they count: a given folder, or the folder of files.

        A single file counts under its own name.
        """
        groups: dict[Path, list[Path]] = {}
        folders = [place for place in self.files if place.is_dir()]
        for path in self.messages:
            name = next((folder for folder in folders if folder in path.parents), path.parent)
            groups.setdefault(name, []).append(path)
        return {
            files[0] if len(files) == 1 and name not in folders else name: files
            for name, files in groups.items()
        }


class MessageAudit:
    """Reads the messages of one folder as those of one organisation, and counts them in *account*.

    A harvest may know earlier messages about the same cases. What only these could show is not reported.
    """

    def __init__(self, account: PermitAccount, report: Reporter, terms: AuditTerms) -> None:
        self._account = account
        self._report = report
        self._terms = terms
        self._now = datetime.now(UTC)

    def read(self, paths: Iterable[Path]) -> None:
        """Read all messages. Raises OSError."""
        mutations = [mutation for path in paths if (mutation := self._read_file(path)) is not None]
        no_register = Rights(Register((), ()), {})
        host = host_of(_NO_PAGE)
        report = without_the_rest(Reporter(self._send), (host,))
        apply_mutations((), mutations, no_register, report, self._now)
        self._account.count_applied()

    def _read_file(self, path: Path) -> Mutation | None:
        """Return the message in a file, or None if it is invalid; report what is wrong with it."""
        chunks, maxsize = chunks_of(path), self._terms.message_maxsize
        self._account.count_files(1)
        message, found = read_message(chunks(), maxsize, self._terms.lists.organisaties, self._now)
        report = self._report.about(url=shown(path))
        for finding in found:
            report.send(finding)
        if message is None:
            return None
        self._account.count_waiting()
        return Mutation(message, organisatie="", ingang=_NO_PAGE, bestand=shown(path))

    def _send(self, finding: Finding) -> None:
        """Send a finding that several messages together give, as one about a file on disk."""
        self._report.send(replace(finding, host=None, organisation=None, sitemap=None))
