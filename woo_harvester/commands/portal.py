"""``scrapy portal``: a search page and an API over the records of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from scrapy.exceptions import UsageError

from woo_harvester.running.command import ProjectCommand
from woo_harvester.running.paths import NoFolderError
from woo_harvester.utils.program import to_install

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings


class Command(ProjectCommand):
    """Serves a search page over records.

    The exit status is 0 after Ctrl-C or SIGTERM, 1 if it could not start, 2 for a wrong argument.
    """

    name = "portal"
    arguments = "[RECORDS…] [options]"
    summary = "Serve a search page and an API over the records of runs"
    description = (
        "RECORDS are files of records or patterns, such as 'records/*.jsonl', which is the default. What "
        "they have is kept in an index in WOO_DATA_DIR/portal, also what comes while the portal runs. "
        "With WOO_ELASTICSEARCH_URL the portal asks that index instead. See docs/portal.md."
    )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument(
            "--host", default="127.0.0.1", help="address to listen at (default: 127.0.0.1, this machine only)"
        )
        parser.add_argument(
            "--port", type=int, default=8080, help="port, 0 for any that is free (default: 8080)"
        )
        parser.add_argument("--rebuild", action="store_true", help="fill the index anew from the files")
        parser.add_argument("--no-watch", action="store_true", help="do not look for new records meanwhile")
        toets: dict[str, Any] = {"action": "append_const", "dest": "set", "const": "WOO_TOETS=1"}
        parser.add_argument("--toets", **toets, help="let visitors audit a website at /toets")
        parser.add_argument("--access-log", action="store_true", help="write a line to stderr a request")

    def perform(self, args: list[str], opts: argparse.Namespace) -> None:
        """Serve until it is stopped."""
        settings = cast("Settings", self.settings)
        if settings["WOO_ELASTICSEARCH_URL"] and (args or opts.rebuild):
            self.refuse("the portal asks WOO_ELASTICSEARCH_URL: expected no files and no --rebuild")
        if not 0 <= opts.port <= 65535:
            self.refuse(f"--port: expected a number from 0 to 65535, got {opts.port}")
        try:
            self._serve(settings, args, opts)
        except ImportError as error:
            if error.name is None or error.name.startswith("woo_harvester"):
                raise
            raise UsageError(
                f"the portal needs {error.name}: {to_install('portal')}", print_help=False
            ) from error

    def _serve(self, settings: Settings, args: list[str], opts: argparse.Namespace) -> None:
        from woo_portal.engine import EngineError
        from woo_portal.server import NoRecordsError, RecordFiles, run_portal, site_of

        site = site_of(settings, opts.host, opts.port, access_log=opts.access_log)
        try:
            run_portal(settings, RecordFiles(args), site, rebuild=opts.rebuild, watch=not opts.no_watch)
        except NoFolderError as error:
            self.refuse(f"WOO_PORTAL_FILES: {error}")
        except (EngineError, NoRecordsError) as error:
            self.fail(str(error))
        except KeyboardInterrupt:  # while it fills; the server itself ends without one
            self.fail("stopped before it was ready; the next start continues", 130)
