"""Limits the number of open connections of this process."""

from __future__ import annotations

import logging
import resource

logger = logging.getLogger(__name__)

#: Number of files that are open for other purposes: state, feeds, report, libraries, workers, the 257 folders
#: of the store, and its documents that are not durable yet.
_OTHER_FILES = 500

#: Number of files to allow for each active connection, such as an idle connection and a temporary file.
_FILES_PER_CONNECTION = 4


def most_connections(wanted: int) -> int:
    """Return *wanted*, or fewer if the limit of open files allows no more; at least one.

    Raise the soft limit of this process if necessary, up to the hard limit. The usual 1,024 is less than the
    hosts of a run can need, and an error about too many open files would look like the publisher's fault.
    """
    wanted = max(1, wanted)
    needed = wanted * _FILES_PER_CONNECTION + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    allowed = max(1, (soft - _OTHER_FILES) // _FILES_PER_CONNECTION)
    logger.warning("Only %d connections at once, since no more than %d files may be open", allowed, soft)
    return allowed
