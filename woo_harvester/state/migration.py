"""The migration of a state of the version before, in one transaction, in SQLite and in PostgreSQL."""

from __future__ import annotations

import json

from sqlalchemy import Connection, text

from woo_harvester.sitemaps.decide import Depth
from woo_harvester.state.schema import STATE_VERSION, listings, outputs

#: The version of a state that can be migrated.
MIGRATED = STATE_VERSION - 1

_NEW_COLUMNS = """
ALTER TABLE hosts RENAME COLUMN unregistered TO unregistered_before;
ALTER TABLE hosts ADD COLUMN unregistered BOOLEAN;
UPDATE hosts SET unregistered = TRUE WHERE unregistered_before IS NOT NULL;
ALTER TABLE resources ADD COLUMN depth INTEGER;
ALTER TABLE documents ADD COLUMN validator TEXT;
ALTER TABLE documents ADD COLUMN again BOOLEAN;
ALTER TABLE documents ADD COLUMN depth INTEGER;
ALTER TABLE listings ADD COLUMN needed INTEGER;
ALTER TABLE listings ADD COLUMN passed_over BOOLEAN NOT NULL DEFAULT FALSE
"""

# A document of whose content nothing was noted was delivered all the same, so it does not come again. Depth 1
# is HEADERS, and 2 is FILE. A pending withdrawal needs 3 reads, the default of WOO_WITHDRAW_RUNS, unless an
# operator has confirmed it: that was a million misses.
_VALUES = """
UPDATE documents SET harvested = supplied_at WHERE supplied_at IS NOT NULL;
UPDATE documents SET again = TRUE WHERE restore;
UPDATE documents SET validator = 'Last-Modified: ' || last_modified WHERE last_modified IS NOT NULL;
UPDATE documents SET validator = 'ETag: ' || etag WHERE etag IS NOT NULL;
UPDATE documents SET depth = CASE WHEN sha256 IS NULL THEN 1 ELSE 2 END
    WHERE depth IS NULL AND harvested IS NOT NULL;
UPDATE listings SET needed = 1 WHERE misses > 0;
UPDATE listings SET needed = 3 WHERE misses > 0 AND misses < 1000000
    AND (massive OR sitemap_id IN (SELECT id FROM resources WHERE index_gone));
UPDATE listings SET missing_since = NULL WHERE misses = 0;
UPDATE listings SET passed_over = TRUE WHERE "foreign" AND misses = 0 AND EXISTS
    (SELECT 1 FROM documents WHERE documents.id = document_id AND documents.sitemap_id <> listings.sitemap_id)
"""

# A file whose message was refused is read again.
_OLD_PARTS = """
DROP INDEX documents_withdrawing;
DROP INDEX documents_rechecks;
DROP INDEX listings_foreign;
ALTER TABLE hosts DROP COLUMN unregistered_before;
ALTER TABLE hosts DROP COLUMN reads;
ALTER TABLE resources DROP COLUMN index_gone;
ALTER TABLE resources DROP COLUMN wanted;
ALTER TABLE documents DROP COLUMN first_seen;
ALTER TABLE documents DROP COLUMN etag;
ALTER TABLE documents DROP COLUMN last_modified;
ALTER TABLE documents DROP COLUMN unchanged_since;
ALTER TABLE documents DROP COLUMN withdrawing;
ALTER TABLE documents DROP COLUMN restore;
ALTER TABLE documents DROP COLUMN supplemented;
ALTER TABLE documents DROP COLUMN known_content;
ALTER TABLE documents DROP COLUMN supplied_at;
ALTER TABLE documents DROP COLUMN refused_with;
ALTER TABLE listings DROP COLUMN massive;
ALTER TABLE listings DROP COLUMN "foreign";
ALTER TABLE listings DROP COLUMN lastmod;
DELETE FROM permit_files WHERE refused IS NOT NULL;
ALTER TABLE permit_files DROP COLUMN refused;
ALTER TABLE permit_files DROP COLUMN case_url;
ALTER TABLE permit_files DROP COLUMN dated_at;
DROP TABLE repeated;
DROP TABLE contents;
DROP TABLE outputs;
DELETE FROM about WHERE name = 'name'
"""


def migrate(connection: Connection) -> None:
    """Give a state of version :data:`MIGRATED` the tables of today. What waits goes on waiting.

    What runs of that version left unfinished in files of records is not looked after any more.
    """
    _execute(connection, _NEW_COLUMNS)
    for number, description in connection.execute(text("SELECT id, description FROM contents")).all():
        values = {"number": number, "depth": _depth(description)}
        for statement in (
            "UPDATE resources SET depth = :depth WHERE wanted = :number",
            "UPDATE documents SET depth = :depth WHERE refused_with = :number AND harvested IS NULL",
            "UPDATE documents SET depth = :depth WHERE known_content = :number",
        ):
            connection.execute(text(statement), values)
    _execute(connection, _VALUES)
    _execute(connection, _OLD_PARTS)
    outputs.create(connection)
    for index in listings.indexes:
        index.create(connection, checkfirst=True)
    connection.execute(
        text("UPDATE about SET value = :version WHERE name = 'version'"), {"version": str(STATE_VERSION)}
    )


def _execute(connection: Connection, statements: str) -> None:
    for statement in statements.split(";"):
        connection.execute(text(statement.strip()))


def _depth(description: str) -> int:
    """Return the depth that the description of a content means."""
    content = json.loads(description)
    return int(Depth.TEXT) if content.get("text") else int(content["depth"])
