"""The threads of the event loop, without which the process would end without a word."""

from __future__ import annotations

import asyncio
import socket
import threading

#: Threads in libuv's pool (``UV_THREADPOOL_SIZE``).
_COUNT = 4


def start_threads(loop: asyncio.AbstractEventLoop) -> None:
    """Have libuv, below uvloop, start its threads. Raises RuntimeError where the machine gives too few.

    libuv starts them with the first connection, and calls ``abort()`` where it cannot. So as many are started
    here first; when they have ended, libuv gets their memory.
    """
    done = threading.Event()
    started = [threading.Thread(target=done.wait, daemon=True) for _ in range(_COUNT)]
    try:
        for thread in started:
            thread.start()
    finally:
        done.set()
        for thread in started:
            if thread.ident is not None:
                thread.join()
    # Without a type, this address too is looked up in the pool.
    loop.run_until_complete(loop.getaddrinfo("127.0.0.1", 1, family=socket.AF_INET))
