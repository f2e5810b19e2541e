"""Settings of the portal."""

# ruff: noqa: E501  -- a sentence a setting, as the page shows it

from __future__ import annotations

from woo_harvester.default_settings.setting import Setting

PORTAL = (
    Setting(
        "WOO_PORTAL_TITLE",
        "Woo-documenten",
        "text",
        "The name of the site, on each page of `scrapy portal`.",
    ),
    Setting(
        "WOO_PORTAL_TILES",
        "https://service.pdok.nl/brt/achtergrondkaart/wmts/v2_0/standaard/EPSG:3857/{z}/{x}/{y}.png",
        "URL with {z}, {x} and {y}, or none",
        "The background of the map of permits: by default the public one of PDOK. Browsers get it from there. `none`: the points stand on a plain ground.",
        form=r"none|https?://[\w.:-]+/[^\s\"'<>;,]*",
    ),
    Setting(
        "WOO_PORTAL_TIMEOUT",
        5,
        "seconds",
        "The longest time that a question may take, waiting included. After it the visitor is asked to ask less.",
        least=0.1,
    ),
    Setting(
        "WOO_PORTAL_CONCURRENCY",
        8,
        "questions",
        "The number of questions that are answered at the same time. One visitor has at most half of them.",
        least=1,
    ),
    Setting(
        "WOO_PORTAL_PATH",
        None,
        "path such as /woo",
        "The path at which a proxy has the portal, if that is not `/`. The proxy must leave it out of what it passes on.",
        form=r"(/[A-Za-z0-9._~-]+)+",
    ),
    Setting(
        "WOO_PORTAL_PROXIES",
        "127.0.0.1",
        "addresses, commas between",
        "The addresses of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed.",
    ),
)
