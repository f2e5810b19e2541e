"""What each run needs and what takes long, done once in the server that runs are forked from.

It imports modules, also those with what tests change in a run, reads the lists and texts of the package, and
makes a state and a report, so that their statements and templates are compiled. Not the settings, which read
the environment, nor Twisted's reactor: each run chooses these itself.
"""

from __future__ import annotations

import gc
import tempfile
from contextlib import suppress
from functools import cache
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages

from scrapy import cmdline
from scrapy.utils import versions

from woo_harvester.documents.formats import file_types
from woo_harvester.findings import explanations
from woo_harvester.report.assemble import make_report
from woo_harvester.report.run_folder import RunFolder
from woo_harvester.state.store import State
from woo_harvester.tooi.lists import bundled

#: With all modules in them, as Scrapy itself looks for its commands and spiders.
PACKAGES = (
    "scrapy.commands",
    "scrapy.downloadermiddlewares",
    "scrapy.spidermiddlewares",
    "woo_harvester.audit",
    "woo_harvester.commands",
    "woo_harvester.crawl",
    "woo_harvester.downloader",
    "woo_harvester.outputs",
    "woo_harvester.extensions",
    "woo_harvester.pipelines",
    "woo_harvester.report",
    "woo_harvester.spiders",
)
MODULES = (
    "aiohttp",
    "rich.progress",
    "scrapy.cmdline",
    "scrapy.core.downloader.handlers.datauri",
    "scrapy.core.downloader.handlers.file",
    "scrapy.core.downloader.handlers.ftp",
    "scrapy.core.downloader.handlers.http11",
    "scrapy.core.downloader.handlers.s3",
    "scrapy.core.scraper",
    "scrapy.dupefilters",
    "scrapy.exporters",
    "scrapy.extensions.closespider",
    "scrapy.extensions.corestats",
    "scrapy.extensions.logcount",
    "scrapy.extensions.logstats",
    "scrapy.extensions.memdebug",
    "scrapy.extensions.memusage",
    "scrapy.extensions.remote_control",
    "scrapy.extensions.spiderstate",
    "scrapy.extensions.telnet",
    "scrapy.extensions.throttle",
    "scrapy.pqueues",
    "scrapy.shell",
    "scrapy.squeues",
    "scrapy.statscollectors",
    "sqlalchemy.dialects.sqlite",
    "tests.utils.disturbed_runs",
    "tests.utils.forked_runs",
    "tests.utils.sites",
    "woo_harvester.running.ending",
    "woo_harvester.outputs.document",
)
#: Where they are installed.
OPTIONAL = ("uvloop",)


def _read_lists_and_texts() -> None:
    file_types()
    explanations("nl")
    explanations("en")
    bundled()


def _read_what_is_installed() -> None:
    """Have Scrapy remember the commands and versions of packages, which a run would look up on the disk."""
    vars(cmdline)["entry_points"] = commands = cache(metadata.entry_points)
    vars(versions)["version"] = cache(metadata.version)
    commands(group="scrapy.commands")
    versions.get_versions()


def _make_report() -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = RunFolder(Path(folder) / "woo-2026-01-01T00-00-00.0")
        run.path.mkdir()
        run.open_findings().close()
        run.write_accounts([])
        run.write_stats({})
        make_report(run)


for package in PACKAGES:
    for module in walk_packages(import_module(package).__path__, f"{package}."):
        with suppress(ModuleNotFoundError):  # of an extra; a run that needs it reports it
            import_module(module.name)
for name in (*MODULES, *filter(find_spec, OPTIONAL)):
    import_module(name)
_read_lists_and_texts()
_read_what_is_installed()
_make_report()
State.open("sqlite://").close()
# Remembered when it was used above; a run looks for it in its own environment.
tempfile.tempdir = None
# A collection in a run need not look at all of this again, nor write to the memory that it shares.
gc.collect()
gc.freeze()
