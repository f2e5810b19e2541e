"""Starts a portal: the settings, the address, the engine, the server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from woo_harvester.portal.app import Options, make_app
from woo_harvester.portal.engines import open_engine
from woo_harvester.portal.record_files import RecordFiles
from woo_harvester.portal.server import Site, listen, serve

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


def run_portal(
    settings: BaseSettings, files: RecordFiles, site: Site, *, rebuild: bool = False, watch: bool = True
) -> None:
    """Serve the portal until it is stopped, and print its address when it answers.

    Raises ListenError, EngineError, NoRecordsError, OSError and ImportError.
    """
    with (
        listen(site) as listener,  # before the filling, which may take minutes
        open_engine(settings, files, rebuild=rebuild, watch=watch) as engine,
    ):
        serve(make_app(engine, _options(settings)), site, listener, _announce)


def site_of(settings: BaseSettings, host: str, port: int, *, access_log: bool = False) -> Site:
    """Return where the portal is by arguments and settings."""
    path = str(settings["WOO_PORTAL_PATH"] or "")
    return Site(host, port, path, str(settings["WOO_PORTAL_PROXIES"]), access_log)


def _options(settings: BaseSettings) -> Options:
    tiles = str(settings["WOO_PORTAL_TILES"])
    return Options(
        tiles="" if tiles == "none" else tiles,
        seconds=settings.getfloat("WOO_PORTAL_TIMEOUT"),
        concurrency=settings.getint("WOO_PORTAL_CONCURRENCY"),
        title=str(settings["WOO_PORTAL_TITLE"]),
    )


def _announce(address: str) -> None:
    print(f"The portal is at {address} (stop it with Ctrl-C).", flush=True)
