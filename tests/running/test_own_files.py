from __future__ import annotations

from pathlib import Path

import pytest
from scrapy.exceptions import UsageError
from scrapy.settings import Settings

from woo_harvester.running.own_files import refuse_own_file

STATE = ".scrapy/woo-state.sqlite"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """The settings of a folder with a state, a register and its copy."""
    monkeypatch.chdir(tmp_path)
    for name in (STATE, ".scrapy/register/0a/register.xml", ".scrapy/tooi.json", "roo.xml", "in.csv"):
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("kept")
    return Settings({"WOO_DATA_DIR": ".scrapy", "WOO_REGISTER": "roo.xml"})


def refusal(path: str, settings: Settings, *inputs: object) -> str:
    with pytest.raises(UsageError) as refused:
        refuse_own_file(Path(path), settings, *inputs)
    return str(refused.value)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        (STATE, "the state itself"),
        *((f"{STATE}{end}", "a file of the state") for end in ("-wal", "-shm", "-journal", ".lock")),
        (".scrapy/register/0a/register.xml", "kept by the harvester in its data folder"),
        (".scrapy/tooi.json", "kept by the harvester in its data folder"),
        ("roo.xml", "read by this command"),
        ("in.csv", "read by this command"),
    ],
)
def test_a_file_that_is_read_or_kept_is_refused_by_each_of_its_names(
    name: str, what: str, settings: Settings
) -> None:
    inputs = (Path("in.csv"), None, ("https://www.a.nl/",), "https://www.a.nl/roo.xml")
    Path("link").symlink_to(name)
    Path("folder").symlink_to(Path(name).parent.absolute())
    names = [name, f"./{name}", "link", f"folder/{Path(name).name}", str(Path(name).absolute())]
    if Path(name).exists():
        Path("hard").hardlink_to(name)
        names.append("hard")
    for each in names:
        assert refusal(each, settings, *inputs) == f"{Path(each)} is {what}: name another file"


def test_a_state_that_is_not_there_yet_is_refused_too(settings: Settings) -> None:
    settings.set("WOO_STATE_URL", "sqlite:///new.sqlite")
    assert refusal("new.sqlite", settings) == "new.sqlite is the state itself: name another file"


@pytest.mark.parametrize("url", ["sqlite://", "postgresql://a@b/c", "nonsense"])
def test_any_other_file_is_an_output(url: str, settings: Settings) -> None:
    settings.set("WOO_STATE_URL", url)
    for name in ("woo.jsonl", ".scrapy/woo.jsonl", STATE, "/dev/stdout"):
        refuse_own_file(Path(name), settings, "https://www.a.nl/roo.xml")
