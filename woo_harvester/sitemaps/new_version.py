"""Makes the version of a document that is to be harvested, once it is decided that one is."""

from __future__ import annotations

from datetime import UTC, date, datetime

from woo_harvester.dates import day_of, from_microseconds, iso_datetime, moment_after
from woo_harvester.record import Oorzaak
from woo_harvester.sitemaps.decision import KNOWN_VERSION, EntryOutcome, NewVersion
from woo_harvester.sitemaps.facts import EntryFacts, KnownDocument
from woo_harvester.sitemaps.lastmod import is_future, read_lastmod


def new_version(
    facts: EntryFacts, outcome: EntryOutcome, lastmod: datetime | None, now: datetime
) -> NewVersion | None:
    """Return the version that is to be harvested; None if the outcome calls for none.

    The openbaarmakingsdatum is that of the first version, unless another's entry gave it and the owner's has
    come since. A version of an unchanged entry has the lastmod that was harvested: it may have lost it since.
    """
    known, text = facts.known, facts.entry.lastmod
    if outcome.cause is None:
        return None
    if outcome in KNOWN_VERSION and known is not None and known.harvested is not None:
        return _known_version(known, datetime.fromtimestamp(known.harvested, UTC), text, now)
    is_same = facts.is_comparable and outcome in (EntryOutcome.RECHECKED, EntryOutcome.CHANGED)
    if is_same and lastmod is None and known is not None and known.lastmod:
        lastmod = from_microseconds(known.lastmod)
        text = iso_datetime(lastmod)
    is_ahead = is_future(lastmod, now)
    is_first = known is None or not known.published or (facts.is_own and not facts.version.is_own)
    return NewVersion(
        cause=outcome.cause,
        lastmod=lastmod,
        lastmod_text=text,
        published=_published(facts.known, None if is_ahead else lastmod, now, is_first=is_first),
        at=moment_after(known.delivered_at if known else None, now),
        takes_over=known is not None and known.harvested is not None and not facts.is_comparable,
        is_ahead=is_ahead,
        is_dated_by_harvest=is_first and (lastmod is None or is_ahead),
    )


def _published(
    known: KnownDocument | None, lastmod: datetime | None, now: datetime, *, is_first: bool
) -> date:
    """Return the openbaarmakingsdatum: that of the first version, else the day of the lastmod or of today."""
    if known is None or is_first:
        return day_of(lastmod or now)
    return date.fromisoformat(str(known.published))


def _known_version(known: KnownDocument, began_at: datetime, text: str | None, now: datetime) -> NewVersion:
    """Return the version that was harvested at *began_at*, to be delivered again.

    Its dates and oorzaak are those that it had. *text* is the lastmod as given today.
    """
    lastmod = from_microseconds(known.lastmod) if known.lastmod is not None else None
    given, _ = read_lastmod(text, now)
    if given != lastmod:  # it is absent by now, or it was in the future and has been corrected
        text = iso_datetime(lastmod) if lastmod is not None else None
    is_ahead = is_future(lastmod, began_at)
    cause = Oorzaak(known.cause) if known.cause is not None else _likely_cause(known, lastmod, began_at)
    is_first = cause is Oorzaak.AANLEVERING
    return NewVersion(
        cause=cause,
        lastmod=lastmod,
        lastmod_text=text,
        published=date.fromisoformat(str(known.published)),
        at=moment_after(known.delivered_at, now),
        began_at=began_at,
        takes_over=False,
        is_ahead=is_ahead,
        is_dated_by_harvest=is_first and (lastmod is None or is_ahead),
    )


def _likely_cause(known: KnownDocument, lastmod: datetime | None, began_at: datetime) -> Oorzaak:
    """Return the oorzaak of a version of which the state does not have it.

    The openbaarmakingsdatum is the day of the first version: a version of that day is most likely the first.
    """
    is_ahead = is_future(lastmod, began_at)
    day = day_of(began_at if lastmod is None or is_ahead else lastmod)
    return Oorzaak.AANLEVERING if day.isoformat() == known.published else Oorzaak.WIJZIGING
