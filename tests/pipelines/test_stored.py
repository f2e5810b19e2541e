from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.documents.extracted import Extracted, Limits
from woo_harvester.pipelines.stored import from_json, largest, path_of, sha256_of, text_path_of, to_json

DIGEST = sha256(b"besluit").hexdigest()

LIMITS = Limits(maxlength=1000)
READ = Extracted("Besluit over zonnepanelen\n", 3, "nl", "Besluit", truncated=True)


def test_the_path_is_the_hash_in_a_folder_of_its_first_two_digits() -> None:
    assert path_of(DIGEST) == f"{DIGEST[:2]}/{DIGEST}"
    assert text_path_of(DIGEST) == f"{DIGEST[:2]}/{DIGEST}.text.json"


@pytest.mark.parametrize("name", [path_of(DIGEST), text_path_of(DIGEST)])
def test_a_file_tells_of_which_document_it_is(name: str) -> None:
    assert sha256_of(name.rpartition("/")[2]) == DIGEST


@pytest.mark.parametrize(
    "given", ["", "../../etc/passwd", DIGEST.upper(), DIGEST[:-1], f"{DIGEST}\n", "x" * 64]
)
def test_what_is_no_hash_has_no_path(given: str) -> None:
    with pytest.raises(ValueError, match="expected a SHA-256"):
        path_of(given)


@given(st.text())
def test_any_other_name_is_not_of_this_program(name: str) -> None:
    assert sha256_of(name) is None


@pytest.mark.parametrize("name", [f"{DIGEST}.pdf", f".{DIGEST}", f"{DIGEST}.{'a' * 16}.part"])
def test_a_name_that_holds_a_hash_is_not_of_this_program_either(name: str) -> None:
    assert sha256_of(name) is None


def test_a_text_comes_back_as_it_was() -> None:
    assert from_json(to_json(READ, LIMITS), LIMITS) == READ


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=1000))
def test_any_text_comes_back_and_takes_no_more_than_the_bound(text: str) -> None:
    content = to_json(Extracted(text), LIMITS)
    assert len(content) <= largest(LIMITS)
    assert from_json(content, LIMITS) == Extracted(text)


@pytest.mark.parametrize("limits", [Limits(maxlength=2000), Limits(maxlength=1000, ocr=True)])
def test_a_text_that_was_read_in_another_way_is_read_again(limits: Limits) -> None:
    assert from_json(to_json(READ, LIMITS), limits) is None


def test_how_long_it_may_take_does_not_matter() -> None:
    assert from_json(to_json(READ, LIMITS), Limits(maxlength=1000, timeout=1, memory=1)) == READ


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff", b"[1]", to_json(READ, LIMITS)[:-1]])
def test_a_damaged_file_is_no_text(content: bytes) -> None:
    assert from_json(content, LIMITS) is None
