"""Titles from file names."""

from __future__ import annotations

from woo_harvester.titles import title_from_loc


def test_the_title_is_the_file_name_without_extension_and_with_spaces_for_separators() -> None:
    assert title_from_loc("https://www.a.nl/woo/Besluit-parkeren_2024.pdf") == "Besluit parkeren 2024"
