"""Opens the store that the setting FILES_STORE names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from woo_harvester.pipelines.folder import InUseError
from woo_harvester.pipelines.local import LocalStore
from woo_harvester.pipelines.remote import FilesStoreChooser, RemoteStore
from woo_harvester.pipelines.stored import DocumentStore, StoreError, StoreSettingError
from woo_harvester.running.paths import NoFolderError, files_folder
from woo_harvester.utils.program import program, to_install

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.crawler import Crawler

_EXPECTED = "expected a folder, or a URL such as s3://bucket/folder/ or gs://bucket/folder/"


def open_store(crawler: Crawler) -> DocumentStore:
    """Return the store that FILES_STORE names, which must be set. Raises StoreError."""
    uri = str(crawler.settings["FILES_STORE"])
    try:
        folder = files_folder(crawler.settings)
    except NoFolderError:
        return _open_remote(uri, crawler)
    return _open_local(uri, folder)


def _open_local(uri: str, folder: Path) -> LocalStore:
    try:
        return LocalStore(folder)
    except InUseError as error:
        raise StoreError(
            f"FILES_STORE {error}: files are being removed from it ({program()} prune --documents)"
        ) from error
    except OSError as error:
        raise StoreError(f"FILES_STORE {uri} cannot be used: {error}") from error


def _open_remote(uri: str, crawler: Crawler) -> RemoteStore:
    if not uri.startswith(("s3://", "gs://")):
        raise StoreSettingError(f"FILES_STORE {uri}: {_EXPECTED}")
    try:
        return RemoteStore(crawler, FilesStoreChooser.from_crawler(crawler).store)
    except (NotConfigured, ImportError) as error:
        fix = to_install("s3") if uri.startswith("s3:") else 'pip install "scrapy[gcs]"'
        raise StoreError(f"FILES_STORE {uri}: the library for it is missing: {fix}") from error
    except (AssertionError, KeyError, ValueError) as error:
        raise StoreSettingError(f"FILES_STORE {uri}: {_EXPECTED}") from error
    except Exception as error:
        # The errors that the libraries raise for wrong credentials have no common type.
        raise StoreError(f"FILES_STORE {uri} cannot be used: {error}") from error
