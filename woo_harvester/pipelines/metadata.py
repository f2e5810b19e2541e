"""First pipeline: the publisher's metadata in the form of the record."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from woo_harvester.diwoo.mapping import map_metadata
from woo_harvester.items import WooItem


class MetadataPipeline:
    """The pipeline that maps metadata to the record; values of lists get their identifier and label."""

    def process_item(self, item: Any) -> Any:
        """Map the item's given metadata."""
        if isinstance(item, WooItem) and item.source is not None:
            source, now = item.source, datetime.now(UTC)
            map_metadata(source.given, item.record, source.lists, item.report, now)
        return item
