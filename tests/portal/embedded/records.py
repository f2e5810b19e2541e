"""Records for tests of the embedded index."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from woo_harvester.kinds import WOO
from woo_portal.embedded.engine import EmbeddedEngine
from woo_portal.engine import Engine
from woo_portal.question import Clause, Question


def record(
    number: int, title: str = "Besluit", *, second: int = 0, cause: str = "aanlevering", text: str = ""
) -> dict[str, Any]:
    """Return a record of the document with this number, harvested at a second of a minute."""
    loc = f"https://www.stad.nl/{number}.pdf"
    made: dict[str, Any] = {
        "id": str(uuid5(NAMESPACE_URL, loc)),
        "document": {"weblocatie": loc},
        "versies": [{"oorzaak": cause, "openbaarmakingsdatum": f"2026-01-{number % 28 + 1:02}"}],
        "herkomst": {"opgehaald": f"2026-06-01T10:00:{second:02}+02:00", "organisatie": f"o{number % 3}"},
    }
    if cause != "intrekking":
        made["document"]["titelcollectie"] = {"officieleTitel": title}
        made["versies"][0]["bestanden"] = [{"url": loc, "tekst": text}] if text else []
    return made


def write(path: Path, records: Iterable[dict[str, Any]]) -> Path:
    """Write records as JSON Lines."""
    path.write_text(
        "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in records), encoding="utf-8"
    )
    return path


@contextmanager
def opened(folder: Path) -> Iterator[EmbeddedEngine]:
    """Open the engine over a folder, and close it at the end."""
    engine = EmbeddedEngine.open(folder, 30)
    try:
        yield engine
    finally:
        engine.close()


def titles(engine: Engine, text: str = "", **options: Any) -> list[str]:
    """Return the titles of all hits for one word, newest first."""
    clauses = (Clause(text),) if text else ()
    found = engine.all_documents(Question(WOO, clauses, **options))
    return [each["document"]["titelcollectie"]["officieleTitel"] for each in found]


def all_of(engine: Engine) -> list[tuple[str, str, str]]:
    """Return id, status and moment of all records, withdrawn ones too."""
    found = engine.all_documents(Question(WOO, status=None))
    return sorted((each["id"], each["status"], each["herkomst"]["opgehaald"]) for each in found)
