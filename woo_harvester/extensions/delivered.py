"""What the state learns of records once all outputs have them: of the document, its file and content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import time

from sqlalchemy import Connection

from woo_harvester.items import RecordItem, WooItem
from woo_harvester.state import documents, listings, resources, visited
from woo_harvester.state.confirmation import confirm_content, confirm_harvested, confirm_withdrawn
from woo_harvester.state.contents import Content, Depth, KnownText, TextResult, Wanted
from woo_harvester.state.delivery import Delivery


def complete_delivery(item: RecordItem, delivery: Delivery, wanted: Wanted | None) -> Delivery:
    """Return the item's delivery, with what its record says of the file by now."""
    if isinstance(item, WooItem) and delivery.harvested is not None:
        delivery.content = content_of(item, wanted.content) if wanted is not None else None
        _describe_file(item, delivery)
    return delivery


def _number_contents(connection: Connection, deliveries: Sequence[Delivery], wanted: Wanted | None) -> None:
    """Set the numbers of the contents of what was harvested."""
    for one in deliveries:
        if wanted is not None and one.harvested is not None and one.content is not None:
            one.harvested.content = wanted.number_of(connection, one.content)


def confirm_nothing_added(connection: Connection, item: WooItem, wanted: Wanted | None) -> None:
    """Note what is known of the content of a document for which no record is delivered."""
    delivery, content = item.delivery, content_of(item, wanted.content) if wanted is not None else None
    if isinstance(delivery, Delivery) and delivery.harvested and wanted is not None and content is not None:
        confirm_content(connection, delivery.harvested.id, wanted.number_of(connection, content))


def _describe_file(item: WooItem, delivery: Delivery) -> None:
    if delivery.harvested is None or delivery.harvested.file is None:
        return
    if files := item.record.versies[-1].bestanden:
        delivery.harvested.file = replace(
            delivery.harvested.file,
            size=files[0].grootte,
            media_type=files[0].mime_type,
            file_name=files[0].bestandsnaam,
            pages=files[0].paginas,
        )


def content_of(item: WooItem, wanted: Content) -> Content | None:
    """Return what is known of the content of an item's document, once the pipelines are done with it.

    A run that wants the text has read it, or tried to: a result that no pipeline reported is a failure. The
    store has the document, or the run would have ended.
    """
    source = item.source
    if source is None:
        return None
    if source.fetched is None or source.fetched.sha256 is None:
        content = Content(Depth.NONE if source.fetched is None else Depth.HEADERS)
        return source.again if source.again is not None and source.again.depth > content.depth else content
    text = KnownText(wanted.text.limits, source.text or TextResult.FAILED) if wanted.text else None
    content = Content(Depth.FILE, wanted.store, text)
    before = source.content or source.again
    return content.with_earlier(before) if before is not None else content


def confirm_deliveries(
    connection: Connection, done: Sequence[Delivery], wanted: Wanted | None, spider: str
) -> set[int]:
    """Note in the state what all outputs have durably; *spider* is the name of the spider.

    Returns the sitemaps that earlier versions came from, and others of the host that list the documents.
    These are to be read again: they may list a document twice on one host, or as the owner's while another
    run delivered another's entry.
    """
    harvested = [one.harvested for one in done if one.harvested]
    for confirm in {one.confirm for one in done if one.confirm is not None}:
        confirm(connection, [one.number for one in done if one.confirm is confirm])
    withdrawn = {one.withdrawn: one.withdrawn_at for one in done if one.withdrawn is not None}
    if withdrawn:
        documents.lock_rows(connection, {*withdrawn, *(one.id for one in harvested)})
    _number_contents(connection, done, wanted)
    replaced = documents.other_sources(connection, harvested)
    confirm_harvested(connection, harvested)
    for key in sorted({one.visited for one in done if one.visited is not None}):
        visited.add_visited(connection, spider, key, int(time()))
    confirm_withdrawn(connection, withdrawn)
    for sitemap_id in sorted(replaced.union(listings.end_withdrawn(connection, sorted(withdrawn)))):
        resources.forget_read(connection, sitemap_id)
    return replaced
