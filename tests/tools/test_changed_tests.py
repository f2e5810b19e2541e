from __future__ import annotations

from tools.changed_tests import _RULES, paths_for


def test_a_change_has_the_paths_for_its_folder_and_the_rules_of_the_repository() -> None:
    for path, expected in {
        "woo_harvester/findings/catalogue.toml": ["tests/findings"],
        "woo_harvester/addon.py": ["tests/test_addon.py"],
        "woo_harvester/settings.py": [],
        "woo_portal/ranking.py": ["tests/portal"],
        "tests/permits/test_rights.py": ["tests/permits/test_rights.py"],
        "tests/permits/test_that_is_gone.py": [],
        "tools/reference/settings.py": ["tests/tools"],
        "docs/state.md": [],
    }.items():
        assert paths_for([path]) == [*_RULES, *expected], path
