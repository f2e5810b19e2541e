"""Paths and URLs from the settings: of the data folder, the documents and the state."""

from __future__ import annotations

from pathlib import Path
from socket import gethostname
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.exceptions import NotConfigured
from scrapy.utils.project import project_data_dir

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


#: The feed of a run without ``-O`` or ``-o``: a file a run in the working folder.
RECORDS_FEED = "records/%(run)s.jsonl"

#: The start of the error for feeds: if Scrapy cannot use one feed, it uses none of them.
NO_FEED = "FEEDS names outputs of which none can be used"


def data_dir(settings: BaseSettings) -> Path:
    """Return ``WOO_DATA_DIR``, else the data directory of the Scrapy project, else ``.scrapy``."""
    if settings["WOO_DATA_DIR"]:
        return Path(settings["WOO_DATA_DIR"])
    try:
        return Path(project_data_dir())
    except NotConfigured:
        return Path(".scrapy")


class NoFolderError(Exception):
    """The setting FILES_STORE names no folder; the message is one line."""


def files_folder(settings: BaseSettings) -> Path:
    """Return the folder that ``FILES_STORE`` names. Raises NoFolderError if it is unset or remote."""
    uri = str(settings["FILES_STORE"] or "")
    if not uri:
        raise NoFolderError("FILES_STORE is not set, so no document is kept")
    scheme = urlsplit(uri.partition("//")[0]).scheme  # urlsplit fails for some values that are no URL
    if scheme not in ("", "file"):
        raise NoFolderError(f"FILES_STORE names a remote store ({scheme}), and this is for a folder only")
    return Path(uri.removeprefix("file://"))


def state_url(settings: BaseSettings) -> str:
    """Return ``WOO_STATE_URL``, else the URL of a file in the data directory."""
    given: str | None = settings["WOO_STATE_URL"]
    return given or f"sqlite:///{data_dir(settings).absolute() / 'woo-state.sqlite'}"


def node_name(settings: BaseSettings) -> str:
    """Return ``WOO_NODE``, else the machine's own name. It marks the locks and files of a run."""
    given: str | None = settings["WOO_NODE"]
    return given or gethostname()
