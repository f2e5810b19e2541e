"""What the sample of an audit says of all documents of a host.

The documents that were drawn at random stand for all that were not chosen for their kind; those that were
chosen stand for themselves alone. The interval is that of Wilson (1927) for a proportion, with the correction
for a population that is not infinite.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, sqrt

from woo_harvester.report.funnel import Account

#: The confidence of the interval, and the distance from the mean, in standard deviations, that belongs to it.
CONFIDENCE = 0.95
_Z = 1.959964


@dataclass(frozen=True, slots=True)
class Estimate:
    """The estimated share of the listed documents of a host that are harvested, 0 to 1."""

    share: float
    least: float
    """The lower end of the interval."""
    most: float
    """The upper end of the interval."""


def percentages(least: float, most: float) -> tuple[int, int]:
    """Return an interval in whole percentages, rounded outward: a sample says no more than that."""
    return floor(round(100 * least, 6)), ceil(round(100 * most, 6))


def answered(account: Account) -> int:
    """Return the number of documents drawn at random of which is known whether they are harvested."""
    lost = sum(count for code, count in account.drawn_findings.items() if code in account.kind.stage_of)
    return account.drawn_harvested + lost


def estimated_count(count: int, code: str, account: Account) -> float:
    """Return the number of documents with a finding, of which *count* in the sample have it."""
    number = answered(account)
    if not (account.not_requested and number):
        return count
    drawn = min(account.drawn_findings.get(code, 0), count)
    return count - drawn + drawn * (account.drawn + account.not_requested) / number


def estimate(account: Account) -> Estimate | None:
    """Return the estimate for a host; None without a sample, or if the run ended before it was done."""
    number = answered(account)
    if not (account.not_requested and number) or account.complete is None:
        return None
    population = account.drawn + account.not_requested
    harvested = account.harvested_now_or_before
    chosen, most = harvested - account.drawn_harvested, harvested + population - number
    share = account.drawn_harvested / number
    low, high = (
        min(max(chosen + population * end, harvested), most) / account.listed
        for end in wilson(share, number, population)
    )
    return Estimate((chosen + population * share) / account.listed, low, high)


def wilson(share: float, drawn: int, population: int) -> tuple[float, float]:
    """Return the interval for the proportion in a *population* of which *drawn* have this *share*."""
    if drawn >= population:
        return share, share
    number = drawn * (population - 1) / (population - drawn)
    middle = (share + _Z**2 / (2 * number)) / (1 + _Z**2 / number)
    reach = _Z * sqrt(share * (1 - share) / number + (_Z / (2 * number)) ** 2) / (1 + _Z**2 / number)
    return max(0.0, middle - reach), min(1.0, middle + reach)
