from __future__ import annotations

from pathlib import Path

from tests.conftest import ROOT
from tools.reference.__main__ import PAGES, main, render
from tools.reference.settings import BEGIN, END


def test_the_page_in_docs_is_up_to_date() -> None:
    for name in PAGES:
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == render(name), "Run `make docs`"


def test_all_pages_are_written_to_the_folder_that_is_given(tmp_path: Path) -> None:
    main([str(tmp_path)])
    assert {path.name for path in tmp_path.iterdir()} == set(PAGES)


def test_the_list_of_the_linter_is_made_in_the_file_that_is_given(tmp_path: Path) -> None:
    configuration = tmp_path / "pyproject.toml"
    configuration.write_text(f"[\n{BEGIN}\n{END}\n]\n", encoding="utf-8")
    main([str(tmp_path), str(configuration)])
    assert '    "WOO_REGISTER",\n' in configuration.read_text(encoding="utf-8")


def test_every_row_of_a_table_has_as_many_cells_as_its_head() -> None:
    for name in PAGES:
        cells = 0
        for line in render(name).replace("\\|", "").splitlines():
            if not line.startswith("|"):
                cells = 0
                continue
            cells = cells or line.count("|")
            assert line.count("|") == cells, line
