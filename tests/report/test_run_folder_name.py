from __future__ import annotations

import re
from pathlib import Path

from woo_harvester.report.run_folder import ReportsFolder, RunFolder, run_name


def test_a_run_is_named_after_its_spider_and_the_moment_it_begins(tmp_path: Path) -> None:
    name = run_name("woo")
    assert re.fullmatch(r"woo-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{6}", name)
    (tmp_path / name).mkdir()
    assert list(ReportsFolder(tmp_path).runs()) == [("woo", RunFolder(tmp_path / name))]
