"""Where a run keeps what outlives it."""

from __future__ import annotations

from pathlib import Path
from socket import gethostname
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.exceptions import NotConfigured
from scrapy.utils.project import project_data_dir

from woo_harvester.state.store import NOWHERE

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


def data_dir(settings: BaseSettings) -> Path:
    """``WOO_DATA_DIR``, else the data directory of the Scrapy project, else ``.scrapy`` in this folder."""
    if settings["WOO_DATA_DIR"]:
        return Path(settings["WOO_DATA_DIR"])
    try:
        return Path(project_data_dir())
    except NotConfigured:
        return Path(".scrapy")


class NoFolderError(Exception):
    """The documents are not kept in a folder; the message is one line that says so."""


def files_folder(settings: BaseSettings) -> Path:
    """The folder in which documents are kept, by ``FILES_STORE``. Raises NoFolderError."""
    uri = str(settings["FILES_STORE"] or "")
    if not uri:
        raise NoFolderError("FILES_STORE is not set, so no document is kept")
    scheme = urlsplit(uri.partition("//")[0]).scheme  # of a whole URL that is none, urlsplit would complain
    if scheme not in ("", "file"):
        raise NoFolderError(f"FILES_STORE names a remote store ({scheme}), and this is for a folder only")
    return Path(uri.removeprefix("file://"))


def state_url(settings: BaseSettings) -> str:
    """``WOO_STATE_URL``, else a file in the data directory; nowhere where ``DELTAFETCH_ENABLED`` is off."""
    # On where nothing is said: a command that makes no crawler does not have the settings of the add-on.
    if not settings.getbool("DELTAFETCH_ENABLED", True):
        return NOWHERE
    given: str | None = settings["WOO_STATE_URL"]
    return given or f"sqlite:///{data_dir(settings).absolute() / 'woo-state.sqlite'}"


def node_name(settings: BaseSettings) -> str:
    """``WOO_NODE``, else the machine's own name: whose the locks and files of a run are."""
    given: str | None = settings["WOO_NODE"]
    return given or gethostname()
