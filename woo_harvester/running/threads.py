"""Starting the threads of the event loop early, because the process would abort without a message later."""

from __future__ import annotations

import asyncio
import socket
import threading

#: The number of threads in libuv's pool (``UV_THREADPOOL_SIZE``).
_COUNT = 4


def start_threads(loop: asyncio.AbstractEventLoop) -> None:
    """Make libuv, on which uvloop runs, start its threads. Raises RuntimeError if there are too few.

    libuv starts them at the first connection, and calls ``abort()`` if it cannot. So this function first
    starts and ends as many threads itself; libuv then gets their memory.
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
    # Without a socket type, even this address is looked up in the pool.
    loop.run_until_complete(loop.getaddrinfo("127.0.0.1", 1, family=socket.AF_INET))
