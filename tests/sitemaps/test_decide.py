"""All that can be decided on an entry, as a table: what is known, what is done, reported and remembered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.sitemaps.facts_of_entries import (
    BEFORE,
    CHANGED_SINCE,
    CORRECTED,
    DIGEST,
    EARLIER,
    ENOUGH,
    FROM_HOST_THAT_DROPPED_IT,
    FROM_OTHER_HOST,
    FROM_OTHERS,
    FUTURE,
    HARVESTED,
    LACKING,
    LATER,
    LESS,
    MISTYPED,
    NEVER_DELIVERED,
    NEVER_DELIVERED_UNDATED,
    NOW,
    OWNER_LISTS_IT,
    REFUSED,
    REFUSED_AHEAD,
    REFUSED_LATER,
    REFUSED_PAGE,
    SAID_SAME,
    SECONDS,
    SEEN,
    SHORT,
    TERMS,
    THERE,
    TYPO,
    WEEK,
    WITHDRAWN,
    entry,
    others,
    row,
)
from woo_harvester.sitemaps.decide import decide
from woo_harvester.sitemaps.facts import DELIVERED_AGAIN, EntryFacts, EntryFinding, OtherEntry, StateUpdate
from woo_harvester.sitemaps.facts import EntryOutcome as Outcome


@dataclass
class Row:
    """One row of the table."""

    case: str
    facts: EntryFacts
    outcome: Outcome
    findings: tuple[EntryFinding, ...] = ()
    learns: Mapping[str, Any] | None = field(default_factory=dict)
    """Fields of the update of the state; None if the state learns nothing."""
    reread: bool = False
    unchanged: bool = False


NO_LASTMOD = EntryFinding("lastmod.ontbreekt", "lastmod")
AHEAD = EntryFinding("lastmod.toekomst", "lastmod", FUTURE, "telt als het moment van de oogst")
#: Of repeated entries: tests/sitemaps/test_facts.py has the other actions.
READ_BEFORE = "overgeslagen: de vermelding op een andere plek telt"
DELIVERED_ALREADY = (
    "overgeslagen: de vermelding op een andere plek is eerder gelezen; "
    "is deze nieuwer, dan telt zij vanaf de volgende oogst"
)
OWNER_COUNTS = "overgeslagen: de vermelding op www.a.nl telt"
OLDER = EntryFinding("lastmod.ouder", "lastmod", EARLIER, "niet opnieuw geoogst")
OFFERED = EntryFinding("lastmod.heraanbod", "lastmod", BEFORE, "niet opnieuw geoogst")
STILL_REFUSED = EntryFinding(
    "format.onbekend", None, "application/x", "niet opnieuw opgehaald, want de lastmod is niet nieuwer"
)


def duplicate(lastmod: str | None, action: str) -> EntryFinding:
    return EntryFinding("loc.dubbel", "loc", lastmod, action)


def ahead(lastmod: str) -> EntryFinding:
    return AHEAD._replace(seen=lastmod)


def left_out(code: str, seen: str | None) -> tuple[EntryFinding, ...]:
    return (EntryFinding(code, "loc", seen, "overgeslagen"),)


# One case a paragraph: the case, the facts, the outcome, the findings, and what is remembered.
# fmt: off
#: An older entry of the same host, with a field that the known version lacks.
OTHER_ENTRY = OtherEntry(8, 0, "https://www.a.nl/s2.xml", None, None, SECONDS - 60, fields=1)

ROWS = [
    # Locs that may not be harvested.
    Row("no loc", entry(loc=""),
        Outcome.UNUSABLE, left_out("loc.ontbreekt", None), learns=None, reread=True),
    Row("loc with http", entry(loc="http://www.a.nl/a.pdf"),
        Outcome.UNUSABLE, left_out("loc.geen-https", "http://www.a.nl/a.pdf"), learns=None, reread=True),
    Row("host that is not registered", entry(is_registered=False),
        Outcome.UNREGISTERED, left_out("loc.niet-geregistreerd", "www.a.nl"), learns=None, reread=True),
    Row("harvested before its host left the register", entry(is_registered=False, known=HARVESTED),
        Outcome.UNREGISTERED, left_out("loc.niet-geregistreerd", "www.a.nl"),
        learns={"new_listing": row(), "is_listed_again": True}, reread=True),

    # The owner's entries.
    Row("never seen", entry(listing=None), Outcome.NEW, learns=None),
    Row("seen, not harvested", entry(known=SEEN, listing=None),
        Outcome.NEW, learns={"new_listing": row()}),
    Row("no lastmod", entry(None, known=SEEN), Outcome.NEW, (NO_LASTMOD,)),
    Row("lastmod that cannot be read", entry("gisteren", known=SEEN),
        Outcome.NEW, (EntryFinding("lastmod.ongeldig", "lastmod", "gisteren", "telt als afwezig"),)),
    Row("lastmod in the future", entry(FUTURE, known=SEEN),
        Outcome.NEW, (AHEAD,)),
    Row("lastmod ahead by what clocks differ", entry("2024-06-01T12:05:00Z", known=SEEN), Outcome.NEW),
    Row("newer", entry(LATER, known=HARVESTED), Outcome.CHANGED),
    Row("newer, and missing before", entry(LATER, known=HARVESTED, listing=row(misses=2)),
        Outcome.CHANGED, learns={"is_listed_again": True}),
    Row("the same", entry(known=HARVESTED),
        Outcome.UNCHANGED, learns={"digest": DIGEST}, unchanged=True),
    Row("the same, and marked to be restored", entry(known=HARVESTED._replace(restore=True)),
        Outcome.UNCHANGED, learns={"digest": DIGEST}, unchanged=True),
    Row("the same, by the full reader", entry(known=HARVESTED, digest=None),
        Outcome.UNCHANGED, unchanged=True),
    Row("the same after a fault", entry(known=HARVESTED._replace(fault="document.onbereikbaar")),
        Outcome.UNCHANGED, learns={"digest": DIGEST, "ends_fault": True}, unchanged=True),
    Row("the same, another host has it", entry(known=HARVESTED, version=FROM_OTHER_HOST),
        Outcome.UNCHANGED, unchanged=True),
    Row("the same, another host dropped it", entry(known=HARVESTED, version=FROM_HOST_THAT_DROPPED_IT),
        Outcome.UNCHANGED, learns={"is_moved": True}, unchanged=True),
    Row("older", entry(EARLIER, known=HARVESTED),
        Outcome.OLDER, (OLDER,), reread=True, unchanged=True),
    Row("older than what was refused since", entry(EARLIER, known=REFUSED),
        Outcome.OLDER, (OLDER,), learns={"ends_fault": True}, reread=True, unchanged=True),
    Row("older than another host's entry", entry(EARLIER, known=HARVESTED, version=FROM_OTHER_HOST),
        Outcome.OLDER, (duplicate(EARLIER, "overgeslagen: de nieuwere vermelding op open.a.nl telt"),),
        reread=True),
    Row("older than the entry of a host that dropped it",
        entry(EARLIER, known=HARVESTED, version=FROM_HOST_THAT_DROPPED_IT),
        Outcome.OLDER, (OLDER,), reread=True, unchanged=True),

    # A lastmod in the future.
    Row("the same in the future", entry(TYPO, known=MISTYPED),
        Outcome.UNCHANGED, (ahead(TYPO),), learns={"digest": DIGEST}, unchanged=True),
    Row("corrected to a moment before the harvest", entry(CORRECTED, known=MISTYPED),
        Outcome.UNCHANGED, learns={"digest": DIGEST}, unchanged=True),
    Row("corrected to a moment long before", entry(EARLIER, known=MISTYPED),
        Outcome.UNCHANGED, learns={"digest": DIGEST}, unchanged=True),
    Row("corrected to a moment after the harvest", entry(CHANGED_SINCE, known=MISTYPED), Outcome.CHANGED),
    Row("no longer in the future, but absent", entry(None, known=MISTYPED),
        Outcome.UNCHANGED, (NO_LASTMOD,), learns={"digest": DIGEST}, unchanged=True),
    Row("another moment in the future", entry(FUTURE, known=MISTYPED), Outcome.CHANGED, (AHEAD,)),
    Row("in the future, and it was not", entry(TYPO, known=HARVESTED), Outcome.CHANGED, (ahead(TYPO),)),
    Row("in the future, and another host has it", entry(TYPO, known=HARVESTED, version=FROM_OTHER_HOST),
        Outcome.UNCHANGED, (ahead(TYPO),), reread=True, unchanged=True),
    Row("in the future, and the other host dropped it",
        entry(TYPO, known=HARVESTED, version=FROM_HOST_THAT_DROPPED_IT), Outcome.CHANGED, (ahead(TYPO),)),
    Row("withdrawn, the same in the future", entry(TYPO, known=MISTYPED._replace(withdrawn=SECONDS - WEEK)),
        Outcome.OFFERED_AGAIN, (ahead(TYPO), OFFERED._replace(seen=TYPO)), reread=True),
    Row("withdrawn, corrected", entry(CORRECTED, known=MISTYPED._replace(withdrawn=SECONDS - WEEK)),
        Outcome.OFFERED_AGAIN, (OFFERED._replace(seen=CORRECTED),), reread=True),
    Row("withdrawn, corrected to a moment after the harvest",
        entry(CHANGED_SINCE, known=MISTYPED._replace(withdrawn=SECONDS - WEEK)), Outcome.REPUBLISHED),
    Row("withdrawn, and back in the future", entry(TYPO, known=WITHDRAWN),
        Outcome.REPUBLISHED, (ahead(TYPO),)),
    Row("refused in the future", entry(TYPO, known=REFUSED_AHEAD),
        Outcome.REFUSED, (ahead(TYPO), STILL_REFUSED)),
    Row("refused in the future, and corrected", entry("2024-05-30", known=REFUSED_AHEAD),
        Outcome.REFUSED, (STILL_REFUSED,)),
    Row("refused in the future, and newer", entry("2024-06-01T11:59:56Z", known=REFUSED_AHEAD),
        Outcome.CHANGED),
    Row("another's, the same in the future, and the owner's is gone",
        others(TYPO, known=HARVESTED, listing=row(TYPO, foreign=True)),
        Outcome.UNCHANGED, (ahead(TYPO),), learns={"digest": DIGEST}, unchanged=True),
    Row("another's, corrected to a moment before the harvest",
        others(CORRECTED, known=HARVESTED, listing=row(TYPO, foreign=True)),
        Outcome.UNCHANGED, learns={"changed_listing": row(CORRECTED, foreign=True), "digest": DIGEST},
        unchanged=True),
    Row("another's, corrected to a moment after the harvest",
        others(CHANGED_SINCE, known=HARVESTED, listing=row(TYPO, foreign=True)), Outcome.CHANGED),

    # Withdrawn documents.
    Row("withdrawn, newer", entry(LATER, known=WITHDRAWN), Outcome.REPUBLISHED),
    Row("withdrawn, the same", entry(known=WITHDRAWN), Outcome.OFFERED_AGAIN, (OFFERED,), reread=True),
    Row("withdrawn, to be restored", entry(known=WITHDRAWN._replace(restore=True)), Outcome.REPUBLISHED),

    # What was fetched before.
    Row("refused", entry(LATER, known=REFUSED), Outcome.REFUSED, (STILL_REFUSED,)),
    Row("refused, in another sitemap now", entry(LATER, known=REFUSED, sitemap_id=THERE),
        Outcome.REFUSED, (STILL_REFUSED,), learns={"is_moved": True}),
    Row("refused a week ago", entry(LATER, known=REFUSED._replace(refused_at=SECONDS - WEEK)),
        Outcome.CHANGED),
    Row("out of reach before", entry(LATER, known=REFUSED._replace(refused_at=None)), Outcome.CHANGED),
    Row("refused, and newer now", entry("2024-04-04", known=REFUSED), Outcome.CHANGED),
    Row("refused as another's, now the owner's", entry(LATER, known=REFUSED, version=FROM_OTHERS),
        Outcome.CHANGED),
    Row("refused as the owner's, now another's", others(LATER, known=REFUSED),
        Outcome.REFUSED, (STILL_REFUSED,),
        learns={"changed_listing": row(LATER, foreign=True)}, reread=True),
    Row("refused and withdrawn", entry(LATER, known=REFUSED._replace(withdrawn=SECONDS - WEEK)),
        Outcome.REFUSED, (STILL_REFUSED,)),
    Row("refused at first", entry(known=NEVER_DELIVERED), Outcome.REFUSED, (STILL_REFUSED,)),
    Row("refused at first, almost a week ago",
        entry(known=NEVER_DELIVERED._replace(refused_at=SECONDS - WEEK + 1)),
        Outcome.REFUSED, (STILL_REFUSED,)),
    Row("refused at first, a week ago",
        entry(known=NEVER_DELIVERED._replace(refused_at=SECONDS - WEEK)), Outcome.NEW),
    Row("refused at first, by a clock that has jumped back since",
        entry(known=NEVER_DELIVERED._replace(refused_at=SECONDS + 1)), Outcome.NEW),
    Row("refused at first, and older now", entry(EARLIER, known=NEVER_DELIVERED),
        Outcome.REFUSED, (STILL_REFUSED,)),
    Row("refused at first, and newer now", entry(LATER, known=NEVER_DELIVERED), Outcome.NEW),
    Row("refused at first, without lastmod now", entry(None, known=NEVER_DELIVERED),
        Outcome.REFUSED, (NO_LASTMOD, STILL_REFUSED)),
    Row("refused without lastmod", entry(None, known=NEVER_DELIVERED_UNDATED),
        Outcome.REFUSED, (NO_LASTMOD, STILL_REFUSED)),
    Row("refused without lastmod, and it has one now", entry(known=NEVER_DELIVERED_UNDATED), Outcome.NEW),
    Row("said to be the same a week ago", entry(known=SAID_SAME), Outcome.RECHECKED),
    Row("it lacks a field that another entry of its host gives", entry(others=[OTHER_ENTRY], known=HARVESTED),
        Outcome.SUPPLEMENTED, reread=True),
    Row("it lacks content", entry(known=LACKING), Outcome.SUPPLIED),
    Row("nothing is known of its content", entry(known=LACKING._replace(content=None)), Outcome.SUPPLIED),
    Row("it lacks content, and is said to be the same", entry(known=SAID_SAME._replace(content=SHORT)),
        Outcome.SUPPLIED),
    Row("it lacks content, and could not be fetched", entry(known=LACKING._replace(fault="x")),
        Outcome.SUPPLIED),
    Row("it lacks content, and has changed", entry(LATER, known=LACKING), Outcome.CHANGED),
    Row("it lacks content, and is older", entry(EARLIER, known=LACKING),
        Outcome.OLDER, (OLDER,), reread=True, unchanged=True),
    Row("it lacks content, and was withdrawn", entry(known=WITHDRAWN._replace(content=SHORT)),
        Outcome.OFFERED_AGAIN, (OFFERED,), reread=True),
    Row("it lacks content, and another host lists its version",
        entry(known=LACKING, version=FROM_OTHER_HOST), Outcome.UNCHANGED, unchanged=True),
    Row("it lacks content, and another host listed its version",
        entry(known=LACKING, version=FROM_HOST_THAT_DROPPED_IT), Outcome.SUPPLIED),
    Row("another host gives it its content", entry(
        known=LACKING, version=FROM_OTHER_HOST, is_expected=True, is_supplied=True),
        Outcome.UNCHANGED, unchanged=True),
    Row("another host gives it its content, and it has changed here", entry(
        LATER, known=LACKING, version=FROM_OTHER_HOST, is_expected=True, is_supplied=True),
        Outcome.DUPLICATE, (duplicate(LATER, DELIVERED_ALREADY),), reread=True),
    Row("it got its content from an entry before", entry(
        known=LACKING, is_listed=True, is_expected=True, is_supplied=True),
        Outcome.DUPLICATE, (duplicate(BEFORE, DELIVERED_ALREADY),), reread=True),
    Row("refused when its content was fetched", entry(known=REFUSED_LATER),
        Outcome.REFUSED, (REFUSED_PAGE,)),
    Row("refused when its content was fetched, and nothing is wanted any more",
        entry(known=REFUSED_LATER._replace(content=ENOUGH)), Outcome.REFUSED, (REFUSED_PAGE,)),
    Row("refused when its content was fetched, a week ago",
        entry(known=REFUSED_LATER._replace(refused_at=SECONDS - WEEK)), Outcome.SUPPLIED),
    Row("refused by a run that wanted less", entry(LATER, known=REFUSED._replace(refused_with=LESS)),
        Outcome.CHANGED),
    Row("refused by a run that wanted as much", entry(LATER, known=REFUSED._replace(refused_with=ENOUGH)),
        Outcome.REFUSED, (STILL_REFUSED,)),
    Row("said to be the same since then", entry(known=SAID_SAME._replace(fetched_at=SECONDS - WEEK + 1)),
        Outcome.UNCHANGED, learns={"digest": DIGEST}, unchanged=True),
    Row("said to be the same, of the owner's version", others(known=SAID_SAME),
        Outcome.UNCHANGED, learns={"digest": DIGEST}, unchanged=True),

    # Others' entries.
    Row("another's, of a document that its owner lists",
        others(LATER, version=OWNER_LISTS_IT, known=HARVESTED),
        Outcome.FOREIGN, learns={"changed_listing": row(LATER, foreign=True)}),
    Row("another's without lastmod, of a document that its owner lists",
        others(None, version=OWNER_LISTS_IT, known=HARVESTED, listing=None),
        Outcome.FOREIGN, learns={"new_listing": row(foreign=True)}),
    Row("another's, and the only one", others(known=SEEN, version=FROM_OTHERS, listing=None),
        Outcome.NEW, learns={"new_listing": row(foreign=True)}),
    Row("another's, newer", others(LATER, known=HARVESTED, version=FROM_OTHERS), Outcome.CHANGED),
    Row("another's, the same", others(known=HARVESTED, version=FROM_OTHERS),
        Outcome.UNCHANGED, learns={"digest": DIGEST}, unchanged=True),
    Row("another's, that lost its lastmod", others(None, known=HARVESTED, version=FROM_OTHERS),
        Outcome.UNCHANGED, (NO_LASTMOD,),
        learns={"digest": DIGEST, "changed_listing": row(foreign=True)}, unchanged=True),
    Row("another's for the first time, and the owner's is gone",
        others(LATER, known=HARVESTED, listing=None, version=FROM_HOST_THAT_DROPPED_IT),
        Outcome.UNCHANGED, learns={"new_listing": row(LATER, foreign=True)}, unchanged=True),
    Row("another's, newer than it was itself", others(LATER, known=HARVESTED), Outcome.CHANGED),
    Row("was another's by the register of then", entry(known=HARVESTED, listing=row(BEFORE, foreign=True)),
        Outcome.UNCHANGED, learns={"changed_listing": row(), "digest": DIGEST}, unchanged=True),
    Row("another's, withdrawn, and beside it an older entry that does not count",
        others(EARLIER, known=WITHDRAWN, listing=row(BEFORE, foreign=True), is_listed=True),
        Outcome.DUPLICATE, (duplicate(EARLIER, "overgeslagen: de vermelding op een andere plek telt"),),
        reread=True),
    Row("the owner's comes", entry(EARLIER, known=HARVESTED, version=FROM_OTHERS),
        Outcome.CHANGED),

    # What the run has read so far.
    Row("another's, the owner's may come", others(LATER, known=HARVESTED, is_owner_awaited=True),
        Outcome.POSTPONED, learns=None),
    Row("another's, nobody knows it, the owner's may come", others(None, is_owner_awaited=True),
        Outcome.POSTPONED, learns=None),
    Row("another's, nothing new, the owner's may come",
        others(None, known=HARVESTED, is_owner_awaited=True),
        Outcome.UNCHANGED, learns={"changed_listing": row(foreign=True), "digest": DIGEST}, unchanged=True),
    Row("twice, and the first is delivered", entry(None, known=SEEN, is_listed=True, is_expected=True),
        Outcome.DUPLICATE, (duplicate(None, DELIVERED_ALREADY),), reread=True),
    Row("twice, the same", entry(known=HARVESTED, is_listed=True),
        Outcome.DUPLICATE, (duplicate(BEFORE, READ_BEFORE),), reread=True),
    Row("twice, newer, and the first gave nothing", entry(LATER, known=HARVESTED, is_listed=True),
        Outcome.CHANGED, reread=True),
    Row("twice, in the future, and the first gave nothing", entry(TYPO, known=HARVESTED, is_listed=True),
        Outcome.DUPLICATE, (duplicate(TYPO, READ_BEFORE),), reread=True),
    Row("another host of the owner gave it", entry(LATER, known=HARVESTED, is_expected=True),
        Outcome.DUPLICATE, (duplicate(LATER, DELIVERED_ALREADY),), reread=True),
    Row("another's, and the owner gave it in this run",
        others(version=OWNER_LISTS_IT, known=HARVESTED, is_expected=True), Outcome.FOREIGN),
    Row("another's twice, and the owner lists it",
        others(version=OWNER_LISTS_IT, known=HARVESTED, is_listed=True),
        Outcome.DUPLICATE, (duplicate(BEFORE, OWNER_COUNTS),), reread=True),
]
# fmt: on


def test_decide() -> None:
    for one in ROWS:
        decision = decide(one.facts, TERMS, NOW)
        assert decision.outcome is one.outcome, one.case
        assert decision.findings == one.findings, one.case
        update = None if one.learns is None else StateUpdate(7, **one.learns)
        assert decision.update == update, one.case
        assert (decision.must_reread, decision.is_unchanged) == (one.reread, one.unchanged), one.case
        assert (decision.version is None) == (one.outcome.cause is None), one.case


def test_the_table_has_every_outcome() -> None:
    # test_decide_delivering_all.py has the others.
    assert {row.outcome for row in ROWS} == set(Outcome).difference(DELIVERED_AGAIN)
