"""The headers that keep a page from doing anything but what it is for."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: No camera, place or anything else that a browser could give to a page.
_NO_PERMISSIONS = ", ".join(
    f"{name}=()"
    for name in ("accelerometer", "camera", "geolocation", "gyroscope", "microphone", "payment", "usb")
)


def policy(*, scripts: bool = False, images: str = "") -> str:
    """Return a Content-Security-Policy: only files of the portal itself, and no inline script or style.

    A page that needs scripts of the portal says so, and *images* is an address from whose host images may
    come, such as the background of a map. A response with a policy of its own keeps it.
    """
    ground = urlsplit(images)
    from_host = f" {ground.scheme}://{ground.netloc}" if ground.netloc else ""
    return "; ".join(
        (
            "default-src 'none'",
            "style-src 'self'",
            f"img-src 'self'{from_host}",
            *(("script-src 'self'", "connect-src 'self'") if scripts else ()),
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


HEADERS = {
    "content-security-policy": policy(),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "permissions-policy": _NO_PERMISSIONS,
    "cross-origin-opener-policy": "same-origin",
}


class SafeHeaders:
    """Middleware that adds these headers to each response that does not have them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""

        async def send_safe(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_safe if scope["type"] == "http" else send)
