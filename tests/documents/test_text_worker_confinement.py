from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT, skip_or_fail

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(sys.platform != "linux", reason="what the kernel forbids is known of Linux only"),
]

#: Tries, confined, each thing that it gets as an expression; prints what came of it.
TRY = """
import json, os, socket, subprocess, sys
from pathlib import Path
from woo_harvester.documents.text_worker import bound_memory, forbid_outside, forbid_writing

tried = json.loads(sys.argv[1])
bound_memory(256 * 1024 * 1024)
confined = forbid_outside() and forbid_writing()
results = {}
for name, expression in tried.items():
    try:
        eval(expression)
        results[name] = "done"
    except (OSError, MemoryError) as error:
        results[name] = type(error).__name__
print(json.dumps([confined, results]))
"""


def tried(**expressions: str) -> dict[str, str]:
    command = [sys.executable, "-c", TRY, json.dumps(expressions)]
    printed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    confined, results = json.loads(printed)
    if not confined:
        skip_or_fail("needs libseccomp")
    assert isinstance(results, dict)
    return results


def test_nothing_reaches_the_network() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        port = server.getsockname()[1]
        results = tried(
            tcp=f"socket.create_connection(('127.0.0.1', {port}))",
            udp="socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
            ipv6="socket.socket(socket.AF_INET6)",
            local="socket.socket(socket.AF_UNIX)",
            name="socket.create_connection(('localhost', 9))",
            raw="socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
        )
        # Resolving a name fails as a name that cannot be resolved.
        assert results.pop("name") in {"PermissionError", "gaierror"}
        assert set(results.values()) == {"PermissionError"}
        with pytest.raises(BlockingIOError):
            server.accept()


def test_nothing_can_be_written(tmp_path: Path) -> None:
    state = tmp_path / "woo-state.sqlite"
    state.write_text("bekend", encoding="ascii")
    results = tried(
        overwrite=f"Path({str(state)!r}).write_text('weg')",
        append=f"open({str(state)!r}, 'a')",
        change=f"open({str(state)!r}, 'r+')",
        truncate=f"os.truncate({str(state)!r}, 0)",
        open_truncating=f"os.open({str(state)!r}, os.O_RDONLY | os.O_TRUNC)",
        remove=f"os.unlink({str(state)!r})",
        rename=f"os.rename({str(state)!r}, {str(state)!r} + '.old')",
        mode=f"os.chmod({str(state)!r}, 0)",
        new=f"Path({str(tmp_path / 'new')!r}).touch()",
        folder=f"os.mkdir({str(tmp_path / 'new')!r})",
        symlink=f"os.symlink('a', {str(tmp_path / 'new')!r})",
    )
    assert set(results.values()) == {"PermissionError"}, results
    assert state.read_text(encoding="ascii") == "bekend"
    assert [path.name for path in tmp_path.iterdir()] == ["woo-state.sqlite"]


def test_other_processes_are_out_of_reach() -> None:
    results = tried(
        program="subprocess.run(['true'])",
        shell="os.execv('/bin/sh', ['sh'])",
        process="os.fork() or os._exit(0)",
        signal="os.kill(os.getppid(), 0)",
    )
    assert set(results.values()) == {"PermissionError"}


def test_threads_can_be_started() -> None:
    assert tried(thread="__import__('threading').Thread(target=len, args=((),)).start()") == {
        "thread": "done"
    }


def test_documents_and_libraries_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "besluit.txt").write_text("Besluit", encoding="ascii")
    path = str(tmp_path / "besluit.txt")
    assert tried(
        read=f"Path({path!r}).read_text()", load="__import__('sqlite3')", list="os.listdir('/')"
    ) == {
        "read": "done",
        "load": "done",
        "list": "done",
    }


def test_memory_is_bounded() -> None:
    assert tried(little="bytearray(64 << 20)", much="bytearray(300 << 20)") == {
        "little": "done",
        "much": "MemoryError",
    }
