"""The names of stored files: the SHA-256 of a document and nothing else."""

from __future__ import annotations

import re

#: The end of the name of the file with a document's text, which lies beside the document.
_TEXT_SUFFIX = ".text.json"

_SHA256 = re.compile(r"[0-9a-f]{64}")


def path_of(sha256: str) -> str:
    """Return the path of a document, such as ``ab/ab12…``. Raises ValueError for what is no SHA-256.

    The path consists of a hash only, so no publisher's file name can lead out of the store, and the same file
    is stored once. It has no extension. That would be a publisher's claim: two publishers who name the same
    bytes differently would make two files of them. There are 256 folders, so a million documents are 4,000 in
    each, and no folder is made for a single document.
    """
    if not _SHA256.fullmatch(sha256):
        raise ValueError(f"expected a SHA-256 in lower-case hexadecimals, got {sha256!r}")
    return f"{sha256[:2]}/{sha256}"


def text_path_of(sha256: str) -> str:
    """Return the path of the text of a document in the store. Raises ValueError if it is no SHA-256."""
    return path_of(sha256) + _TEXT_SUFFIX


def sha256_of(name: str) -> str | None:
    """Return the SHA-256 in the name of a document or text; None for a file that is not of this program."""
    digest = name.removesuffix(_TEXT_SUFFIX)
    return digest if _SHA256.fullmatch(digest) else None
