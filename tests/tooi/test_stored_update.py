"""What newer value lists change."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from tests.tooi.folders import AMSTERDAM, GEMEENTEN, NIEUWSTAD
from woo_harvester.tooi.list_files import Edition, ListFile, ListsError, set_uri
from woo_harvester.tooi.stored import KnownLists, compare
from woo_harvester.tooi.values import Concept

OLD, NEW, OTHER = Concept(*AMSTERDAM), Concept(*NIEUWSTAD), Concept("https://a.nl/3", "drie")


def known(*concepts: Concept, version: int = 4, day: int = 1, checked: date | None = None) -> KnownLists:
    edition = Edition(set_uri(GEMEENTEN, version), date(2026, 1, day), len(concepts), checked)
    return KnownLists({GEMEENTEN: ListFile(edition, concepts)}, {})


def given(*concepts: Concept, version: int = 5, day: int = 2) -> dict[str, ListFile]:
    return dict(known(*concepts, version=version, day=day).files)


def test_what_is_new_what_is_gone_and_what_has_another_label_is_said() -> None:
    renamed = replace(OTHER, label="derde")
    (change,) = compare(known(OLD, OTHER), given(NEW, renamed)).changes
    assert (change.added, change.removed, change.renamed) == ([NEW], [OLD], [(OTHER, renamed)])
    assert (change.before.version, change.after.version) == (4, 5)


def test_a_value_that_is_gone_stays_known_until_it_is_back() -> None:
    first = compare(known(OLD, OTHER), given(OTHER))
    assert first.former == {GEMEENTEN: [OLD]}
    second = compare(KnownLists(first.lists, first.former), given(OTHER, NEW, version=6))
    assert second.former == {GEMEENTEN: [OLD]}
    third = compare(KnownLists(second.lists, second.former), given(OTHER, NEW, OLD, version=7))
    assert third.former == {GEMEENTEN: []}


def test_a_list_that_lacks_more_than_half_of_the_values_is_refused_unless_that_is_right() -> None:
    with pytest.raises(ListsError, match=r"lacks 2 of the 3 values that are known; use --allow-removed"):
        compare(known(OLD, NEW, OTHER), given(OTHER))
    assert compare(known(OLD, NEW, OTHER), given(OTHER), allow_removed=True).former[GEMEENTEN] == [OLD, NEW]
    assert compare(known(OLD, NEW), given(NEW)).former[GEMEENTEN] == [OLD]


@pytest.mark.parametrize(("version", "day"), [(5, 1), (4, 2)])
def test_an_older_edition_does_not_replace_the_one_in_use(version: int, day: int) -> None:
    before = known(OLD, version=5, day=2)
    update = compare(before, given(NEW, version=version, day=day))
    assert (update.lists, update.changes, update.older) == (before.files, [], [GEMEENTEN])


def test_the_same_edition_with_other_values_replaces_it() -> None:
    update = compare(known(OLD), given(OLD, NEW, version=4, day=1))
    assert [change.added for change in update.changes] == [[NEW]]


def test_the_day_of_the_last_look_is_kept_while_the_version_is_the_same() -> None:
    before = known(OLD, checked=date(2026, 3, 1))
    assert compare(before, given(OLD, version=4, day=1)).lists[GEMEENTEN].edition.checked == date(2026, 3, 1)
    assert compare(before, given(OLD)).lists[GEMEENTEN].edition.checked is None
