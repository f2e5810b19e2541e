"""Passwords, keys and tokens: they are on no terminal, in no log, and in no report."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.utils.daily import FIRST, publish
from tests.utils.sites import write_register
from tests.utils.terminal import run_on_terminal
from woo_harvester.demo.server import Page
from woo_harvester.demo.site import Site

pytestmark = pytest.mark.integration


def test_no_secret_is_shown_or_kept(site: Site, tmp_path: Path, ca_bundle: Path) -> None:
    publish(site, {"a": FIRST})
    register = write_register(tmp_path / "roo.xml", {"Raad": [site.url("/")]})
    site.pages["/roo.xml"] = Page(register.read_bytes(), content_type="application/xml")
    log = tmp_path / "run.log"
    refused = "ftp://jan:geheim-ftp@127.0.0.1:1"
    shown = run_on_terminal(
        [
            *("crawl", "woo", "-a", f"register=https://jan:geheim-register@{site.host}/roo.xml"),
            *("-a", "documents=none", "-o", f"{refused}/a.jsonl"),
        ],
        tmp_path,
        ca_bundle,
        settings={
            "LOG_FILE": log,
            "FTP_PASSWORD": "geheim",
            "MAIL_PASS": "geh",
        },
        env={"AWS_SECRET_ACCESS_KEY": "geheim-aws"},
    )
    text = "\n".join(shown.all_lines)
    logged = log.read_text(encoding="utf-8")
    assert "ftp://…@127.0.0.1:1/a.jsonl" in logged, "the output that cannot be reached is named"
    for line in (
        "'AWS_SECRET_ACCESS_KEY': …,",
        "'FTP_PASSWORD': …,",
        "'MAIL_PASS': …,",
    ):
        assert line in logged
    assert "geheim" not in text + logged
    reports = [path for path in (tmp_path / "reports").rglob("*") if path.is_file()]
    assert [path for path in reports if b"geheim" in path.read_bytes()] == []
    assert "'geh'" not in logged
