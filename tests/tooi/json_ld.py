"""Value lists in the form in which TOOI publishes them: pages that name versions, and JSON-LD."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, unquote

from woo_harvester.demo.server import Handler, Page, Pages, Request
from woo_harvester.tooi.list_files import bundled_editions
from woo_harvester.tooi.public import set_uri

ONT = "https://identifier.overheid.nl/tooi/def/ont/"
WL = "https://identifier.overheid.nl/tooi/def/wl/"
SKOS = "http://www.w3.org/2004/02/skos/core#"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"

Node = dict[str, Any]


def header(name: str, version: int, published: str = "2026-01-02") -> Node:
    """Return the node that describes the list itself."""
    return {
        "@id": set_uri(name, version),
        "@type": ["http://www.w3.org/2002/07/owl#Ontology", f"{WL}RegisterwaardelijstCompleet"],
        f"{ONT}publicatiedatum": [{"@value": published}],
        f"{ONT}titel": [{"@value": "Register"}],
        f"{WL}volgnummer": [{"@type": "http://www.w3.org/2001/XMLSchema#integer", "@value": str(version)}],
    }


def organisation(uri: str, label: str, *types: str, **more: str) -> Node:
    """Return the node of an organisation, or of an earlier name of it."""
    return {
        "@id": uri,
        "@type": [*(f"{ONT}{name}" for name in types), f"{ONT}Gemeente"],
        LABEL: [{"@value": label}],
        f"{ONT}organisatiecode": [{"@value": uri.rpartition("/")[2]}],
        f"{ONT}voorkeursnaamExclSoort": [{"@value": label.partition(" ")[2]}],
        **{f"{ONT}{name}": [{"@value": value}] for name, value in more.items()},
    }


def concept(uri: str, label: str, **more: str) -> Node:
    """Return the node of a concept."""
    return {
        "@id": uri,
        "@type": [f"{SKOS}Concept"],
        f"{SKOS}prefLabel": [{"@language": "nl", "@value": label}],
        **{f"{ONT}{name}": [{"@language": "nl", "@value": value}] for name, value in more.items()},
    }


def event(uri: str, *before: str) -> Node:
    """Return the node of a merger of organisations."""
    return {
        "@id": f"{uri.rpartition('/')[0]}/wzg_01194343",
        "@type": [f"{ONT}Samenvoeging"],
        "http://www.w3.org/ns/prov#generated": [{"@id": uri}],
        "http://www.w3.org/ns/prov#invalidated": [{"@id": each} for each in before],
    }


def written(nodes: Iterable[Node]) -> bytes:
    """Return a file of nodes."""
    return json.dumps(list(nodes), ensure_ascii=False).encode()


def work_page(name: str, *versions: int) -> Page:
    """Return the page of a list, with a link for each version."""
    links = "".join(
        f'<a href="expression?lijst_uri={quote(set_uri(name, version), safe="")}">versie {version}</a>'
        for version in versions
    )
    return Page(f"<!DOCTYPE html><html><body>{links}</body></html>", content_type="text/html")


def tooi_site(newer: Mapping[str, tuple[int, bytes]]) -> Pages:
    """Return the pages of both hosts of TOOI: the lists of the project, and *newer* versions of some."""
    pages: dict[str, Page] = {}
    files: Pages = {}
    for name, shipped in bundled_editions().items():
        version, content = newer.get(name, (shipped.version, b""))
        pages[set_uri(name, 0).removesuffix("/0")] = work_page(name, *range(1, version + 1))
        if content:
            path = f"/waardelijsten/{name}/{version}/json/{name}_{version}.json"
            files[path] = Page(content, content_type="application/json")

    def work(request: Request) -> Page:
        uri = unquote(request.target.partition("work_uri=")[2])
        return pages.get(uri, Page("Niet gevonden", status=404, content_type="text/plain"))

    handler: Handler = work
    return {"/tooi/waardelijsten/work": handler, **files}
