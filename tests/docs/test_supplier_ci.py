"""The jobs for the CI of a supplier: GitHub and GitLab accept them, and their lines do what the page says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from ruamel.yaml import YAML

from tests.docs.page import Command, Reader, Written, steps
from tests.utils.command import ROOT
from tests.utils.mistaken import well
from tests.utils.sites import write_register
from woo_harvester.demo.site import Site

PAGE = ROOT / "docs" / "how-to" / "supplier-ci.md"
TUTORIAL = ROOT / "docs" / "tutorials" / "is-my-site-ready.md"
GITHUB, GITLAB = ".github/workflows/woo.yml", ".gitlab-ci.yml"


@pytest.fixture
def supplier(reader: Reader) -> Reader:
    """A supplier with both jobs, and with a site that has the mistakes of the tutorial."""
    files = [step for step in steps(TUTORIAL.read_text(encoding="utf-8")) if isinstance(step, Written)]
    for step in [*files, *steps(PAGE.read_text(encoding="utf-8"))]:
        if isinstance(step, Written):
            reader.do(step)
    host = reader.stand_ins["www.gemeente.nl"]
    reader.stand_ins = {**reader.stand_ins, "test.gemeente.internal": host}
    return reader


def yaml(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe", pure=True).load(path)
    return found


def audits(job: dict[str, Any]) -> list[str]:
    """Return the lines of a job but for the installation."""
    lines = job.get("script") or [step["run"] for step in job["steps"] if "run" in step]
    assert lines[0] in ('pip install "$WOO_HARVESTER"', 'pipx install "$WOO_HARVESTER"')
    return lines[1:]


def accepted(*command: str | Path) -> None:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_is_what_happens(supplier: Reader) -> None:
    for step in steps(PAGE.read_text(encoding="utf-8")):
        if isinstance(step, Command):
            supplier.do(step)


def test_github_and_gitlab_accept_the_jobs(supplier: Reader) -> None:
    check = sys.executable, "-m", "check_jsonschema", "--builtin-schema"
    accepted(*check, "vendor.github-workflows", supplier.folder / GITHUB)
    accepted(*check, "vendor.gitlab-ci", "--data-transform", "gitlab-ci", supplier.folder / GITLAB)
    zizmor = Path(sys.executable).with_name("zizmor")
    accepted(zizmor, "--offline", "--persona=pedantic", supplier.folder / GITHUB)


JOBS = [(GITHUB, ("jobs", "audit")), (GITLAB, ("woo-files",)), (GITLAB, ("woo-staging",))]
#: The mistakes of each job's site: an error in the files of the tutorial, a warning on the host.
MISTAKES = ["loc.geen-https", "loc.geen-https", "publisher.ontbreekt"]


def failures_of(supplier: Reader, file: str, job: tuple[str, ...], status: int) -> list[str]:
    """Run the audit of a job on a host with a private address, which ends with *status*."""
    lines: Any = yaml(supplier.folder / file)
    for key in job:
        lines = lines[key]
    (line,) = audits(lines)
    # As it is in CI: the host is not in the register, and only what was typed may have a private address.
    register = write_register(supplier.folder / "register.xml", {"Gemeente": ["https://www.ver.example/"]})
    supplier.settings = {"WOO_REGISTER": register, "WOO_ALLOW_PRIVATE_HOSTS": 0}
    supplier.do(Command(line, None, status=status))
    report = etree.parse(supplier.folder / "woo.xml")
    assert report.xpath("count(//testcase)") > 0
    return [str(found) for found in report.xpath("//failure/../@name")]


@pytest.mark.parametrize(
    ("file", "job", "mistake"), [(*job, code) for job, code in zip(JOBS, MISTAKES, strict=True)]
)
def test_a_job_fails_by_the_mistakes_and_names_them(
    supplier: Reader, file: str, job: tuple[str, ...], mistake: str
) -> None:
    assert mistake in failures_of(supplier, file, job, status=1)


@pytest.mark.parametrize(("file", "job"), JOBS)
def test_a_job_passes_once_the_mistakes_are_fixed(
    supplier: Reader, site: Site, file: str, job: tuple[str, ...]
) -> None:
    well(site)
    for step in steps(TUTORIAL.read_text(encoding="utf-8")):
        if isinstance(step, Command) and step.text.startswith("sed "):
            supplier.do(step)
    assert failures_of(supplier, file, job, status=0) == []
