"""The store that FILES_STORE names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from woo_harvester.paths import NoFolderError, files_folder
from woo_harvester.stores.folder import InUseError
from woo_harvester.stores.folder_store import FolderStore
from woo_harvester.stores.remote import RemoteStore, Stores, named
from woo_harvester.stores.store import DocumentStore, StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.crawler import Crawler

    from woo_harvester.text.extracted import Limits

EXPECTED = (
    "expected a folder, or a URL such as s3://bucket/folder/, gs://bucket/folder/ or ftp://host:21/folder"
)


def open_store(crawler: Crawler, limits: Limits) -> DocumentStore:
    """The store that FILES_STORE names, which must be set; *limits* are those of the texts in it.

    Raises StoreError.
    """
    uri = str(crawler.settings["FILES_STORE"])
    try:
        folder = files_folder(crawler.settings)
    except NoFolderError:
        return _remote(uri, crawler)
    return _folder(uri, folder, limits)


def _folder(uri: str, folder: Path, limits: Limits) -> FolderStore:
    try:
        return FolderStore(folder, limits)
    except InUseError as error:
        raise StoreError(
            f"FILES_STORE {error}: files are being removed from it (scrapy state unnamed --remove)"
        ) from error
    except OSError as error:
        raise StoreError(f"FILES_STORE {named(uri)} cannot be used: {error}") from error


def _remote(uri: str, crawler: Crawler) -> RemoteStore:
    try:
        return RemoteStore(crawler, Stores.from_crawler(crawler).store)
    except (NotConfigured, ImportError) as error:
        package = "woo-harvester[s3]" if uri.startswith("s3:") else "scrapy[gcs]"
        raise StoreError(
            f'FILES_STORE {named(uri)}: the library for it is missing: pip install "{package}"'
        ) from error
    except (AssertionError, KeyError, ValueError) as error:
        raise StoreError(f"FILES_STORE {named(uri)}: {EXPECTED}") from error
    except Exception as error:
        # What the libraries raise for wrong credentials has no common type.
        raise StoreError(f"FILES_STORE {named(uri)} cannot be used: {error}") from error
