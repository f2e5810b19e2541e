"""The item of the spider ``vergunningen``."""

from __future__ import annotations

from dataclasses import dataclass

from woo_harvester.items import RecordItem
from woo_harvester.kinds import Kind
from woo_harvester.permits.record import PermitRecord
from woo_harvester.utils.urls import host_of


@dataclass(slots=True)
class PermitItem(RecordItem):
    """A permit case, in the version that this run reports."""

    kind = Kind.vergunningen

    record: PermitRecord
    delivery: object | None = None

    @property
    def host(self) -> str | None:
        """The host whose entry page offered the case; None if the record has no page."""
        page = self.record.herkomst.ingang
        return None if page is None else host_of(page)

    @property
    def file(self) -> str | None:
        """The URL of the file with its last message."""
        return self.record.herkomst.bestand
