"""Publishers whose documents are harvested without their content first, and the harvester that comes by."""

from __future__ import annotations

from collections.abc import Mapping

from tests.samples import SAMPLES
from tests.utils.command import Line, Run
from tests.utils.daily import FIRST, Harvester, publish
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site

PDF = SAMPLES["PDF"].read_bytes()
CONTENT: dict[str, object] = {"FILES_STORE": "store", "WOO_TEXT": 1, "WOO_TEXT_WORKERS": 1}
STORE: dict[str, object] = {"FILES_STORE": "store"}


class Installation(Harvester):
    """The harvester without the argument ``documents``, unless a test gives it."""

    def arguments(self, *args: str) -> list[str]:
        given = super().arguments(*args)
        if not any("documents=" in arg for arg in args):
            place = given.index("documents=none")
            del given[place - 1 : place + 1]
        return given

    def of(self, documents: str, **settings: object) -> Run:
        """Harvest all sites with a value of the argument ``documents``."""
        return checked(self.day("-a", f"documents={documents}", **settings))

    def run(self, **settings: object) -> Run:
        """Harvest all sites with these settings."""
        return checked(self.day(**settings))


def checked(run: Run) -> Run:
    assert run.returncode == 0, run.stderr
    return run


def put(site: Site, documents: Mapping[str, bytes], lastmod: str | None = FIRST) -> None:
    """Have the site publish these documents."""
    publish(site, dict.fromkeys(documents, lastmod))
    for name, body in documents.items():
        headers = {"ETag": f'"{len(body)}"'}
        site.pages[f"/d/{name}.pdf"] = Page(body, content_type="application/pdf", headers=headers)


def document(number: int) -> bytes:
    """Return a document of its own."""
    return PDF + f"% {number}".encode()


def file_of(record: Line) -> Line:
    (file,) = record["versies"][0]["bestanden"]
    found: Line = file
    return found


def version_of(record: Line) -> Line:
    """Return the version of a record without its files."""
    return {key: value for key, value in record["versies"][0].items() if key != "bestanden"}


def added(run: Run) -> dict[str, list[str] | None]:
    """Return what was added to each record, by the name of its document."""
    return {
        record["document"]["weblocatie"].rpartition("/")[2].removesuffix(".pdf"): record["herkomst"].get(
            "aangevuld"
        )
        for record in run.records
    }


def methods(site: Site, name: str) -> list[str]:
    """Return the methods of the requests for a document."""
    return [request.method for request in site.requested(f"/d/{name}.pdf")]
