"""No output of a command takes the place of the state, or of a file that the command reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.utils.command import start_forked
from tests.utils.daily import FIRST, Harvester, publish
from tests.utils.waiting import STUCK
from woo_harvester.demo.site import Site

pytestmark = pytest.mark.integration

STATE = ".scrapy/woo-state.sqlite"
PERIOD = ("--from", "2026-04-01", "--until", "2026-04-30")


def test_each_output_of_each_command_is_refused_before_anything_is_written(
    site: Site, tmp_path: Path, ca_bundle: Path
) -> None:
    publish(site, {"a": FIRST})
    harvester = Harvester(tmp_path, ca_bundle, [site])
    harvester.day("-O", "woo.jsonl")
    run = harvester.arguments()
    (register,) = (Path(given.removeprefix("register=")) for given in run if given.startswith("register="))
    (tmp_path / "link.prom").symlink_to(STATE)
    (tmp_path / "link.csv").symlink_to(STATE)
    (tmp_path / "in.csv").write_text("organisatie,leverancier\n")
    before = {path: path.read_bytes() for path in (tmp_path / STATE, register, tmp_path / "in.csv")}
    feeds = json.dumps({STATE: {"format": "jsonlines", "overwrite": True}})
    for args in (
        *((*run, option, f"{path}:jsonl") for option in ("-o", "-O") for path in (STATE, register)),
        (*run, "-s", f"FEEDS={feeds}"),
        (*run, "-O", f"{STATE}-wal:jsonl"),
        (*run, "-s", "WOO_METRICS_FILE=link.prom"),
        (*run, "-s", f"LOG_FILE={STATE}"),
        (*run, "-s", f"LOG_FILE={register}"),
        (*run, "--logfile", str(register)),
        (*run, "--pidfile", str(register)),
        (*run, "--logfile", STATE),
        (*run, "--pidfile", STATE),
        (*run, "--profile", STATE),
        ("audit", "www.a.nl", "--logfile", STATE),
        ("state", "latest", "woo.jsonl", "-O", STATE),
    ):
        done = start_forked(args, tmp_path, ca_bundle).done(STUCK)
        assert done.returncode == 2, (args, done.stderr)
        assert done.stderr.splitlines()[-1].endswith(": name another file"), (args, done.stderr)
        assert {path: path.read_bytes() for path in before} == before, args
    assert harvester.day().returncode == 0
