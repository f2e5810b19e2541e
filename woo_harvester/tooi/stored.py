"""The value lists that ``scrapy tooi update`` keeps in the data folder for runs.

They are one file, ``tooi.json``, which an update replaces in one step.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import json

from woo_harvester.tooi.list_files import Edition, Editions, bundled_editions
from woo_harvester.utils.atomic import replace_file

FILE = "tooi.json"


def known_editions(data_dir: Path) -> Editions:
    """Return the newest edition of each list, of the data folder or of the project.

    Raises ValueError, with one line, if the file in the data folder cannot be used.
    """
    path = data_dir / FILE
    try:
        stored = json.decode(path.read_bytes(), type=dict[str, Edition])
    except (FileNotFoundError, NotADirectoryError):
        return bundled_editions()
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} cannot be used: {error}") from error
    return {
        name: max(stored.get(name, bundled), bundled, key=lambda edition: edition.version)
        for name, bundled in bundled_editions().items()
    }


def store_editions(data_dir: Path, editions: Editions) -> None:
    """Make these the lists in the data folder. Raises OSError."""
    data_dir.mkdir(parents=True, exist_ok=True)
    replace_file(data_dir / FILE, json.format(json.encode(editions)), durable=True)
