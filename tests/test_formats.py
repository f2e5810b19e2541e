"""File types by metadata, media type and extension; names of files."""

from __future__ import annotations

import pytest

from woo_harvester.formats import file_types, from_metadata
from woo_harvester.tooi import filetypes


def test_there_are_exactly_the_19_types_of_the_list() -> None:
    assert [filetype.uri for filetype in file_types()] == [concept.uri for concept in filetypes()]
    assert len(file_types()) == 19


@pytest.mark.parametrize("filetype", file_types(), ids=lambda filetype: filetype.label)
def test_the_metadata_may_name_a_type_by_its_uri_or_label(filetype) -> None:  # type: ignore[no-untyped-def]
    assert from_metadata(None, filetype.uri).filetype == filetype
    assert from_metadata(filetype.label.upper(), None).filetype == filetype
