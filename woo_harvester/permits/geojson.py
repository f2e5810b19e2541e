"""The feed format GeoJSON: permits as a FeatureCollection (RFC 7946)."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from typing import Any

from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter

from woo_harvester.permits.record import BEGIN, END, feature_line
from woo_harvester.utils.dates import day_of


class GeoJsonItemExporter(BaseItemExporter):
    """An exporter of permit records as a FeatureCollection (RFC 7946), one Feature per line."""

    def __init__(self, file: BytesIO, **kwargs: Any) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self._file = file
        self._is_first = True

    def start_exporting(self) -> None:
        self._write(BEGIN)

    def export_item(self, item: Any) -> None:
        record = ItemAdapter(item).asdict()
        self._write(feature_line(record, day_of(datetime.now(UTC)), is_first=self._is_first))
        self._is_first = False

    def finish_exporting(self) -> None:
        self._write(END)

    def _write(self, text: str) -> None:
        self._file.write(text.encode())
