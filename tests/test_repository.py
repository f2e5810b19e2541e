"""What the repository offers is what its tools accept: licences, citation, catalogue, forms and image."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.conftest import ROOT
from woo_harvester.utils.program import VERSION

GITHUB = ROOT / ".github"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
#: The address of the repository for as long as nobody has published it: a name that leads nowhere (RFC 2606).
NOWHERE = "https://woo-harvester.invalid/woo-harvester.git"


def tool(name: str, *args: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a tool of the test environment over the repository."""
    command = [Path(sys.executable).with_name(name), *args]
    return subprocess.run([*map(str, command)], cwd=ROOT, capture_output=True, text=True, check=False)


def yaml(path: Path) -> Any:
    return YAML(typ="safe", pure=True).load(path)


def test_each_file_has_a_licence_and_each_licence_its_text() -> None:
    done = tool("reuse", "lint")
    assert done.returncode == 0, done.stdout + done.stderr


def test_zizmor_finds_nothing_in_the_workflows() -> None:
    done = tool("zizmor", "--offline", "--persona=pedantic", ".")
    assert done.returncode == 0, done.stdout + done.stderr


def test_hadolint_finds_nothing_in_the_image() -> None:
    done = tool("hadolint", "deploy/Dockerfile")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("vendor.github-workflows", sorted(GITHUB.glob("workflows/*.yml"))),
        ("vendor.dependabot", [GITHUB / "dependabot.yml"]),
        ("vendor.github-issue-config", [GITHUB / "ISSUE_TEMPLATE" / "config.yml"]),
        ("vendor.github-issue-forms", sorted(set(GITHUB.glob("ISSUE_TEMPLATE/[!c]*.yml")))),
        ("vendor.citation-file-format", [ROOT / "CITATION.cff"]),
    ],
)
def test_files_for_forges_and_citing_have_the_expected_form(schema: str, files: list[Path]) -> None:
    assert files
    # CITATION.cff is YAML under another name.
    done = tool("check-jsonschema", "--default-filetype", "yaml", "--builtin-schema", schema, *files)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_workflow_runs_what_ci_runs() -> None:
    steps = yaml(GITHUB / "workflows" / "ci.yml")["jobs"]["test"]["steps"]
    assert [step["run"] for step in steps if "run" in step] == [".ci/run"]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


class TestPubliccode:
    """The keys, choices and lengths that https://yml.publiccode.tools asks for."""

    FILE: dict[str, Any] = yaml(ROOT / "publiccode.yml")

    def test_every_key_that_the_standard_requires_is_there(self) -> None:
        required = {
            *("publiccodeYmlVersion", "name", "url", "developmentStatus", "softwareType"),
            *("platforms", "description", "legal", "maintenance", "localisation"),
        }
        assert required <= self.FILE.keys()
        assert self.FILE["developmentStatus"] in {"concept", "development", "beta", "stable", "obsolete"}
        assert self.FILE["softwareType"] == "standalone/backend"
        assert self.FILE["legal"]["license"] == PROJECT["license"]
        assert self.FILE["maintenance"]["type"] == "community"
        assert all(contact["name"] for contact in self.FILE["maintenance"]["contacts"])
        assert self.FILE["localisation"] == {"localisationReady": True, "availableLanguages": ["nl", "en"]}

    @pytest.mark.parametrize("language", ["nl", "en"])
    def test_its_descriptions_have_the_lengths_of_the_standard(self, language: str) -> None:
        about = self.FILE["description"][language]
        assert len(about["shortDescription"]) <= 150
        assert 150 <= len(about["longDescription"]) <= 10_000
        assert about["features"]

    def test_its_address_is_that_of_the_project(self) -> None:
        assert self.FILE["url"] == PROJECT.get("urls", {}).get("Repository", NOWHERE)

    def test_no_version_is_released_without_an_address_a_contact_and_owners(self) -> None:
        lacks = [
            name
            for name, is_there in {
                "url": self.FILE["url"] != NOWHERE,
                "contacts": all("email" in each for each in self.FILE["maintenance"]["contacts"]),
                "CODEOWNERS": (GITHUB / "CODEOWNERS").is_file(),
            }.items()
            if not is_there
        ]
        assert ".dev" in VERSION or not lacks


def test_version_and_day_of_the_release_are_the_same_everywhere() -> None:
    """A version has its section and day in the changelog; until then it is a ``.dev``."""
    public, citation = yaml(ROOT / "publiccode.yml"), yaml(ROOT / "CITATION.cff")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    name, day = next(re.finditer(r"^## \[(\S+)\](?: - (\S+))?$", changelog, re.MULTILINE)).groups()
    is_released = ".dev" not in VERSION
    assert name == (VERSION if is_released else "Unreleased")
    assert citation["version"] == VERSION
    assert public.get("softwareVersion") == (VERSION if is_released else None)
    assert public.get("releaseDate") == citation.get("date-released") == day
    pages = (path.read_text(encoding="utf-8") for path in ROOT.glob("docs/how-to/*.md"))
    assert set(re.findall(r"woo_harvester-(\S+?)-py3", "".join(pages))) >= {VERSION}


def test_the_images_are_built_and_harvest_the_demo() -> None:
    engine = shutil.which("docker") or shutil.which("podman")
    if engine is None or subprocess.run([engine, "info"], capture_output=True, check=False).returncode:
        pytest.skip("needs a running Docker or Podman: the only test that CI may skip")
    name = "woo-harvester-test"
    for target in ("portal", "scrapyd", "harvest"):
        build = ("build", "--quiet", "--file", "deploy/Dockerfile", "--target", target, "--tag", name, ".")
        subprocess.run([engine, *build], cwd=ROOT, check=True)
        version = (engine, "run", "--rm", "--read-only", name, "woo-harvester", "version")
        assert f"woo-harvester {VERSION} " in subprocess.check_output(version, text=True)
    run = ("run", "--rm", "--read-only", "--tmpfs", "/tmp", "--workdir", "/tmp", name, "scrapy", "demo")
    done = subprocess.run([engine, *run], capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert "records" in done.stdout
