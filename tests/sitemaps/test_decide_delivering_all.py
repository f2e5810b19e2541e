"""What is decided in a run that delivers all documents, known or not, and what it leaves to later runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from tests.sitemaps.facts_of_entries import (
    BEFORE,
    DIGEST,
    EARLIER,
    FROM_HOST_THAT_DROPPED_IT,
    FROM_OTHER_HOST,
    HARVESTED,
    LATER,
    NOW,
    OWNER_LISTS_IT,
    REFUSED,
    SAID_SAME,
    SEEN,
    TERMS,
    WITHDRAWN,
    entry,
    others,
)
from woo_harvester.record import Oorzaak
from woo_harvester.sitemaps.decide import decide
from woo_harvester.sitemaps.facts import EntryOutcome as Outcome

ALL = replace(TERMS, delivers_all=True)


DELIVERED = (
    (entry(), Outcome.NEW),
    (entry(known=SEEN), Outcome.NEW),
    (entry(known=HARVESTED), Outcome.UNCHANGED_AGAIN),
    (entry(None, known=HARVESTED), Outcome.UNCHANGED_AGAIN),
    (entry(known=SAID_SAME), Outcome.UNCHANGED_AGAIN),
    (entry(EARLIER, known=HARVESTED), Outcome.OLDER_AGAIN),
    (entry(LATER, known=HARVESTED), Outcome.CHANGED),
    (entry(LATER, known=REFUSED), Outcome.REFUSED),
    (entry(known=WITHDRAWN), Outcome.OFFERED_AGAIN),
    (entry(LATER, known=WITHDRAWN), Outcome.REPUBLISHED),
    (entry(known=HARVESTED, is_listed=True, is_expected=True), Outcome.DUPLICATE),
    (entry(known=HARVESTED, is_expected=True, is_supplied=True), Outcome.UNCHANGED),
    (entry(known=HARVESTED, version=FROM_OTHER_HOST), Outcome.UNCHANGED_AGAIN),
    (entry(known=HARVESTED, version=FROM_OTHER_HOST, is_delivered_there=True), Outcome.UNCHANGED),
    (entry(known=HARVESTED, version=FROM_HOST_THAT_DROPPED_IT), Outcome.UNCHANGED_AGAIN),
    (others(known=HARVESTED, version=OWNER_LISTS_IT), Outcome.FOREIGN),
    (others(known=HARVESTED, version=FROM_HOST_THAT_DROPPED_IT), Outcome.UNCHANGED_AGAIN),
    (entry(loc="http://www.a.nl/x.pdf", known=HARVESTED), Outcome.UNUSABLE),
)


def test_what_is_listed_is_delivered_unless_a_finding_says_why_not() -> None:
    for facts, outcome in DELIVERED:
        assert decide(facts, ALL, NOW).outcome is outcome, facts


def test_the_state_learns_what_it_would_learn_otherwise() -> None:
    for facts in (
        entry(known=HARVESTED),
        entry(EARLIER, known=HARVESTED),
        entry(known=HARVESTED, listing=None),
        entry(known=HARVESTED, version=FROM_HOST_THAT_DROPPED_IT),
        others(known=HARVESTED, version=FROM_HOST_THAT_DROPPED_IT),
        others(LATER, known=HARVESTED, version=FROM_HOST_THAT_DROPPED_IT, listing=None),
    ):
        again, otherwise = decide(facts, ALL, NOW), decide(facts, TERMS, NOW)
        assert again.update == otherwise.update, facts
        assert again.must_reread == otherwise.must_reread, facts
        assert [one.code for one in again.findings] == [one.code for one in otherwise.findings], facts


@pytest.mark.parametrize(("cause", "oorzaak"), [(None, "wijziging"), ("herpublicatie", "herpublicatie")])
@pytest.mark.parametrize("lastmod", [BEFORE, EARLIER, None])
def test_the_version_is_the_known_one(lastmod: str | None, cause: str | None, oorzaak: str) -> None:
    known = HARVESTED._replace(cause=cause)
    version = decide(entry(lastmod, known=known, digest=DIGEST), ALL, NOW).version
    assert version is not None
    assert version.cause is Oorzaak(oorzaak)
    assert version.published == date(2024, 3, 1)
    assert version.lastmod is not None
    assert version.lastmod.isoformat() == "2024-04-02T10:00:00+00:00"
    assert version.began_at is not None
    assert version.at == NOW
