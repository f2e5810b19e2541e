"""Programs that are typed into a shell, and whose runs are forked from the server of ``forked_runs``.

A program only hands over what it was given: arguments, folder, environment and standard streams. It passes
signals on, and ends with the status of the run. An interpreter of its own would take a second to import all.
"""

from __future__ import annotations

import atexit
import json
import os
import shlex
import shutil
import socket
import sys
from functools import cache
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingUnixStreamServer
from tempfile import mkdtemp
from threading import Thread

from tests.utils.forked_runs import become, fork

_CLIENT = """\
import json, os, signal, socket, sys

run = socket.socket(socket.AF_UNIX)
run.connect({address!r})
socket.send_fds(run, [b"-"], [0, 1, 2])
run.sendall(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode())
run.shutdown(socket.SHUT_WR)
answers = run.makefile()
pid = int(answers.readline())
for number in signal.SIGINT, signal.SIGTERM:
    signal.signal(number, lambda number, frame: os.kill(pid, number))
status = int(answers.readline())
sys.exit(128 - status if status < 0 else status)
"""
#: Settings of a command that is typed outside a project.
_OUTSIDE = {"woo-harvester": "woo_harvester.settings"}


def program(name: str) -> str:
    """Return the text of a shell script that does what the program of this name does."""
    command = [sys.executable, "-I", "-S", str(_client()), name]
    return f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n'


class _Handler(BaseRequestHandler):
    def handle(self) -> None:
        run = fork(_typed, self.request)
        run.join()
        self.request.sendall(f"{run.exitcode}\n".encode())


class _Server(ThreadingUnixStreamServer):
    daemon_threads = True


@cache
def _client() -> Path:
    """Start to serve until the end of this process; return the client."""
    folder = Path(mkdtemp(prefix="woo-test-typed-"))
    server = _Server(str(folder / "socket"), _Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    client = folder / "client.py"
    client.write_text(_CLIENT.format(address=server.server_address), encoding="utf-8")
    atexit.register(shutil.rmtree, folder)
    atexit.register(server.server_close)
    return client


def _typed(client: socket.socket) -> None:
    """Run in this process what the client was given, with its standard streams."""
    _, streams, _, _ = socket.recv_fds(client, 1, 3)
    with client.makefile("rb") as given:
        (name, *args), folder, environ = json.load(given)
    client.sendall(f"{os.getpid()}\n".encode())
    client.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if name in _OUTSIDE:
        environ.setdefault("SCRAPY_SETTINGS_MODULE", _OUTSIDE[name])
    become([name, *args], Path(folder), environ)
