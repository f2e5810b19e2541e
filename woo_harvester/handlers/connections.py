"""Limits the connections that this process may have open at once."""

from __future__ import annotations

import logging
import resource

logger = logging.getLogger(__name__)

#: Files that are open for other purposes: state, feeds, report, libraries, workers, and the store with its
#: 257 folders and the documents that are not durable yet.
OTHER_FILES = 500

#: A connection that is kept open after its answer, and a temporary file, may come with each that is in use.
FILES_A_CONNECTION = 4


def most_connections(wanted: int) -> int:
    """Return *wanted*, or fewer if the limit of open files allows no more; at least one.

    Raises the process's own (soft) limit as far as the machine lets it: 1,024, which is what many systems
    begin with, is less than the hosts of a run can need, and an error for want of a file would look like
    the publisher's fault.
    """
    wanted = max(1, wanted)
    needed = wanted * FILES_A_CONNECTION + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    allowed = max(1, (soft - OTHER_FILES) // FILES_A_CONNECTION)
    logger.warning("Only %d connections at once, since no more than %d files may be open", allowed, soft)
    return allowed
