"""The feed format GeoJSON, which shows permits on maps."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter

from woo_harvester.dates import day_of
from woo_harvester.permits.geojson import feature


class GeoJsonItemExporter(BaseItemExporter):
    """An exporter of permit records as a FeatureCollection (RFC 7946), one Feature per line."""

    def __init__(self, file: BytesIO, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self._file = file
        self._separator = ""

    def start_exporting(self) -> None:
        self._write('{"type": "FeatureCollection", "features": [')

    def export_item(self, item: Any) -> None:
        record = ItemAdapter(item).asdict()
        self._write(
            self._separator
            + "\n"
            + json.dumps(feature(record, day_of(datetime.now(UTC))), ensure_ascii=False)
        )
        self._separator = ","

    def finish_exporting(self) -> None:
        self._write("\n]}\n")

    def _write(self, text: str) -> None:
        self._file.write(text.encode())
