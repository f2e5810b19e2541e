from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from woo_harvester.utils.atomic import is_temporary, replace_file, replace_link, replacing

OLD, NEW = b"oud\n", b"nieuw\n"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def python(*lines: str, **streams: object) -> subprocess.Popen[bytes]:
    """Start a process with these lines of Python."""
    program = ("from pathlib import Path", "from woo_harvester.utils.atomic import *", *lines)
    return subprocess.Popen([sys.executable, "-c", "\n".join(program)], **streams)  # type: ignore[call-overload,no-any-return]


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    for content in (OLD, NEW):
        replace_file(tmp_path / "a.svg", content)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a.svg", NEW)]


def test_the_old_file_is_there_until_the_end_of_the_block_and_stays_if_it_raises(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(OLD)
    with pytest.raises(ZeroDivisionError), replacing(path) as file:  # noqa: PT012 -- the block is the subject
        file.write(NEW)
        assert path.read_bytes() == OLD
        _ = 1 / 0
    assert (path.read_bytes(), names(tmp_path)) == (OLD, ["a"])


@pytest.mark.parametrize("there", [True, False], ids=["an existing target", "a dangling link"])
def test_a_link_stays_a_link_and_its_target_is_replaced(tmp_path: Path, there: bool) -> None:
    folder = tmp_path / "elders"
    folder.mkdir()
    if there:
        (folder / "doel").write_bytes(OLD)
    (tmp_path / "een").symlink_to("elders/doel")
    (tmp_path / "twee").symlink_to("een")
    replace_file(tmp_path / "twee", NEW)
    assert (tmp_path / "twee").readlink() == Path("een")
    assert (tmp_path / "een").readlink() == Path("elders/doel")
    assert (folder / "doel").read_bytes() == NEW
    assert (names(tmp_path), names(folder)) == (["een", "elders", "twee"], ["doel"])


def test_a_link_in_a_circle_is_an_error_that_names_the_path(tmp_path: Path) -> None:
    (tmp_path / "rond").symlink_to("rond")
    with pytest.raises(OSError, match=r"symbolic links.*rond"):
        replace_file(tmp_path / "rond", NEW)
    assert names(tmp_path) == ["rond"]


def test_the_mode_and_the_owner_of_the_old_file_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(OLD)
    path.chmod(0o640)
    owner = (12345, 12346) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    os.chown(path, *owner)
    replace_file(path, NEW)
    found = path.stat()
    assert (stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid) == (0o640, *owner)


def test_a_new_file_has_the_mode_that_any_new_file_has(tmp_path: Path) -> None:
    (tmp_path / "gewoon").touch()
    replace_file(tmp_path / "a", NEW)
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "gewoon").stat().st_mode


def test_a_pipe_is_written_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pijp"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    replace_file(pipe, NEW)
    reader.join(10)
    assert (got, pipe.is_fifo(), names(tmp_path)) == ([NEW], True, ["pijp"])


def test_a_device_is_written_and_stays_a_device(tmp_path: Path) -> None:
    """The device is one of our own with the numbers of /dev/null, or as an ordinary user a link to that."""
    device = tmp_path / "niets"
    if os.geteuid() == 0:
        try:
            os.mknod(device, stat.S_IFCHR | 0o666, os.makedev(1, 3))
            device.write_bytes(b"")
        except PermissionError:  # a container without devices
            device.unlink(missing_ok=True)
            os.mkfifo(device)
            Thread(target=device.read_bytes, daemon=True).start()
    else:
        device.symlink_to(os.devnull)  # which an ordinary user cannot replace
    before = device.lstat()
    replace_file(device, NEW)
    assert (device.lstat().st_mode, device.lstat().st_ino) == (before.st_mode, before.st_ino)
    assert names(tmp_path) == ["niets"]


def test_a_full_device_is_an_error_and_stays_a_device(tmp_path: Path) -> None:
    (tmp_path / "vol").symlink_to("/dev/full")
    before = os.stat("/dev/full")  # noqa: PTH116
    with pytest.raises(OSError, match="No space left"):
        replace_file(tmp_path / "vol", NEW)
    assert os.path.samestat(before, os.stat("/dev/full"))  # noqa: PTH116


def test_what_standard_output_writes_to_is_not_replaced(tmp_path: Path) -> None:
    with (tmp_path / "uit").open("wb") as out:
        lines = 'print("eerst")', 'replace_file(Path("/dev/stdout"), b"dan\\n")', 'print("laatst")'
        assert python(*lines, stdout=out).wait() == 0
    assert (tmp_path / "uit").read_text() == "eerst\ndan\nlaatst\n"
    assert names(tmp_path) == ["uit"]


def test_a_file_that_may_not_be_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(OLD)
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everything
    with pytest.raises(PermissionError):
        replace_file(path, NEW)
    assert path.read_bytes() == OLD


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(OLD)
    lines = (
        "import resource, signal",
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)",
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))",
        f"try: replace_file(Path({str(path)!r}), b'x' * 5000)",
        "except OSError as error: print(error)",
    )
    process = python(*lines, stdout=subprocess.PIPE)
    assert process.communicate()[0].decode() == "[Errno 27] File too large\n"
    assert (path.read_bytes(), names(tmp_path)) == (OLD, ["a"])


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 125 + ".json")
    for content in (OLD, NEW):
        replace_file(path, content)
    assert (path.read_bytes(), names(tmp_path)) == (NEW, [path.name])


def test_a_killed_process_leaves_the_old_file_and_one_that_is_known_for_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(OLD)
    lines = (
        f"with replacing(Path({str(path)!r})) as file:",
        "    file.write(b'half'); file.flush()",
        "    print(flush=True); import time; time.sleep(60)",
    )
    process = python(*lines, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert [path for path in tmp_path.iterdir() if not is_temporary(path)] == [path]
    assert (path.read_bytes(), len(names(tmp_path))) == (OLD, 2)


def test_a_link_leads_to_the_last_target(tmp_path: Path) -> None:
    link = tmp_path / "latest"
    for target in ("een", "twee"):
        (tmp_path / target).mkdir()
        replace_link(link, target)
        assert link.readlink() == Path(target)
    assert names(tmp_path) == ["een", "latest", "twee"]


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch])
def test_what_is_no_link_is_not_replaced_by_one(tmp_path: Path, make: object) -> None:
    assert callable(make)
    make(tmp_path / "latest")
    with pytest.raises(FileExistsError):
        replace_link(tmp_path / "latest", "een")
    assert not (tmp_path / "latest").is_symlink()
