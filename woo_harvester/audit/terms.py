"""What an audit of files goes by: limits, value lists, and the name of the harvester in robots.txt."""

from __future__ import annotations

from dataclasses import dataclass

from woo_harvester.tooi import ValueLists


@dataclass(frozen=True, slots=True)
class AuditTerms:
    """The settings of an audit of files."""

    index_maxsize: int
    """Largest size of an index in bytes, after decompression."""
    sitemap_maxsize: int
    """Largest size of a sitemap in bytes, after decompression."""
    message_maxsize: int
    """Largest size of a permit message in bytes, after decompression."""
    lists: ValueLists
    """The value lists for the metadata."""
    user_agent: str
    """The name by which robots.txt knows the harvester."""
