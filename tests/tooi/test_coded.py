"""Coded values: the rule "Coded values" of the interface."""

from __future__ import annotations

from woo_harvester.tooi import Concept, Resolved, documentsoorten, resolve

ADVIES = Concept("https://identifier.overheid.nl/tooi/def/thes/kern/c_d506b718", "advies")


def test_a_known_uri_gets_the_label_of_the_list() -> None:
    assert resolve(documentsoorten(), None, ADVIES.uri) == Resolved(ADVIES)
