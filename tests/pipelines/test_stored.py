from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from woo_harvester.pipelines.stored import path_of, sha256_of

DIGEST = sha256(b"besluit").hexdigest()


def test_the_path_is_the_hash_in_a_folder_of_its_first_two_digits() -> None:
    assert path_of(DIGEST) == f"{DIGEST[:2]}/{DIGEST}"


@pytest.mark.parametrize("name", [path_of(DIGEST), f"{path_of(DIGEST)}.text.json"])
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
