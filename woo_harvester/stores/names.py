"""How kept files are called: by the SHA-256 of a document and by nothing else."""

from __future__ import annotations

import re

#: Of the text of a document, beside the document.
TEXT_SUFFIX = ".text.json"

_SHA256 = re.compile(r"[0-9a-f]{64}")


def path_of(sha256: str) -> str:
    """The path in the store of a document, such as ``ab/ab12…``; raises ValueError for what is no SHA-256.

    Since the path is made of a hash only, no publisher's file name can lead out of the store, and the same
    file is one file. It has no extension: that would be a publisher's claim, and two publishers who call the
    same bytes differently would make two files of them. One level of folders has 256: a million documents are
    4,000 in each, and no folder is made for one document.
    """
    if not _SHA256.fullmatch(sha256):
        raise ValueError(f"expected a SHA-256 in lower-case hexadecimals, got {sha256!r}")
    return f"{sha256[:2]}/{sha256}"


def text_path_of(sha256: str) -> str:
    """The path in the store of the text of a document; raises ValueError for what is no SHA-256."""
    return path_of(sha256) + TEXT_SUFFIX


def sha256_of(name: str) -> str | None:
    """Of which document a file without its folder is; None for a file that is not of this program."""
    digest = name.removesuffix(TEXT_SUFFIX)
    return digest if _SHA256.fullmatch(digest) else None
